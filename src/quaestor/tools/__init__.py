"""What a model can call: search, read, related, list, overview, history, edit.

A tool is described to the model as a text tag or as a native tool call, from one definition. The package does not know
conversations or how a call arrives. Begin with ``registry``, then ``search_tool`` as an example.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaestor.tools.registry import Registry
from quaestor.tools.tool_values import Arguments, Outcome, Parameter, Room, Tool

if TYPE_CHECKING:
    from quaestor.corpus import Corpus
    from quaestor.corpus.joint_corpus import JointCorpus
    from quaestor.stores import Where

__all__ = ["Arguments", "Outcome", "Parameter", "Registry", "Room", "Tool", "registry_of"]


def registry_of(
    corpus: Corpus | JointCorpus, *, edits: bool = True, where: Where | None = None, bylines: bool | None = None
) -> Registry:
    """Return the registry of a corpus's tools, or of several corpora's; without ``edits``, none that proposes changes.

    Args:
        corpus: the corpus to read.
        edits: whether to include the tool that proposes changes.
        where: a filter on the documents that are searched.
        bylines: whether a search takes dates and authors; None to decide by whether any document has one.
    """
    # All tools are imported here, and an answer made of quotes calls none.
    from quaestor.corpus.joint_corpus import JointCorpus  # noqa: PLC0415 - see above
    from quaestor.tools.answer_tools import history_of, overview_of  # noqa: PLC0415
    from quaestor.tools.document_tools import list_of, read_of  # noqa: PLC0415
    from quaestor.tools.edit_tool import edit_of  # noqa: PLC0415
    from quaestor.tools.related_tool import related_of  # noqa: PLC0415
    from quaestor.tools.search_tool import search_of  # noqa: PLC0415

    reading = [search_of(corpus, where, bylines=bylines), read_of(corpus)]
    if isinstance(corpus, JointCorpus):
        # The others look into one corpus, and a change is made in one.
        return Registry(reading)
    reading += [related_of(corpus), list_of(corpus), overview_of(corpus)]
    # Where there is no repository, no model need be told of histories.
    reading += [history_of(corpus)] if corpus.repository() is not None else []
    return Registry([*reading, edit_of(corpus)] if edits else reading)
