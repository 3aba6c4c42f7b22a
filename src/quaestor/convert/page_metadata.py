"""A page's metadata (title, author, date, address), its links and feeds, and its rules for robots."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from quaestor.convert.html_tree import Element
from quaestor.convert.running_text import Inline
from quaestor.core.bylines import author_line, date_of_path, iso_date

_REFRESH = re.compile(r"^\s*\d+(?:\.\d*)?\s*[;,]\s*url\s*=\s*['\"]?([^'\"]+)", re.IGNORECASE)
FEED_KINDS = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json"})

_LONGEST = 200_000
_WRITTEN = ("author", "datePublished", "dateCreated")


@dataclass(frozen=True, slots=True)
class PageLinks:
    """A page's links, as absolute addresses in order of appearance.

    Attributes:
        links: links to follow.
        feeds: feeds that it names.
        index: whether the page may be kept.
        follow: whether its links may be followed.
    """

    links: tuple[str, ...]
    feeds: tuple[str, ...]
    index: bool
    follow: bool


def outgoing_links(page: Element, address: str) -> PageLinks:
    """Return a page's links and feeds.

    Args:
        page: the whole page, with its boilerplate.
        address: the page's address, which links are relative to unless a ``base`` element says otherwise.
    """
    base = base_of(page, address)
    links: dict[str, None] = {}
    feeds: dict[str, None] = {}
    robots = _meta_of(page).get("robots", "").lower()
    for one in page.elements():
        if one.name in ("a", "area") and one.get("href") and not _has_rel(one, "nofollow"):
            links[_absolute_address(base, one.get("href"))] = None
        elif one.name == "link" and _has_rel(one, "alternate") and one.get("type").lower() in FEED_KINDS:
            feeds[_absolute_address(base, one.get("href"))] = None
        elif one.name == "link" and (_has_rel(one, "next") or _has_rel(one, "prev")):
            links[_absolute_address(base, one.get("href"))] = None
        elif one.name == "meta" and one.get("http-equiv").lower() == "refresh":
            if match := _REFRESH.match(one.get("content")):
                links[_absolute_address(base, match[1].strip())] = None
        elif one.name in ("frame", "iframe") and one.get("src"):
            links[_absolute_address(base, one.get("src"))] = None
    links.pop("", None)
    feeds.pop("", None)
    none = "none" in robots
    return PageLinks(
        tuple(links), tuple(feeds), "noindex" not in robots and not none, "nofollow" not in robots and not none
    )


def base_of(page: Element, address: str) -> str:
    """Return the base address of a page's links."""
    element = page.find("base")
    return _absolute_address(address, element.get("href")) if element and element.get("href") else address


def _meta_of(page: Element) -> dict[str, str]:
    """Return the contents of a page's ``meta`` elements by lower-case name; the first of each name counts."""
    meta: dict[str, str] = {}
    for one in page.elements():
        if one.name == "meta" and one.get("content"):
            name = one.get("name") or one.get("property") or one.get("itemprop")
            meta.setdefault(name.lower(), one.get("content"))
    return meta


def _has_rel(element: Element, word: str) -> bool:
    """Return whether an element's ``rel`` contains a word."""
    return word in element.get("rel").lower().split()


def _absolute_address(base: str, href: str) -> str:
    """Return an absolute address, or ""."""
    try:
        return urljoin(base, href.strip())
    except ValueError:
        return ""


def linked_data(page: Element) -> dict[str, Any]:
    """Return the object in a page's JSON-LD that says most about author and date; empty if none does."""
    objects = [thing for raw in _scripts(page) for thing in _described_objects(_read(raw))]
    best = max(objects, key=lambda thing: sum(name in thing for name in _WRITTEN), default={})
    if isinstance(author := best.get("author"), dict) and "name" not in author:
        authors = (thing for thing in objects if thing.get("@id") == author.get("@id") and "name" in thing)
        best = {**best, "author": next(authors, author)}
    return best


