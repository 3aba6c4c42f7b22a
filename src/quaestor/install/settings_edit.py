"""Changes one entry of a settings file, JSON with comments or TOML, and leaves the rest unchanged. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from quaestor.core.config import read_toml

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WORD = re.compile(r"[^\s,\]}/]+")
_LINE_END = re.compile(r"[ \t]*\r?\n")
_DEEPEST = 200
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Member:
    key: str
    start: int
    value: int
    end: int


def loads(text: str) -> Any:
    """Parse JSON with comments and trailing commas; an empty text is an empty object.

    Raises:
        ValueError: the text is not such JSON, or is nested more than 200 levels deep.
    """
    plain = _plain(text) or "{}"
    if _depth(plain) > _DEEPEST:
        raise ValueError("it is nested too deeply")
    return json.loads(plain)


def with_member(text: str, path: Sequence[str], value: object) -> str:
    """Return the text with the member at ``path`` set to a value; missing objects on the path are added.

    Args:
        text: a JSON object; empty for a file that does not exist yet.
        path: keys from the outermost object inwards, at least one.
        value: a value that can be serialised as JSON.

    Raises:
        ValueError: the text is not JSON, or a value on the path is not an object.
    """
    text = text if text.strip("\ufeff \t\r\n") else "{}\n"
    loads(text)
    start, unit = _begin(text), _unit(text)
    for depth, key in enumerate(path[:-1]):
        member = _find(text, start, key)
        if member is None:
            inner = _nest(path[depth + 1 :], value)
            return _with_member(text, start, key, inner, depth, unit)
        start = member.value
        if text[start] != "{":
            raise ValueError(f"{'.'.join(path[: depth + 1])!r} is not an object")
    member, depth = _find(text, start, path[-1]), len(path) - 1
    if member is None:
        return _with_member(text, start, path[-1], value, depth, unit)
    return text[: member.value] + _indented_json(value, depth + 1, unit) + text[member.end :]


def without_member(text: str, path: Sequence[str]) -> str:
    """Return the text without the member at ``path``; unchanged if there is none.

    Raises:
        ValueError: the text is not JSON.
    """
    loads(text)
    if not text.strip("\ufeff \t\r\n"):
        return text
    start = _begin(text)
    for key in path[:-1]:
        member = _find(text, start, key)
        if member is None or text[member.value] != "{":
            return text
        start = member.value
    member = _find(text, start, path[-1])
    return text if member is None else _without_member(text, start, member)


def _plain(text: str) -> str:
    """Return the text without comments and trailing commas."""
    parts, at = [], 0
    text = text.removeprefix("\ufeff")
    while at < len(text):
        blank = _BLANK.match(text, at)
        if blank and blank.end() > at:
            parts.append(" ")
            at = blank.end()
        elif match := _STRING.match(text, at):
            parts.append(match[0])
            at = match.end()
        elif text[at] == "," and text[_skip(text, at + 1) : _skip(text, at + 1) + 1] in ("}", "]"):
            at += 1
        elif text.startswith("/*", at):
            raise ValueError("a comment is never closed")
        else:
            parts.append(text[at])
            at += 1
    return "".join(parts).strip()


def _depth(plain: str) -> int:
    """Return how deeply a text's brackets are nested."""
    brackets = _STRING.sub("", plain)
    opened = list(accumulate((letter in "{[") - (letter in "}]") for letter in brackets if letter in "{}[]"))
    return max(opened, default=0)


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _begin(text: str) -> int:
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if text[start : start + 1] != "{":
        raise ValueError("it is not an object")
    return start


def _value_end(text: str, at: int) -> int:
    """Return the offset after the value that begins at ``at``, in a text that was parsed already."""
    if match := _STRING.match(text, at):
        return match.end()
    if text[at] not in "{[":
        word = _WORD.match(text, at)
        return word.end() if word else at + 1
    at += 1
    while text[at := _skip(text, at)] not in "}]":
        at = at + 1 if text[at] in ",:" else _value_end(text, at)
    return at + 1


def _find(text: str, start: int, key: str) -> _Member | None:
    """Return the member that sets a key in the object at ``start``: the last one, if there are duplicates."""
    members = [member for member in _members(text, start) if member.key == key]
    return members[-1] if members else None


