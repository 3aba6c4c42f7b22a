"""Which addresses of a site are fetched: its scope, its robots.txt, and limits on generated addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from posixpath import splitext
from urllib.parse import unquote, urlsplit

from quaestor.convert.html_tree import decode_page
from quaestor.crawl import politeness
from quaestor.crawl.connections import NOT_ALLOWED, PRIVATE, FetchError
from quaestor.crawl.crawl_settings import CrawlSettings
from quaestor.crawl.fetch import Fetcher
from quaestor.crawl.frontier import Entry, Frontier
from quaestor.crawl.politeness import Robots
from quaestor.crawl.sitemaps import LARGEST as LARGEST_LIST
from quaestor.crawl.urls import host_of, is_looping, normalise

_MOST_ALIKE = 20
_FAR = 10
_LEAST_DISTINCT = 0.25
_MOST_HOPS = 5
_DOCUMENT_FACTOR = 6

Objection = tuple[str, str]
"""A reason and a detail."""


@dataclass(frozen=True)
class Scope:
    """The addresses that belong to a site.

    Attributes:
        start: the address that was given, normalised.
        hosts: hosts, with ports, that belong to it.
        include: globs on paths (``*`` matches any text, slashes too); empty for all below the start.
        exclude: globs on paths that are left out in any case.
    """

    start: str
    hosts: frozenset[str]
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def holds(self, url: str) -> bool:
        """Return whether a normalised address belongs to the site."""
        return url == self.start or (self.on_site(url) and self._is_wanted(urlsplit(url).path))

    def is_left_out_by_choice(self, url: str) -> bool:
        """Return whether ``include`` or ``exclude`` leaves out a normalised address, on any host."""
        plain = unquote(urlsplit(url).path)
        included, excluded = self._patterns
        wanted = not included or any(pattern.match(plain) for pattern in included)
        return url != self.start and (not wanted or any(pattern.match(plain) for pattern in excluded))

    def on_site(self, url: str) -> bool:
        """Return whether an address is on one of the hosts."""
        return host_of(url) in self.hosts

    def _is_wanted(self, path: str) -> bool:
        plain = unquote(path)
        if any(pattern.match(plain) for pattern in self._patterns[1]):
            return False
        if self.include:
            return any(pattern.match(plain) for pattern in self._patterns[0])
        return path == self.prefix or path.startswith(self.prefix.rstrip("/") + "/")

    @cached_property
    def prefix(self) -> str:
        """The path below which pages belong to the site: the start's own, or its folder if it names a file."""
        path = urlsplit(self.start).path
        return path.rpartition("/")[0] + "/" if splitext(path)[1] else path

    @cached_property
    def _patterns(self) -> tuple[list[re.Pattern[str]], list[re.Pattern[str]]]:
        return tuple([re.compile(translate(glob)) for glob in globs] for globs in (self.include, self.exclude))  # type: ignore[return-value]


class SiteRules:
    """Decides which addresses are fetched.

    Attributes:
        scope: the site's addresses; it widens if the start redirects to another host.
    """

    def __init__(self, scope: Scope, settings: CrawlSettings, frontier: Frontier, fetcher: Fetcher) -> None:
        self.scope = scope
        self._settings = settings
        self._frontier = frontier
        self._fetcher = fetcher
        self._robots: dict[str, Robots] = {}

    def sitemaps(self) -> list[str]:
        """Return the sitemaps that the site names, else their usual address."""
        start = self.scope.start
        urls = [url for one in self.robots(start).sitemaps if (url := normalise(one, start))]
        usual = normalise("/sitemap.xml", start)
        return urls or ([usual] if usual else [])

    def objection(self, entry: Entry) -> Objection | None:
        """Return why an address is not fetched, or None if it is."""
        url = entry.url
        if entry.kind == "page" and not self.scope.holds(url):
            return "out of scope", ""
        if not self.robots(url).allows(url):
            return "robots.txt", ""
        return None if entry.path is not None or entry.depth == 0 else self._bound_exceeded(entry)

    def _bound_exceeded(self, entry: Entry) -> Objection | None:
        """Return which limit an address without a known page exceeds, or None."""
        if entry.depth > self._settings.depth:
            return "too deep", f"{entry.depth} links from the start"
        if is_looping(entry.url):
            return "loop", "the address repeats itself"
        return self._why_generated(entry)

    def _why_generated(self, entry: Entry) -> Objection | None:
        """Return why an address is likely one of endlessly many generated ones (of a calendar, a session), or None."""
        if not (shape := self._frontier.shape(entry.url)):
            return None
        known = self._frontier.repeats(shape)
        if known.duplicates >= _MOST_ALIKE and 2 * known.duplicates > known.read:
            return "alike", f"{known.duplicates} pages like it have the text of another"
        # Listed pages that are alike have the same depth; generated ones lie ever deeper.
        is_far = entry.depth >= known.nearest + _FAR
        if is_far and known.read >= _MOST_ALIKE and known.distinct < _LEAST_DISTINCT * known.read:
            return "alike", f"{known.read} pages like it differ only in numbers"
        return None

    def is_full(self, entry: Entry) -> bool:
        """Return whether the limit of pages is reached and this address would be another page."""
        return entry.kind == "page" and entry.path is None and self._frontier.on_disk() >= self._settings.max_pages

    def largest(self, entry: Entry) -> int:
        """Return the size limit of an address's response."""
        if entry.kind != "page":
            return LARGEST_LIST
        is_document = (
            urlsplit(entry.url)
            .path.lower()
            .endswith((".pdf", ".epub", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp"))
        )
        return self._settings.page_bytes * (_DOCUMENT_FACTOR if is_document else 1)

    def delay(self, url: str) -> float:
        """Return the seconds between two requests that a site demands."""
        return self.robots(url).delay

    def robots(self, url: str) -> Robots:
        """Return the robots.txt of an address's host; it is fetched once for each run."""
        host = host_of(url)
        if host not in self._robots:
            self._robots[host] = self._fetch_robots(f"{urlsplit(url).scheme}://{host}/robots.txt")
        return self._robots[host]

    def widen(self, url: str) -> None:
        """Add the host that the start redirects to, and start there."""
        self.scope = Scope(url, self.scope.hosts | {host_of(url)}, self.scope.include, self.scope.exclude)

    def _fetch_robots(self, url: str) -> Robots:
        """Fetch a robots.txt: everything is allowed if it is missing, and nothing if the server fails."""
        for _ in range(_MOST_HOPS):
            try:
                response = self._fetcher.fetch(url, largest=politeness.LARGEST * 4)
            except FetchError as error:
                # The request for the page itself will report what is wrong with the host.
                return politeness.ALL if error.reason in (PRIVATE, NOT_ALLOWED, "unreachable") else politeness.NOTHING
            if 300 <= response.status < 400:
                target = normalise(response.headers.get("location", ""), url)
                if target is None:
                    return politeness.ALL
                url = target
            elif response.status == 200:
                return politeness.parse(decode_page(response.body[: politeness.LARGEST]))
            else:
                return politeness.NOTHING if response.status == 429 or response.status >= 500 else politeness.ALL
        return politeness.ALL
