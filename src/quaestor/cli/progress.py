"""Progress bars on stderr, for people only: nothing is drawn where stderr is not a terminal."""

from __future__ import annotations

import sys
import time

import click

from quaestor.ingest.indexer import Progress, ProgressState

# Work shorter than this finishes before a bar could be read.
_QUIET_SECONDS = 0.5
_WIDTH = 28


def indexing_progress() -> Progress:
    """Return a callable that draws how far indexing is; it draws nothing for short work."""
    started = time.monotonic()
    last = 0.0

    def draw(state: ProgressState) -> None:
        nonlocal last
        now = time.monotonic()
        finished = state.done >= state.total
        if not sys.stderr.isatty() or now - started < _QUIET_SECONDS:
            return
        if not finished and now - last < 0.05:
            return
        last = now
        click.echo(f"\r\x1b[K{_line(state)}", nl=finished, err=True)

    return draw


def _line(state: ProgressState) -> str:
    share = state.done / state.total if state.total else 1.0
    filled = round(share * _WIDTH)
    bar = click.style("━" * filled, fg="green") + click.style("━" * (_WIDTH - filled), dim=True)
    return f"indexing {bar} {state.done:,}/{state.total:,} files, {state.chunks:,} chunks"
