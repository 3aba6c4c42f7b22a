"""Finding the path that a reply names before a block, whatever it is dressed in."""

from __future__ import annotations

import re

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^`]*)$")
"""A line that opens or closes a fence: its marks, and what follows them."""

_LABEL = re.compile(r"^(?:file|path|filename|file path|file name)\s*:\s*", re.IGNORECASE)
_LEADING = re.compile(r"^(?:#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+)")
_QUOTED = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*|\"([^\"\n]+)\"|'([^'\n]+)'")
_LINES = re.compile(r":\d+(?:-\d+)?$")
# Names of files without a dot that do not look like the word of a sentence: Makefile, LICENSE.
_BARE_NAME = re.compile(r"[A-Z][A-Za-z]*file|[A-Z]{4,}|justfile|makefile")
_IN_INFO = re.compile(r"(?:(?:path|file|filename|title)=)?[\"']?([^\s\"'{}]+)[\"']?$")


def path_before(lines: list[str], at: int, behind: int) -> str:
    """Return the path that the block at ``at`` is about, or nothing; lines before ``behind`` belong to others."""
    place = _above(lines, at, behind)
    if place is not None and (fence := FENCE.match(lines[place])):
        if path := path_in_info(fence[2]):
            return path
        place = _above(lines, place, behind)
    return "" if place is None else path_on(lines[place]) or _mentioned(lines[place])


def path_in_info(info: str) -> str:
    """Return the path behind a fence's marks: ``python src/a.py``, ``python:src/a.py``, ``src/a.py``."""
    last = info.strip().rpartition(" ")[2]
    found = _IN_INFO.match(last)
    path = found[1].rpartition(":")[2] if found else ""
    return path if _looks_like_path(path) else ""


def path_on(line: str) -> str:
    """Return the path that a line consists of, or nothing."""
    text = _LEADING.sub("", line.strip()).strip()
    bold = text.removeprefix("**").removesuffix("**").strip()
    text = _LABEL.sub("", bold).strip()
    named = text.removesuffix(":").strip()
    whole = _QUOTED.fullmatch(named)
    if whole:
        return _clean(next(part for part in whole.groups() if part))
    if any(mark in named for mark in '`"*<>|') or not named or " " in named:
        return ""
    return _clean(named) if _looks_like_path(named) or _BARE_NAME.fullmatch(named) else ""


def _mentioned(line: str) -> str:
    """Return the one quoted path in a sentence, or nothing."""
    quoted = {_clean(found[1]) for found in re.finditer(r"`([^`\n]+)`", line)}
    paths = [path for path in quoted if _looks_like_path(path)]
    return paths[0] if len(paths) == 1 else ""


def _above(lines: list[str], at: int, behind: int) -> int | None:
    return next((place for place in range(at - 1, behind - 1, -1) if lines[place].strip()), None)


def _looks_like_path(text: str) -> bool:
    return bool(re.search(r"[\w\])][/.][\w\[(@-]|^\.?/?\.\w|^/", text)) and not re.search(
        r"[\s()=;,]{2}|\(\)$|://", text
    )


def _clean(path: str) -> str:
    path = _LINES.sub("", path.strip())
    while path.startswith("./"):
        path = path[2:]
    return path
