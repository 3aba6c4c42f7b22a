"""Pages of documents: passages that were cited or found, lines of a document, and the pictures that it names.

A picture must be a file of the corpus that is left out of the index only because it is not text. It is read without
following symlinks, and shown only if it begins with the signature of a PNG, JPEG, GIF or WebP file. SVG files may hold
scripts, and are not shown.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote, urlencode, urlsplit

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse

from quaestor.assemble import Index
from quaestor.core.config import data_home
from quaestor.core.documents import STANDING
from quaestor.core.errors import IndexUnusableError, NotFoundError, QuaestorError
from quaestor.corpus.documents_on_disk import is_object
from quaestor.crawl.fetched_sources import is_site
from quaestor.files.consistent_read import read_snapshot
from quaestor.files.walk import folder_of
from quaestor.files.walk_rules import left_out
from quaestor.server.api.access import corpus_of, locate_corpus, session_of
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_context import TITLES, PageContext, PageContextHere, turn_of
from quaestor.server.web.page_templates import page
from quaestor.server.web.search_pages import lines_href
from quaestor.server.web.source_lines import numbered_lines, page_at
from quaestor.server.web.turn_html import Picture, PicturesIn, PlaceIn, lines_place
from quaestor.sessions.transcript import Transcript

router = APIRouter(route_class=PageRoute)
_AROUND = 12
_MOST_LINES = 400
_MORE = 60
_FRAGMENT = 200
_EXPLAINED: dict[str, str] = {
    "verified": "These exact words were here when the answer was checked. That does not mean that they are right.",
    "repaired": "The words were found nearby, or written a little differently; this is where they were.",
    "unverified": "The words were not found where the answer says that they are. Do not rely on them.",
}
_LARGEST = 8_000_000
_MOST = 12
_MOST_TEXT = 100_000
# Line numbers in these files are those of the text to which they were converted, which an editor does not show.
_NOT_TEXT = (".pdf", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".rtf", ".eml", ".mbox", ".epub", ".ipynb")
_NAMES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_NAMED = re.compile(
    r"!\[(?P<alt>[^\[\]\n]{0,300})\]\(\s{0,3}<?(?P<src>[^\s()<>]{1,500})"
    r"|<img\s(?=[^<>]{0,500}?\bsrc=[\"'](?P<html>[^\"'<>]{1,500})[\"'])[^<>]{0,900}>",
    re.IGNORECASE,
)
_ALT = re.compile(r"\balt=[\"']([^\"'<>]{0,300})[\"']", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MarkedPlace:
    """A marked place in a document.

    Attributes:
        path: the document's path.
        start_line: the first line, from 1.
        end_line: the last line, inclusive.
        status: the citation's status; "" if it is not a citation.
        quote: the cited words.
        symbol: the enclosing definition or heading.
        url: the address of the page on the web.
    """

    path: str
    start_line: int
    end_line: int
    status: str = ""
    quote: str = ""
    symbol: str = ""
    url: str = ""


@router.get("/sessions/{session}/turns/{number}/citations/{index}")
def show_citation(session: str, number: str, index: int, at: PageContextHere) -> HTMLResponse:
    """Show a citation of an answer in the document's present text."""
    with session_of(at.served, at.user, session) as transcript:
        ending = turn_of(transcript, number).ending
        # The quotes beside an unchecked answer follow the answer's citations.
        citations = (*ending.citations, *ending.quotes)
        if not 0 <= index < len(citations):
            raise NotFoundError(f"This turn has no citation {index}. It has {len(citations)}.")
        one = citations[index]
        pointed = MarkedPlace(one.path, one.start_line, one.end_line, one.status, one.quote, url=one.url or "")
        return _passage(f"Passage {one.n}", pointed, transcript, at)


@router.get("/sessions/{session}/turns/{number}/sources/{index}")
def show_source(session: str, number: str, index: int, at: PageContextHere) -> HTMLResponse:
    """Show a passage that was found for a turn in the document's present text."""
    with session_of(at.served, at.user, session) as transcript:
        sources = transcript.sources(turn_of(transcript, number).number)
        if not 0 <= index < len(sources):
            raise NotFoundError(f"This turn has no source {index}. It has {len(sources)}.")
        one = sources[index].passage
        pointed = MarkedPlace(one.path, one.start_line, one.end_line, symbol=one.symbol or "", url=one.url or "")
        return _passage(f"Passage {one.n}", pointed, transcript, at)


