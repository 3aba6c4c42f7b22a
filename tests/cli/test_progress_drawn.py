"""How far indexing is, as it is drawn on a terminal."""

from __future__ import annotations

import io
import re

import pytest

from quaestor.cli import progress
from quaestor.files.ingest_report import ProgressState


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(monkeypatch: pytest.MonkeyPatch, state: ProgressState) -> str:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(progress, "_QUIET_SECONDS", -1.0)
    progress.indexing_progress()(state)
    return terminal.getvalue()


def bar(said: str) -> tuple[int, int]:
    """Return how long the green and the dim part of the bar are."""
    green, dim = re.findall(r"\x1b\[32m(━*)\x1b\[0m\x1b\[2m(━*)\x1b\[0m", said)[-1]
    return len(green), len(dim)


def test_the_bar_goes_by_the_bytes_that_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    said = drawn(monkeypatch, ProgressState(90, 100, 7, bytes_done=250, bytes_total=1000))
    assert bar(said) == (7, 21)
    assert "90/100 files, 7 chunks" in said
    assert bar(drawn(monkeypatch, ProgressState(100, 100, 9, bytes_done=900, bytes_total=1000))) == (28, 0)
