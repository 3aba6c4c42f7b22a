"""What a page says about itself and where it leads: title, author, date, address, links."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from quaestor.ingest.convert.html_tree import Element
from quaestor.ingest.convert.inline import Inline

LONGEST_FIELD = 300
_DATE = re.compile(r"\b(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))")
_REFRESH = re.compile(r"^\s*\d+(?:\.\d*)?\s*[;,]\s*url\s*=\s*['\"]?([^'\"]+)", re.IGNORECASE)
_BYLINE = re.compile(r"(?:^|[\s_-])(?:byline|author|p-author|post-author)(?:$|[\s_-])", re.IGNORECASE)
_LONGEST_BYLINE = 80
_MOST_JSON = 200_000
_FEEDS = frozenset({"application/rss+xml", "application/atom+xml"})


@dataclass(frozen=True, slots=True)
class About:
    """What a page says about itself; every field is one line of plain text, or None.

    Attributes:
        title: its title, without the site's name where the page tells them apart.
        author: who wrote it.
        date: ISO 8601 date of writing.
        canonical: the address that it wants to be known by, absolute.
        language: of its text, as ``lang`` says.
    """

    title: str | None = None
    author: str | None = None
    date: str | None = None
    canonical: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Where a page leads, as absolute addresses in order of appearance.

    Attributes:
        links: those to follow.
        feeds: feeds that it names.
        index: whether the page may be kept.
        follow: whether its links may be followed.
    """

    links: tuple[str, ...]
    feeds: tuple[str, ...]
    index: bool
    follow: bool


def about(page: Element, base: str = "") -> About:
    """Read what a page says about itself; the more particular place wins."""
    meta = _meta(page)
    data = _linked_data(page)
    heading = page.find("h1")
    headline = Inline().one_line(heading.children) if heading else ""
    title = page.find("title")
    canonical = next((one.get("href") for one in page.elements() if one.name == "link" and _rel(one, "canonical")), "")
    html = page.find("html")
    return About(
        title=_first(meta.get("og:title"), _plain(headline), meta.get("title"), title.text() if title else ""),
        author=_first(
            meta.get("author"),
            meta.get("article:author"),
            meta.get("dc.creator"),
            _name(data.get("author")),
            _byline(page),
        ),
        date=_first_date(meta, data, page),
        canonical=_joined(base, canonical) or None,
        language=_first(html.get("lang") if html else ""),
    )


def outgoing(page: Element, address: str) -> Outgoing:
    """Return where a page leads.

    Args:
        page: the whole page, with its furniture.
        address: its own, which links are relative to unless it says otherwise.
    """
    base = base_of(page, address)
    links: dict[str, None] = {}
    feeds: dict[str, None] = {}
    robots = _meta(page).get("robots", "").lower()
    for one in page.elements():
        if one.name in ("a", "area") and one.get("href") and not _rel(one, "nofollow"):
            links[_joined(base, one.get("href"))] = None
        elif one.name == "link" and _rel(one, "alternate") and one.get("type").lower() in _FEEDS:
            feeds[_joined(base, one.get("href"))] = None
        elif one.name == "link" and (_rel(one, "next") or _rel(one, "prev")):
            links[_joined(base, one.get("href"))] = None
        elif one.name == "meta" and one.get("http-equiv").lower() == "refresh":
            if found := _REFRESH.match(one.get("content")):
                links[_joined(base, found[1].strip())] = None
        elif one.name in ("frame", "iframe") and one.get("src"):
            links[_joined(base, one.get("src"))] = None
    links.pop("", None)
    feeds.pop("", None)
    none = "none" in robots
    return Outgoing(
        tuple(links), tuple(feeds), "noindex" not in robots and not none, "nofollow" not in robots and not none
    )


def base_of(page: Element, address: str) -> str:
    """Return what a page's links are relative to."""
    element = page.find("base")
    return _joined(address, element.get("href")) if element and element.get("href") else address


def _meta(page: Element) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in page.elements():
        if one.name == "meta" and one.get("content"):
            name = one.get("name") or one.get("property") or one.get("itemprop")
            found.setdefault(name.lower(), one.get("content"))
    return found


def _linked_data(page: Element) -> dict[str, Any]:
    """Return the first thing in the page's JSON-LD that has an author or a date."""
    for one in page.elements():
        if one.name == "script" and one.get("type").lower() == "application/ld+json":
            raw = "".join(child for child in one.children if isinstance(child, str))
            try:
                data = json.loads(raw) if len(raw) <= _MOST_JSON else None
            except (ValueError, RecursionError):
                continue
            for thing in _things(data):
                if thing.keys() & {"author", "datePublished"}:
                    return thing
    return {}


def _things(data: object) -> Iterator[dict[str, Any]]:
    for one in data if isinstance(data, list) else [data]:
        if isinstance(one, dict):
            yield one
            yield from (thing for thing in one.get("@graph") or () if isinstance(thing, dict))


def _name(author: object) -> str:
    if isinstance(author, list):
        return ", ".join(filter(None, map(_name, author)))
    if isinstance(author, dict):
        author = author.get("name")
    return author if isinstance(author, str) else ""


def _byline(page: Element) -> str:
    for one in page.elements():
        if _rel(one, "author") or one.get("itemprop") == "author" or _BYLINE.search(one.get("class")):
            text = " ".join(one.text().split())
            if 0 < len(text) <= _LONGEST_BYLINE:
                return re.sub(r"^by\s+", "", text, flags=re.IGNORECASE)
    return ""


def _first_date(meta: dict[str, str], data: dict[str, Any], page: Element) -> str | None:
    said = [meta.get(name, "") for name in ("article:published_time", "date", "dc.date", "datepublished", "pubdate")]
    published = data.get("datePublished")
    times = [one.get("datetime") for one in page.elements() if one.name == "time"]
    for text in (*said, published if isinstance(published, str) else "", *times[:1]):
        if found := _DATE.search(text):
            return found[1]
    return None


def _rel(element: Element, word: str) -> bool:
    return word in element.get("rel").lower().split()


def _first(*texts: str | None) -> str | None:
    for text in texts:
        if plain := _plain(text or ""):
            return plain
    return None


def _plain(text: str) -> str:
    """Return a field as one line without control characters."""
    words = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(words.split())[:LONGEST_FIELD]


def _joined(base: str, href: str) -> str:
    try:
        return urljoin(base, href.strip())
    except ValueError:
        return ""
