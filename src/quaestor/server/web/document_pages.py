"""Pages of documents: passages that were cited or found, and lines of a document."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode, urlsplit

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse

from quaestor.assemble import Index
from quaestor.core.citation import STANDING
from quaestor.core.config import data_home
from quaestor.core.errors import IndexUnusableError, NotFoundError, QuaestorError
from quaestor.corpus.commits import is_object
from quaestor.crawl.sites import is_site
from quaestor.files.walk import folder_of
from quaestor.server.api.access import corpus_of, located, session_of
from quaestor.server.web.corpus_pictures import pictures_in
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_frame import Look, Looking, turn_of
from quaestor.server.web.search_pages import lines_href
from quaestor.server.web.source_lines import page_at, shown
from quaestor.server.web.templates_filled import page
from quaestor.server.web.turn_html import lines_place
from quaestor.sessions.transcript import Transcript

router = APIRouter(route_class=PageRoute)
_AROUND = 12
_MOST_LINES = 400
_MORE = 60
_FRAGMENT = 200
_EXPLAINED: dict[str, str] = {
    "verified": "These words stood here, letter by letter, when the answer was checked. That does not make them right.",
    "repaired": "The words were found nearby, or written a little differently; this is where they stood.",
    "unverified": "The words were not found where the answer says that they are. Do not rely on them.",
}


@dataclass(frozen=True, slots=True)
class Pointed:
    """What is pointed at in a document.

    Attributes:
        path: the document's.
        start_line: first line, 1-based.
        end_line: last line, inclusive.
        status: of a citation; empty where it is none.
        quote: the words that were cited.
        symbol: what encloses it.
        url: where a page came from.
    """

    path: str
    start_line: int
    end_line: int
    status: str = ""
    quote: str = ""
    symbol: str = ""
    url: str = ""


@router.get("/sessions/{session}/turns/{number}/citations/{index}")
def show_citation(session: str, number: str, index: int, at: Looking) -> HTMLResponse:
    """Show a citation of an answer in the document as it is now."""
    with session_of(at.served, at.user, session) as transcript:
        ending = turn_of(transcript, number).ending
        # What was quoted beside an unchecked answer comes after what that cites.
        citations = (*ending.citations, *ending.quotes)
        if not 0 <= index < len(citations):
            raise NotFoundError(f"This turn has no citation {index}. It has {len(citations)}.")
        one = citations[index]
        pointed = Pointed(one.path, one.start_line, one.end_line, one.status, one.quote, url=one.url or "")
        return _passage(f"Passage {one.n}", pointed, transcript, at)


@router.get("/sessions/{session}/turns/{number}/sources/{index}")
def show_source(session: str, number: str, index: int, at: Looking) -> HTMLResponse:
    """Show a passage that was found for a turn in the document as it is now."""
    with session_of(at.served, at.user, session) as transcript:
        found = transcript.sources(turn_of(transcript, number).number)
        if not 0 <= index < len(found):
            raise NotFoundError(f"This turn has no source {index}. It has {len(found)}.")
        one = found[index].passage
        pointed = Pointed(one.path, one.start_line, one.end_line, symbol=one.symbol or "", url=one.url or "")
        return _passage(f"Passage {one.n}", pointed, transcript, at)


@router.get("/passage")
def show_lines(at: Looking, path: str, start: int, end: int, corpus: str = "") -> HTMLResponse:
    """Show lines of a document."""
    return _page("Passage", Pointed(path, start, end), at, corpus_of(at.served, at.user, corpus), corpus)


def _passage(heading: str, pointed: Pointed, transcript: Transcript, at: Look) -> HTMLResponse:
    try:
        name, corpus, path = located(at.served, at.user, transcript.root, pointed.path)
    except (NotFoundError, IndexUnusableError) as error:
        return _page(heading, pointed, at, None, gone=str(error))
    return _page(heading, replace(pointed, path=path), at, corpus, name)


def _editor(pointed: Pointed, corpus: Index | None, at: Look) -> str:
    """Return the address that opens a file in an editor; only for who sits at the machine that it lies on."""
    if corpus is None or at.user.id or is_object(pointed.path) or is_site(corpus.root, data_home(at.served.settings)):
        return ""
    return f"vscode://file{quote(str(folder_of(corpus.root) / pointed.path))}:{pointed.start_line}"


def _fragment(pointed: Pointed) -> str:
    """Return what makes a browser open a page at a quote."""
    words = " ".join(pointed.quote.split())
    return f"#:~:text={quote(words[:_FRAGMENT], safe='')}" if words and "#" not in pointed.url else ""


def _pdf(pointed: Pointed, corpus: Index | None, name: str) -> dict[str, object]:
    """Return where a PDF is shown, at the page that is meant."""
    number = page_at(corpus, pointed.path, pointed.start_line)
    address = "/pdf?" + urlencode({"corpus": name, "path": pointed.path})
    return {"pdf": f"{address}#page={number}" if number else "", "pdf_page": number}


@router.get("/pdf")
def show_pdf(at: Looking, path: str, corpus: str = "") -> Response:
    """Return a PDF of a corpus as it is on disk; nothing else is sent as what it is."""
    index = corpus_of(at.served, at.user, corpus)
    data = index.read_source(path) or b""
    if not (path.lower().endswith(".pdf") and data.startswith(b"%PDF-")):
        raise NotFoundError(f"{path!r} is not a PDF.")
    return Response(data, media_type="application/pdf", headers={"content-disposition": "inline"})


def _page(
    heading: str, pointed: Pointed, at: Look, corpus: Index | None, name: str = "", gone: str = ""
) -> HTMLResponse:
    first = max(1, pointed.start_line - _AROUND)
    last = min(pointed.end_line + _AROUND, first + _MOST_LINES)
    found = None
    if corpus is not None:
        try:
            found = corpus.read_lines(pointed.path, first, last)
        except QuaestorError as error:
            gone = str(error)
    meant = range(pointed.start_line, pointed.end_line + 1)
    more = found is not None and found.end_line < found.total_lines
    return page(
        "passage.html",
        layout=at.layout,
        frame=at.frame,
        heading=heading,
        place=lines_place(pointed.path, pointed.start_line, pointed.end_line),
        status=pointed.status,
        standing=STANDING.get(pointed.status, ""),
        explained=_EXPLAINED.get(pointed.status, ""),
        quote=pointed.quote,
        symbol=pointed.symbol,
        url=pointed.url if urlsplit(pointed.url).scheme in ("http", "https") else "",
        fragment=_fragment(pointed),
        editor=_editor(pointed, corpus, at) if found else "",
        **_pdf(pointed, corpus, name),
        gone=gone,
        shown=found and shown(found.path, found.lines, found.start_line, found.language, meant),
        pictures=pictures_in(found.lines, pointed.path, corpus, name) if found and corpus is not None else (),
        earlier=lines_href(name, pointed.path, max(1, first - _MORE), first - 1) if found and first > 1 else "",
        later=lines_href(name, pointed.path, last + 1, last + _MORE) if more else "",
    )
