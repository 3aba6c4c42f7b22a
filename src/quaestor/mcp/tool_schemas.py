"""The schemas of what the tools return. No unions and no references: some clients read neither."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_WHOLE: Schema = {"type": "integer"}
_TRUTH: Schema = {"type": "boolean"}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _at_times(schema: Schema, **properties: Schema) -> Schema:
    """Return the schema of an object that may have further properties: what others would have as null."""
    return {**schema, "properties": {**schema["properties"], **properties}}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_LINES = {"path": _TEXT, "start_line": _WHOLE, "end_line": _WHOLE}

_PROOF = {"sha256": _TEXT, "fresh": _TRUTH}

# Only where they are not empty, and where a file has changed since it was indexed.
_AT_TIMES = {"symbol": _TEXT, "fresh": _TRUTH}

SEARCH = _at_times(
    _object(
        hits=_list(
            _at_times(_object(**_LINES, text=_TEXT), **_AT_TIMES, title=_TEXT, corpus=_TEXT),
        ),
        fresh=_TRUTH,
        by_meaning={"type": "string", "enum": ["all", "some", "none"]},
    ),
    said=_TEXT,
    translated=_list(_TEXT),
    unknown=_list(_object(word=_TEXT, nearest=_list(_TEXT))),
    coming=_object(embedder=_TEXT, done=_WHOLE, total=_WHOLE, busy=_TRUTH),
    not_searched=_list(_object(corpus=_TEXT, why=_TEXT)),
)
READ = _object(**_LINES, total_lines=_WHOLE, language=_TEXT, text=_TEXT, sha256=_TEXT)
RELATED = _object(
    relatives=_list(_at_times(_object(kind=_TEXT, role=_TEXT, **_LINES, text=_TEXT), **_AT_TIMES)),
    complete=_TRUTH,
)
HISTORY = _object(
    known=_TRUTH,
    partial=_TRUTH,
    said=_list(_TEXT),
    passages=_list(_object(**_LINES, title=_TEXT, author=_TEXT, date=_TEXT, text=_TEXT)),
)
_CITATION = _object(n=_WHOLE, **_LINES, quote=_TEXT, status=_TEXT)
OVERVIEW = _object(
    folder=_TEXT,
    documents=_WHOLE,
    tokens=_WHOLE,
    text=_TEXT,
    sections=_list(
        _object(
            title=_TEXT,
            lines=_list(_at_times(_object(names=_list(_TEXT), depth=_WHOLE, says=_TEXT), n=_WHOLE, **_LINES, **_PROOF)),
            left_out=_WHOLE,
        )
    ),
)
ASK = _object(
    answer=_TEXT,
    known=_TRUTH,
    unchecked=_TRUTH,
    understood=_list(_TEXT),
    translated=_list(_TEXT),
    citations=_list(_CITATION),
    unsupported=_list(_TEXT),
    quotes=_list(_CITATION),
    nearest=_list(_object(**_LINES)),
)