@router.get("/passage")
def show_lines(at: PageContextHere, path: str, start: int, end: int, corpus: str = "") -> HTMLResponse:
    """Show lines of a document."""
    return _page("Passage", MarkedPlace(path, start, end), at, corpus_of(at.served, at.user, corpus), corpus)


def _passage(heading: str, pointed: MarkedPlace, transcript: Transcript, at: PageContext) -> HTMLResponse:
    try:
        name, corpus, path = locate_corpus(at.served, at.user, transcript.root, pointed.path)
    except (NotFoundError, IndexUnusableError) as error:
        return _page(heading, pointed, at, None, gone=str(error))
    return _page(heading, replace(pointed, path=path), at, corpus, name)


def _editor(pointed: MarkedPlace, corpus: Index | None, at: PageContext) -> str:
    """Return the address that opens a file in an editor; "" unless the user and the file are on this machine."""
    if corpus is None or at.user.id or is_object(pointed.path) or is_site(corpus.root, data_home(at.served.settings)):
        return ""
    if pointed.path.lower().endswith(_NOT_TEXT):
        return ""
    return f"vscode://file{quote(str(folder_of(corpus.root) / pointed.path))}:{pointed.start_line}"


def _fragment(pointed: MarkedPlace) -> str:
    """Return the URL fragment with which a browser opens a page at a quote."""
    words = " ".join(pointed.quote.split())
    return f"#:~:text={quote(words[:_FRAGMENT], safe='')}" if words and "#" not in pointed.url else ""


def _pdf(pointed: MarkedPlace, number: int, name: str) -> dict[str, object]:
    """Return the address of a PDF at a page."""
    address = "/pdf?" + urlencode({"corpus": name, "path": pointed.path})
    return {"pdf": f"{address}#page={number}" if number else "", "pdf_page": number}


@router.get("/pdf")
def show_pdf(at: PageContextHere, path: str, corpus: str = "") -> Response:
    """Return a PDF of a corpus as it is on disk; no other file."""
    index = corpus_of(at.served, at.user, corpus)
    data = index.read_source(path) or b""
    if not (path.lower().endswith(".pdf") and data.startswith(b"%PDF-")):
        raise NotFoundError(f"{path!r} is not a PDF.")
    return Response(data, media_type="application/pdf", headers={"content-disposition": "inline"})


def _page(
    heading: str, pointed: MarkedPlace, at: PageContext, corpus: Index | None, name: str = "", gone: str = ""
) -> HTMLResponse:
    first = max(1, pointed.start_line - _AROUND)
    last = min(pointed.end_line + _AROUND, first + _MOST_LINES)
    lines = None
    if corpus is not None:
        try:
            lines = corpus.read_lines(pointed.path, first, last)
        except QuaestorError as error:
            gone = str(error)
    stored = corpus.freshness.remark if lines and corpus is not None else ""
    cited_lines = range(pointed.start_line, pointed.end_line + 1)
    more = lines is not None and lines.end_line < lines.total_lines
    number = page_at(corpus, pointed.path, pointed.start_line)
    return page(
        "passage.html",
        layout=at.layout,
        frame=at.frame,
        heading=heading,
        corpus=TITLES.get(name, name) if len(at.frame.corpora) > 1 else "",
        place=_place(pointed.path, pointed.start_line, pointed.end_line, number),
        status=pointed.status,
        standing=STANDING.get(pointed.status, ""),
        explained=_EXPLAINED.get(pointed.status, ""),
        quote=pointed.quote,
        symbol=pointed.symbol,
        url=pointed.url if urlsplit(pointed.url).scheme in ("http", "https") else "",
        fragment=_fragment(pointed),
        stored=stored,
        editor=_editor(pointed, corpus, at) if lines and not stored else "",
        **_pdf(pointed, 0 if stored else number, name),
        gone=gone,
        shown=lines and numbered_lines(lines.path, lines.lines, lines.start_line, lines.language, cited_lines),
        pictures=pictures_in(lines.lines, pointed.path, corpus, name) if lines and corpus is not None else (),
        earlier=lines_href(name, pointed.path, max(1, first - _MORE), first - 1) if lines and first > 1 else "",
        later=lines_href(name, pointed.path, last + 1, last + _MORE) if more else "",
    )


