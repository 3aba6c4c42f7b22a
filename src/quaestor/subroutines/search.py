"""``search``: the corpus by words and by meaning."""

from __future__ import annotations

from functools import partial

from quaestor.corpus import Corpus
from quaestor.prompts import load
from quaestor.prompts.passages import number
from quaestor.stores import Where
from quaestor.subroutines.arguments import brief
from quaestor.subroutines.passages import show_passages
from quaestor.subroutines.shown import shown_name
from quaestor.subroutines.values import Arguments, Outcome, Parameter, Room, Subroutine
from quaestor.subroutines.words import described

PARAMETERS = (
    Parameter("query", "string", required=True),
    Parameter("k", "integer", default=8, minimum=1, maximum=50),
    Parameter("path", "string"),
)


def search_of(corpus: Corpus) -> Subroutine:
    """Return the subroutine that searches a corpus."""
    description, parameters = described("search", PARAMETERS)
    return Subroutine("search", description, parameters, partial(_run, corpus))


def _run(corpus: Corpus, arguments: Arguments, room: Room) -> Outcome:
    query, path = str(arguments["query"]), str(arguments.get("path", "")).strip()
    hits = corpus.search(query, int(arguments["k"]), where=Where(paths=(path,)) if path else None)
    if not hits:
        return Outcome(load("result_nothing").render(query=brief(query)), data=())
    changed = {hit.path: load("result_changed_hit").render(path=shown_name(hit.path)) for hit in hits if not hit.fresh}
    shown = show_passages(room.numbered(number(hits)), room, list(changed.values()))
    return Outcome(shown.text, shown.passages, data=tuple(hits))
