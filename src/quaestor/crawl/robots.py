"""What a site's robots.txt allows, after RFC 9309. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan
from urllib.parse import quote, unquote, urlsplit

AGENT = "quaestor"
LARGEST = 512_000
"""Bytes of the file that are read; the standard asks for no more."""

_LONGEST_DELAY = 300.0


@dataclass(frozen=True, slots=True)
class Robots:
    """What may be fetched.

    Attributes:
        rules: (path pattern, whether it allows), of the group that speaks of us.
        delay: seconds between two requests, where the file asks for that.
        sitemaps: addresses of sitemaps, as they are written.
    """

    rules: tuple[tuple[str, bool], ...] = ()
    delay: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Return whether an address may be fetched: the longest pattern decides, and in doubt it may."""
        parts = urlsplit(url)
        path = _plain(parts.path + (f"?{parts.query}" if parts.query else ""))
        found = [(len(pattern), allowed) for pattern, allowed in self.rules if _matches(pattern, path)]
        return max(found)[1] if found else True


ALL = Robots()
NOTHING = Robots((("/", False),))


def parse(text: str) -> Robots:
    """Read a robots.txt; the groups that name us count together, else those for everybody."""
    groups: dict[str, list[tuple[str, str]]] = {}
    sitemaps: list[str] = []
    named: set[str] = set()
    in_rules = True
    for key, value in _lines(text):
        if key == "user-agent":
            named = set() if in_rules else named
            in_rules = False
            # Groups of other agents do not matter, however many there are.
            if (agent := _agent(value)) in (AGENT, "*"):
                named.add(agent)
                groups.setdefault(agent, [])
        elif key == "sitemap":
            sitemaps.append(value)
        else:
            in_rules = True
            for agent in named:
                groups[agent].append((key, value))
    lines = groups.get(AGENT, groups.get("*", []))
    rules = ((_plain(value), key == "allow") for key, value in lines if key in ("allow", "disallow") and value)
    delay = max((_seconds(value) for key, value in lines if key == "crawl-delay"), default=0.0)
    return Robots(tuple(dict.fromkeys(rules)), delay, tuple(sitemaps))


def _agent(value: str) -> str:
    """Return whom a line names, without a version."""
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
    """Return a path in one form, whichever of its characters are escaped."""
    return quote(unquote(path), safe="/*$?=&:@!+,;()'~%#[]")


def _matches(pattern: str, path: str) -> bool:
    """Return whether a path begins like a pattern; ``*`` is any text, ``$`` at the end the path's end. Linear."""
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
