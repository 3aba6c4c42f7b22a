"""Pages of conversations: a new one, one on record, a turn of it, its sources, citations and window, the list."""

from __future__ import annotations

import math
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from quaestor.core.citation import STANDING
from quaestor.core.errors import QuaestorError
from quaestor.server.api.access import corpus_of, corpus_settings, session_of
from quaestor.server.api.window_routes import window_of
from quaestor.server.http.caller import Who
from quaestor.server.web.answer_html import render_part
from quaestor.server.web.conversation_search import said_in
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_frame import Looking
from quaestor.server.web.safe_text import written_time
from quaestor.server.web.templates_filled import page
from quaestor.server.web.turn_html import lines_place, views
from quaestor.server.web.user_records import about, listed, turn_of
from quaestor.server.web.window_pages import request_view
from quaestor.sessions.records import SessionInfo

router = APIRouter(route_class=PageRoute)
_UNTITLED = "New conversation"
# Turns that are shown at first, and in each piece of what came before.
_NEWEST = 20


@router.get("/")
def begin(at: Looking, corpus: str = "") -> HTMLResponse:
    """Show where a conversation begins; ``corpus`` is chosen to be asked about."""
    titles = {one.name: one.title for one in at.frame.corpora}
    chosen = corpus if corpus in titles else next(iter(titles), "")
    return page(
        "chat.html",
        frame=at.frame,
        heading=_UNTITLED,
        session=None,
        turns=[],
        earlier=0,
        about=titles.get(chosen, ""),
        chosen=chosen,
        answering="",
    )


@router.get("/parts/starters")
def show_starters(at: Looking, corpus: str = "") -> HTMLResponse:
    """Return questions to begin with about a corpus; none while it cannot be asked about."""
    name = corpus or next((one.name for one in at.frame.corpora), "")
    try:
        settings = corpus_settings(at.served, at.user, name)
        found = at.served.starters.of(corpus_of(at.served, at.user, name), settings)
    except QuaestorError:
        found = ()
    return page("starters.html", questions=found)


@router.get("/sessions")
def list_sessions(at: Looking, q: str = "") -> HTMLResponse:
    """Show all conversations, or those in which all words of ``q`` stand in one turn or in the title."""
    rows = [
        {**_row(info, about(at.served, at.user, info.root)), **found}
        for info in listed(at.served, at.user)
        if (found := said_in(at.served, at.user, info, q)) is not None
    ]
    return page("sessions.html", frame=at.frame, heading="All conversations", sessions=rows, query=q)


@router.get("/parts/side")
def show_side(at: Looking) -> HTMLResponse:
    """Return what changes at the side with every turn; ``?session=`` says which conversation is looked at."""
    shown = next((one for one in at.frame.sessions if one.id == at.frame.session), None)
    return page("side_parts.html", frame=at.frame, session=shown)


@router.get("/parts/indexing")
def show_indexing(at: Looking) -> HTMLResponse:
    """Return how far indexing is."""
    return page("indexing.html", frame=at.frame)


@router.get("/sessions/{session}")
def show_session(session: str, at: Looking, start: int = 0) -> HTMLResponse:
    """Show a conversation: its newest turns, or those from ``start`` on."""
    with session_of(at.served, at.user, session) as transcript:
        info = transcript.info()
        first = max(1, start or info.turns - _NEWEST + 1)
        turns = [turn for turn in transcript.turns() if turn.number >= first]
        shown = views(transcript, turns, running=at.served.turns.running(at.user.id, session))
    return page(
        "chat.html",
        frame=at.frame,
        heading=info.title or _UNTITLED,
        session=info,
        turns=shown,
        earlier=max(1, first - _NEWEST) if first > 1 else 0,
        about=about(at.served, at.user, info.root),
        answering=turns[-1].ending.model if turns else "",
    )


@router.get("/sessions/{session}/turns")
def show_turns(session: str, at: Looking, after: int = 0, before: int = 0) -> HTMLResponse:
    """Return the turns behind a number, or the last ones before another, to be put into a conversation."""
    with session_of(at.served, at.user, session) as transcript:
        running = at.served.turns.running(at.user.id, session)
        first, end = (before - _NEWEST, before) if before else (after + 1, math.inf)
        found = [turn for turn in transcript.turns() if first <= turn.number < end]
        return page("turns.html", frame=at.frame, turns=views(transcript, found, running=running))


@router.get("/sessions/{session}/turns/{number}/sources")
def show_sources(session: str, number: str, at: Looking, bare: bool = False) -> HTMLResponse:
    """Show what was found for a turn."""
    with session_of(at.served, at.user, session) as transcript:
        turn = turn_of(transcript, number)
        found = transcript.sources(turn.number)
    statuses = {one.n: one.status for one in reversed(turn.ending.citations)}
    path = f"/sessions/{session}/turns/{turn.number}"
    sources = [
        {
            "n": source.passage.n,
            "place": lines_place(source.passage.path, source.passage.start_line, source.passage.end_line),
            "about": source.passage.title or source.passage.symbol or "",
            "cited": source.cited,
            "status": statuses.get(source.passage.n, ""),
            "standing": STANDING.get(statuses.get(source.passage.n, ""), ""),
            "href": f"{path}/sources/{index}",
        }
        for index, source in enumerate(found)
    ]
    return page(
        "sources.html", layout=at.layout, frame=at.frame, heading="Sources", question=turn.question, sources=sources
    )


@router.get("/sessions/{session}/turns/{number}/window")
def show_window(session: str, number: str, at: Looking) -> HTMLResponse:
    """Show what was sent to a model in a turn, and what was left out and why."""
    with session_of(at.served, at.user, session) as transcript:
        turn = turn_of(transcript, number)
        requests = [request_view(sent) for sent in window_of(transcript, turn.number)["requests"]]
    return page(
        "window.html",
        frame=at.frame,
        heading="What the model read",
        back=f"/sessions/{session}?start={turn.number}#turn-{turn.number}",
        question=turn.question,
        requests=requests,
        quoted=turn.ending.state == "done",
    )


class Written(BaseModel):
    """A part of an answer that is still being written."""

    text: Annotated[str, Field(max_length=100_000)]


@router.post("/parts/markdown")
def show_markdown(written: Written, _: Who) -> HTMLResponse:
    """Return whole paragraphs of an answer as HTML, before its citations are checked."""
    return HTMLResponse(render_part(written.text))


def _row(info: SessionInfo, named: str) -> dict[str, object]:
    return {
        "id": info.id,
        "title": info.title,
        "turns": info.turns,
        "changed": info.changed,
        "when": written_time(info.changed),
        "about": named,
        "error": info.error,
    }
