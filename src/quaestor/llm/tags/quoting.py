"""Which letters of a Markdown text stand in code, told letter by letter: there, tags are text."""

from __future__ import annotations

from copy import copy

_FENCE = 3
_BEFORE_A_FENCE = frozenset(" \t>-*+.)0123456789")


class Quoting:
    """Follows code spans and fenced blocks as CommonMark has them, but for spans over several lines.

    A span that is never closed ends with its line: what a stream will bring cannot be awaited. No letter is held back.
    """

    def __init__(self) -> None:
        self._fence = ""  # the letter that the run is of that opened the block
        self._fence_length = 0
        self._span = 0  # length of the run of backticks that opened the span
        self._span_may_be_fence = False
        self._closing = False  # the block's closing run was met on this line
        self._run = ""  # the letter that the run is of that is being read
        self._run_length = 0
        self._line_begins = True
        self._backslash = False  # the letter before was one that makes the next letter text
        self._literal = False

    @property
    def inside(self) -> bool:
        """Whether the letter that was stepped over last stands in code, or behind a backslash that makes it text."""
        return bool(self._fence or self._span) or self._literal

    @property
    def ends_inside(self) -> bool:
        """Whether a text that ended here would end within code."""
        ended = copy(self)
        if ended._run:
            ended._end_run()
        return bool((ended._fence and not ended._closing) or ended._span)

    def step(self, letter: str) -> None:
        """Go on by one letter."""
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
