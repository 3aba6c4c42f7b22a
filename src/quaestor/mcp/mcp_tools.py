"""The MCP tools: their names, schemas and functions.

The module knows nothing of the protocol. Each tool but ``ask`` calls the tool of the same name in ``quaestor.tools``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from quaestor.accounts import Purpose
from quaestor.assemble import check_endpoint
from quaestor.core.errors import UsageError
from quaestor.corpus import Corpus
from quaestor.corpus.descriptions import ByMeaning, VectorProgress
from quaestor.llm.prompts import load
from quaestor.llm.tokens import tokenizer_for
from quaestor.server.open_corpora import ALL, Corpora, first_index_progress
from quaestor.tools import Outcome, Parameter, Registry, Tool
from quaestor.tools import related_tool as related
from quaestor.tools import search_tool as search
from quaestor.tools.answer_tools import HISTORY_PARAMETERS, OVERVIEW_PARAMETERS, history_of, overview_of
from quaestor.tools.arguments import brief, check_arguments, nearest
from quaestor.tools.document_tools import READ_PARAMETERS, read_of
from quaestor.tools.tool_values import arguments_schema, describe

if TYPE_CHECKING:
    from quaestor.chat.events import TurnOutcome


BUDGET = 6000
"""Tokens of a result's text at most: agents pay for each, and few can use more at once."""

MODEL = "gpt-4o"
"""The model whose tokenizer counts them. The agent's own model is unknown; other tokenizers count about as many."""

WAIT_SECONDS = 20.0
"""How long a call waits for a first index; clients end a call after about a minute."""


# Which documents were searched by words alone, by how many of them have vectors.
_ALONE = {"some": "Some documents", "none": "All documents"}


def _search_description() -> str:
    """Return the tool's description for an agent."""
    return describe("search", search.PARAMETERS)[0]


def _search_schema(corpora: Corpora) -> dict[str, Any]:
    """Return the schema of the tool's arguments, including the corpora to search if there are several."""
    own = arguments_schema(describe("search", search.PARAMETERS)[1])
    if len(corpora.names) == 1:
        return own
    name_schema = {"type": "string", "enum": list(corpora.names)}
    description = load("mcp_corpora").template
    return {
        **own,
        "properties": {
            **own["properties"],
            "corpus": {"type": "array", "items": name_schema, "description": description},
        },
    }


def _call_search(corpora: Corpora, arguments: Mapping[str, object]) -> Outcome:
    """Search; return the hits as text, or the reason for which the search failed.

    Raises:
        QuaestorError: none of the chosen corpora can be searched.
    """
    passed = dict(arguments)
    query = str(passed.get("query", ""))
    names = _chosen_names(passed.pop("corpus", None), corpora.names)
    if len(corpora.names) == 1:
        corpus = corpora.get(corpora.names[0], wait=WAIT_SECONDS)
        outcome = _search_one(corpus, passed)
        return _with_remarks(
            outcome, corpus.meaning.reach, corpus.meaning.vector_progress, {}, corpus.translation(query)
        )
    several, failures = corpora.several(names, wait=WAIT_SECONDS)
    outcome = _search_one(several, passed)
    if outcome.failed:
        return outcome._replace(text=f"{outcome.text} {load('mcp_takes_corpus').template}")
    progress = next((one for corpus in several.last_searched.values() if (one := corpus.meaning.vector_progress)), None)
    return _with_remarks(outcome, several.reach, progress, {**failures, **several.failures}, several.translation(query))


def _chosen_names(value: object, known: Sequence[str]) -> Sequence[str]:
    """Return the corpora that an agent names by a list, one name or nothing; empty for all corpora.

    Raises:
        UsageError: there is no corpus of one of the names.
    """
    if value in (None, "", ALL):
        return ()
    names = value if isinstance(value, list) else [value]
    for name in names:
        if name not in known and name != ALL:
            like = nearest(str(name), known)
            advice = f" Did you mean {like!r}?" if like else ""
            raise UsageError(f"There is no corpus {brief(name)} here. There are {', '.join(map(repr, known))}.{advice}")
    return [str(name) for name in names]


def _search_one(corpus: search.SearchableCorpus, arguments: Mapping[str, object]) -> Outcome:
    registry = Registry([search.search_of(corpus, bylines=True, languages=True)])
    return registry.call("search", arguments, budget=BUDGET, count=tokenizer_for(MODEL).count)


def _with_remarks(
    outcome: Outcome,
    reach: ByMeaning,
    progress: VectorProgress | None,
    failures: Mapping[str, Exception],
    translated: Sequence[str],
) -> Outcome:
    """Return the hits as text with remarks: what was searched by words alone, translated, unfinished or failed.

    Args:
        outcome: the outcome of the search.
        reach: how many documents were searched by meaning.
        progress: the progress of vectors that are being computed; None if none are.
        failures: why corpora were not searched, by their names.
        translated: the English words that were searched for instead of a question in another language.
    """
    if outcome.failed:
        return outcome
    notes = [outcome.text]
    if reach != "all":
        notes.append(load("mcp_words_alone").render(documents=_ALONE[reach]))
    if translated:
        notes.append(load("mcp_translated").render(words=", ".join(translated)))
    if progress is not None:
        progress_words = f"{progress.done:,} of {progress.total:,}" if progress.total else "no"
        notes.append(load("mcp_coming").render(made=progress_words))
    if failures:
        why = " ".join(f"{name}: {error}" for name, error in failures.items())
        notes.append(load("mcp_not_searched").render(why=why))
    return outcome._replace(text="\n\n".join(notes))