def _members(text: str, start: int) -> list[_Member]:
    members, at = [], _skip(text, start + 1)
    while text[at] != "}":
        if text[at] == ",":
            at = _skip(text, at + 1)
            continue
        name_end = _value_end(text, at)
        value = _skip(text, _skip(text, name_end) + 1)
        end = _value_end(text, value)
        members.append(_Member(json.loads(text[at:name_end]), at, value, end))
        at = _skip(text, end)
    return members


def _with_member(text: str, start: int, key: str, value: object, depth: int, unit: str) -> str:
    """Return the text with a new member in the object at ``start``, placed first: no comma must precede it."""
    members = _members(text, start)
    if members and "\n" not in text[start : members[0].start]:
        # The object is written on one line, so the member is too.
        member = f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}, "
        return text[: members[0].start] + member + text[members[0].start :]
    line_end = "\r\n" if "\r\n" in text else "\n"
    member = f"{line_end}{unit * (depth + 1)}{json.dumps(key)}: {_indented_json(value, depth + 1, unit)}"
    if members:
        return f"{text[: start + 1]}{member},{text[start + 1 :]}"
    rest = text[start + 1 :]
    between = "" if rest.lstrip(" \t").startswith(("\n", "\r")) else line_end + unit * depth
    return f"{text[: start + 1]}{member}{between}{rest}"


def _without_member(text: str, start: int, member: _Member) -> str:
    """Return the text without a member and its comma, and without its line if that becomes empty."""
    begin, end = member.start, member.end
    following = _skip(text, end)
    if text[following] == ",":
        end = following + 1
    else:
        before = max((other.end for other in _members(text, start) if other.end <= begin), default=None)
        comma = text.find(",", before, begin) if before is not None else -1
        if comma >= 0:
            text, begin, end = text[:comma] + text[comma + 1 :], begin - 1, end - 1
    line = text.rfind("\n", 0, begin) + 1
    rest = _LINE_END.match(text, end)
    if not text[line:begin].strip(" \t") and rest:
        return text[:line] + text[rest.end() :]
    return text[:begin] + text[end:].lstrip(" ")


def _nest(path: Sequence[str], value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value


def _indented_json(value: object, depth: int, unit: str) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", "\n" + unit * depth)


def _unit(text: str) -> str:
    match = _INDENT.search(text)
    return match[1] if match else "  "


_HEADER = re.compile(r"^[ \t]*\[\[?[^\[\]\n]+\]\]?[ \t\r]*(?:#[^\n]*)?$", re.MULTILINE)


def with_table(text: str, path: Sequence[str], table: Mapping[str, object]) -> str:
    """Return the text with the table ``[a.b]`` at its end, in the place of any such table before.

    Args:
        text: empty for a file that does not exist yet.
        path: the parts of the table's name, bare keys.
        table: its values: strings, numbers, booleans and lists of strings.

    Raises:
        ValueError: the text is not TOML.
    """
    rest = without_table(text, path)
    line_end = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(path)}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    rest = rest.rstrip("\r\n")
    return (rest + 2 * line_end if rest else "") + line_end.join(lines) + line_end


def without_table(text: str, path: Sequence[str]) -> str:
    """Return the text without the table ``[a.b]`` and the tables within it; unchanged if there is none.

    Raises:
        ValueError: the text is not TOML.
    """
    read_toml(text)
    headers = list(_HEADER.finditer(text))
    ends = [*(header.start() for header in headers[1:]), len(text)]
    kept = [
        (header.start(), end) for header, end in zip(headers, ends, strict=False) if not _is_within(header[0], path)
    ]
    if len(kept) == len(headers):
        return text
    rest = text[: headers[0].start()] + "".join(text[start:end] for start, end in kept)
    # The blank line before the table goes with it.
    return re.sub(r"(\r?\n)(?:[ \t]*\r?\n)+\Z", r"\1", rest)


def _is_within(header: str, path: Sequence[str]) -> bool:
    name = header.strip().split("#")[0].strip().strip("[]")
    parts = [part.strip().strip("\"'") for part in name.split(".")]
    return parts[: len(path)] == list(path)
