"""Robots.txt as in RFC 9309, and delays between requests to a host."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isnan
from urllib.parse import quote, unquote, urlsplit

AGENT = "quaestor"
LARGEST = 512_000
"""The most bytes of a robots.txt that are read; the standard requires no more."""

_LONGEST_DELAY = 300.0


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of a robots.txt.

    Attributes:
        rules: (path pattern, whether it allows), of the group that applies to us.
        delay: seconds between two requests, if the file sets it.
        sitemaps: addresses of sitemaps, as written.
    """

    rules: tuple[tuple[str, bool], ...] = ()
    delay: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Return whether an address may be fetched: the longest pattern decides, and ties allow."""
        parts = urlsplit(url)
        path = _plain(parts.path + (f"?{parts.query}" if parts.query else ""))
        matching = [(len(pattern), allowed) for pattern, allowed in self.rules if _matches(pattern, path)]
        return max(matching)[1] if matching else True


ALL = Robots()
NOTHING = Robots((("/", False),))


def parse(text: str) -> Robots:
    """Read a robots.txt; all groups that name us apply together, else those for everybody."""
    groups: dict[str, list[tuple[str, str]]] = {}
    sitemaps: list[str] = []
    agents: set[str] = set()
    in_rules = True
    for key, value in _lines(text):
        if key == "user-agent":
            agents = set() if in_rules else agents
            in_rules = False
            # Groups of other agents do not matter, however many there are.
            if (agent := _agent(value)) in (AGENT, "*"):
                agents.add(agent)
                groups.setdefault(agent, [])
        elif key == "sitemap":
            sitemaps.append(value)
        else:
            in_rules = True
            for agent in agents:
                groups[agent].append((key, value))
    lines = groups.get(AGENT, groups.get("*", []))
    rules = ((_plain(value), key == "allow") for key, value in lines if key in ("allow", "disallow") and value)
    delay = max((_seconds(value) for key, value in lines if key == "crawl-delay"), default=0.0)
    return Robots(tuple(dict.fromkeys(rules)), delay, tuple(sitemaps))


def _agent(value: str) -> str:
    """Return the user agent that a line names, without a version."""
    return value.lower().partition("/")[0].strip()


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.lstrip("\ufeff").splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield key.strip().lower(), value.strip()


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        return 0.0
    return 0.0 if isnan(seconds) else min(max(seconds, 0.0), _LONGEST_DELAY)


def _plain(path: str) -> str:
    """Return a path in its normal form, whichever of its characters are escaped."""
    return quote(unquote(path), safe="/*$?=&:@!+,;()'~%#[]")


def _matches(pattern: str, path: str) -> bool:
    """Return whether a pattern matches the beginning of a path (``*``: any text, ``$``: its end), in linear time."""
    whole = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    for place, part in enumerate(rest):
        if whole and place == len(rest) - 1:
            return len(path) - len(part) >= at and path.endswith(part)
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return not whole or at == len(path)


_FIRST_BACKOFF = 0.5
_LONGEST_WAIT = 120.0


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, as a crawl sees it.

    Attributes:
        now: returns monotonic seconds.
        sleep: waits for some seconds.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Pace:
    """Spaces the requests to each host. Used by one thread.

    Args:
        delay: least seconds between two requests to a host.
        clock: tells the time and waits.
    """

    def __init__(self, delay: float, clock: Clock) -> None:
        self._delay = delay
        self._clock = clock
        self._next: dict[str, float] = {}

    def now(self) -> float:
        """Return the present moment."""
        return self._clock.now()

    def wait(self, host: str, delay: float) -> None:
        """Wait until the next request to a host is allowed.

        Args:
            host: the host with its port.
            delay: seconds between two requests that the host demands.
        """
        self.until(self._next.get(host, 0.0))
        self._next[host] = self.now() + max(self._delay, delay)

    def until(self, moment: float) -> None:
        """Wait until a moment of the monotonic clock."""
        seconds = moment - self.now()
        if seconds > 0:
            self._clock.sleep(seconds)

    def pause(self, host: str, seconds: float) -> None:
        """Send no requests to a host for some seconds."""
        self._next[host] = max(self._next.get(host, 0.0), self.now() + min(seconds, _LONGEST_WAIT))

    def backoff(self, tries: int) -> float:
        """Return the seconds to wait before the next try; they double with each try."""
        return float(min(_FIRST_BACKOFF * 2 ** (tries - 1), _LONGEST_WAIT))
