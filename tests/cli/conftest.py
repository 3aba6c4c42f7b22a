"""Every test of the command line has a data folder of its own and no settings from outside."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest
from cli_parts import FILES, Outcome, Run, aged, standard_input, write

from quaestor.cli import run
from scripted_server import scripted_server  # noqa: F401 - a fixture
from servers.threads import free_port

# An unbuffered Python drops the rest of a write that a closing pipe cut short, and does not say so.
FOREIGN = ("NO_COLOR", "FORCE_COLOR", "PYTHONUNBUFFERED", "PYTHONIOENCODING")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder; nothing of the machine's settings is seen."""
    for name in list(os.environ):
        if name.startswith(("QUAESTOR_", "OPENAI_", "GIT_")) or name in FOREIGN:
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    monkeypatch.setenv("QUAESTOR_HOME", str(folder))
    monkeypatch.setenv("PYTHONUTF8", "1")
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three files in three languages."""
    return aged(write(tmp_path / "repository", dict(FILES)))


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    """The port that ``quaestor doctor`` looks at: nobody else's."""
    found = free_port()
    monkeypatch.setattr("quaestor.cli.health_checks.PORT", found)
    return found


@pytest.fixture
def quaestor(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process."""

    def call(*arguments: object, typed: Sequence[str] | None = None) -> Outcome:
        capfd.readouterr()
        with nullcontext() if typed is None else standard_input(typed):
            code = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call
