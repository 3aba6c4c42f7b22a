"""Pages of conversations: the list, a new one, a recorded one, and a turn's sources and requests.

Without scripts, a form sends the question, and the answer is shown when it is complete.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from itertools import zip_longest
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, Field
from starlette.datastructures import FormData, UploadFile

from quaestor.accounts.users import User
from quaestor.answers.citations.citation_marks import parse, without_marks
from quaestor.answers.project.starters import OF_ALL
from quaestor.chat.added_files import mention
from quaestor.core.documents import STANDING
from quaestor.core.errors import QuaestorError, UsageError
from quaestor.corpus.joint_corpus import roots_of
from quaestor.server.api.access import MY_DOCUMENTS, corpus_of, corpus_settings, session_of
from quaestor.server.api.account_routes import add
from quaestor.server.api.api_schemas import LONGEST_QUESTION
from quaestor.server.api.session_routes import begin_session, window_of
from quaestor.server.api.session_schemas import SessionStart, TurnRequest
from quaestor.server.api.turn_routes import turn_events
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import RequestId, Served, ServedHere
from quaestor.server.http.streams import cancelled_on_disconnect
from quaestor.server.web.answer_html import render_part
from quaestor.server.web.document_pages import pictures_of, places_of
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_context import PageContext, PageContextHere, sessions_of_user, subject_of_session, turn_of
from quaestor.server.web.page_templates import page
from quaestor.server.web.safe_text import in_words, plain_line, written_time
from quaestor.server.web.search_pages import Limits, Names
from quaestor.server.web.turn_html import views
from quaestor.sessions.records import SessionInfo, TurnRecord

router = APIRouter(route_class=PageRoute)
_UNTITLED = "New conversation"
# How many turns are shown at first, which is more than a screen holds, and how many earlier ones are loaded at a time.
_NEWEST = 8
_EARLIER = 20
_MOST_STARTERS = 4

_MARKUP = re.compile(r"^(?:#{1,6} |[-*+] (?:\[[ xX]\] )?|(?:```|~~~).*)|\*\*", re.MULTILINE)
_BEFORE_STOP = re.compile(r" (?=[.,;:!?](?:\s|$))")
_AROUND, _LONGEST_WORD = 60, 25

_WIDTH = 1000
_BEGINNING = 120
# The order of sections in a request; others come last.
_ORDER = "system examples tools summary recalled recent notes passages question reply reserve".split()
_NAMES = {
    "system": "instructions",
    "recent": "earlier turns",
    "reply": "start of the reply",
    "reserve": "free for the reply",
}
_ROLES = {"system": "instructions", "user": "question", "assistant": "answer", "tool": "result"}
_OUT = frozenset({"dropped", "summarised"})
_MOST_FILES = 10
_LONGEST_NAME = 4096


@router.get("/")
def begin(at: PageContextHere, corpus: str | None = None) -> HTMLResponse:
    """Show the page that begins a conversation, with ``corpus`` selected; with an empty one, about everything."""
    titles = {one.name: one.title for one in at.frame.corpora}
    chosen = corpus if corpus in (*titles, "") else next(iter(titles), "")
    return page(
        "chat.html",
        frame=at.frame,
        heading=_UNTITLED,
        session=None,
        turns=[],
        earlier=0,
        about=titles.get(chosen, "everything here" if len(titles) > 1 else ""),
        chosen=chosen,
        answering="",
    )


@router.get("/parts/starters")
def show_starters(at: PageContextHere, corpus: Names) -> HTMLResponse:
    """Return starters about corpora; none about a corpus that cannot be searched yet."""
    names = [name for name in corpus if name] or [one.name for one in at.frame.corpora[:1]]
    starters = [_starters_of(at, name) for name in names[:_MOST_STARTERS]]
    if len(names) > 1:
        # One of each corpus in turn, without the questions that call the corpus "this".
        by_turns = (one for several in zip_longest(*starters) for one in several)
        starters = [[one for one in by_turns if one and one not in OF_ALL][:_MOST_STARTERS]]
    empty = bool(names) and not any(starters) and all(_is_empty(at, name) for name in names)
    return page("starters.html", questions=starters[0] if starters else (), empty=empty)


def _is_empty(at: PageContext, name: str) -> bool:
    try:
        return not corpus_of(at.served, at.user, name).store.documents()
    except QuaestorError:
        return False


def _starters_of(at: PageContext, name: str) -> Sequence[str]:
    try:
        settings = corpus_settings(at.served, at.user, name)
        return at.served.starters.of(corpus_of(at.served, at.user, name), settings)
    except QuaestorError:
        return ()


@router.get("/sessions")
def list_sessions(at: PageContextHere, q: str = "") -> HTMLResponse:
    """Show all conversations, or those with all words of ``q`` in one turn or in the title."""
    rows = [
        {**_row(info, subject_of_session(at.served, at.user, info.root)), **answer}
        for info in sessions_of_user(at.served, at.user)
        if (answer := _find_turn(at.served, at.user, info, q)) is not None
    ]
    return page("sessions.html", frame=at.frame, heading="All conversations", sessions=rows, query=q)


@router.get("/parts/side")
def show_side(at: PageContextHere) -> HTMLResponse:
    """Return the parts of the sidebar that change with every turn; ``?session=`` names the current conversation."""
    shown = next((one for one in at.frame.sessions if one.id == at.frame.session), None)
    return page("side_parts.html", frame=at.frame, session=shown)


@router.get("/parts/indexing")
def show_indexing(at: PageContextHere) -> HTMLResponse:
    """Return the progress of indexing and fetching."""
    return page("indexing.html", frame=at.frame)


@router.get("/sessions/{session}")
def show_session(session: str, at: PageContextHere, start: int = 0) -> HTMLResponse:
    """Show a conversation: its newest turns, or those from ``start`` on."""
    with session_of(at.served, at.user, session) as transcript:
        info = transcript.info()
        first = max(1, start or info.turns - _NEWEST + 1)
        turns = [turn for turn in transcript.turns() if turn.number >= first]
        running = at.served.turns.is_running(at.user.id, session)
        shown = views(transcript, turns, pictures_of(transcript, at), places_of(transcript.root, at), running=running)
    return page(
        "chat.html",
        frame=at.frame,
        heading=info.title or _UNTITLED,
        session=info,
        turns=shown,
        earlier=max(1, first - _EARLIER) if first > 1 else 0,
        about=subject_of_session(at.served, at.user, info.root),
        asked_alone=_asked_alone(at, info.root),
        answering=turns[-1].ending.model if turns else "",
    )


@router.get("/sessions/{session}/turns")
def show_turns(session: str, at: PageContextHere, after: int = 0, before: int = 0) -> HTMLResponse:
    """Return the turns after a number, or some before another, to be inserted into a conversation's page."""
    with session_of(at.served, at.user, session) as transcript:
        running = at.served.turns.is_running(at.user.id, session)
        first, end = (before - _EARLIER, before) if before else (after + 1, math.inf)
        turns = [turn for turn in transcript.turns() if first <= turn.number < end]
        shown = views(transcript, turns, pictures_of(transcript, at), places_of(transcript.root, at), running=running)
        return page("turns.html", frame=at.frame, turns=shown, asked_alone=_asked_alone(at, transcript.root))


