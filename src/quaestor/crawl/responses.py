"""Handling a response by its type, text and links: it becomes a page on disk or is left out for a reason."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from urllib.parse import urlsplit

from quaestor.convert import ConversionError, ConvertedDocument, convert_file
from quaestor.convert.html import page_text
from quaestor.convert.html_tree import decode_page, parse
from quaestor.convert.page_metadata import PageLinks, outgoing_links, read_metadata
from quaestor.core.bylines import author_line, iso_date
from quaestor.crawl.crawl_settings import CrawlSettings
from quaestor.crawl.fetch import FetchResponse
from quaestor.crawl.frontier import Entry, Frontier, Kind
from quaestor.crawl.politeness import Pace
from quaestor.crawl.scope import SiteRules
from quaestor.crawl.site_folder import Mirror
from quaestor.crawl.sitemaps import SitemapContents, is_list, read_list
from quaestor.crawl.urls import host_of, normalise, path_for, shape_of
from quaestor.files.deny import deny_content, suffix_of

_MOST_HOPS = 10
_MOST_LISTS = 200
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PASSING = frozenset({429, 500, 502, 503, 504})
_LONGEST_WAIT = 120.0
_CANONICAL = "another address is canonical"
ELSEWHERE = frozenset({_CANONICAL, "duplicate", "not to be indexed", "out of scope"})
"""Reasons for leaving out an address that are no failure of the site."""

_REASONS = {404: "not found", 410: "not found", 401: "refused", 403: "refused", 451: "refused"}

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS = frozenset({"text/plain", "text/markdown", "text/x-markdown", "text/x-rst"})
_DOCUMENTS = {
    "application/pdf": "pdf",
    "application/epub+zip": "epub",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/x-ipynb+json": "ipynb",
}
_MAGIC = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"%PDF", b"PK\x03\x04", b"\x1f\x8b", b"\x7fELF", b"RIFF", b"OggS")
_LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|p|div|h1)\b", re.IGNORECASE)
_CHANGING = re.compile(
    r"\d+|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|"
    r"sat(?:ur)?|sun)(?:day)?\b",
    re.IGNORECASE,
)
_TARGET = re.compile(r"\]\([^()\s]*\)")
_NOWHERE = PageLinks((), (), True, True)


class ResponseHandler:
    """Handles responses and counts their outcomes.

    Attributes:
        new: pages that were not on disk before.
        changed: pages whose file changed.
        unchanged: pages whose file is the same.
        unanswered: pages left unchanged because there was no response.
        bytes: received, decompressed.
    """

    def __init__(
        self, start: str, rules: SiteRules, frontier: Frontier, mirror: Mirror, pace: Pace, settings: CrawlSettings
    ) -> None:
        self._start = start
        self._rules = rules
        self._frontier = frontier
        self._mirror = mirror
        self._pace = pace
        self._settings = settings
        self._home = host_of(rules.scope.start)
        self.new = self.changed = self.unchanged = self.unanswered = self.bytes = 0

    def seconds_to_wait(self, fetched: FetchResponse) -> float | None:
        """Return the seconds to wait before trying again if the failure may be temporary, else None."""
        return _retry_after(fetched.headers.get("retry-after", "")) if fetched.status in _PASSING else None

    def handle(self, entry: Entry, fetched: FetchResponse) -> None:
        """Handle the response for an address."""
        self.bytes += len(fetched.body)
        if fetched.status == 304 and entry.path is not None:
            self._settle(entry, entry.path, entry.hash or "", None, {})
        elif fetched.status in _REDIRECTS:
            self._redirect(entry, fetched.headers.get("location", ""))
        elif entry.kind != "page" and fetched.status in (404, 410):
            self._frontier.set(entry.url, "read")  # the usual place of a sitemap, without one
        elif fetched.status != 200:
            self.skip(entry, _REASONS.get(fetched.status, f"answer {fetched.status}"))
            self._frontier.retry_left_out(_CANONICAL, entry.url[:200])
        elif entry.kind != "page" or is_list(_media_type(fetched.headers), fetched.body):
            self._list(entry, fetched)
        else:
            self._page(entry, fetched)

    def skip(self, entry: Entry, reason: str, detail: str = "", *, keep: bool = False) -> None:
        """Leave out an address and remove its page, or ``keep`` an earlier page if the reason may be temporary."""
        if entry.path is not None and keep:
            self._frontier.set(entry.url, "kept", tries=0, reason=reason, detail=detail)
            self.unanswered += 1
            return
        self._drop(entry)
        self._frontier.set(entry.url, "skipped", path=None, hash=None, etag=None, reason=reason, detail=detail)

    def drop_unwanted(self) -> None:
        """Remove pages that are no longer in scope."""
        for entry in list(self._frontier.kept_pages()):
            if not self._rules.scope.holds(entry.url):
                self.skip(entry, "out of scope")

    def _drop(self, entry: Entry) -> None:
        """Remove a page that this crawl wrote; an older one stays until the crawl ends."""
        if entry.path is not None and not self._frontier.was_kept(entry.url):
            self._mirror.remove(entry.path)

    def _redirect(self, entry: Entry, location: str) -> None:
        target = normalise(location, entry.url)
        if target is None:
            self.skip(entry, "leads elsewhere", location[:200])
            return
        if entry.depth == 0 and entry.kind == "page" and not self._rules.scope.holds(target):
            self._rules.widen(target)
            self._frontier.remember(hosts=json.dumps(sorted(self._rules.scope.hosts)), start=target)
        if entry.kind == "page" and not self._rules.scope.holds(target):
            self.skip(entry, "leads elsewhere", target[:200])
        elif entry.hops >= _MOST_HOPS or self._frontier.leads_to(target, entry.url):
            self.skip(entry, "redirects without end", target[:200])
        else:
            self._add([target], entry.kind, entry.depth, entry.hops + 1)
            self._drop(entry)
            self._frontier.set(entry.url, "read", path=None, hash=None, reason="redirect", detail=target[:200])

    def _list(self, entry: Entry, fetched: FetchResponse) -> None:
        contents = read_list(fetched.body)
        if entry.kind == "page" and entry.depth == 0:
            self._begin_at_home(entry.url, contents)
        self._add(self._pages((one.url for one in contents.pages), entry.url), "page", 1)
        for one in contents.pages:
            if (one.date or one.author) and (page := normalise(one.url, entry.url)):
                self._frontier.note_feed_entry(page, iso_date(one.date), author_line(one.author))
        if entry.hops < _MOST_HOPS and self._frontier.lists() < _MOST_LISTS:
            lists = [url for one in contents.sitemaps if (url := normalise(one, entry.url))]
            self._add(lists[:_MOST_LISTS], "sitemap", 0, entry.hops + 1)
        self._drop(entry)
        self._frontier.set(entry.url, "read", path=None, hash=None, kind="feed" if entry.kind == "page" else entry.kind)

    def _begin_at_home(self, url: str, contents: SitemapContents) -> None:
        """If the start is a feed, crawl the site that it belongs to."""
        urls = self._on_site(contents, url)
        home = min(urls, key=len, default="")
        target = home if home and all(one.startswith(home) for one in urls) else normalise("/", url) or url
        self._rules.widen(target)
        self._frontier.remember(hosts=json.dumps(sorted(self._rules.scope.hosts)), start=target)

    def _on_site(self, contents: SitemapContents, base: str) -> list[str]:
        urls = (normalise(listing.url, base) for listing in contents.pages)
        return [url for url in urls if url and self._rules.scope.on_site(url)]

    def _page(self, entry: Entry, fetched: FetchResponse) -> None:
        try:
            content = _read_page(fetched, entry.url)
        except _NotAPageError as error:
            self.skip(entry, error.reason, error.detail)
            return
        if content.page_links.follow:
            self._add(self._pages(content.page_links.links, entry.url), "page", entry.depth + 1)
            feeds = [
                one for url in content.page_links.feeds if (one := normalise(url)) and self._rules.scope.on_site(one)
            ]
            self._add(feeds, "feed", entry.depth + 1)
        canonical = self._canonical(entry.url, content)
        if canonical is not None:
            self._add([canonical], "page", entry.depth)
            self._store_likeness(entry, content)
            self.skip(entry, _CANONICAL, canonical[:200])
        elif not content.page_links.index:
            self.skip(entry, "not to be indexed")
        elif not content.text.text.strip():
            self.skip(entry, "no text")
        else:
            self._store_likeness(entry, content)
            path = entry.path or path_for(entry.url, self._home)
            validators = {"etag": fetched.headers.get("etag"), "modified": fetched.headers.get("last-modified")}
            self._settle(entry, path, content.hash, content, validators)

    def _store_likeness(self, entry: Entry, content: _PageContent) -> None:
        self._frontier.set(entry.url, "waiting", likeness=content.likeness)

    def _settle(
        self,
        entry: Entry,
        path: str,
        content_hash: str,
        content: _PageContent | None,
        validators: dict[str, str | None],
    ) -> None:
        """Keep a page; if its text is kept already, keep it under the shorter of the two addresses."""
        other = self._frontier.kept_as(content_hash)
        if other is not None and other.url != entry.url:
            if (len(other.url), other.url) < (len(entry.url), entry.url):
                self.skip(entry, "duplicate", other.url[:200])
                return
            self.skip(other, "duplicate", entry.url[:200])
        if content is None:
            self.unchanged += 1
        else:
            is_new = entry.path is None
            wrote = self._mirror.write(path, entry.url, self._complete_by_feed(entry.url, content.text))
            self.new += is_new
            self.changed += wrote and not is_new
            self.unchanged += not wrote and not is_new
        self._frontier.set(entry.url, "kept", path=path, hash=content_hash, tries=0, **validators)

    def _complete_by_feed(self, url: str, text: ConvertedDocument) -> ConvertedDocument:
        """Return a page with the metadata that its feed adds or states more precisely."""
        date, author = self._frontier.feed_entry(url)
        exact = date if date is not None and date.startswith(text.date or "") else text.date
        return text._replace(date=exact, author=text.author or author)

    def _canonical(self, url: str, content: _PageContent) -> str | None:
        """Return a page's canonical address, if it is another one of this site.

        Many sites name their first page for every page, and some name a missing page; these are ignored.
        """
        canonical = normalise(content.canonical) if content.canonical else None
        if canonical is None or canonical == url or not self._rules.scope.holds(canonical):
            return None
        if self._frontier.is_missing(canonical):
            return None
        believed = urlsplit(canonical).path != "/" and canonical != self._rules.scope.start
        return canonical if believed else None

    def _pages(self, urls: Iterable[str], base: str) -> list[str]:
        pages = (one for url in urls if (one := normalise(url, base)))
        return [one for one in dict.fromkeys(pages) if self._rules.scope.holds(one)]

    def _add(self, urls: list[str], kind: Kind, depth: int, hops: int = 0) -> None:
        if urls:
            self._frontier.add(urls, kind, depth, hops, {url: shape_of(url) for url in urls})


def _retry_after(value: str) -> float:
    """Return the seconds that a server asks to wait; it may give a date."""
    if value.isascii() and value.isdigit():
        return min(float(value), _LONGEST_WAIT)
    try:
        moment = parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError):
        return 0.0
    return min(max(moment - time.time(), 0.0), _LONGEST_WAIT)


@dataclass(frozen=True, slots=True)
class _PageContent:
    """A page that was read.

    Attributes:
        text: its Markdown with its metadata.
        page_links: its links, and whether it may be kept.
        canonical: its canonical address, as written.
    """

    text: ConvertedDocument
    page_links: PageLinks
    canonical: str | None = None

    @property
    def hash(self) -> str:
        """A hash of the words alone: equal for one page under two addresses, wherever its links lead."""
        return _digest(_TARGET.sub("]", self.text.text))

    @property
    def likeness(self) -> str:
        """A hash that is equal for pages that differ only in numbers and names of days and months, as a calendar's."""
        return _digest(" ".join(_CHANGING.sub("", _TARGET.sub("]", self.text.text)).split()))


