"""Addresses that a site itself lists: sitemaps, lists of sitemaps, feeds. Pure."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from quaestor.convert.html_tree import StartTag, decode_page, tokens
from quaestor.convert.page_metadata import FEED_KINDS, first_name

MOST_ADDRESSES = 50_000
"""The most addresses of one file; the format allows no more."""

LARGEST = 50_000_000
_GZIP = b"\x1f\x8b"
_BLOCK = 1 << 20
_ROOT = re.compile(rb"<(?:[\w-]{1,20}:)?(?:rss|feed|urlset|sitemapindex|rdf)[\s>]", re.IGNORECASE)
_JSON_FEED = re.compile(rb'\s*\{[^{}\[\]]{0,300}"https://jsonfeed\.org/version/')
_ENTRIES = frozenset({"item", "entry", "url", "sitemap"})
_DATES = frozenset({"pubdate", "published", "date", "issued"})
_NOT_PAGES = ("image:", "video:")


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page that is listed.

    Attributes:
        url: its address, as listed.
        date: its date, as listed.
        author: its author.
    """

    url: str
    date: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class SitemapContents:
    """The contents of a sitemap, feed or list.

    Attributes:
        pages: the pages in their order; a feed's own home page first.
        sitemaps: addresses of further sitemaps.
    """

    pages: tuple[ListedPage, ...] = ()
    sitemaps: tuple[str, ...] = ()


def is_list(kind: str, data: bytes) -> bool:
    """Return whether a response is a sitemap or a feed.

    Args:
        kind: its media type, in lower case.
        data: its body.
    """
    if kind in FEED_KINDS:
        return True
    head = data[:2000]
    if kind.endswith("json"):
        return _JSON_FEED.match(head) is not None
    return kind.endswith("xml") and "xhtml" not in kind and _ROOT.search(head) is not None


def read_list(data: bytes, largest: int = LARGEST) -> SitemapContents:
    """Read a sitemap, a list of sitemaps, a feed (RSS, Atom or JSON), or a text with one address in each line.

    Args:
        data: the response's body; may be gzip-compressed once more.
        largest: most decompressed bytes that are read.
    """
    text = decode_page(_decompress(data, largest))
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return SitemapContents(tuple(_json_pages(text)))
    if "<" not in text[:1000]:
        lines = (line.strip() for line in text.splitlines()[:MOST_ADDRESSES])
        return SitemapContents(tuple(ListedPage(line) for line in lines if line.startswith(("http://", "https://"))))
    root = next((token.name for token in tokens(text) if isinstance(token, StartTag)), "")
    pages = tuple(_listings(text))
    if _local(root) == "sitemapindex":
        return SitemapContents(sitemaps=tuple(one.url for one in pages))
    return SitemapContents(pages=pages)


def _decompress(data: bytes, largest: int) -> bytes:
    if not data.startswith(_GZIP):
        return data[:largest]
    packed = zlib.decompressobj(zlib.MAX_WBITS | 32)
    parts, size = [], 0
    try:
        while data and size < largest and not packed.eof:
            part = packed.decompress(data, _BLOCK)
            parts.append(part)
            size += len(part)
            data = packed.unconsumed_tail
    except zlib.error:
        pass  # read what could be decompressed
    return b"".join(parts)[:largest]


def _listings(text: str) -> Iterator[ListedPage]:
    """Yield the addresses of ``loc`` and ``link`` elements and of Atom's links, with each entry's metadata."""
    entry = _Entry()
    inside = ""
    parts: list[str] = []
    count = 0
    for token in tokens(text.replace("<![CDATA[", "").replace("]]>", "")):
        if isinstance(token, str):
            parts.append(token)
            continue
        name = "" if token.name.startswith(_NOT_PAGES) else _local(token.name)
        listings: list[ListedPage] = []
        if isinstance(token, StartTag):
            if name in _ENTRIES:
                listings, entry = entry.listings(), _Entry()
            if name == "author":
                entry.by = True
            if name == "link" and token.attributes.get("rel", "alternate") == "alternate":
                entry.urls.append(token.attributes.get("href", ""))
            inside, parts = name, []
        else:
            if name == inside:
                entry.take(name, " ".join("".join(parts).split()))
            if name == "author":
                entry.by = False
            if name in _ENTRIES:
                listings, entry = entry.listings(), _Entry()
            inside, parts = "", []
        for listing in listings:
            count += 1
            if count > MOST_ADDRESSES:
                return
            yield listing
    yield from entry.listings()


class _Entry:
    """The fields of an entry read so far."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.date = self.author = ""
        self.by = False

    def take(self, name: str, text: str) -> None:
        if name in ("loc", "link"):
            self.urls.append(text)
        elif name in _DATES:
            self.date = self.date or text
        elif name in ("creator", "author") or (name == "name" and self.by):
            self.author = self.author or text

    def listings(self) -> list[ListedPage]:
        return [ListedPage(url, self.date, self.author) for url in self.urls if url]


def _json_pages(text: str) -> Iterator[ListedPage]:
    try:
        feed: Any = json.loads(text)
    except (ValueError, RecursionError):
        return
    items = feed.get("items") if isinstance(feed, dict) else None
    for item in items[:MOST_ADDRESSES] if isinstance(items, list) else ():
        if isinstance(item, dict) and isinstance(url := item.get("url"), str) and url:
            author = first_name(item.get("authors") or item.get("author") or feed.get("authors"))
            yield ListedPage(url, str(item.get("date_published") or ""), author)


def _local(name: str) -> str:
    return name.rpartition(":")[2]
