"""Defines the tags, and parses one tag, character by character, from its ``<`` to its ``|>``.

    tag        <|name attributes|>    or    <|/name|>
    attributes name={value}  or  name="text"  or  name=5  or  name, which is true; blanks between them
    value      JSON, or a string in any quotes

It decides as early as possible that a ``<`` does not begin a tag, so that text is not held back longer than needed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from enum import Enum, StrEnum, auto
from functools import partial
from typing import Any, Never

from quaestor.core.errors import UsageError
from quaestor.core.messages import without_surrogates

OPENING = "<|"
CLOSING = "|>"
"""The end of every tag, and the stop sequence of a request whose reply may call subroutines by tags."""


class Tag(StrEnum):
    """The names of all tags.

    ``plan`` is hidden. The engine writes ``result`` around a tool's result; one that a model writes itself is hidden.
    All others are tool calls.
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
"""Tags that are not calls."""

BLOCKS = frozenset({Tag.RESULT})
"""Tags that begin a block, which ends with ``<|/name|>``."""

OPENINGS = tuple(f"{OPENING}{slash}{tag}{end}" for tag in Tag for slash in ("", "/") for end in (" ", CLOSING))
"""The beginnings of our tags, which stay intact when special tokens in text are broken up."""


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_BARE_QUOTE = re.compile(r'\\.|"', re.DOTALL)


def render(name: str, attributes: Mapping[str, Any] | None = None) -> str:
    """Return a tag as a model should write it: the inverse of parsing.

    No value can end the tag or look like another one: ``|>`` and ``<|`` within strings are escaped.

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
    """Return the value of an attribute, from the text in its braces or quotes or its bare word.

    The text is JSON, or a string in single quotes or backticks, because models also write JavaScript. Strings may hold
    line ends.

    Raises:
        ValueError: the text is malformed.
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


def _as_json(match: re.Match[str]) -> str:
    return {'"': '\\"', "\\'": "'", "\\`": "`"}.get(match[0], match[0])


def _refuse(word: str) -> Never:
    raise ValueError(f"{word} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is too large")
    return number


