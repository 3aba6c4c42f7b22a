"""Files of one JSON object a line as Markdown, where the objects are texts: a section each."""

from __future__ import annotations

import json
from typing import Any

from quaestor.convert.conversion import ConversionError, Converted
from quaestor.convert.html_tree import decode_page

_TITLES = ("title", "name", "headline", "subject", "question")
_TEXTS = ("text", "body", "content", "markdown", "description", "abstract", "summary", "answer", "message")
_FIELDS = ("author", "date", "published", "url", "link", "category", "tags")
_SNIFFED = 20


def reads_as_texts(data: bytes) -> bool:
    """Return whether most of the first lines are objects with a text in them."""
    lines = [line for line in data[:1_000_000].split(b"\n", _SNIFFED)[:_SNIFFED] if line.strip()]
    return bool(lines) and sum(_text(_record(line)) != "" for line in lines) * 2 > len(lines)


def from_records(data: bytes) -> Converted:
    """Return each object's text under its title; lines that are no such objects are counted in the note.

    Raises:
        ConversionError: no line is an object with a text.
    """
    sections = []
    broken = 0
    for number, line in enumerate(decode_page(data).split("\n"), start=1):
        if not line.strip():
            continue
        record = _record(line)
        if text := _text(record):
            title = _first(record, _TITLES) or f"Record {number}"
            sections.append("\n\n".join(filter(None, (f"# {' '.join(title.split())}", _fields(record), text))))
        else:
            broken += 1
    if not sections:
        raise ConversionError("unreadable", "no line is a JSON object with a text")
    note = f"{broken:,} lines without a text left out" if broken else None
    return Converted("\n\n".join(sections) + "\n", note=note)


def _record(line: str | bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _text(record: dict[str, Any]) -> str:
    return "\n\n".join(
        record[name].strip() for name in _TEXTS if isinstance(record.get(name), str) and record[name].strip()
    )


def _first(record: dict[str, Any], names: tuple[str, ...]) -> str:
    return next(
        (record[name].strip() for name in names if isinstance(record.get(name), str) and record[name].strip()), ""
    )


def _fields(record: dict[str, Any]) -> str:
    """Return a record's other fields, a line each, so that they can be searched and shown."""
    shown = []
    for name in _FIELDS:
        value = record.get(name)
        if isinstance(value, list):
            value = ", ".join(map(str, value))
        if isinstance(value, str | int | float) and str(value).strip():
            shown.append(f"{name}: {' '.join(str(value).split())}")
    return "  \n".join(shown)
