"""The MCP tools: their names, schemas and functions.

Nothing here knows the protocol. All but ``ask`` call the tool of the same name in ``quaestor.tools``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from quaestor.accounts.purpose import Purpose
from quaestor.assemble import check_endpoint
from quaestor.corpus import Corpus
from quaestor.llm.prompts import load
from quaestor.llm.tokens import tokenizer_for
from quaestor.mcp import search_over_mcp as searching
from quaestor.mcp.search_over_mcp import BUDGET, MODEL, WAIT_SECONDS
from quaestor.server.open_corpora import Corpora, how_far
from quaestor.tools import Outcome, Parameter, Registry, Subroutine
from quaestor.tools import history_tool as history
from quaestor.tools import overview_tool as overview
from quaestor.tools import read_tool as read
from quaestor.tools import related_tool as related
from quaestor.tools.arguments import check_arguments
from quaestor.tools.tool_descriptions import describe, schema

if TYPE_CHECKING:
    from quaestor.chat.events import TurnOutcome

# Not `registry_of`: that knows how to edit, which takes as long to import as all of these.
_SUBROUTINES: dict[str, Callable[[Corpus], Subroutine]] = {
    "read": read.read_of,
    "related": related.related_of,
    "overview": overview.overview_of,
    "history": history.history_of,
}

_QUESTION = Parameter("question", "string", required=True)


@dataclass(frozen=True, slots=True)
class Indexing:
    """The progress of first indexes.

    Attributes:
        share: of the bytes to read, from 0 to 1; of several indexes, the least.
        words: the same for people.
    """

    share: float
    words: str


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        name: snake_case.
        title: for people.
        description: for the agent: when to use it.
        takes: JSON Schema of its arguments.
        run: the function; its text is for the agent. Raises ``QuaestorError`` with advice for the agent.
        indexing: progress of first indexes that a call may wait for; None if all are complete.
    """

    name: str
    title: str
    description: str
    takes: dict[str, Any]
    run: Callable[[Mapping[str, object]], Outcome]
    indexing: Callable[[], Indexing | None]


def tools_of(corpora: Corpora) -> tuple[Tool, ...]:
    """Return the tools over some corpora; with a single one, they have no argument for the corpus."""
    return (
        _search(corpora),
        _reading(corpora, "read", "Read lines", read.PARAMETERS),
        _reading(corpora, "related", "Find what is related", related.PARAMETERS),
        _reading(corpora, "overview", "Get an overview", overview.PARAMETERS),
        _reading(corpora, "history", "Ask the history", history.PARAMETERS),
        _ask(corpora),
    )


def prepare() -> None:
    """Load what the first call would wait for."""
    tokenizer_for(MODEL).count(" ")


def _reading(corpora: Corpora, name: str, title: str, parameters: Sequence[Parameter]) -> Tool:
    description, listed = describe(name, parameters)
    takes = schema((*listed, *_which(corpora)))
    return Tool(name, title, description, takes, partial(_call, corpora, name), partial(_indexing, corpora))


def _call(corpora: Corpora, name: str, arguments: Mapping[str, object]) -> Outcome:
    passed = dict(arguments)
    corpus = corpora.get(str(passed.pop("corpus", "") or ""), wait=WAIT_SECONDS)
    count = tokenizer_for(MODEL).count
    outcome = Registry([_SUBROUTINES[name](corpus)]).call(name, passed, budget=BUDGET, count=count)
    if outcome.failed and len(corpora.names) > 1:
        return replace(outcome, text=f"{outcome.text} {load('mcp_takes_corpus').template}")
    return outcome


def _search(corpora: Corpora) -> Tool:
    run = partial(searching.run, corpora)
    return Tool("search", "Search", searching.description(), searching.takes(corpora), run, partial(_indexing, corpora))


def _ask(corpora: Corpora) -> Tool:
    description, parameters = describe("ask", (_QUESTION,))

    def run(arguments: Mapping[str, object]) -> Outcome:
        from quaestor.server.ask_once import answer_once  # noqa: PLC0415 - clients wait for a server's start

        passed = check_arguments("ask", (*parameters, *_which(corpora)), arguments)
        name = str(passed.get("corpus", ""))
        check_endpoint(corpora.settings(name))
        corpus = corpora.get(name, wait=WAIT_SECONDS)
        purpose = Purpose(kind="mcp", source=str(corpus.root))
        outcome = answer_once(corpus, str(passed["question"]), corpora.settings(name), purpose)
        return Outcome(_answer_as_text(outcome))

    takes = schema((*parameters, *_which(corpora)))
    return Tool("ask", "Ask", description, takes, run, partial(_indexing, corpora))


def _indexing(corpora: Corpora) -> Indexing | None:
    going = [state for state in corpora.states() if not state.ready and not state.failed]
    if not going:
        return None
    least = min(going, key=lambda state: state.share)
    return Indexing(least.share, f"indexing {least.name}: {how_far(least)}")


def _which(corpora: Corpora) -> Sequence[Parameter]:
    if len(corpora.names) == 1:
        return ()
    about = load("mcp_corpus").template
    return (Parameter("corpus", "string", required=True, description=about, choices=corpora.names),)


def _answer_as_text(outcome: TurnOutcome) -> str:
    """Return an answer as text, with its sources, what nothing supports, and the nearest passages."""
    from quaestor.server.openai.reply_of_turn import trailing_sources  # noqa: PLC0415 - clients wait for a server's start

    done = outcome.done
    if done is None:
        return ""
    if done.unchecked:
        quotes = "\n".join(f"{one.path}:{one.start_line}: {' '.join(one.quote.split())}" for one in outcome.quotes)
        return load("mcp_unchecked").render(answer=done.answer, quotes=quotes or "-")
    text = done.answer + trailing_sources(outcome.citations, unchecked=False)
    if outcome.unsupported:
        text += "\n\n" + load("mcp_unsupported").render(sentences=_listed(outcome.unsupported))
    if outcome.nearest:
        places = _listed(f"{one.path}:{one.start_line}-{one.end_line}" for one in outcome.nearest)
        text += "\n\n" + load("mcp_nearest").render(places=places)
    return text


def _listed(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)