def places_of(source: str, at: PageContext) -> PlaceIn:
    """Return a function that describes a place in a session's documents: by its page in a PDF, else by its lines.

    Args:
        source: the session's source as recorded.
        at: the request's context.
    """

    def say(path: str, first: int, last: int) -> str:
        number = 0
        if path.lower().endswith(".pdf"):
            # If the document is gone, only its lines are named.
            with suppress(NotFoundError, IndexUnusableError):
                _, corpus, own = locate_corpus(at.served, at.user, source, path)
                number = page_at(corpus, own, first)
        return _place(path, first, last, number)

    return say


def _place(path: str, first: int, last: int, number: int) -> str:
    return f"{path}, page {number}" if number else lines_place(path, first, last)


def pictures_of(transcript: Transcript, at: PageContext) -> PicturesIn:
    """Return a function that finds pictures in a session's documents; it finds none if the corpus is gone."""

    def find(words: str, path: str) -> tuple[Picture, ...]:
        try:
            name, corpus, own = locate_corpus(at.served, at.user, transcript.root, path)
        except QuaestorError:
            return ()
        return pictures_in([words], own, corpus, name)

    return find


def pictures_in(lines: Sequence[str], document: str, index: Index, corpus: str) -> tuple[Picture, ...]:
    """Return the pictures that lines of a document name, as far as they exist and may be shown.

    Args:
        lines: lines of the document.
        document: the document's path.
        index: the corpus.
        corpus: the corpus's name.
    """
    targets: dict[str, str] = {}
    for match in _NAMED.finditer("\n".join(lines)[:_MOST_TEXT]):
        path = _path_in_corpus(match["src"] or match["html"], document)
        alt = match["alt"] if match["src"] else next(iter(_ALT.findall(match[0])), "")
        if path and len(targets) < _MOST:
            targets.setdefault(path, alt)
    return tuple(
        Picture(path, alt, "/picture?" + urlencode({"corpus": corpus, "path": path}))
        for path, alt in targets.items()
        if _may_be_shown(index, path)
    )


@router.get("/picture")
def show_picture(at: PageContextHere, path: str, corpus: str = "") -> Response:
    """Return a picture of a corpus as it is on disk; no other file."""
    index = corpus_of(at.served, at.user, corpus)
    data = _read(index.root, path) if _may_be_shown(index, path) else b""
    kind = _kind(data)
    if not kind:
        raise NotFoundError(f"{path!r} is not a picture that can be shown.")
    return Response(data, media_type=kind, headers={"content-disposition": "inline"})


def _path_in_corpus(source: str, document: str) -> str:
    """Return the path in the corpus of a picture that a document names; "" if it is not in the corpus."""
    try:
        parts = urlsplit(source)
    except ValueError:
        return ""
    if parts.scheme or parts.netloc or not parts.path:
        return ""
    path = unquote(parts.path)
    base = "" if path.startswith("/") else posixpath.dirname(document)
    return _plain_path(posixpath.normpath(posixpath.join(base, path.lstrip("/"))))


def _plain_path(path: str) -> str:
    """Return a picture's path if it has no empty or dot parts and stays below the root; else ""."""
    parts = path.split("/")
    plain = all(part not in ("", ".", "..") for part in parts) and not set(path) & set("\\\0:")
    return path if plain and path.lower().endswith(_NAMES) else ""


def _may_be_shown(index: Index, path: str) -> bool:
    """Return whether a picture exists and belongs to the corpus by the same rules as documents."""
    # If a corpus is a single file, the files beside it do not belong to it.
    if not _plain_path(path) or not index.root.is_dir() or not (index.root / path).is_file():
        return False
    if any((index.root / one).is_symlink() for one in (path, *map(str, PurePosixPath(path).parents))):
        return False
    return left_out(index.root, path, index.indexer.settings) in (None, "binary")


def _read(root: Path, path: str) -> bytes:
    """Return a file's bytes; none if it is too large, reached through a symlink, or unreadable."""
    try:
        data = read_snapshot(str(root / path), _LARGEST, root=str(root)).data
    except OSError:
        return b""
    return data if len(data) <= _LARGEST else b""


def _kind(data: bytes) -> str:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for beginning, kind in _BEGINNINGS.items() if data.startswith(beginning)), "")
