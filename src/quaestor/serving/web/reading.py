"""Pages of documents: passages that were cited or found, lines of a document, and search without a model."""

from __future__ import annotations

import time
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from quaestor.assemble import Index
from quaestor.chat.transcript import Transcript
from quaestor.errors import IndexUnusableError, NotFoundError, QuaestorError
from quaestor.models.content import content_terms
from quaestor.passages import Hit
from quaestor.retrieval.filters import make_filter
from quaestor.serving.corpora import StillIndexingError
from quaestor.serving.http.native.access import corpus_of, session_of
from quaestor.serving.web.excerpts import shown, telling
from quaestor.serving.web.failing import PageRoute
from quaestor.serving.web.filling import page
from quaestor.serving.web.frame import Look, Looking
from quaestor.serving.web.records import corpus_about, turn_of
from quaestor.serving.web.turns import lines_place

_BY_WORDS = {"all": "", "some": "; some documents by words alone", "none": "; by words alone"}

router = APIRouter(route_class=PageRoute)
_AROUND = 12
_MOST_LINES = 400
_MORE = 60
_HITS = 20
_EXPLAINED = {
    "verified": "The quoted words stood in these lines, letter by letter, when the answer was checked.",
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
        citations = turn_of(transcript, number).ending.citations
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


@router.get("/search")
def search(at: Looking, q: str = "", corpus: str = "", since: str = "", before: str = "", by: str = "") -> HTMLResponse:
    """Search without a model."""
    name = corpus or (at.frame.corpora[0].name if at.frame.corpora else "")
    values = {"frame": at.frame, "heading": "Search", "query": q, "name": name, "hits": [], "said": "", "failed": ""}
    values |= {"since": since, "before": before, "by": by, "understood": (), "missed": (), "unknown": (), "waiting": ""}
    if not q.strip():
        return page("search.html", **values)
    begun = time.perf_counter()
    try:
        where = make_filter(since=since, before=before, by=[by])
        index = corpus_of(at.served, at.user, name)
        hits, asked = index.find(q, _HITS, where=where)
    except StillIndexingError as error:
        return page("search.html", error.http_status, **{**values, "waiting": str(error)})
    except QuaestorError as error:
        return page("search.html", error.http_status, **{**values, "failed": str(error)})
    amount = f"{len(hits)} {'passage' if len(hits) == 1 else 'passages'}" if hits else "Nothing was found"
    said = f"{amount} in {1000 * (time.perf_counter() - begun):.0f} ms{_BY_WORDS[index.meaning.reach]}"
    if (coming := index.meaning.coming) is not None:
        said += f", by the bundled embedder: {coming.done:,} vectors of the one that was chosen are made"
    if hits and not any(content_terms(asked.text) & content_terms(f"{hit.path}\n{hit.text}") for hit in hits):
        said += ". None of the words stands in them: they are what comes nearest"
    values |= {"said": said, "understood": asked.phrases, "missed": asked.missed, "unknown": asked.unknown}
    return page("search.html", **{**values, "hits": [_hit(hit, name, asked.text) for hit in hits]})


def _hit(hit: Hit, corpus: str, query: str) -> dict[str, object]:
    lines = hit.text.rstrip().split("\n")
    return {
        "place": lines_place(hit.path, hit.start_line, hit.end_line),
        "href": _lines_href(corpus, hit.path, hit.start_line, hit.end_line),
        "about": hit.symbol or hit.document.title or "",
        "byline": " · ".join(part for part in (hit.document.author, hit.document.date) if part),
        "fresh": hit.fresh,
        "shown": shown(hit.path, lines, hit.start_line, hit.document.language, telling(lines, hit.start_line, query)),
    }


def _passage(heading: str, pointed: Pointed, transcript: Transcript, at: Look) -> HTMLResponse:
    try:
        name, corpus = corpus_about(at.served, at.user, transcript.root)
    except (NotFoundError, IndexUnusableError) as error:
        return _page(heading, pointed, at, None, gone=str(error))
    return _page(heading, pointed, at, corpus, name)


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
        explained=_EXPLAINED.get(pointed.status, ""),
        quote=pointed.quote,
        symbol=pointed.symbol,
        url=pointed.url if urlsplit(pointed.url).scheme in ("http", "https") else "",
        gone=gone,
        shown=found and shown(found.path, found.lines, found.start_line, found.language, meant),
        earlier=_lines_href(name, pointed.path, max(1, first - _MORE), first - 1) if found and first > 1 else "",
        later=_lines_href(name, pointed.path, last + 1, last + _MORE) if more else "",
    )


def _lines_href(corpus: str, path: str, start: int, end: int) -> str:
    return "/passage?" + urlencode({"corpus": corpus, "path": path, "start": start, "end": end})
