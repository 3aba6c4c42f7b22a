"""All tags and their kinds, and reading and writing the values of attributes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Never

from quaestor.core.errors import UsageError

OPENING = "<|"
CLOSING = "|>"
"""Ends every tag, and is the stop sequence of a request whose reply may call subroutines by tags."""


class Tag(StrEnum):
    """Every tag by name.

    ``plan`` is hidden. ``result`` is written by the engine around a tool's result; one that a model writes itself is
    hidden. All others are tool calls.
    """

    PLAN = "plan"
    RESULT = "result"
    SEARCH = "search"
    READ = "read"
    RELATED = "related"
    LIST = "list"
    OVERVIEW = "overview"
    HISTORY = "history"
    EDIT = "edit"


HIDDEN = frozenset({Tag.PLAN, Tag.RESULT})
"""Tags that call nothing."""

BLOCKS = frozenset({Tag.RESULT})
"""Tags whose text, up to ``<|/name|>``, belongs to them."""

OPENINGS = tuple(f"{OPENING}{slash}{tag}{end}" for tag in Tag for slash in ("", "/") for end in (" ", CLOSING))
"""The beginnings of our tags, which stay whole when special tokens in text are broken up."""


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BARE_QUOTE = re.compile(r'\\.|"', re.DOTALL)


def render(name: str, attributes: Mapping[str, Any] | None = None) -> str:
    """Return a tag as a model is to write it; the inverse of parsing one.

    No value can end the tag or look like another: ``|>`` and ``<|`` inside of strings are written as escapes.

    Args:
        name: the tag's name.
        attributes: JSON values by name; True becomes a flag.

    Raises:
        UsageError: a name is not an identifier, or a value is not JSON.
    """
    parts = [_check_name(name), *(_attribute(_check_name(key), value) for key, value in (attributes or {}).items())]
    return f"{OPENING}{' '.join(parts)}{CLOSING}"


def closing(name: str) -> str:
    """Return the tag that ends a block."""
    return f"{OPENING}/{_check_name(name)}{CLOSING}"


def decode(raw: str) -> Any:
    """Return the value of an attribute, from the text in its braces, its quotes, or its bare word.

    It is JSON, or a string in single quotes or backticks, because models write JavaScript there. Strings may hold line
    ends.

    Raises:
        ValueError: it is malformed.
    """
    raw = raw.strip()
    if len(raw) > 1 and raw[0] in "'`" and raw[-1] == raw[0]:
        raw = f'"{_BARE_QUOTE.sub(_as_json, raw[1:-1])}"'
    try:
        value = json.loads(raw, strict=False, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return _text_only(value)


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be a name in a tag; use letters, digits and underscores, at most 64")
    return name


def _attribute(key: str, value: Any) -> str:
    if value is True:
        return key
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"the value of {key!r} in a tag is not JSON: {error}; give text, numbers, lists") from None
    return f"{key}={{{text.replace(CLOSING, '|' + _escape('>')).replace(OPENING, '<' + _escape('|'))}}}"


def _escape(letter: str) -> str:
    return f"\\u{ord(letter):04x}"


def _as_json(found: re.Match[str]) -> str:
    return {'"': '\\"', "\\'": "'", "\\`": "`"}.get(found[0], found[0])


def _refuse(word: str) -> Never:
    raise ValueError(f"{word} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is too large")
    return number


def _text_only(value: Any) -> Any:
    """Return a value without lone surrogates, which no encoding can hold."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_text_only(one) for one in value]
    if isinstance(value, dict):
        return {_text_only(key): _text_only(one) for key, one in value.items()}
    return value
