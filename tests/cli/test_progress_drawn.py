"""How far indexing is, as it is drawn on a terminal."""

from __future__ import annotations

import io

import pytest

from quaestor.cli import progress
from quaestor.files.ingest_report import ProgressState


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(monkeypatch: pytest.MonkeyPatch, state: ProgressState) -> str:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(progress, "_QUIET_SECONDS", -1.0)
    progress.indexing_progress()(state)
    return terminal.getvalue()


def test_the_bar_goes_by_the_bytes_that_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "style", lambda text, **how: text.replace("━", "." if how.get("dim") else "#"))
    said = drawn(monkeypatch, ProgressState(90, 100, 7, bytes_done=250, bytes_total=1000))
    assert (said.count("#"), said.count(".")) == (7, 21)
    assert "90/100 files, 7 chunks" in said
    whole = drawn(monkeypatch, ProgressState(100, 100, 9, bytes_done=900, bytes_total=1000))
    assert whole.count("#") == 28
