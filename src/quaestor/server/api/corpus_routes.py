"""Routes of corpora: list, statistics, search, overview, history, lines of a document, single questions."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from quaestor.accounts.users import User
from quaestor.answers.history.history_answer import history_object
from quaestor.answers.overview.make_overview import BUDGET, LEAST, make_overview
from quaestor.answers.overview.overview_text import overview_object
from quaestor.chat.session_json import ask_object
from quaestor.core.errors import QuaestorError, UsageError
from quaestor.corpus.corpus_json import search_object, several_object, stats_object
from quaestor.llm.tokens import tokenizer_for
from quaestor.search.filters import make_filter
from quaestor.server.api import api_schemas as schemas
from quaestor.server.api.access import MY_DOCUMENTS, corpora_of, corpus_of, corpus_settings, several_of
from quaestor.server.api.api_schemas import refusals
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import RequestId, Served, ServedHere
from quaestor.server.http.streams import cancelled_on_disconnect
from quaestor.server.open_corpora import State
from quaestor.server.single_questions import outcome_of
from quaestor.stores import Where

router = APIRouter()

Corpus = Annotated[str, Query(max_length=4096, description="May be left out if there is only one corpus.")]
Line = Annotated[int, Query(ge=1, le=1_000_000_000)]
# More than the page shows at once; further lines can be requested by their numbers.
_MOST_LINES = 5_000


@router.get("/corpora", response_model=schemas.CorpusList)
def list_corpora(served: ServedHere, who: Who) -> dict[str, Any]:
    """List the corpora that the caller may see, with the progress of their first indexes."""
    return {"corpora": [_state(served, who, state) for state in corpora_of(served, who)]}


@router.get("/stats", response_model=schemas.Stats, responses=refusals(404, 503))
def stats(served: ServedHere, who: Who, corpus: Corpus = "") -> dict[str, Any]:
    """Return a corpus's statistics. Counting the tokens of a large corpus takes a while."""
    index = corpus_of(served, who, corpus)
    model = corpus_settings(served, who, corpus).model or "gpt-4o"
    index.try_refresh()
    survey = index.survey(tokenizer_for(model).count).survey
    return stats_object(str(index.root), survey, index.stats(), index.meaning.vector_progress)


@router.post(
    "/search", response_model=schemas.SearchResult, response_model_exclude_unset=True, responses=refusals(404, 503)
)
def search(served: ServedHere, who: Who, body: schemas.SearchRequest) -> dict[str, Any]:
    """Find code and prose by words and by meaning, in one corpus or several. No model is used."""
    started = time.perf_counter()
    where = make_filter(body.path, body.language, body.since, body.before, body.by)
    if body.corpora:
        return _search_several(served, who, body, where, started)
    index = corpus_of(served, who, body.corpus)
    most = body.k or corpus_settings(served, who, body.corpus).results
    hits, understood = index.find(body.query, most, where=where, filters=body.filters)
    seconds = time.perf_counter() - started
    return search_object(
        body.query, hits, index, seconds, understood=understood, name=_name_of(served, who, body.corpus)
    )


@router.get(
    "/overview",
    response_model=schemas.OverviewObject,
    response_model_exclude_unset=True,
    responses=refusals(404, 503),
)
def overview(
    served: ServedHere,
    who: Who,
    corpus: Corpus = "",
    folder: Annotated[str, Query(max_length=4096, description="Only the contents of this folder.")] = "",
    tokens: Annotated[int, Query(ge=LEAST, le=100_000, description="Tokens that the text may take.")] = BUDGET,
) -> dict[str, Any]:
    """Return an overview of a corpus: README, entry points, main parts, how it is built. No model is used."""
    started = time.perf_counter()
    index = corpus_of(served, who, corpus)
    model = corpus_settings(served, who, corpus).model or "gpt-4o"
    result = make_overview(index, folder, budget=tokens, count=tokenizer_for(model).count)
    return {**overview_object(result), "seconds": round(time.perf_counter() - started, 4)}


