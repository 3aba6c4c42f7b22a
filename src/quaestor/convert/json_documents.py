"""Documents in JSON as Markdown: Jupyter notebooks, and JSON Lines files whose objects contain texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from quaestor.convert.converted_document import ConversionError, ConvertedDocument
from quaestor.convert.html_tree import decode_page
from quaestor.core.wording import amount

_LONGEST_OUTPUT = 2000
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_BOLD = re.compile(r"\*\*([^*\n]{3,120})\*\*[ \t]*(?:\n|$)")
"""A first line in bold: many notebooks have their title so, and a heading only for their setup."""
_TITLE = re.compile(r"^#\s+(\S.*)$", re.MULTILINE)


def from_notebook(data: bytes) -> ConvertedDocument:
    """Return a notebook as Markdown; pictures and other rich output are left out.

    Raises:
        ConversionError: it is not a notebook.
    """
    try:
        notebook = json.loads(data)
        cells = notebook.get("cells") or [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
        language = _language(notebook)
        parts = [(part, cell.get("cell_type")) for cell in cells for part in _cell(cell, language)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ConversionError("unreadable", "it is not a Jupyter notebook") from None
    text = "\n\n".join(part for part, _ in parts)
    # A comment in code begins as a heading does.
    title = _BOLD.match(text) or _TITLE.search("\n\n".join(part for part, kind in parts if kind != "code"))
    return ConvertedDocument(f"{text}\n" if text else "", title[1].strip() if title else None)


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata") or {}
    name = (metadata.get("kernelspec") or {}).get("language") or (metadata.get("language_info") or {}).get("name")
    return name if isinstance(name, str) and re.fullmatch(r"[\w+#.-]{1,30}", name) else "python"


def _cell(cell: dict[str, Any], language: str) -> Iterator[str]:
    source = _text(cell.get("source", cell.get("input", ""))).strip("\n")
    if not source.strip():
        return
    if cell.get("cell_type") == "code":
        yield fence(source, language)
        for output in cell.get("outputs") or ():
            printed = _ESCAPE.sub("", _output(output)).strip("\n")[:_LONGEST_OUTPUT]
            if printed.strip():
                yield fence(printed, "text")
    elif cell.get("cell_type") == "heading":
        yield f"{'#' * int(cell.get('level', 1))} {source}"
    else:
        yield source


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") == "error":
        return f"{output.get('ename', '')}: {output.get('evalue', '')}"
    data = output.get("data") or {}
    return _text(output.get("text") or data.get("text/markdown") or data.get("text/plain") or "")


def _text(source: object) -> str:
    """Return a source as one text; the format allows a list of lines, too."""
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def fence(text: str, language: str) -> str:
    """Return code between fences that no line of the code closes."""
    longest = max((len(run) for run in re.findall(r"^[ \t]*(`{3,})", text, re.MULTILINE)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


_TITLES = ("title", "name", "headline", "subject", "question")
_TEXTS = ("text", "body", "content", "markdown", "description", "abstract", "summary", "answer", "message")
_FIELDS = ("author", "date", "published", "url", "link", "category", "tags")
_SNIFFED = 20


def reads_as_texts(data: bytes) -> bool:
    """Return whether most of the first lines are objects with a text."""
    lines = [line for line in data[:1_000_000].split(b"\n", _SNIFFED)[:_SNIFFED] if line.strip()]
    return bool(lines) and sum(_text_of_record(_record(line)) != "" for line in lines) * 2 > len(lines)


def from_records(data: bytes) -> ConvertedDocument:
    """Return each object's text under its title; other lines are counted in the note.

    Raises:
        ConversionError: no line is an object with a text.
    """
    sections = []
    broken = 0
    for number, line in enumerate(decode_page(data).split("\n"), start=1):
        if not line.strip():
            continue
        record = _record(line)
        if text := _text_of_record(record):
            title = _first_text(record, _TITLES) or f"Record {number}"
            sections.append("\n\n".join(filter(None, (f"# {' '.join(title.split())}", _other_fields(record), text))))
        else:
            broken += 1
    if not sections:
        raise ConversionError("unreadable", "no line is a JSON object with a text")
    note = f"{amount(broken, 'line')} without a text left out" if broken else None
    return ConvertedDocument("\n\n".join(sections) + "\n", note=note)


def _record(line: str | bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _text_of_record(record: dict[str, Any]) -> str:
    return "\n\n".join(
        record[name].strip() for name in _TEXTS if isinstance(record.get(name), str) and record[name].strip()
    )


def _first_text(record: dict[str, Any], names: tuple[str, ...]) -> str:
    return next(
        (record[name].strip() for name in names if isinstance(record.get(name), str) and record[name].strip()), ""
    )


def _other_fields(record: dict[str, Any]) -> str:
    """Return a record's other fields, one in each line, so that they can be searched and shown."""
    shown = []
    for name in _FIELDS:
        value = record.get(name)
        if isinstance(value, list):
            value = ", ".join(map(str, value))
        if isinstance(value, str | int | float) and str(value).strip():
            shown.append(f"{name}: {' '.join(str(value).split())}")
    return "  \n".join(shown)
