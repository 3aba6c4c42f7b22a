"""Parses a streamed reply into text to show, calls to run, hidden tags and broken tags.

Tags in code spans and fenced blocks are text; ``Quoting`` tracks these, one character at a time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from quaestor.llm.tags.reader import BLOCKS, HIDDEN, OPENING, Tag, TagReader, Verdict, closing

UNCLOSED = "it is not closed with |>"

_FENCE = 3
_BEFORE_A_FENCE = frozenset(" \t>-*+.)0123456789")


@dataclass(frozen=True, slots=True)
class Text:
    """Visible text."""

    raw: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tag that calls a tool, which may not exist.

    Attributes:
        raw: the tag as written.
        name: the tool's name.
        arguments: JSON values by name.
    """

    raw: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hidden:
    """A tag or block that is neither shown nor called.

    Attributes:
        raw: the whole tag or block as written.
        name: the tag's name.
        attributes: JSON values by name.
        content: the text within a block; empty for a tag.
    """

    raw: str
    name: str
    attributes: Mapping[str, Any] = field(default_factory=dict)
    content: str = ""


@dataclass(frozen=True, slots=True)
class Broken:
    """Text that began as a tag and turned out not to be one; it is not shown.

    Attributes:
        raw: the text as written.
        name: the tag's name.
        reason: why it is not a tag.
    """

    raw: str
    name: str
    reason: str


Part = Text | Call | Hidden | Broken
"""The joined ``raw`` of all parts equals the input."""


class Parser:
    """Parses a reply that comes in pieces, cut anywhere, and returns its parts as soon as they are certain.

    Args:
        names: the names of all tags; another name is a call only if an attribute with a value follows it.
    """

    def __init__(self, names: Collection[str] = tuple(Tag)) -> None:
        self._names = frozenset(names)
        self._parts: list[Part] = []
        self._text: list[str] = []
        self._begin()

    @property
    def held(self) -> str:
        """The input that is not decided yet: the beginning of a tag or block."""
        if self._block is not None:
            return "".join((self._block.raw, *self._content))
        return self._reader.raw if self._reader else ""

    @property
    def in_code(self) -> bool:
        """Whether the reply so far ends within code."""
        return self._quoting.ends_inside

    def feed(self, piece: str) -> tuple[Part, ...]:
        """Parse a piece, and return the parts that it completes and all text that is certain."""
        for letter in piece:
            self._step(letter)
        return self._take_parts()

    def close(self, *, cut: bool = False) -> tuple[Part, ...]:
        """Return the remaining parts, and reset for another reply.

        Args:
            cut: whether the reply was cut off, so that even a single ``<`` at its end may have begun a tag.
        """
        if self._block is not None:
            self._add(replace(self._block, raw=self.held, content="".join(self._content)))
        elif (reader := self._reader) is not None:
            if cut or reader.decided or reader.begins_name:
                self._add(Broken(reader.raw, reader.name, reader.reason or UNCLOSED))
            else:
                self._text.append(reader.raw)
        parts = self._take_parts()
        self._begin()
        return parts

    def _begin(self) -> None:
        self._quoting = Quoting()
        self._reader: TagReader | None = None
        self._block: Hidden | None = None
        self._content: list[str] = []

    def _step(self, letter: str) -> None:
        if self._block is not None:
            self._in_block(self._block, letter)
        elif self._reader is not None:
            self._in_tag(self._reader, letter)
        else:
            self._quoting.step(letter)
            if letter == OPENING[0] and not self._quoting.inside:
                self._reader = TagReader(self._names)
            else:
                self._text.append(letter)

    def _in_tag(self, reader: TagReader, letter: str) -> None:
        verdict = reader.step(letter)
        if verdict in (Verdict.UNDECIDED, Verdict.INSIDE):
            return
        self._reader = None
        if verdict is Verdict.TEXT:
            # After its first character, another tag or code may begin.
            self._text.append(reader.raw[0])
            for character in reader.raw[1:]:
                self._step(character)
        elif verdict is Verdict.BROKEN:
            self._add(Broken(reader.raw, reader.name, reader.reason))
        elif reader.name in BLOCKS and not reader.closes:
            self._block = Hidden(reader.raw, reader.name, reader.attributes)
            self._content = []
        elif reader.name in HIDDEN or reader.closes:
            self._add(Hidden(reader.raw, reader.name, reader.attributes))
        else:
            self._add(Call(reader.raw, reader.name, reader.attributes))

    def _in_block(self, block: Hidden, letter: str) -> None:
        self._content.append(letter)
        end = closing(block.name)
        if letter == end[-1] and "".join(self._content[-len(end) :]) == end:
            content = "".join(self._content)
            self._add(replace(block, raw=block.raw + content, content=content.removesuffix(end)))
            self._block = None

    def _add(self, part: Part) -> None:
        self._flush()
        self._parts.append(part)

    def _flush(self) -> None:
        if self._text:
            self._parts.append(Text("".join(self._text)))
            self._text = []

    def _take_parts(self) -> tuple[Part, ...]:
        self._flush()
        parts, self._parts = tuple(self._parts), []
        return parts