@router.get("/passage", response_model=schemas.Excerpt, responses=refusals(403, 404, 503))
def passage(
    served: ServedHere,
    who: Who,
    path: Annotated[str, Query(min_length=1, max_length=4096)],
    corpus: Corpus = "",
    start: Line = 1,
    end: Line | None = None,
    around: Annotated[int, Query(ge=0, le=1000, description="Lines to add before and after.")] = 0,
) -> dict[str, Any]:
    """Return lines of an indexed document, and of no other file, as they are on disk now; 5,000 at most."""
    if end is not None and end < start:
        raise UsageError(f"There are no lines {start} to {end}. Give an end that is not before the start.")
    first = max(1, start - around)
    most = first + _MOST_LINES - 1
    excerpt = corpus_of(served, who, corpus).read_lines(path, first, most if end is None else min(end + around, most))
    return {
        "path": excerpt.path,
        "start_line": excerpt.start_line,
        "end_line": excerpt.end_line,
        "total_lines": excerpt.total_lines,
        "lines": excerpt.lines,
        "language": excerpt.language,
        "sha256": excerpt.sha256,
        "fresh": excerpt.fresh,
        "title": excerpt.title,
        "url": excerpt.url,
    }


@router.get("/history", response_model=schemas.HistoryResult, responses=refusals(404, 503))
def history(
    served: ServedHere,
    who: Who,
    about: Annotated[str, Query(max_length=2000, description="A question, a path, a name or other words.")] = "",
    corpus: Corpus = "",
    since: Annotated[str, Query(max_length=40, description="A date: 2024, 2024-03.")] = "",
    until: Annotated[str, Query(max_length=40, description="A date: 2024, 2024-03.")] = "",
    limit: Annotated[int, Query(ge=1, le=200, description="Commits to list at most.")] = 10,
) -> dict[str, Any]:
    """Answer what changed, when, why and by whom, from git's history and the changelogs. No model is used."""
    started = time.perf_counter()
    answer = corpus_of(served, who, corpus).history(about, since=since, until=until, limit=limit)
    return history_object(about, answer, time.perf_counter() - started)


def _search_several(
    served: Served, user: User, body: schemas.SearchRequest, where: Where | None, started: float
) -> dict[str, Any]:
    if body.corpus:
        raise UsageError("Give 'corpus' or 'corpora', not both.")
    corpora, failures = several_of(served, user, body.corpora)
    most = body.k or max(corpus_settings(served, user, name).results for name in corpora)
    hits, understood = corpora.find(body.query, most, where=where, filters=body.filters)
    seconds = time.perf_counter() - started
    return several_object(body.query, hits, corpora, seconds, understood=understood, failures=failures)


def _name_of(served: Served, user: User, corpus: str) -> str:
    """Return the name of a request's corpus; by default the shared one's."""
    return corpus or next(state.name for state in corpora_of(served, user) if not state.owned)


def _state(served: Served, user: User, state: State) -> dict[str, Any]:
    documents = chunks = 0
    error = state.failed or None
    if state.ready:
        try:
            size = served.corpora.get(state.name, user=user.id).stats()
            documents, chunks = size.documents, size.chunks
        except QuaestorError as failed:
            error = str(failed)
    return {
        "name": state.name,
        "title": "My documents" if state.name == MY_DOCUMENTS else state.name,
        "ready": state.ready,
        "done": state.done,
        "total": state.total,
        "documents": documents,
        "chunks": chunks,
        "mine": state.owned,
        "error": error,
    }


@router.post("/ask", response_model=schemas.AskResult, responses=refusals(404, 502, 503))
async def ask(
    request: Request, served: ServedHere, who: Who, body: schemas.AskRequest, number: RequestId
) -> dict[str, Any]:
    """Answer a question from a corpus, with checked citations; the question is not recorded."""
    index = await asyncio.to_thread(corpus_of, served, who, body.corpus)
    settings = await asyncio.to_thread(corpus_settings, served, who, body.corpus)
    where = make_filter(body.path, body.language, body.since, body.before, body.by)
    model = served.make_model(who, number)
    answering = outcome_of(index, model, body.question, settings, where=where, filters=body.filters)
    outcome = await cancelled_on_disconnect(request, answering)
    return ask_object(body.question, outcome, settings)
