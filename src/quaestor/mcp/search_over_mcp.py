"""The tool ``search``: a corpus, some of several, or all of them in one ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from quaestor.core.errors import UsageError
from quaestor.core.passages import Hit
from quaestor.corpus.corpus_json import unknown_objects
from quaestor.corpus.descriptions import ByMeaning, Coming
from quaestor.llm.prompts import load
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.llm.tokens import tokenizer_for
from quaestor.mcp.tool_schemas import Schema
from quaestor.search.spelling import Unknown
from quaestor.server.open_corpora import ALL, Corpora
from quaestor.tools import Outcome, Registry
from quaestor.tools import search_tool as search
from quaestor.tools.arguments import brief, nearest
from quaestor.tools.tool_descriptions import describe, schema

BUDGET = 6000
"""Tokens of a result's text: what agents pay for, and more than they are glad of in one piece."""

MODEL = "gpt-4o"
"""Counts them. Whose model it is that reads is not known; others take about as many."""

WAIT_SECONDS = 20.0
"""For a first index; clients give a call about a minute."""


# What was searched by words alone, where meaning reached some documents or none.
_ALONE = {"some": "Some documents", "none": "All documents"}


def description() -> str:
    """Return the tool's description for an agent."""
    return describe("search", search.PARAMETERS)[0]


def takes(corpora: Corpora) -> Schema:
    """Return the schema of the tool's arguments, with the corpus as one if there are several."""
    own = schema(describe("search", search.PARAMETERS)[1])
    if len(corpora.names) == 1:
        return own
    named = {"type": "string", "enum": list(corpora.names)}
    about = load("mcp_corpora").template
    return {
        **own,
        "properties": {**own["properties"], "corpus": {"type": "array", "items": named, "description": about}},
    }


def run(corpora: Corpora, arguments: Mapping[str, object]) -> tuple[dict[str, Any] | None, str]:
    """Search; return the hits as data and text, or no data and the reason why the search was not made.

    Raises:
        QuaestorError: none of the chosen corpora can be searched.
    """
    passed = dict(arguments)
    query = str(passed.get("query", ""))
    names = _names(passed.pop("corpus", None), corpora.names)
    if len(corpora.names) == 1:
        [name] = corpora.names
        corpus = corpora.get(name, wait=WAIT_SECONDS)
        outcome = _searched(corpus, passed)
        return _result_as_text(
            outcome,
            corpus.meaning.reach,
            corpus.meaning.coming,
            {},
            corpus.translated(query),
            corpus.spelling(query).unknown,
        )
    several, failures = corpora.several(names, wait=WAIT_SECONDS)
    outcome = _searched(several, passed)
    if outcome.failed:
        return None, f"{outcome.text} {load('mcp_takes_corpus').template}"
    coming = next((one for corpus in several.answering.values() if (one := corpus.meaning.coming)), None)
    return _result_as_text(
        outcome,
        several.reach,
        coming,
        {**failures, **several.failures},
        several.translated(query),
        several.spelling(query).unknown,
    )


def _names(given: object, known: Sequence[str]) -> Sequence[str]:
    """Return the names of corpora that an agent gives: a list of them, one, or nothing for all.

    Raises:
        UsageError: there is no corpus of one of them.
    """
    if given in (None, "", ALL):
        return ()
    names = given if isinstance(given, list) else [given]
    for name in names:
        if name not in known and name != ALL:
            like = nearest(str(name), known)
            meant = f" Did you mean {like!r}?" if like else ""
            raise UsageError(f"There is no corpus {brief(name)} here. There are {', '.join(map(repr, known))}.{meant}")
    return [str(name) for name in names]


def _searched(corpus: search.Searched, arguments: Mapping[str, object]) -> Outcome:
    registry = Registry([search.search_of(corpus, bylines=True, languages=True)])
    return registry.call("search", arguments, budget=BUDGET, count=tokenizer_for(MODEL).count)


def _result_as_text(
    outcome: Outcome,
    reach: ByMeaning,
    coming: Coming | None,
    failures: Mapping[str, Exception],
    translated: Sequence[str],
    unknown: Sequence[Unknown],
) -> tuple[dict[str, Any] | None, str]:
    """Return the hits as text, with remarks."""
    if outcome.failed:
        return None, outcome.text
    found: dict[str, Any] = {**_found(outcome), "by_meaning": reach}
    text = outcome.text
    if reach != "all":
        text += "\n\n" + load("mcp_words_alone").render(documents=_ALONE[reach])
    if unknown:
        found["unknown"] = unknown_objects(unknown)
    if translated:
        found["translated"] = list(translated)
        text += "\n\n" + load("mcp_translated").render(words=", ".join(translated))
    if coming is not None:
        found["coming"] = coming._asdict()
        made = f"{coming.done:,} of {coming.total:,}" if coming.total else "no"
        text += "\n\n" + load("mcp_coming").render(made=made)
    if failures:
        found["not_searched"] = [{"corpus": name, "why": str(error)} for name, error in failures.items()]
        why = " ".join(f"{name}: {error}" for name, error in failures.items())
        text += "\n\n" + load("mcp_not_searched").render(why=why)
    return found, text


def _found(outcome: Outcome) -> dict[str, Any]:
    hits = cast("Sequence[Hit]", outcome.data)
    # As much as the text shows, and no more: many clients give a model the data and not the text.
    found = {
        "hits": [_hit(hits[passage.n - 1], passage) for passage in outcome.passages],
        "fresh": all(hit.fresh for hit in hits),
    }
    return found if hits else {**found, "said": outcome.text}


def _hit(hit: Hit, shown: Passage) -> dict[str, Any]:
    found = {"path": hit.path, "start_line": shown.start_line, "end_line": shown.end_line, "text": shown.text}
    told = {"symbol": hit.symbol, "title": hit.document.title, "corpus": hit.corpus}
    return {
        **found,
        **{name: value for name, value in told.items() if value},
        **({} if hit.fresh else {"fresh": False}),
    }
