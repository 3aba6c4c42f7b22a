"""Jupyter notebooks as Markdown: their text, their code, and what the code printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from quaestor.convert.conversion import ConversionError, Converted

_LONGEST_OUTPUT = 2000
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TITLE = re.compile(r"^#\s+(\S.*)$", re.MULTILINE)


def from_notebook(data: bytes) -> Converted:
    """Return a notebook as Markdown; pictures and other rich output are left out.

    Raises:
        ConversionError: it is not a notebook.
    """
    try:
        notebook = json.loads(data)
        cells = notebook.get("cells") or [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
        language = _language(notebook)
        text = "\n\n".join(part for cell in cells for part in _cell(cell, language))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ConversionError("unreadable", "it is not a Jupyter notebook") from None
    title = _TITLE.search(text)
    return Converted(f"{text}\n" if text else "", title[1].strip() if title else None)


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
    """Return lines as one text: the format allows both."""
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def fence(text: str, language: str) -> str:
    """Return code between fences that nothing in it closes."""
    longest = max((len(run) for run in re.findall(r"^[ \t]*(`{3,})", text, re.MULTILINE)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
