"""The tool ``search``: a corpus, some of several, or all of them in one ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from quaestor.core.errors import UsageError
from quaestor.corpus.descriptions import ByMeaning, Coming
from quaestor.llm.prompts import load
from quaestor.llm.tokens import tokenizer_for
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


def takes(corpora: Corpora) -> dict[str, Any]:
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


def run(corpora: Corpora, arguments: Mapping[str, object]) -> Outcome:
    """Search; return the hits as text, or the reason why the search was not made.

    Raises:
        QuaestorError: none of the chosen corpora can be searched.
    """
    passed = dict(arguments)
    query = str(passed.get("query", ""))
    names = _names(passed.pop("corpus", None), corpora.names)
    if len(corpora.names) == 1:
        corpus = corpora.get(corpora.names[0], wait=WAIT_SECONDS)
        outcome = _searched(corpus, passed)
        return _noted(outcome, corpus.meaning.reach, corpus.meaning.coming, {}, corpus.translated(query))
    several, failures = corpora.several(names, wait=WAIT_SECONDS)
    outcome = _searched(several, passed)
    if outcome.failed:
        return replace(outcome, text=f"{outcome.text} {load('mcp_takes_corpus').template}")
    coming = next((one for corpus in several.answering.values() if (one := corpus.meaning.coming)), None)
    return _noted(outcome, several.reach, coming, {**failures, **several.failures}, several.translated(query))


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


def _noted(
    outcome: Outcome,
    reach: ByMeaning,
    coming: Coming | None,
    failures: Mapping[str, Exception],
    translated: Sequence[str],
) -> Outcome:
    """Return the hits as text, with remarks."""
    if outcome.failed:
        return outcome
    notes = [outcome.text]
    if reach != "all":
        notes.append(load("mcp_words_alone").render(documents=_ALONE[reach]))
    if translated:
        notes.append(load("mcp_translated").render(words=", ".join(translated)))
    if coming is not None:
        made = f"{coming.done:,} of {coming.total:,}" if coming.total else "no"
        notes.append(load("mcp_coming").render(made=made))
    if failures:
        why = " ".join(f"{name}: {error}" for name, error in failures.items())
        notes.append(load("mcp_not_searched").render(why=why))
    return replace(outcome, text="\n\n".join(notes))
