"""What a prose document says about itself: title, author and date from front matter or fields."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LARGEST = 1 << 16
_YAML = re.compile(rb"---[ \t]*\r?\n(?P<body>.*?)^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(rb"\+\+\+[ \t]*\r?\n(?P<body>.*?)^\+\+\+[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(
    r"^(title|authors?|date|published|url)[ \t]*[:=][ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE | re.IGNORECASE
)
_LIST_ENTRY = re.compile(r"^authors?[ \t]*:[ \t]*\r?\n[ \t]*-[ \t]*(?:name:[ \t]*)?(\S.*?)[ \t\r]*$", re.MULTILINE)
_FIELD = re.compile(r"^:(author|date|revdate|title):[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE | re.IGNORECASE)
# A mail's header, as Python's proposals have it and pages of some site generators.
_HEADER = re.compile(r"\A(?:[A-Z][\w-]{0,40}:[ \t]*\S?[^\n]*\n(?:[ \t]+\S[^\n]*\n)*){2,}")
_HEADER_FIELD = re.compile(r"^(title|author|date|created):[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE | re.IGNORECASE)
_COMMENT = re.compile(r"[ \t]+#.*$")
_FIELDS_WITHIN = 2000


@dataclass(frozen=True, slots=True)
class About:
    """What a document says about itself.

    Attributes:
        end: offset after the front matter.
    """

    title: str | None = None
    author: str | None = None
    date: str | None = None
    end: int = 0
    url: str | None = None


def read_front_matter(data: bytes, start: int) -> About:
    """Read YAML or TOML front matter at the start of a document."""
    for pattern in (_YAML, _TOML):
        found = pattern.match(data, start, start + _LARGEST)
        if found:
            return _about(found["body"].decode("utf-8", errors="replace"), found.end())
    return About(end=start)


def _about(body: str, end: int) -> About:
    entries: dict[str, str] = {}
    for key, value in _ENTRY.findall(body):
        entries.setdefault(key.lower(), _scalar(value))
    if listed := _LIST_ENTRY.search(body):
        entries.setdefault("author", _scalar(listed[1]))
    author = entries.get("author") or entries.get("authors")
    date = entries.get("date") or entries.get("published")
    return About(entries.get("title"), author, date, end, entries.get("url"))


def read_fields(data: bytes, start: int) -> About:
    """Read ``:author:`` and ``:date:`` fields near the start of a document, or a header of ``Author:`` lines."""
    head = data[start : start + _FIELDS_WITHIN].decode("utf-8", errors="replace")
    header = _HEADER.match(head.replace("\r\n", "\n"))
    found = _HEADER_FIELD.findall(header[0]) if header else _FIELD.findall(head)
    fields = {key.lower(): value for key, value in reversed(found)}
    date = fields.get("date") or fields.get("revdate") or fields.get("created")
    return About(fields.get("title"), fields.get("author"), date, start)


def _scalar(value: str) -> str:
    """A quoted scalar, a plain one without its comment, or the first of a list in brackets."""
    value = value.strip()
    if value[:1] == "[":
        value = value.strip("[]").split(",")[0].strip()
    if value[:1] in {'"', "'"} and (closing := value.find(value[0], 1)) > 0:
        return value[1:closing]
    return _COMMENT.sub("", value).strip()
