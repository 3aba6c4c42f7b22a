"""The MCP tools: their names, schemas and functions.

Nothing here knows the protocol. All but ``ask`` call the tool of the same name in ``quaestor.tools``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from quaestor.accounts.purpose import Purpose
from quaestor.assemble import check_endpoint
from quaestor.corpus import Corpus
from quaestor.llm.prompts import load
from quaestor.llm.tokens import tokenizer_for
from quaestor.mcp import search_over_mcp as searching
from quaestor.mcp import tool_schemas as schemas
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
    from quaestor.answers.history_answer import HistoryAnswer
    from quaestor.answers.overview.statements import Overview
    from quaestor.chat.events import TurnOutcome
    from quaestor.core.citation import Citation
    from quaestor.corpus.line_excerpts import Excerpt
    from quaestor.related import Related

# Not `registry_of`: that knows how to edit, which takes as long to import as all of these.
_SUBROUTINES: dict[str, Callable[[Corpus], Subroutine]] = {
    "read": read.read_of,
    "related": related.related_of,
    "overview": overview.overview_of,
    "history": history.history_of,
}

_QUESTION = Parameter("question", "string", required=True)


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a tool.

    Attributes:
        data: in the form of its output schema; None if it failed.
        text: the same in words.
    """

    data: dict[str, Any] | None
    text: str


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
        returns: JSON Schema of its data.
        run: the function. Raises ``QuaestorError`` with advice for the agent.
        indexing: progress of first indexes that a call may wait for; None if all are complete.
    """

    name: str
    title: str
    description: str
    takes: schemas.Schema
    returns: schemas.Schema
    run: Callable[[Mapping[str, object]], Answer]
    indexing: Callable[[], Indexing | None]


def tools_of(corpora: Corpora) -> tuple[Tool, ...]:
    """Return the tools over some corpora; with a single one, they have no argument for the corpus."""
    return (
        _search(corpora),
        _reading(corpora, "read", "Read lines", read.PARAMETERS, schemas.READ, _lines),
        _reading(corpora, "related", "Find what is related", related.PARAMETERS, schemas.RELATED, _relatives),
        _reading(corpora, "overview", "Get an overview", overview.PARAMETERS, schemas.OVERVIEW, _overview),
        _reading(corpora, "history", "Ask the history", history.PARAMETERS, schemas.HISTORY, _history),
        _ask(corpora),
    )


def prepare() -> None:
    """Load what the first call would wait for."""
    tokenizer_for(MODEL).count(" ")


def _reading(
    corpora: Corpora,
    name: str,
    title: str,
    parameters: Sequence[Parameter],
    returns: schemas.Schema,
    data: Callable[[Outcome], dict[str, Any]],
) -> Tool:
    description, listed = describe(name, parameters)
    takes = schema((*listed, *_which(corpora)))
    run = partial(_call, corpora, name, data)
    return Tool(name, title, description, takes, returns, run, partial(_indexing, corpora))


def _call(
    corpora: Corpora, name: str, data: Callable[[Outcome], dict[str, Any]], arguments: Mapping[str, object]
) -> Answer:
    passed = dict(arguments)
    corpus = corpora.get(str(passed.pop("corpus", "") or ""), wait=WAIT_SECONDS)
    count = tokenizer_for(MODEL).count
    outcome = Registry([_SUBROUTINES[name](corpus)]).call(name, passed, budget=BUDGET, count=count)
    if outcome.failed and len(corpora.names) > 1:
        return Answer(None, f"{outcome.text} {load('mcp_takes_corpus').template}")
    if outcome.failed:
        return Answer(None, outcome.text)
    return Answer(data(outcome), outcome.text)


def _search(corpora: Corpora) -> Tool:
    def run(arguments: Mapping[str, object]) -> Answer:
        return Answer(*searching.run(corpora, arguments))

    takes = searching.takes(corpora)
    indexing = partial(_indexing, corpora)
    return Tool("search", "Search", searching.description(), takes, schemas.SEARCH, run, indexing)


def _ask(corpora: Corpora) -> Tool:
    description, parameters = describe("ask", (_QUESTION,))

    def run(arguments: Mapping[str, object]) -> Answer:
        from quaestor.server.ask_once import answer_once  # noqa: PLC0415 - clients wait for a server's start

        passed = check_arguments("ask", (*parameters, *_which(corpora)), arguments)
        name = str(passed.get("corpus", ""))
        check_endpoint(corpora.settings(name))
        corpus = corpora.get(name, wait=WAIT_SECONDS)
        purpose = Purpose(kind="mcp", source=str(corpus.root))
        outcome = answer_once(corpus, str(passed["question"]), corpora.settings(name), purpose)
        return Answer(_answer(outcome), _answer_as_text(outcome))

    takes = schema((*parameters, *_which(corpora)))
    return Tool("ask", "Ask", description, takes, schemas.ASK, run, partial(_indexing, corpora))


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
    """Return an answer as text; one without a valid citation says so and adds quotes from the corpus."""
    answer = outcome.done.answer if outcome.done else ""
    if not outcome.unchecked:
        return answer
    quotes = "\n".join(f"{one.path}:{one.start_line}: {' '.join(one.quote.split())}" for one in outcome.quotes)
    return load("mcp_unchecked").render(answer=answer, quotes=quotes or "-")


def _answer(outcome: TurnOutcome) -> dict[str, Any]:
    nearest = [_lines_of(hit.path, hit.start_line, hit.end_line) for hit in outcome.nearest]
    done = outcome.done
    return {
        "answer": done.answer if done else "",
        "known": done is not None and done.known,
        "unchecked": outcome.unchecked,
        "understood": list(outcome.understood),
        "translated": list(outcome.translated),
        "citations": list(map(_citation, outcome.citations)),
        "unsupported": list(outcome.unsupported),
        "quotes": list(map(_citation, outcome.quotes)),
        "nearest": nearest,
    }


def _citation(one: Citation) -> dict[str, Any]:
    lines = _lines_of(one.path, one.start_line, one.end_line)
    return {"n": one.n, **lines, "quote": one.quote, "status": one.status}


def _lines_of(path: str, start_line: int, end_line: int) -> dict[str, Any]:
    return {"path": path, "start_line": start_line, "end_line": end_line}


def _lines(outcome: Outcome) -> dict[str, Any]:
    found = cast("Excerpt", outcome.data)
    # No more than the text shows: a whole file may be far beyond what an agent can take.
    shown = outcome.passages[0] if outcome.passages else None
    return {
        "path": found.path,
        "start_line": found.start_line,
        "end_line": shown.end_line if shown else found.start_line - 1,
        "total_lines": found.total_lines,
        "language": found.language,
        "text": shown.text if shown else "",
        "sha256": found.sha256,
    }


def _history(outcome: Outcome) -> dict[str, Any]:
    found = cast("HistoryAnswer", outcome.data)
    passages = [
        {
            **_lines_of(one.path, one.start_line, one.end_line),
            "title": one.title or "",
            "author": one.author or "",
            "date": one.date or "",
            "text": one.text,
        }
        for one in outcome.passages
    ]
    return {"known": found.known, "partial": found.partial, "said": list(found.heads), "passages": passages}


def _relatives(outcome: Outcome) -> dict[str, Any]:
    found = cast("Related", outcome.data)
    shown = [(found.relatives[passage.n - 1], passage) for passage in outcome.passages]
    relatives = [
        {
            "kind": one.kind,
            "role": one.role,
            **_lines_of(one.path, one.start_line, one.end_line),
            "text": passage.text,
            **({"symbol": one.symbol} if one.symbol else {}),
            **({} if one.fresh else {"fresh": False}),
        }
        for one, passage in shown
    ]
    listed = Counter(one.kind for one, _ in shown)
    complete = found.complete and all(listed[kind] >= total for kind, total in found.total.items())
    return {"relatives": relatives, "complete": complete}


def _overview(outcome: Outcome) -> dict[str, Any]:
    from quaestor.answers.overview.overview_text import overview_object  # noqa: PLC0415 - clients wait for a server's start

    return overview_object(cast("Overview", outcome.data))
