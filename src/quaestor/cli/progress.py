"""Draws progress bars on stderr, if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Timer

from quaestor.cli.output import echo, one_line, style
from quaestor.indexing.indexer import Progress, ProgressState

# Work shorter than this is done before anybody could read a bar.
_QUIET_SECONDS = 0.5
_WIDTH = 28


def indexing_progress() -> Progress:
    """Return a function that draws the progress of indexing; for short work it draws nothing."""
    line = _Line()

    def draw(state: ProgressState) -> None:
        if state.doing != "indexing":
            what = "texts" if state.doing == "embedding" else "documents"
            line.draw(state.doing, state.done, state.total, what, timed=state.doing == "embedding")
        else:
            # By bytes rather than by files, because files differ in length.
            share = state.bytes_done / state.bytes_total if state.bytes_total else None
            line.draw(state.doing, state.done, state.total, f"files, {state.chunks:,} chunks", share=share)

    return draw


@contextmanager
def looking_for_files() -> Iterator[None]:
    """Show in a terminal that files are being looked for, if that takes a moment; a bar then takes the line's place."""
    if not sys.stderr.isatty():
        yield
        return
    words, said = style("looking for files", dim=True), Event()

    def say() -> None:
        said.set()
        echo(f"\r\x1b[K{words}", nl=False, err=True)

    soon = Timer(_QUIET_SECONDS / 2, say)
    soon.daemon = True
    soon.start()
    try:
        yield
    finally:
        soon.cancel()
        soon.join()
        if said.is_set():
            echo("\r\x1b[K", nl=False, err=True)


def asking_progress() -> Callable[[int, int, object], None]:
    """Return a function that draws how many of the questions have been asked, and about what."""
    line = _Line()

    def draw(done: int, total: int, _counted: object) -> None:
        line.draw("asking", done, total, f"questions, {one_line(str(_counted))}")

    return draw


def progress_of(what: str) -> Callable[[int, int, str], None]:
    """Return a function that draws how many of some items are done, and the current step."""
    line = _Line()

    def draw(done: int, total: int, doing: str) -> None:
        line.draw(doing, done, total, what)

    return draw


class _Line:
    """A line in a terminal that is redrawn in place."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._last = 0.0
        self._timed: tuple[float, int] | None = None

    def draw(
        self, doing: str, done: int, total: int, rest: str, *, timed: bool = False, share: float | None = None
    ) -> None:
        now = time.monotonic()
        finished = done >= total
        if timed:
            since, first = self._timed = self._timed or (now, done)
            rest += _time_left(now - since, done - first, total - done)
        if not sys.stderr.isatty() or now - self._started < _QUIET_SECONDS:
            return
        if not finished and now - self._last < 0.05:
            return
        self._last = now
        if share is None or finished:
            share = done / total if total else 1.0
        filled = round(min(share, 1.0) * _WIDTH)
        bar = style("━" * filled, fg="green") + style("━" * (_WIDTH - filled), dim=True)
        echo(f"\r\x1b[K{doing} {bar} {done:,}/{total:,} {rest}", nl=finished, err=True)


def _time_left(seconds: float, done: int, left: int) -> str:
    """Return an estimate of the time left, from the speed so far; "" if it is too early for one."""
    if not done or not left:
        return ""
    minutes, rest = divmod(round(seconds / done * left), 60)
    return f", {minutes} min {rest:02d} s left" if minutes else f", {rest} s left"
