"""Answers to be taken along: as Markdown for the clipboard, and as a page of its own that opens anywhere."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from quaestor.assemble import Index
from quaestor.core.citation import STANDING, Citation
from quaestor.core.errors import IndexUnusableError, NotFoundError
from quaestor.server.api.access import session_of
from quaestor.server.web.answer_html import Cited, render
from quaestor.server.web.cited_markdown import cited_markdown
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_frame import Look, Looking
from quaestor.server.web.pages_of_documents import page_at
from quaestor.server.web.safe_text import written_time
from quaestor.server.web.templates_filled import page
from quaestor.server.web.turn_html import place
from quaestor.server.web.user_records import corpus_about, turn_of
from quaestor.sessions.records import TurnRecord
from quaestor.sessions.transcript import Transcript

router = APIRouter(route_class=PageRoute)


@router.get("/sessions/{session}/turns/{number}/markdown")
def show_markdown_of_answer(session: str, number: str, at: Looking) -> Response:
    """Return an answer as Markdown, with the list of what it cites."""
    with session_of(at.served, at.user, session) as transcript:
        turn, corpus = turn_of(transcript, number), _corpus(transcript, at)
        text = cited_markdown(turn.answer or turn.ending.partial, turn.ending.citations, lambda one: where(one, corpus))
    return Response(text.encode("utf-8", "replace"), media_type="text/markdown; charset=utf-8")


@router.get("/sessions/{session}/turns/{number}/file")
def show_file_of_answer(session: str, number: str, at: Looking) -> HTMLResponse:
    """Return a question and its answer as one file, a page that needs nothing else."""
    with session_of(at.served, at.user, session) as transcript:
        turn, corpus = turn_of(transcript, number), _corpus(transcript, at)
        made = page("shared.html", turn=turn, html=_html(turn), sources=_sources(turn, corpus), when=_when(turn))
    made.headers["content-disposition"] = f'attachment; filename="answer-{session}-{turn.number}.html"'
    return made


def where(citation: Citation, corpus: Index | None) -> str:
    """Return where a citation points, for somebody who is elsewhere: the page of a PDF, lines of others, an address."""
    number = page_at(corpus, citation.path, citation.start_line)
    at = f"{citation.path}, page {number}" if number else place(citation)
    return f"{at} <{citation.url}>" if is_address(citation.url) else at


def is_address(url: str | None) -> bool:
    """Return whether something is an address of the web."""
    return urlsplit(url or "").scheme in ("http", "https")


def _corpus(transcript: Transcript, at: Look) -> Index | None:
    try:
        return corpus_about(at.served, at.user, transcript.root)[1]
    except (NotFoundError, IndexUnusableError):
        return None


def _html(turn: TurnRecord) -> str:
    cited = [Cited(one.n, place(one), one.quote, one.status, f"#source-{one.n}") for one in turn.ending.citations]
    return render(turn.answer or turn.ending.partial, cited)


def _sources(turn: TurnRecord, corpus: Index | None) -> list[dict[str, object]]:
    shown = dict.fromkeys(one.n for one in turn.ending.citations)
    return [
        {
            "n": one.n,
            # Only the first of a number can be linked to.
            "id": f"source-{one.n}" if shown.pop(one.n, 0) is None else "",
            "where": where(one, corpus),
            "quote": one.quote,
            "standing": STANDING[one.status],
        }
        for one in turn.ending.citations
    ]


def _when(turn: TurnRecord) -> str:
    return written_time(turn.began)