def _asked_alone(at: PageContext, source: str) -> str:
    """Return the titles of a session's corpora, if there are others that might hold what these do not."""
    return subject_of_session(at.served, at.user, source) if len(roots_of(source)) < len(at.frame.corpora) else ""


@router.get("/sessions/{session}/turns/{number}/sources")
def show_sources(session: str, number: str, at: PageContextHere, bare: bool = False) -> HTMLResponse:
    """Show the hits of a turn."""
    with session_of(at.served, at.user, session) as transcript:
        turn = turn_of(transcript, number)
        all_sources, place = transcript.sources(turn.number), places_of(transcript.root, at)
    statuses = {one.n: one.status for one in reversed(turn.ending.citations)}
    path = f"/sessions/{session}/turns/{turn.number}"
    sources = [
        {
            "n": source.passage.n,
            "place": place(source.passage.path, source.passage.start_line, source.passage.end_line),
            "about": source.passage.title or source.passage.symbol or "",
            "cited": source.cited,
            "status": statuses.get(source.passage.n, ""),
            "standing": STANDING.get(statuses.get(source.passage.n, ""), ""),
            "href": f"{path}/sources/{index}",
        }
        for index, source in enumerate(all_sources)
    ]
    return page(
        "sources.html", layout=at.layout, frame=at.frame, heading="Sources", question=turn.question, sources=sources
    )