def _text_only(value: Any) -> Any:
    """Return a value without lone surrogates, which cannot be encoded."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_text_only(one) for one in value]
    if isinstance(value, dict):
        return {_text_only(key): _text_only(one) for key, one in value.items()}
    return value


_LONGEST_NAME = 64
_QUOTES = "\"'`"
_BRACKETS = {"{": "}", "[": "]"}


class Verdict(Enum):
    """The verdict on the characters read so far."""

    UNDECIDED = auto()
    """They may begin a tag, or be text."""
    INSIDE = auto()
    """They are the beginning of a tag, or of a broken one."""
    TAG = auto()
    """They are a complete tag."""
    BROKEN = auto()
    """They began as a tag and turned out not to be one."""
    TEXT = auto()
    """They are text."""


class TagReader:
    """Parses one tag.

    Attributes:
        name: the tag's name.
        decided: whether it is certain to be a tag, complete or broken, rather than text.
        closes: whether it is the end of a block, ``<|/name|>``.
        attributes: values by name.
        reason: why the tag is broken; empty if it is not.
    """

    def __init__(self, names: Collection[str]) -> None:
        self.name = ""
        self.decided = False
        self.closes = False
        self.attributes: dict[str, Any] = {}
        self.reason = ""
        self._letters = ["<"]
        self._names = names
        self._state: Callable[[str], Verdict] = self._in_opening
        self._key = ""
        self._value: list[str] = []
        self._quote = ""
        self._escaped = False
        self._open: list[str] = []

    def step(self, letter: str) -> Verdict:
        """Process the next character."""
        self._letters.append(letter)
        return self._state(letter)

    @property
    def raw(self) -> str:
        """The characters read so far."""
        return "".join(self._letters)

    @property
    def begins_name(self) -> bool:
        """Whether the characters can only be the beginning of a tag that was cut off."""
        known = any(name.startswith(self.name) for name in self._names)
        return self.raw != OPENING and self.raw.startswith(OPENING) and known

    # --- up to the name ---------------------------------------------------------------------------------------

    def _in_opening(self, letter: str) -> Verdict:
        if letter != OPENING[1]:
            return Verdict.TEXT
        self._state = self._in_name
        return Verdict.UNDECIDED

    def _in_name(self, letter: str) -> Verdict:
        if letter == "/" and self.raw == f"{OPENING}/":
            self.closes = True
            return Verdict.UNDECIDED
        if _is_word(letter, first=not self.name) and len(self.name) < _LONGEST_NAME:
            self.name += letter
            return Verdict.UNDECIDED
        if self.name in self._names:
            self._go_on(self._between)
            return self._between(letter)
        # An unknown name is a call only if attributes follow, which is so for no special token or operator.
        if self.name and letter.isspace() and not self.closes:
            self._state = self._in_unknown
            return Verdict.UNDECIDED
        return Verdict.TEXT

    def _in_unknown(self, letter: str) -> Verdict:
        if letter == "=" and self._key:
            self._state = self._before_value
            return Verdict.UNDECIDED
        if letter.isspace() and not self._key:
            return Verdict.UNDECIDED
        if _is_word(letter, first=not self._key) and len(self._key) < _LONGEST_NAME:
            self._key += letter
            return Verdict.UNDECIDED
        return Verdict.TEXT

    # --- attributes -------------------------------------------------------------------------------------------

    def _between(self, letter: str) -> Verdict:
        if _is_word(letter, first=True) and not self.closes:
            self._key = letter
            return self._go_on(self._in_key)
        if letter.isspace():
            return Verdict.INSIDE
        return self._end(letter, 'expected an attribute such as name={"text"}, or |>')

    def _in_key(self, letter: str) -> Verdict:
        if _is_word(letter, first=False):
            self._key += letter
            return Verdict.INSIDE
        if letter == "=":
            return self._go_on(self._before_value)
        self._keep(True)
        if letter.isspace():
            return Verdict.INSIDE if self.reason else self._go_on(self._between)
        return self._end(letter, f"{letter!r} cannot follow a name")

    def _before_value(self, letter: str) -> Verdict:
        if letter == "{":
            self._open = [_BRACKETS[letter]]
            return self._go_on(self._in_braces)
        if letter in _QUOTES:
            self._quote = letter
            self._value = [letter]
            return self._go_on(self._in_bare_string)
        if self.name not in self._names:
            return Verdict.TEXT
        if letter.isalnum() or letter == "-":
            self._value = [letter]
            return self._go_on(self._in_bare_word)
        return self._break(f"the value of {self._key!r} must stand in braces")

    def _in_braces(self, letter: str) -> Verdict:
        if self._in_string(letter):
            self._value.append(letter)
            return Verdict.INSIDE
        if letter in _BRACKETS:
            self._open.append(_BRACKETS[letter])
        elif letter in _BRACKETS.values() and self._open.pop() != letter:
            return self._end(letter, f"the brackets of {self._key!r} do not match")
        elif letter == CLOSING[0]:
            return self._end(letter, f"the value of {self._key!r} has no closing brace")
        if not self._open:
            return self._decode()
        self._value.append(letter)
        return Verdict.INSIDE

    def _in_bare_string(self, letter: str) -> Verdict:
        open_before = bool(self._quote)
        if open_before:
            self._in_string(letter)
            self._value.append(letter)
        return Verdict.INSIDE if self._quote else self._decode()

    def _in_bare_word(self, letter: str) -> Verdict:
        if letter.isalnum() or letter in "+-._":
            self._value.append(letter)
            return Verdict.INSIDE
        verdict = self._decode()
        return verdict if self.reason else self._between(letter)

    def _in_string(self, letter: str) -> bool:
        """Return whether a character belongs to a string, including its quotes."""
        if not self._quote:
            self._quote = letter if letter in _QUOTES else ""
            return bool(self._quote)
        if self._escaped:
            self._escaped = False
        elif letter == "\\":
            self._escaped = True
        elif letter == self._quote:
            self._quote = ""
        return True

    def _decode(self) -> Verdict:
        try:
            self._keep(decode("".join(self._value)))
        except ValueError as error:
            return self._break(f"the value of {self._key!r} is not JSON: {error}")
        return Verdict.INSIDE if self.reason else self._go_on(self._between)

    def _keep(self, value: Any) -> None:
        if self._key in self.attributes:
            self._break(f"{self._key!r} is given twice")
            return
        self.attributes[self._key] = value
        self._key, self._value = "", []

    # --- the end ----------------------------------------------------------------------------------------------

    def _end(self, letter: str, reason: str) -> Verdict:
        """Expect the closing ``|>`` after the attributes."""
        if self.reason:
            return self._in_broken(letter)
        if letter == CLOSING[0] and not self._open:
            return self._go_on(partial(self._in_closing, reason))
        return self._break(reason)

    def _in_closing(self, reason: str, letter: str) -> Verdict:
        return Verdict.TAG if letter == CLOSING[1] else self._break(reason)

    def _break(self, reason: str) -> Verdict:
        self.reason = reason
        self._quote = ""
        return self._go_on(self._in_broken)

    def _in_broken(self, letter: str) -> Verdict:
        """Skip a broken tag up to its closing ``|>`` or a blank line."""
        over = "".join(self._letters[-2:]) in (CLOSING, "\n\n")
        return Verdict.BROKEN if over else Verdict.INSIDE

    def _go_on(self, state: Callable[[str], Verdict]) -> Verdict:
        self._state, self.decided = state, True
        return Verdict.INSIDE


def _is_word(letter: str, *, first: bool) -> bool:
    return letter.isascii() and (letter.isalpha() or letter == "_" or (letter.isdigit() and not first))
