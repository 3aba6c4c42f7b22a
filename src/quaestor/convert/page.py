"""Where a page leads: links, feeds, and what it allows robots."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urljoin

from quaestor.convert.html_tree import Element

_REFRESH = re.compile(r"^\s*\d+(?:\.\d*)?\s*[;,]\s*url\s*=\s*['\"]?([^'\"]+)", re.IGNORECASE)
_FEEDS = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json"})


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


def outgoing(page: Element, address: str) -> Outgoing:
    """Return where a page leads.

    Args:
        page: the whole page, with its furniture.
        address: its own, which links are relative to unless it says otherwise.
    """
    base = base_of(page, address)
    links: dict[str, None] = {}
    feeds: dict[str, None] = {}
    robots = meta_of(page).get("robots", "").lower()
    for one in page.elements():
        if one.name in ("a", "area") and one.get("href") and not has_rel(one, "nofollow"):
            links[joined(base, one.get("href"))] = None
        elif one.name == "link" and has_rel(one, "alternate") and one.get("type").lower() in _FEEDS:
            feeds[joined(base, one.get("href"))] = None
        elif one.name == "link" and (has_rel(one, "next") or has_rel(one, "prev")):
            links[joined(base, one.get("href"))] = None
        elif one.name == "meta" and one.get("http-equiv").lower() == "refresh":
            if found := _REFRESH.match(one.get("content")):
                links[joined(base, found[1].strip())] = None
        elif one.name in ("frame", "iframe") and one.get("src"):
            links[joined(base, one.get("src"))] = None
    links.pop("", None)
    feeds.pop("", None)
    none = "none" in robots
    return Outgoing(
        tuple(links), tuple(feeds), "noindex" not in robots and not none, "nofollow" not in robots and not none
    )


def base_of(page: Element, address: str) -> str:
    """Return what a page's links are relative to."""
    element = page.find("base")
    return joined(address, element.get("href")) if element and element.get("href") else address


def meta_of(page: Element) -> dict[str, str]:
    """Return what the ``meta`` elements of a page say, by their names in lower case; the first of a name counts."""
    found: dict[str, str] = {}
    for one in page.elements():
        if one.name == "meta" and one.get("content"):
            name = one.get("name") or one.get("property") or one.get("itemprop")
            found.setdefault(name.lower(), one.get("content"))
    return found


def has_rel(element: Element, word: str) -> bool:
    """Return whether ``rel`` holds a word."""
    return word in element.get("rel").lower().split()


def joined(base: str, href: str) -> str:
    """Return an absolute address; empty if there is none."""
    try:
        return urljoin(base, href.strip())
    except ValueError:
        return ""
