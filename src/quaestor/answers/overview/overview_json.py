"""An overview as plain objects: for ``--json``, the API and agents. What is not known is left out, never null."""

from __future__ import annotations

from typing import Any

from quaestor.answers.overview.statements import Entry, Overview


def overview_object(overview: Overview) -> dict[str, Any]:
    """Return an overview with its text and, for each line that stands in a file, where that is."""
    return {
        "folder": overview.folder,
        "documents": overview.documents,
        "tokens": overview.tokens,
        "text": overview.text,
        "sections": [
            {
                "title": section.title,
                "lines": [_line(entry, overview) for entry in section.entries],
                "left_out": section.left_out,
            }
            for section in overview.sections
        ],
    }


def _line(entry: Entry, overview: Overview) -> dict[str, Any]:
    line: dict[str, Any] = {
        "names": list(entry.further or ([entry.name] if entry.name else [])),
        "depth": entry.depth,
        "says": entry.says.text if entry.says else "",
    }
    source = entry.says.source if entry.says else None
    at = None if source is None else overview.position_of(source)
    if at is None:
        return line
    hit = overview.hits[at]
    place = {"path": hit.path, "start_line": hit.start_line, "end_line": hit.end_line}
    return {**line, "n": at + 1, **place, "sha256": hit.document.sha256, "fresh": hit.fresh}
