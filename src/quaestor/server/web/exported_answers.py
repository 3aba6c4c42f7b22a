"""Exports answers as Markdown for the clipboard and as self-contained pages.

In the Markdown, citation marks are numbers, and their sources are listed below the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from urllib.parse import urlsplit

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from quaestor.answers.citations.citation_marks import parse
from quaestor.core.documents import STANDING, Citation
from quaestor.server.api.access import session_of
from quaestor.server.web.answer_html import LinkedCitation, render
from quaestor.server.web.document_pages import places_of
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_context import PageContext, PageContextHere, turn_of
from quaestor.server.web.page_templates import page
from quaestor.server.web.safe_text import written_time
from quaestor.server.web.turn_html import lines_place
from quaestor.sessions.records import TurnRecord

router = APIRouter(route_class=PageRoute)


@router.get("/sessions/{session}/turns/{number}/markdown")
def show_markdown_of_answer(session: str, number: str, at: PageContextHere) -> Response:
    """Return an answer as Markdown, with the list of its sources."""
    with session_of(at.served, at.user, session) as transcript:
        turn, source = turn_of(transcript, number), transcript.root
        citations = turn.ending.citations
        text = _cited_markdown(turn.answer or turn.ending.partial, citations, lambda one: where(one, source, at))
    return Response(text.encode("utf-8", "replace"), media_type="text/markdown; charset=utf-8")


@router.get("/sessions/{session}/turns/{number}/file")
def show_file_of_answer(session: str, number: str, at: PageContextHere) -> HTMLResponse:
    """Return a question and its answer as one self-contained HTML file."""
    with session_of(at.served, at.user, session) as transcript:
        turn = turn_of(transcript, number)
        sources = _sources(turn, transcript.root, at)
        response = page("shared.html", turn=turn, html=_html(turn), sources=sources, when=_when(turn))
    response.headers["content-disposition"] = f'attachment; filename="answer-{session}-{turn.number}.html"'
    return response


def where(citation: Citation, source: str, at: PageContext) -> str:
    """Return where a citation points, for readers elsewhere: a path with a page or lines, perhaps with a URL.

    Args:
        citation: an answer's citation.
        source: the session's source as recorded.
        at: the request's context.
    """
    stands = places_of(source, at)(citation.path, citation.start_line, citation.end_line)
    return f"{stands} <{citation.url}>" if is_address(citation.url) else stands


def is_address(url: str | None) -> bool:
    """Return whether a URL is a web address."""
    return urlsplit(url or "").scheme in ("http", "https")


def _html(turn: TurnRecord) -> str:
    cited = [
        LinkedCitation(
            one.n, lines_place(one.path, one.start_line, one.end_line), one.quote, one.status, f"#source-{one.n}"
        )
        for one in turn.ending.citations
    ]
    return render(turn.answer or turn.ending.partial, cited)


def _sources(turn: TurnRecord, source: str, at: PageContext) -> list[dict[str, object]]:
    shown = dict.fromkeys(one.n for one in turn.ending.citations)
    return [
        {
            "n": one.n,
            # Ids must be unique, so only a number's first citation can be a link's target.
            "id": f"source-{one.n}" if shown.pop(one.n, 0) is None else "",
            "where": where(one, source, at),
            "quote": one.quote,
            "standing": STANDING[one.status],
        }
        for one in turn.ending.citations
    ]


def _when(turn: TurnRecord) -> str:
    return written_time(turn.began)


def _cited_markdown(answer: str, citations: Sequence[Citation], where: Callable[[Citation], str]) -> str:
    """Return an answer with the list of its sources.

    Args:
        answer: the answer as a model wrote it, with its citation marks.
        citations: its checked citations.
        where: returns where a citation points, for people.
    """
    lines = [f"- [{n}] {'; '.join(places)}" for n, places in _places(citations, where).items()]
    text = _with_numbers(answer).strip()
    return "\n".join([text, "", *lines, ""]) if lines else f"{text}\n"


def _places(citations: Sequence[Citation], where: Callable[[Citation], str]) -> dict[int, list[str]]:
    """Return where each number points, in the order in which the answer cites them."""
    places_of_number: dict[int, list[str]] = {}
    for one in citations:
        place = where(one) + (" (not found there)" if one.status == "unverified" else "")
        if place not in (places := places_of_number.setdefault(one.n, [])):
            places.append(place)
    return places_of_number


def _with_numbers(answer: str) -> str:
    pieces, at = [], 0
    for (start, end), marks in groupby(parse(answer), key=lambda mark: (mark.start, mark.end)):
        numbers = dict.fromkeys(mark.n for mark in marks)
        pieces += [answer[at:start], *(f"[{n}]" for n in numbers)]
        at = max(at, end)
    return "".join([*pieces, answer[at:]])