# At the end of a text, too, because the next text may continue with a letter.
_LOOKS_LIKE_A_TAG = re.compile(r"<(?=\|/?(?:[A-Za-z_]|\Z))")


class Shown:
    """Turns the parts of a reply into the text to show, without the blank lines that hidden tags leave."""

    def __init__(self) -> None:
        self._line_begins = True
        self._blank: str | None = None  # blanks that follow something hidden at the beginning of a line

    def take(self, parts: Iterable[Part]) -> str:
        """Return the text to show after these parts."""
        return "".join(self._text(part.raw) if isinstance(part, Text) else self._skip() for part in parts)

    def _skip(self) -> str:
        if self._line_begins and self._blank is None:
            self._blank = ""
        return ""

    def _text(self, text: str) -> str:
        if self._blank is not None:
            text = self._blank + text
            rest = text.lstrip()
            if not rest:
                self._blank = text
                return ""
            # The blanks on the line itself stay, because they may indent a list.
            text = text[: len(text) - len(rest)].rpartition("\n")[2] + rest
            self._blank = None
        if text:
            self._line_begins = text.endswith("\n")
        return text


def strip(text: str) -> str:
    """Return the visible text of a complete reply, without tags, hidden blocks and broken tags; code is kept."""
    parser, shown = Parser(), Shown()
    return shown.take(parser.feed(text)) + shown.take(parser.close())


def escape(text: str) -> str:
    """Return text from elsewhere in which nothing looks like a tag: ``< |search`` instead of ``<|search``.

    It is used for tool results that are inserted into a model's own reply.
    """
    return _LOOKS_LIKE_A_TAG.sub("< ", text)


class Quoting:
    """Tracks code spans and fenced blocks as in CommonMark, except spans over several lines.

    A span that is not closed ends with its line, because a stream cannot wait for its end. No character is held back.
    """

    def __init__(self) -> None:
        self._fence = ""  # the character of the fence that opened the block
        self._fence_length = 0
        self._span = 0  # the number of backticks that opened the span
        self._span_may_be_fence = False
        self._closing = False  # whether the block's closing fence is on this line
        self._run = ""  # the character of the run that is being read
        self._run_length = 0
        self._line_begins = True
        self._backslash = False  # whether the last character was a backslash that escapes the next one
        self._literal = False

    @property
    def inside(self) -> bool:
        """Whether the last character is in code, or escaped by a backslash."""
        return bool(self._fence or self._span) or self._literal

    @property
    def ends_inside(self) -> bool:
        """Whether a text that ended here would end within code."""
        ended = copy(self)
        if ended._run:
            ended._end_run()
        return bool((ended._fence and not ended._closing) or ended._span)

    def step(self, letter: str) -> None:
        """Process one character."""
        self._literal, self._backslash = self._backslash, False
        tick = letter in "`~" and not self._literal
        if self._run and not (tick and self._run == letter):
            self._end_run()
        if tick:
            self._run = letter
            self._run_length += 1
        elif letter == "\n":
            self._end_line()
        else:
            self._line_begins = self._line_begins and letter in _BEFORE_A_FENCE
            self._closing = self._closing and letter.isspace()
            self._backslash = letter == "\\" and not self.inside

    def _end_run(self) -> None:
        run, length = self._run, self._run_length
        self._run, self._run_length = "", 0
        begins, self._line_begins = self._line_begins, False
        if self._fence:
            self._closing = begins and run == self._fence and length >= self._fence_length
        elif run == "~":
            opens = begins and length >= _FENCE and not self._span
            self._fence, self._fence_length = (run, length) if opens else ("", 0)
        elif self._span:
            self._span = 0 if length == self._span else self._span
            self._span_may_be_fence = False
        else:
            self._span = length
            self._span_may_be_fence = begins and length >= _FENCE

    def _end_line(self) -> None:
        if self._closing:
            self._fence = ""
        if self._span_may_be_fence:
            self._fence, self._fence_length = "`", self._span
        self._span, self._span_may_be_fence, self._closing, self._line_begins = 0, False, False, True