def first_name(author: object) -> str:
    """Return the names of one or several authors, separated by commas."""
    if isinstance(author, list):
        return ", ".join(filter(None, map(first_name, author)))
    if isinstance(author, dict):
        author = author.get("name")
    return author if isinstance(author, str) else ""


def _scripts(page: Element) -> Iterator[str]:
    for one in page.elements():
        if one.name == "script" and one.get("type").lower() == "application/ld+json":
            yield "".join(child for child in one.children if isinstance(child, str))


def _read(raw: str) -> object:
    try:
        return json.loads(raw) if len(raw) <= _LONGEST else None
    except (ValueError, RecursionError):
        return None


def _described_objects(data: object) -> Iterator[dict[str, Any]]:
    for one in data if isinstance(data, list) else [data]:
        if isinstance(one, dict):
            yield one
            graph = one.get("@graph")
            yield from (thing for thing in graph if isinstance(thing, dict)) if isinstance(graph, list) else ()


LONGEST_FIELD = 300
_BYLINE = re.compile(r"(?:^|[\s_-])(?:byline|author|p-author|post-author|entry-author)(?:$|[\s_-])", re.IGNORECASE)
_BY = re.compile(r"^(?:(?:written|posted|published)\s+by|by|author)\b[:\s]*", re.IGNORECASE)
_AFTER_NAME = re.compile(r"\s*(?:[·•|—–]|\s-\s|\bon\b|\d{4}).*$", re.DOTALL)
_LONGEST_BYLINE = 80
_LONGEST_NEAR_NAME = 300
_DATED = re.compile(
    r"(?:^|[\s_-])(?:date|dateline|pubdate|published|posted|timestamp|dt-published|post-?meta|entry-?meta|post-?info|"
    r"meta|byline)(?:$|[\s_-])",
    re.IGNORECASE,
)
_SAYS_WHEN = re.compile(r"\s*(?:first\s+)?(?:posted|published|written|created)\b", re.IGNORECASE)
_LONGEST_DATELINE = 160
_WRITTEN_MARKS = frozenset({"datepublished", "datecreated"})
_ELSEWHERE = frozenset({"nav", "aside"})
_META_DATES = (
    "article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.created",
    "dcterms.date",
    "pubdate",
    "publishdate",
    "publish_date",
    "citation_publication_date",
    "parsely-pub-date",
    "sailthru.date",
    "og:published_time",
)
_META_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author")
_SEPARATORS = (" | ", " - ", " – ", " — ", " · ", " :: ", " « ", " » ")


@dataclass(frozen=True, slots=True)
class PageMetadata:
    """A page's metadata; every field is one line of plain text, or None.

    Attributes:
        title: its title, without the site's name if the page separates them.
        author: its authors in one line, separated by commas.
        date: ISO 8601 date of writing, as precise as it is known.
        canonical: its canonical address, absolute.
    """

    title: str | None = None
    author: str | None = None
    date: str | None = None
    canonical: str | None = None


def read_metadata(page: Element, base: str = "") -> PageMetadata:
    """Read a page's metadata; more specific sources win.

    Args:
        page: the whole page.
        base: its address, whose path may contain a date; empty for a file.
    """
    meta = _meta_of(page)
    data = linked_data(page)
    links = (one.get("href") for one in page.elements() if one.name == "link" and _has_rel(one, "canonical"))
    return PageMetadata(
        title=_title(page, meta),
        author=_author(page, meta, data),
        date=_date(page, meta, data, base),
        canonical=_absolute_address(base, next(links, "")) or None,
    )


def _title(page: Element, meta: Mapping[str, str]) -> str | None:
    element = page.find("title")
    whole = plain(element.text()) if element else ""
    shared = plain(meta.get("og:title", ""))
    site = plain(meta.get("og:site_name", ""))
    headline = _headline(page)
    if headline and shared.startswith(headline):
        return headline
    if headline and headline != shared and _without_end(whole, headline) not in ("", whole):
        headline, site = "", site or headline  # in many themes the first heading is the site's name
    title = next(filter(None, (shared, headline, plain(meta.get("title", "")), whole)), "")
    return _without_end(title, site) or None