# Not `registry_of`: it imports the tool that edits, which takes as long as importing all of these.
_SUBROUTINES: dict[str, Callable[[Corpus], Tool]] = {
    "read": read_of,
    "related": related.related_of,
    "overview": overview_of,
    "history": history_of,
}

_QUESTION = Parameter("question", "string", required=True)


@dataclass(frozen=True, slots=True)
class IndexingProgress:
    """The progress of first indexes.

    Attributes:
        share: the share of bytes that have been read, from 0 to 1; the least of several indexes.
        words: the same as text.
    """

    share: float
    words: str


@dataclass(frozen=True, slots=True)
class ServedTool:
    """One tool.

    Attributes:
        name: the name in snake_case.
        title: the name that clients show to people.
        description: tells the agent when to use the tool.
        takes: the JSON Schema of its arguments.
        run: takes the arguments and returns text for the agent. Raises ``QuaestorError`` with advice for the agent.
        indexing: returns the progress of first indexes that a call may wait for; None if all are complete.
    """

    name: str
    title: str
    description: str
    takes: dict[str, Any]
    run: Callable[[Mapping[str, object]], Outcome]
    indexing: Callable[[], IndexingProgress | None]


def tools_of(corpora: Corpora) -> tuple[ServedTool, ...]:
    """Return the tools on some corpora; if there is only one, they take no argument for the corpus."""
    return (
        _search(corpora),
        _reading_tool(corpora, "read", "Read lines", READ_PARAMETERS),
        _reading_tool(corpora, "related", "Find what is related", related.PARAMETERS),
        _reading_tool(corpora, "overview", "Get an overview", OVERVIEW_PARAMETERS),
        _reading_tool(corpora, "history", "Ask the history", HISTORY_PARAMETERS),
        _ask(corpora),
    )


def prepare() -> None:
    """Load the tokenizer, for which the first call would otherwise wait."""
    tokenizer_for(MODEL).count(" ")


def _reading_tool(corpora: Corpora, name: str, title: str, parameters: Sequence[Parameter]) -> ServedTool:
    description, listed = describe(name, parameters)
    takes = arguments_schema((*listed, *_corpus_parameter(corpora)))
    return ServedTool(
        name, title, description, takes, partial(_call, corpora, name), partial(_indexing_progress, corpora)
    )


def _call(corpora: Corpora, name: str, arguments: Mapping[str, object]) -> Outcome:
    passed = dict(arguments)
    corpus = corpora.get(str(passed.pop("corpus", "") or ""), wait=WAIT_SECONDS)
    count = tokenizer_for(MODEL).count
    outcome = Registry([_SUBROUTINES[name](corpus)]).call(name, passed, budget=BUDGET, count=count)
    if outcome.failed and len(corpora.names) > 1:
        return outcome._replace(text=f"{outcome.text} {load('mcp_takes_corpus').template}")
    return outcome


def _search(corpora: Corpora) -> ServedTool:
    run = partial(_call_search, corpora)
    return ServedTool(
        "search", "Search", _search_description(), _search_schema(corpora), run, partial(_indexing_progress, corpora)
    )


def _ask(corpora: Corpora) -> ServedTool:
    description, parameters = describe("ask", (_QUESTION,))

    def run(arguments: Mapping[str, object]) -> Outcome:
        from quaestor.server.single_questions import answer_once  # noqa: PLC0415 - a client waits while the server starts

        passed = check_arguments("ask", (*parameters, *_corpus_parameter(corpora)), arguments)
        name = str(passed.get("corpus", ""))
        check_endpoint(corpora.settings(name))
        corpus = corpora.get(name, wait=WAIT_SECONDS)
        purpose = Purpose(kind="mcp", source=str(corpus.root))
        outcome = answer_once(corpus, str(passed["question"]), corpora.settings(name), purpose)
        return Outcome(_answer_as_text(outcome))

    takes = arguments_schema((*parameters, *_corpus_parameter(corpora)))
    return ServedTool("ask", "Ask", description, takes, run, partial(_indexing_progress, corpora))


def _indexing_progress(corpora: Corpora) -> IndexingProgress | None:
    going = [state for state in corpora.states() if not state.ready and not state.failed]
    if not going:
        return None
    least = min(going, key=lambda state: state.share)
    return IndexingProgress(least.share, f"indexing {least.name}: {first_index_progress(least)}")


def _corpus_parameter(corpora: Corpora) -> Sequence[Parameter]:
    if len(corpora.names) == 1:
        return ()
    description = load("mcp_corpus").template
    return (Parameter("corpus", "string", required=True, description=description, choices=corpora.names),)


def _answer_as_text(outcome: TurnOutcome) -> str:
    """Return an answer as text, with its sources, its unsupported sentences and the nearest passages."""
    from quaestor.server.openai.chat_turn import trailing_sources  # noqa: PLC0415 - as above

    done = outcome.done
    if done is None:
        return ""
    if done.unchecked:
        quotes = "\n".join(f"{one.path}:{one.start_line}: {' '.join(one.quote.split())}" for one in outcome.quotes)
        return load("mcp_unchecked").render(answer=done.answer, quotes=quotes or "-")
    text = done.answer + trailing_sources(outcome.citations, unchecked=False)
    if outcome.unsupported:
        text += "\n\n" + load("mcp_unsupported").render(sentences=_bullet_list(outcome.unsupported))
    if outcome.nearest:
        places = _bullet_list(f"{one.path}:{one.start_line}-{one.end_line}" for one in outcome.nearest)
        text += "\n\n" + load("mcp_nearest").render(places=places)
    return text


def _bullet_list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)
