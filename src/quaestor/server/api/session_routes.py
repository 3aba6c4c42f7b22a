"""Routes of sessions: begin, list, read, rename, export, delete; also each turn's requests to the model, and feedback.

Feedback is stored with the session and exported with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response

from quaestor.accounts.users import User
from quaestor.chat.session_json import subject_of, window_object
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.core.messages import Message
from quaestor.corpus.joint_corpus import joint_source, roots_of
from quaestor.llm.prompts.numbered_passages import where
from quaestor.llm.tokens import counter_for
from quaestor.server.api import session_schemas
from quaestor.server.api.access import (
    corpora_named,
    corpora_of,
    corpus_of,
    delete_session,
    session_of,
    sessions_of,
)
from quaestor.server.api.api_schemas import refusals
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import Served, ServedHere
from quaestor.server.open_corpora import ALL
from quaestor.sessions.export import export_file
from quaestor.sessions.records import CallRecord, Feedback, SentRequest, SessionInfo, Source, TurnRecord
from quaestor.sessions.transcript import Transcript

router = APIRouter()

SessionId = Annotated[str, Path(max_length=200)]
_TYPES = {
    "markdown": ("text/markdown; charset=utf-8", "md"),
    "json": ("application/json", "json"),
    "chatml": ("application/json", "chatml.json"),
}

Turn = Annotated[int, Path(ge=1, le=1_000_000_000)]


@router.get("/sessions", response_model=session_schemas.SessionList, responses=refusals(404))
def list_sessions(
    served: ServedHere, who: Who, corpus: Annotated[str | None, Query(max_length=4096)] = None
) -> dict[str, Any]:
    """List the caller's sessions, most recently used first; with ``corpus``, only those about that corpus."""
    names = {state.root: state.name for state in corpora_of(served, who)}
    if corpus is not None and corpus not in names.values():
        raise NotFoundError(f"There is no corpus {corpus!r} here. GET /api/corpora lists them.")
    infos = sessions_of(served, who).list(owner=who.id)
    lines = [_session_line(info, [names[root] for root in roots_of(info.root) if root in names]) for info in infos]
    return {"sessions": [line for line in lines if corpus is None or corpus in line["corpora"]]}


@router.post("/sessions", status_code=201, response_model=session_schemas.SessionLine, responses=refusals(404, 503))
def begin_session(served: ServedHere, who: Who, start: session_schemas.SessionStart) -> dict[str, Any]:
    """Begin a session about one corpus, or about several as one."""
    with sessions_of(served, who).begin(root=_source(served, who, start), owner=who.id) as transcript:
        if start.title is not None:
            transcript.name(start.title)
        return _session_line(transcript.info(), corpora_named(served, who, transcript.root))


@router.get("/sessions/{id}", response_model=session_schemas.SessionObject, responses=refusals(404))
def read_session(served: ServedHere, who: Who, id: SessionId) -> dict[str, Any]:
    """Return a session with its turns."""
    with session_of(served, who, id) as transcript:
        sources, calls = transcript.sources(), transcript.calls()
        turns = [_turn(turn, sources, calls) for turn in transcript.turns()]
        line = _session_line(transcript.info(), corpora_named(served, who, transcript.root))
        return {**line, "running": served.turns.is_running(who.id, id), "turns": turns}


@router.patch("/sessions/{id}", response_model=session_schemas.SessionLine, responses=refusals(404))
def rename_session(
    served: ServedHere, who: Who, id: SessionId, change: session_schemas.SessionChange
) -> dict[str, Any]:
    """Give a session another title."""
    with session_of(served, who, id) as transcript:
        transcript.name(change.title)
        return _session_line(transcript.info(), corpora_named(served, who, transcript.root))


@router.delete("/sessions/{id}", status_code=204, response_class=Response, responses=refusals(404, 409))
def remove_session(served: ServedHere, who: Who, id: SessionId) -> None:
    """Remove a session and everything recorded in it."""
    with served.turns.claim_turn(who.id, id):
        delete_session(served, who, id)


@router.get(
    "/sessions/{id}/export",
    response_class=Response,
    responses={200: {"content": {"text/markdown": {}, "application/json": {}}}, **refusals(404)},
)
def export_session(
    served: ServedHere, who: Who, id: SessionId, format: Literal["markdown", "json", "chatml"] = "markdown"
) -> Response:
    """Return a session as a file: as Markdown for people, as complete JSON, or as ChatML tokens in JSON."""
    media, ending = _TYPES[format]
    with session_of(served, who, id) as transcript:
        body = export_file(transcript, format)
    headers = {"content-disposition": f'attachment; filename="quaestor-{id}.{ending}"'}
    return Response(body.encode("utf-8", "replace"), media_type=media, headers=headers)


@router.get("/sessions/{id}/window", response_model=session_schemas.WindowObject, responses=refusals(404))
def window(
    served: ServedHere,
    who: Who,
    id: SessionId,
    turn: Annotated[int | None, Query(ge=1, le=1_000_000_000, description="By default, the last one.")] = None,
) -> dict[str, Any]:
    """Return everything that a turn sent to a model, and why anything was left out."""
    with session_of(served, who, id) as transcript:
        number = _number_of_turn(transcript, turn)
        return window_of(transcript, number) if number else {"turn": 0, "requests": []}


