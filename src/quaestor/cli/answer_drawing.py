"""Shows a streamed answer: as rendered Markdown in a terminal, as plain text in a pipe.

In a terminal, a spinner moves until text arrives, lines are wrapped between words, code is coloured, and a citation is
shown as its number, because the list below the answer says where it leads. ``NO_COLOR`` and ``TERM=dumb`` are obeyed.
"""

from __future__ import annotations

import os
import re
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

from quaestor.cli.output import echo, print_remarks, safe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")


def whole_blocks(text: str) -> int:
    """Return the length of the complete blocks at the start of ``text``, which later text cannot change.

    A block ends at an empty line outside fenced code, so that a paragraph, list or table is rendered only once. Text
    after the last such line may still grow.
    """
    fence, at, whole = "", 0, 0
    while (newline := text.find("\n", at)) >= 0:
        line = text[at:newline]
        at = newline + 1
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence, whole = "", at
        elif mark:
            fence = mark[1]
        elif not line.strip():
            whole = at
    return whole


_WIDEST = 100
_LINES_OF_WHAT_GROWS = 12


class Answer(Protocol):
    """Shows one answer; a context that ends the answer's last line when it is left."""

    def __enter__(self) -> Answer: ...

    def __exit__(self, *_: object) -> None: ...

    def wait_for(self, what: str) -> None:
        """Show for what the user is waiting."""

    def write(self, text: str) -> None:
        """Show more of the answer's Markdown."""

    def say_below(self, remark: str) -> None:
        """Show a remark on stderr below the answer, of which the last part may not have arrived yet."""


def new_answer() -> Answer:
    """Return the writer of an answer that suits stdout: a terminal or a pipe."""
    drawn = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return DrawnAnswer() if drawn else PlainAnswer()


class PlainAnswer:
    """Writes the text unchanged."""

    def __init__(self) -> None:
        self._below: list[str] = []

    def __enter__(self) -> PlainAnswer:
        return self

    def __exit__(self, *_: object) -> None:
        echo()
        print_remarks(self._below)

    def wait_for(self, what: str) -> None:
        """Do nothing: a pipe shows only the text."""

    def write(self, text: str) -> None:
        """Write text without terminal control characters."""
        echo(safe(text), nl=False)

    def say_below(self, remark: str) -> None:
        """Keep the remark until the answer ends."""
        self._below.append(remark)


class DrawnAnswer:
    """Renders Markdown block by block; below, it shows the growing block, or the current step and its duration."""

    def __init__(self, console: Console | None = None) -> None:
        from rich.console import Console  # noqa: PLC0415 - 60 ms that only a terminal waits for
        from rich.live import Live  # noqa: PLC0415
        from rich.spinner import Spinner  # noqa: PLC0415

        self._console = console or Console(highlight=False, markup=False, emoji=False)
        self._console.width = min(self._console.width, _WIDEST)
        self._spinner = Spinner("dots")
        self._waiting, self._since, self._growing = "", time.monotonic(), ""
        self._below: list[str] = []
        self._live = Live(
            console=self._console, get_renderable=self._live_display, refresh_per_second=8, transient=True
        )

    def __enter__(self) -> DrawnAnswer:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        rest, self._growing, self._waiting = self._growing, "", ""
        self._live.stop()
        self._draw(rest)
        print_remarks(self._below)

    def wait_for(self, what: str) -> None:
        """Show the current step until more of the answer arrives."""
        self._waiting, self._since = what, time.monotonic()

    def write(self, text: str) -> None:
        """Render the blocks that the text completes."""
        self._waiting = ""
        self._growing += safe(text)
        whole = whole_blocks(self._growing)
        block, self._growing = self._growing[:whole], self._growing[whole:]
        self._draw(block)

    def say_below(self, remark: str) -> None:
        """Keep the remark until the last block is drawn."""
        self._below.append(remark)

    def _draw(self, markdown: str) -> None:
        if markdown.strip():
            from rich.markdown import Markdown  # noqa: PLC0415

            # A label must not hide where its link leads.
            drawn = Markdown(with_short_marks(markdown), code_theme="ansi_dark", hyperlinks=False)
            self._console.print(_WithoutFirstLineEnd(drawn), "")

    def _live_display(self) -> RenderableType:
        from rich.text import Text  # noqa: PLC0415

        if self._growing.strip():
            return Text("\n".join(self._growing.splitlines()[-_LINES_OF_WHAT_GROWS:]))
        seconds = int(time.monotonic() - self._since)
        self._spinner.update(text=Text(f"{self._waiting} {seconds} s" if seconds else self._waiting, style="dim"))
        return self._spinner if self._waiting else Text("")


class _WithoutFirstLineEnd:
    """Renders a block without the empty line that rich puts above a list, a table or a quote: one is there already."""

    def __init__(self, block: RenderableType) -> None:
        self._block = block

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        begun = False
        for segment in console.render(self._block, options):
            if begun or segment.text != "\n":
                yield segment
            begun = True


def waiting(what: str, *, quiet: bool = False) -> AbstractContextManager[object]:
    """Return a context that shows the current step on stderr, if that is a terminal."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return nullcontext()
    from rich.console import Console  # noqa: PLC0415 - 60 ms that only a terminal waits for
    from rich.markup import escape  # noqa: PLC0415

    return Console(stderr=True).status(escape(safe(what)))


def with_short_marks(markdown: str) -> str:
    """Return Markdown with citations shortened to their numbers: ``[2: "decisive words"]`` becomes ``[2]``."""
    from quaestor.answers.citations.citation_marks import parse  # noqa: PLC0415 - only where answers are drawn

    pieces: list[str] = []
    at = 0
    for mark in parse(markdown):
        if mark.start >= at:
            pieces.append(markdown[at : mark.start])
            at = mark.end
        pieces.append(f"[{mark.n}]")
    return "".join([*pieces, markdown[at:]])