def _headline(page: Element) -> str:
    within = page.find("article") or page.find("main") or page
    heading = within.find("h1") or page.find("h1")
    return plain(Inline().one_line(heading.children)) if heading else ""


def _without_end(title: str, name: str) -> str:
    """Return a title without the name of its site at the end."""
    ends = (f"{separator}{name}" for separator in _SEPARATORS if name)
    return next((title[: -len(end)].strip() for end in ends if title.endswith(end)), title)


def _author(page: Element, meta: Mapping[str, str], data: Mapping[str, object]) -> str | None:
    candidates = [meta.get(name, "") for name in _META_AUTHORS]
    for text in (*candidates, first_name(data.get("author")), _marked_author(page), _byline(page)):
        # Some pages give the address of a profile there.
        if text and "://" not in text and (line := author_line(plain(text))):
            return line
    return None


def _marked_author(page: Element) -> str:
    for one in page.elements():
        if one.get("itemprop").lower() == "author":
            name = next((inner for inner in one.elements() if inner.get("itemprop").lower() == "name"), one)
            return name.get("content") or name.text()
    return ""


def _byline(page: Element) -> str:
    for one in _without_asides(page):
        if (_has_rel(one, "author") or _BYLINE.search(one.get("class"))) and len(one.text()) <= _LONGEST_NEAR_NAME:
            name = next((inner for inner in one.elements() if _has_rel(inner, "author") or "fn" in classes(inner)), one)
            text = _AFTER_NAME.sub("", _BY.sub("", " ".join(name.text().split())))
            if 1 < len(text) <= _LONGEST_BYLINE:
                return text
    return ""


def _date(page: Element, meta: Mapping[str, str], data: Mapping[str, object], base: str) -> str | None:
    candidates = [meta.get(name, "") for name in _META_DATES]
    published = data.get("datePublished") or data.get("dateCreated")
    shown = _shown_dates(_dated_part(page))
    for text in (*candidates, published if isinstance(published, str) else "", *shown):
        # Too many texts that are not dates contain a year.
        if (date := iso_date(text)) and len(date) > 4:
            return date
    return date_of_path(urlsplit(base).path) if base else None


def _shown_dates(part: Element) -> Iterator[str]:
    """Yield texts that may be the date of writing, most likely first."""
    elements = _without_asides(part)
    for element in elements:
        if element.get("itemprop").lower() in _WRITTEN_MARKS:
            yield element.get("datetime") or element.get("content") or element.text()
    for element in elements:
        if element.name == "time" and "updated" not in classes(element):
            yield element.get("datetime")
            yield element.text()
    for element in elements:
        if _DATED.search(element.get("class")) or _SAYS_WHEN.match(_first_words(element)):
            text = " ".join(element.text().split())
            if len(text) <= _LONGEST_DATELINE:
                yield text


def _first_words(element: Element) -> str:
    first = element.children[0] if element.children else ""
    return first if isinstance(first, str) else ""


def _dated_part(page: Element) -> Element:
    """Return the part of a page that may contain its date; an empty one if it lists several texts with dates."""
    dated = [element for element in page.elements() if element.name == "article" and element.find("time") is not None]
    if len(dated) <= 1:
        return page
    return next((element for element in dated if element.find("h1") is not None), Element("#nothing"))


def _without_asides(part: Element) -> list[Element]:
    """Return the elements below, without navigation and asides, which contain dates and authors of other texts.

    The footer of an article belongs to it.
    """
    elements: list[Element] = []
    _gather(part, part.name == "article", elements)
    return elements


def _gather(element: Element, inside: bool, elements: list[Element]) -> None:
    for one in element.children:
        if isinstance(one, Element) and one.name not in _ELSEWHERE and (inside or one.name != "footer"):
            elements.append(one)
            _gather(one, inside or one.name == "article", elements)


def classes(element: Element) -> list[str]:
    """Return the classes of an element."""
    return element.get("class").split()


def plain(text: str) -> str:
    """Return a field as one line without control characters."""
    words = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(words.split())[:LONGEST_FIELD]