class _NotAPageError(Exception):
    """A response without readable text.

    Attributes:
        reason: the reason, as the report shows it.
        detail: what the response is.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def _read_page(fetched: FetchResponse, url: str) -> _PageContent:
    """Return the page of a response.

    Args:
        fetched: the response, of status 200.
        url: its address, which links are relative to.

    Raises:
        _NotAPageError: it is not a readable document.
    """
    content_type = fetched.headers.get("content-type", "")
    kind = _media_type(fetched.headers)
    charset = _CHARSET.search(content_type)
    data = fetched.body
    try:
        if kind in _DOCUMENTS or (
            kind in ("", "application/octet-stream") and suffix_of(urlsplit(url).path) in ("pdf", "epub")
        ):
            return _PageContent(_document(data, _DOCUMENTS.get(kind) or suffix_of(urlsplit(url).path)), _NOWHERE)
        if kind and kind not in _HTML | _TEXTS:
            raise _NotAPageError("not a page", kind[:80])
        if data.startswith(_MAGIC) or (deny_content(data) == "binary" and not (charset and "16" in charset[1])):
            raise _NotAPageError("not a page", "it is binary, whatever it is said to be")
        text = decode_page(data, charset[1] if charset else None)
        if kind in _TEXTS or (not kind and not _LOOKS_LIKE_HTML.search(data[:5000])):
            return _PageContent(
                ConvertedDocument(text.replace("\r\n", "\n")), _with_robots_header(fetched.headers, _NOWHERE)
            )
        page = parse(text)
    except ConversionError as error:
        raise _NotAPageError(error.reason, error.detail) from error
    led = _with_robots_header(fetched.headers, outgoing_links(page, url))
    metadata = read_metadata(page, url)
    return _PageContent(page_text(page, url, metadata), led, metadata.canonical)


def _media_type(headers: Mapping[str, str]) -> str:
    """Return a response's media type in lower case, or ""."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _document(data: bytes, suffix: str) -> ConvertedDocument:
    converted = convert_file(data, f"document.{suffix}")
    if converted is None:
        raise _NotAPageError("not a page", suffix)
    return converted


def _with_robots_header(headers: Mapping[str, str], links: PageLinks) -> PageLinks:
    """Return a page's links with the rules for robots of its HTTP header applied as well."""
    header = headers.get("x-robots-tag", "").lower()
    if not header:
        return links
    none = "none" in header
    return PageLinks(
        links.links,
        links.feeds,
        links.index and not none and "noindex" not in header,
        links.follow and not none and "nofollow" not in header,
    )


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
