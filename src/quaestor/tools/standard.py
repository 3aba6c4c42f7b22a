"""The subroutines of a corpus, ready to be called."""

from __future__ import annotations

from quaestor.corpus import Corpus
from quaestor.corpus.joint_corpus import JointCorpus
from quaestor.stores import Where
from quaestor.tools.edit_tool import edit_of
from quaestor.tools.history_tool import history_of
from quaestor.tools.list_tool import list_of
from quaestor.tools.overview_tool import overview_of
from quaestor.tools.read_tool import read_of
from quaestor.tools.registry import Registry
from quaestor.tools.related_tool import related_of
from quaestor.tools.search_tool import search_of


def registry_of(
    corpus: Corpus | JointCorpus, *, edits: bool = True, where: Where | None = None, bylines: bool | None = None
) -> Registry:
    """Return all subroutines of a corpus, or of several; without ``edits``, those that propose no change.

    Args:
        corpus: what they read.
        edits: whether one proposes changes.
        where: only documents that it lets through are searched.
        bylines: whether a search can be for dates and authors; None: where the corpus has any.
    """
    reading = [search_of(corpus, where, bylines=bylines), read_of(corpus)]
    if isinstance(corpus, JointCorpus):
        # The others look into one corpus, and a change is made in one.
        return Registry(reading)
    reading += [related_of(corpus), list_of(corpus), overview_of(corpus)]
    # Where there is no repository, no model need be told of histories.
    reading += [history_of(corpus)] if corpus.repository() is not None else []
    return Registry([*reading, edit_of(corpus)] if edits else reading)
