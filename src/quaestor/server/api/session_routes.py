"""Sessions: begun, listed, read, renamed, exported, deleted; and what each turn sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response

from quaestor.accounts.users import User
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.corpus.joint_corpus import joint_source, roots_of
from quaestor.server.api import session_schemas
from quaestor.server.api.access import (
    corpora_named,
    corpora_of,
    corpus_of,
    delete_session,
    session_of,
    sessions_of,
)
from quaestor.server.api.refusal_schemas import refusals
from quaestor.server.api.window_routes import window_of
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import Served, ServedHere
from quaestor.server.open_corpora import ALL
from quaestor.sessions.export import exported
from quaestor.sessions.records import CallRecord, SessionInfo, Source, TurnRecord
from quaestor.sessions.transcript import Transcript

router = APIRouter()

SessionId = Annotated[str, Path(max_length=200)]
_TYPES = {
    "markdown": ("text/markdown; charset=utf-8", "md"),
    "json": ("application/json", "json"),
    "chatml": ("application/json", "chatml.json"),
}


@router.get("/sessions", response_model=session_schemas.SessionList, responses=refusals(404))
def list_sessions(
    served: ServedHere, who: Who, corpus: Annotated[str | None, Query(max_length=4096)] = None
) -> dict[str, Any]:
    """List the caller's sessions, the one used last first; with ``corpus``, only those about it."""
    names = {state.root: state.name for state in corpora_of(served, who)}
    if corpus is not None and corpus not in names.values():
        raise NotFoundError(f"There is no corpus {corpus!r} here. GET /api/corpora lists them.")
    infos = sessions_of(served, who).list(owner=who.id)
    lines = [_line(info, [names[root] for root in roots_of(info.root) if root in names]) for info in infos]
    return {"sessions": [line for line in lines if corpus is None or corpus in line["corpora"]]}


@router.post("/sessions", status_code=201, response_model=session_schemas.SessionLine, responses=refusals(404, 503))
def begin_session(served: ServedHere, who: Who, start: session_schemas.SessionStart) -> dict[str, Any]:
    """Begin a session about a corpus, or about several that are asked as one."""
    with sessions_of(served, who).begin(root=_source(served, who, start), owner=who.id) as transcript:
        if start.title is not None:
            transcript.name(start.title)
        return _line(transcript.info(), corpora_named(served, who, transcript.root))


@router.get("/sessions/{id}", response_model=session_schemas.SessionObject, responses=refusals(404))
def read_session(served: ServedHere, who: Who, id: SessionId) -> dict[str, Any]:
    """Return a session with its turns."""
    with session_of(served, who, id) as transcript:
        sources, calls = transcript.sources(), transcript.calls()
        turns = [_turn(turn, sources, calls) for turn in transcript.turns()]
        line = _line(transcript.info(), corpora_named(served, who, transcript.root))
        return {**line, "running": served.turns.running(who.id, id), "turns": turns}


@router.patch("/sessions/{id}", response_model=session_schemas.SessionLine, responses=refusals(404))
def rename_session(
    served: ServedHere, who: Who, id: SessionId, change: session_schemas.SessionChange
) -> dict[str, Any]:
    """Give a session another title."""
    with session_of(served, who, id) as transcript:
        transcript.name(change.title)
        return _line(transcript.info(), corpora_named(served, who, transcript.root))


@router.delete("/sessions/{id}", status_code=204, response_class=Response, responses=refusals(404, 409))
def remove_session(served: ServedHere, who: Who, id: SessionId) -> None:
    """Remove a session with everything that is known of it."""
    with served.turns.claimed(who.id, id):
        delete_session(served, who, id)


@router.get(
    "/sessions/{id}/export",
    response_class=Response,
    responses={200: {"content": {"text/markdown": {}, "application/json": {}}}, **refusals(404)},
)
def export_session(
    served: ServedHere, who: Who, id: SessionId, format: Literal["markdown", "json", "chatml"] = "markdown"
) -> Response:
    """Return a session as a file: Markdown for people, all of it as JSON, or the tokens of ChatML as JSON."""
    media, ending = _TYPES[format]
    with session_of(served, who, id) as transcript:
        body = exported(transcript, format)
    headers = {"content-disposition": f'attachment; filename="quaestor-{id}.{ending}"'}
    return Response(body.encode("utf-8", "replace"), media_type=media, headers=headers)


@router.get("/sessions/{id}/window", response_model=session_schemas.WindowObject, responses=refusals(404))
def window(
    served: ServedHere,
    who: Who,
    id: SessionId,
    turn: Annotated[int | None, Query(ge=1, le=1_000_000_000, description="The last one where it is left out.")] = None,
) -> dict[str, Any]:
    """Return everything that a turn sent to a model, what was left out, and why."""
    with session_of(served, who, id) as transcript:
        number = _existing(transcript, turn)
        return window_of(transcript, number) if number else {"turn": 0, "requests": []}


def _existing(transcript: Transcript, turn: int | None) -> int:
    """Return the number of a turn; without one, of the last, or 0 where there is none.

    Raises:
        NotFoundError: there is no such turn.
    """
    turns = transcript.info().turns
    if turn is not None and turn > turns:
        raise NotFoundError(f"Session {transcript.id!r} has no turn {turn}; it has {turns}.")
    return turn or turns


def _source(served: Served, user: User, start: session_schemas.SessionStart) -> str:
    """Return what a session is to be about, as it is recorded.

    Raises:
        NotFoundError: there is no such corpus for this user.
        StillIndexingError: one cannot be searched yet.
        UsageError: both a corpus and several are named.
    """
    if start.corpus and start.corpora:
        raise UsageError("Give 'corpus' or 'corpora', not both.")
    names = [state.name for state in corpora_of(served, user)] if ALL in start.corpora else start.corpora
    return joint_source([str(corpus_of(served, user, name).root) for name in names or [start.corpus]])


def _line(info: SessionInfo, corpora: Sequence[str]) -> dict[str, Any]:
    return {
        "id": info.id,
        "title": info.title,
        "corpus": corpora[0] if len(roots_of(info.root)) == len(corpora) == 1 else "",
        "corpora": list(corpora),
        "created": info.created,
        "changed": info.changed,
        "turns": info.turns,
        "error": info.error,
    }


def _turn(turn: TurnRecord, sources: Iterable[Source], calls: Iterable[CallRecord]) -> dict[str, Any]:
    """Return a turn with what of the sources and calls of all turns is its own."""
    ending = turn.ending
    found = (one for one in sources if one.turn == turn.number)
    return {
        "number": turn.number,
        "began": turn.began,
        "question": turn.question,
        "answer": turn.answer,
        "state": ending.state,
        "known": ending.known,
        "unchecked": ending.unchecked,
        "quotes": [asdict(quote) for quote in ending.quotes],
        "model": ending.model,
        "citations": [asdict(citation) for citation in ending.citations],
        "unsupported": list(ending.unsupported),
        "sources": [{**asdict(one.passage), "sha256": one.sha256, "cited": one.cited} for one in found],
        "usage": asdict(ending.usage),
        "error": ending.error,
        "partial": ending.partial,
        "proposed": [one.difference for one in calls if one.turn == turn.number and one.difference],
        "feedback": turn.feedback and asdict(turn.feedback),
        "resumes": turn.resumes,
    }
