"""The page that searches without a model, and the form that limits it to some corpora and documents."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query
from fastapi.responses import HTMLResponse

from quaestor.core.documents import Hit
from quaestor.core.errors import QuaestorError
from quaestor.core.terms import content_terms
from quaestor.corpus.several_corpora import SeveralCorpora
from quaestor.corpus.understood_filters import UnderstoodQuestion, why_none
from quaestor.search.filters import make_filter
from quaestor.server.api.access import several_of
from quaestor.server.open_corpora import StillIndexingError
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_context import TITLES, PageContextHere
from quaestor.server.web.page_templates import page
from quaestor.server.web.source_lines import lines_with_words, numbered_lines
from quaestor.server.web.turn_html import lines_place

_LONGEST = 400
_LONGEST_DATE = 40

_BY_WORDS = {"all": "", "some": "; some documents by words alone", "none": "; by words alone"}

router = APIRouter(route_class=PageRoute)
_HITS = 20

Names = Annotated[list[str], Query(max_length=1000, default_factory=list)]


@dataclass(frozen=True, slots=True)
class Limits:
    """The fields of a form that limits a search, as they were filled in; empty fields limit nothing.

    Attributes:
        path: globs that paths must match, separated by commas or blanks.
        language: languages, separated in the same way.
        since: only documents of this date or later.
        before: only documents of an earlier date.
        by: an author.
    """

    path: str = ""
    language: str = ""
    since: str = ""
    before: str = ""
    by: str = ""

    @classmethod
    def of_form(cls, fields: Mapping[str, Any]) -> Limits:
        """Return the fields in a submitted form."""
        path, language, by = (str(fields.get(name, ""))[:_LONGEST] for name in ("path", "language", "by"))
        since, before = (str(fields.get(name, ""))[:_LONGEST_DATE] for name in ("since", "before"))
        return cls(path, language, since, before, by)

    def as_request(self) -> dict[str, Any]:
        """Return the fields as in a request to the API."""
        return {
            "path": _names_in_form(self.path),
            "language": _names_in_form(self.language),
            "since": self.since,
            "before": self.before,
            "by": [self.by] if self.by.strip() else [],
        }


def _names_in_form(field: str) -> list[str]:
    return field.replace(",", " ").split()


@router.get("/search")
def search(at: PageContextHere, corpus: Names, limits: Annotated[Limits, Depends()], q: str = "") -> HTMLResponse:
    """Search without a model."""
    chosen = [name for name in corpus if name]
    values = {
        "frame": at.frame,
        "heading": "Search",
        "query": q,
        "chosen": chosen,
        "hits": [],
        "said": "",
        "failed": "",
    }
    values |= {**asdict(limits), "understood": (), "missed": ()}
    values |= {"translated": (), "unknown": (), "waiting": "", "lacking": {}, "none_left": ""}
    if not q.strip():
        return page("search.html", **values)
    started = time.perf_counter()
    try:
        where = make_filter(*limits.as_request().values())
        corpora, failures = several_of(at.served, at.user, chosen)
        hits, understood = corpora.find(q, _HITS, where=where)
    except StillIndexingError as error:
        return page("search.html", error.http_status, **{**values, "waiting": str(error)})
    except QuaestorError as error:
        return page("search.html", error.http_status, **{**values, "failed": str(error)})
    among = len(corpora) + len(failures) > 1
    values |= {
        "said": _remarks(hits, corpora, understood, time.perf_counter() - started),
        "none_left": why_none(corpora, where) if where and not hits else "",
        "understood": understood.phrases,
        "missed": understood.missed,
        "translated": understood.translated,
        "unknown": understood.unknown,
        "hits": [_hit(hit, " ".join((understood.text, *understood.translated)), among=among) for hit in hits],
        **_left_out({**failures, **corpora.failures}),
    }
    return page("search.html", **values)


def _remarks(hits: Sequence[Hit], corpora: SeveralCorpora, understood: UnderstoodQuestion, seconds: float) -> str:
    """Return the remarks on the hits."""
    amount = f"{len(hits)} {'passage' if len(hits) == 1 else 'passages'}" if hits else "Nothing was found"
    text = f"{amount} in {1000 * seconds:.0f} ms{_BY_WORDS[corpora.reach]}"
    progress = next((one for corpus in corpora.last_searched.values() if (one := corpus.meaning.vector_progress)), None)
    if progress is not None:
        text += f", by the bundled embedder: {progress.done:,} vectors of the chosen one are ready"
    wanted = content_terms(" ".join((understood.text, *understood.translated)))
    if hits and not any(wanted & content_terms(f"{hit.path}\n{hit.text}") for hit in hits):
        text += ". They hold none of the words, but are the nearest in meaning"
    return text


def _left_out(failures: Mapping[str, Exception]) -> dict[str, object]:
    """Return which corpora were not searched: those that are still being indexed, and those that failed."""
    titled = {TITLES.get(name, name): error for name, error in failures.items()}
    waiting = [str(error) for error in titled.values() if isinstance(error, StillIndexingError)]
    lacking = {title: str(error) for title, error in titled.items() if not isinstance(error, StillIndexingError)}
    return {"waiting": " ".join(waiting), "lacking": lacking}


def _hit(hit: Hit, query: str, *, among: bool) -> dict[str, object]:
    lines = hit.text.rstrip().split("\n")
    return {
        "corpus": TITLES.get(hit.corpus, hit.corpus) if among else "",
        "place": lines_place(hit.path, hit.start_line, hit.end_line),
        "href": lines_href(hit.corpus, hit.path, hit.start_line, hit.end_line),
        "about": hit.symbol or hit.document.title or "",
        "byline": " · ".join(part for part in (hit.document.author, hit.document.date) if part),
        "fresh": hit.fresh,
        "shown": numbered_lines(
            hit.path, lines, hit.start_line, hit.document.language, lines_with_words(lines, hit.start_line, query)
        ),
    }


def lines_href(corpus: str, path: str, start: int, end: int) -> str:
    """Return the address of the page that shows lines of a document."""
    return "/passage?" + urlencode({"corpus": corpus, "path": path, "start": start, "end": end})