def _number_of_turn(transcript: Transcript, turn: int | None) -> int:
    """Return the number of a turn: the given one, or by default the last; 0 if the session has none.

    Raises:
        NotFoundError: the session has no turn of the given number.
    """
    turns = transcript.info().turns
    if turn is not None and turn > turns:
        raise NotFoundError(f"Session {transcript.id!r} has no turn {turn}; it has {turns}.")
    return turn or turns


def _source(served: Served, user: User, start: session_schemas.SessionStart) -> str:
    """Return the source of a new session as it is recorded: the path of its corpus, or the paths of several.

    Raises:
        NotFoundError: this user sees no corpus of a given name.
        StillIndexingError: a corpus cannot be searched yet.
        UsageError: both ``corpus`` and ``corpora`` are given.
    """
    if start.corpus and start.corpora:
        raise UsageError("Give 'corpus' or 'corpora', not both.")
    names = [state.name for state in corpora_of(served, user)] if ALL in start.corpora else start.corpora
    return joint_source([str(corpus_of(served, user, name).root) for name in names or [start.corpus]])


def _session_line(info: SessionInfo, corpora: Sequence[str]) -> dict[str, Any]:
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
    """Return a turn with its own sources and calls."""
    ending = turn.ending
    sources_of_turn = (one for one in sources if one.turn == turn.number)
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
        "sources": [{**asdict(one.passage), "sha256": one.sha256, "cited": one.cited} for one in sources_of_turn],
        "usage": asdict(ending.usage),
        "error": ending.error,
        "partial": ending.partial,
        "proposed": [one.difference for one in calls if one.turn == turn.number and one.difference],
        "feedback": turn.feedback and asdict(turn.feedback),
        "resumes": turn.resumes,
    }


@router.put("/sessions/{id}/turns/{turn}/feedback", status_code=204, response_class=Response, responses=refusals(404))
def give_feedback(
    served: ServedHere, who: Who, id: SessionId, turn: Turn, body: session_schemas.FeedbackObject
) -> None:
    """Record whether an answer is useful, with a comment; the latest feedback counts."""
    record_feedback(served, who, id, turn, Feedback(body.useful, body.words))


def record_feedback(served: Served, user: User, session: str, turn: int, feedback: Feedback) -> None:
    """Record a user's feedback on an answer.

    Raises:
        NotFoundError: the user has no such session, or it has no such turn.
    """
    with session_of(served, user, session) as transcript:
        if turn not in (one.number for one in transcript.turns()):
            raise NotFoundError(f"This conversation has no turn {turn}.")
        transcript.record_feedback(turn, feedback)


def window_of(transcript: Transcript, turn: int) -> dict[str, Any]:
    """Return the requests that an existing turn sent to a model, with the decisions on what they contain."""
    requests = transcript.requests(turn)
    messages = _messages_up_to(transcript.turns(), turn)
    places = [f"[{source.passage.n}] {where(source.passage)}" for source in transcript.sources(turn)]
    # The first request of a turn is composed only of the instructions and the conversation.
    head = _composed_from(requests[0]) - len(messages) if requests else 0
    return {"turn": turn, "requests": [_request(sent, [*sent.messages[:head], *messages], places) for sent in requests]}


def _messages_up_to(turns: Sequence[TurnRecord], number: int) -> list[Message]:
    """Return the messages of a conversation up to and including a turn's question."""
    messages: list[Message] = []
    for turn in turns:
        if turn.number < number and turn.ending.state == "done":
            messages += [Message("user", turn.question), *turn.ending.messages]
        elif turn.number == number:
            messages.append(Message("user", turn.question))
    return messages


def _composed_from(sent: SentRequest) -> int:
    """Return the number of messages from which a window was composed."""
    return 1 + max((run.last for run in sent.decisions if run.kind == "message"), default=-1)


def _request(sent: SentRequest, messages: Sequence[Message], places: Sequence[str]) -> dict[str, Any]:
    count = counter_for(sent.model).message
    shown = window_object(
        sections=sent.sections, tokens=sent.tokens, limit=sent.limit, reserve=sent.reserve, decisions=()
    )
    return {
        **shown,
        "at": sent.at,
        "model": sent.model,
        "messages": [
            {"role": one.role, "name": one.name, "content": _text_of_message(one), "tokens": count(one)}
            for one in sent.messages
        ],
        "decisions": [{**asdict(run), "about": subject_of(run, messages, places)} for run in sent.decisions],
        "usage": None if sent.usage is None else asdict(sent.usage),
        "finish": sent.finish,
    }


def _text_of_message(message: Message) -> str:
    """Return a message's text, including its tool calls."""
    calls = (f"{call.name}({call.arguments})" for call in message.tool_calls)
    return "\n".join(filter(None, (message.content, *calls)))