@router.get("/sessions/{session}/turns/{number}/window")
def show_window(session: str, number: str, at: PageContextHere) -> HTMLResponse:
    """Show the requests that a turn sent to a model, and why anything was left out."""
    with session_of(at.served, at.user, session) as transcript:
        turn = turn_of(transcript, number)
        requests = [_request_view(sent) for sent in window_of(transcript, turn.number)["requests"]]
    return page(
        "window.html",
        frame=at.frame,
        heading="What the model read",
        back=f"/sessions/{session}?start={turn.number}#turn-{turn.number}",
        question=turn.question,
        requests=requests,
        quoted=turn.ending.state == "done",
    )


class DraftAnswer(BaseModel):
    """A part of an answer that is still being written."""

    text: Annotated[str, Field(max_length=100_000)]


@router.post("/parts/markdown")
def show_markdown(written: DraftAnswer, _: Who) -> HTMLResponse:
    """Return whole paragraphs of an answer as HTML, before its citations are checked."""
    return HTMLResponse(render_part(written.text))


def _row(info: SessionInfo, name: str) -> dict[str, object]:
    return {
        "id": info.id,
        "title": info.title,
        "turns": info.turns,
        "changed": info.changed,
        "when": written_time(info.changed),
        "about": name,
        "error": info.error,
    }


def _find_turn(served: Served, user: User, info: SessionInfo, query: str) -> dict[str, object] | None:
    """Return the last turn of a conversation that holds all words of a query, with an excerpt; None if it has none.

    Turn 0, without an excerpt, stands for the whole conversation: if only the title matches, or the query is empty.
    """
    words = query.casefold().split()
    nowhere: dict[str, object] = {"turn": 0, "excerpt": ""}
    if not words:
        return nowhere
    with suppress(QuaestorError), session_of(served, user, info.id) as transcript:
        for turn in reversed(transcript.turns()):
            text = _plain_turn(turn)
            if all(word in text.casefold() for word in words):
                return {"turn": turn.number, "excerpt": _excerpt(text, words[0])}
    return nowhere if all(word in info.title.casefold() for word in words) else None


def _plain_turn(turn: TurnRecord) -> str:
    """Return a turn's question and answer without citations and Markdown syntax."""
    answer = turn.answer or turn.ending.partial
    answer = _MARKUP.sub("", without_marks(answer, parse(answer)))
    return " ".join(f"{turn.question} {_BEFORE_STOP.sub('', answer)}".split())


def _excerpt(text: str, word: str) -> str:
    """Return the text around a word."""
    at = max(text.casefold().find(word), 0)
    begin, end = max(at - _AROUND, 0), at + len(word) + _AROUND
    # Do not cut words, in languages that separate them by blanks.
    if begin and (blank := text.find(" ", begin, min(begin + _LONGEST_WORD, at))) >= 0:
        begin = blank + 1
    if end < len(text) and (blank := text.rfind(" ", max(end - _LONGEST_WORD, at + len(word)), end)) >= 0:
        end = blank
    return f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"


@dataclass(frozen=True, slots=True)
class Part:
    """A segment of the bar that shows how a request fills the model's window.

    Attributes:
        name: the section's name.
        css: the CSS class of its colour, without ``s-``.
        x: where it begins, in thousandths of the bar.
        width: its width, in thousandths of the bar.
    """

    name: str
    css: str
    x: float
    width: float

    @property
    def share(self) -> int:
        """Its share of the bar, in percent."""
        return round(self.width * 100 / _WIDTH)


