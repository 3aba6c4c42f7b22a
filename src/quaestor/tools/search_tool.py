"""``search``: the corpus by words and by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from quaestor.core.documents import Hit
from quaestor.corpus.understood_filters import HasBylines, why_none
from quaestor.llm.prompts import load
from quaestor.llm.prompts.numbered_passages import number
from quaestor.search.filters import both_filters, make_filter
from quaestor.search.spelling import Spelling, UnknownWord
from quaestor.stores import Where
from quaestor.tools.arguments import brief
from quaestor.tools.tool_results import show_passages, shown_name
from quaestor.tools.tool_values import Arguments, Outcome, Parameter, Room, Tool, describe

PARAMETERS = (
    Parameter("query", "string", required=True),
    Parameter("k", "integer", default=8, minimum=1, maximum=50),
    Parameter("path", "string"),
    Parameter("language", "string"),
    Parameter("since", "string"),
    Parameter("before", "string"),
    Parameter("by", "string"),
)

# Where nothing is dated or signed, no model need be told that it could ask for that.
_BYLINES = frozenset({"since", "before", "by"})


class SearchableCorpus(HasBylines, Protocol):
    """A corpus, or several that are searched as one."""

    def search(self, query: str, k: int = 10, *, where: Where | None = None) -> list[Hit]:
        """Return up to ``k`` hits in the documents that match a filter, best first."""
        ...

    def spelling(self, query: str) -> Spelling:
        """Return a query's words that the corpus lacks, each with the most similar ones that it has."""
        ...


def search_of(
    corpus: SearchableCorpus, where: Where | None = None, *, bylines: bool | None = None, languages: bool = False
) -> Tool:
    """Return the tool that searches the documents of a corpus that ``where`` lets through.

    Args:
        corpus: the corpus.
        where: a filter on all searches.
        bylines: whether the tool takes dates and authors; None to decide by whether any document has one.
        languages: whether the tool takes a language.
    """
    description, parameters = describe("search", PARAMETERS)
    if bylines is None:
        authors_and_dates = corpus.bylines()
        bylines = bool(authors_and_dates.dated or authors_and_dates.authors)
    left_out = (frozenset() if bylines else _BYLINES) | (frozenset() if languages else {"language"})
    parameters = tuple(one for one in parameters if one.name not in left_out)
    return Tool("search", description, parameters, partial(_run, corpus, where))


def _run(corpus: SearchableCorpus, within: Where | None, arguments: Arguments, room: Room) -> Outcome:
    query = str(arguments["query"])
    path, language, since, before, by = (
        str(arguments.get(name, "")).strip() for name in ("path", "language", "since", "before", "by")
    )
    chosen = make_filter([path] if path else [], [language.lower()] if language else [], since, before, [by])
    where = both_filters(chosen, within)
    hits = corpus.search(query, int(arguments["k"]), where=where)
    unknown = corpus.spelling(query).unknown
    if not hits:
        why = why_none(corpus, where) if where else ""
        nothing = load("result_nothing").render(query=brief(query))
        return Outcome(" ".join(filter(None, (nothing, _unknown_words_note(unknown), why))))
    stale = {(hit.corpus, hit.path): hit.path for hit in hits if not hit.fresh}
    changed = [load("result_changed_hit").render(path=shown_name(path)) for path in stale.values()]
    shown = show_passages(room.numbered(number(hits)), room, [*filter(None, (_unknown_words_note(unknown),)), *changed])
    return Outcome(shown.text, shown.passages)


def _unknown_words_note(unknown: Sequence[UnknownWord]) -> str:
    """Return a remark for the model on words that the corpus lacks; "" if there are none."""
    if not unknown:
        return ""
    remarks = (
        f"{brief(one.word)} (searched for {brief(one.nearest[0])})" if one.nearest else brief(one.word)
        for one in unknown
    )
    return load("result_unknown").render(words=", ".join(remarks))