def _request_view(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with which the page shows a request.

    Args:
        sent: the request, as in ``GET /api/sessions/{id}/window``.
    """
    bar = _bar(sent)
    text = ", ".join(f"{part.name} {part.share} %" for part in bar)
    decisions = [_decision_view(one) for one in sent["decisions"]]
    return {
        **{name: sent[name] for name in ("model", "limit", "reserve", "tokens", "finish")},
        "bar": bar,
        "bar_said": f"Of the model’s room: {text}",
        "kept": [one for one in decisions if one["action"] not in _OUT],
        "left_out": [one for one in decisions if one["action"] in _OUT],
        "messages": [
            {
                **message,
                "role": _ROLES.get(message["role"], message["role"]),
                "begins": _first_letters(message["content"]),
            }
            for message in sent["messages"]
        ],
    }


def _decision_view(decision: Mapping[str, Any]) -> dict[str, Any]:
    """Return a decision with the names that the bar uses."""
    role, blank, rest = decision["about"].partition(" ")
    section = decision["section"]
    text = f"{_ROLES.get(role, role)}{blank}{rest}"
    return {**decision, "about": text, "section": _NAMES.get(section, section), "reason": in_words(decision["reason"])}


def _bar(sent: Mapping[str, Any]) -> list[Part]:
    whole = max(sent["limit"], sent["tokens"] + sent["reserve"], 1)
    parts, x = [], 0.0
    sections = {**sent["sections"], "reserve": sent["reserve"]}
    for name in sorted(sections, key=_place):
        tokens = sections[name]
        width = tokens * _WIDTH / whole
        if tokens > 0:
            parts.append(Part(_NAMES.get(name, name), name.replace(" ", "-"), round(x, 2), round(width, 2)))
            x += width
    return parts


def _place(section: str) -> int:
    return _ORDER.index(section) if section in _ORDER else len(_ORDER)


def _first_letters(content: str) -> str:
    return plain_line(content[: 2 * _BEGINNING])[:_BEGINNING]


@router.post("/ask")
async def ask(request: Request, served: ServedHere, who: Who, number: RequestId) -> Response:
    """Ask in a session, or in a new one, and show the conversation when the turn has ended, even if it failed."""
    async with request.form(max_files=_MOST_FILES, max_part_size=served.upload_limit) as form:
        question = str(form.get("question", ""))
        if not 0 < len(question) <= LONGEST_QUESTION:
            raise UsageError("The question is empty or too long. Go back and write another one.")
        question = "\n\n".join([question, *await _take_in_files(served, who, form)])
        session = str(form.get("session", "")) or await _new_session(served, who, form)
        model = str(form.get("model", ""))[:_LONGEST_NAME]
        turn_request = TurnRequest(question=question, model=model, **Limits.of_form(form).as_request())
    await cancelled_on_disconnect(request, _turn(request, served, who, session, turn_request, number))
    with session_of(served, who, session) as transcript:
        last = transcript.info().turns
    return RedirectResponse(f"/sessions/{quote(session, safe='')}#turn-{last}", 303)


async def _new_session(served: Served, user: User, form: FormData) -> str:
    """Return the name of a new session about the corpora that are ticked; about all if none is."""
    ticked = [str(name)[:_LONGEST_NAME] for name in form.getlist("corpus")]
    start = SessionStart(corpora=ticked or ["*"])
    return str((await asyncio.to_thread(begin_session, served, user, start))["id"])


async def _take_in_files(served: Served, user: User, form: FormData) -> list[str]:
    """Add the files of a form to the user's documents; return text that mentions them in the question."""
    files = [file for file in form.getlist("attached") if isinstance(file, UploadFile) and file.filename]
    stored = [await asyncio.to_thread(add, served, user, file.filename or "", await file.read()) for file in files]
    return [" ".join(mention(f"{MY_DOCUMENTS}/{one.name}") for one in stored)] if stored else []


async def _turn(
    request: Request, served: Served, user: User, session: str, turn_request: TurnRequest, number: str
) -> None:
    async with aclosing(await turn_events(request, served, user, session, turn_request, number)) as events:
        async for _ in events:
            pass
