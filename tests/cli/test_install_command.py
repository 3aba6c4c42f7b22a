"""``quaestor install`` and ``uninstall`` with a home folder of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return the command, run as a process whose home folder is a temporary one."""
    (tmp_path / "home").mkdir()

    def call(*arguments: str, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "quaestor", *arguments],
            env={
                **os.environ,
                "HOME": str(tmp_path / "home"),
                "APPDATA": str(tmp_path / "home"),
                "PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path))),
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            },
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
        )

    return call


def test_there_and_back(run: Run, tmp_path: Path) -> None:
    settings = tmp_path / "home" / ".cursor" / "mcp.json"
    shown = run("install", "cursor", "--dry-run")
    assert shown.returncode == 0
    assert '+    "quaestor": {' in shown.stdout
    assert not settings.exists()
    assert run("install", "cursor", str(tmp_path)).returncode == 0
    entry = json.loads(settings.read_text(encoding="utf-8"))["mcpServers"]["quaestor"]
    assert Path(entry["command"]).name.startswith("quaestor")
    assert entry["args"] == ["mcp", str(tmp_path)]
    assert "Nothing to do" in run("install", "cursor", str(tmp_path)).stderr
    gone = run("uninstall", "cursor")
    assert (gone.returncode, settings.exists()) == (0, False)
    assert "Removed" in gone.stderr


@pytest.mark.parametrize(("client", "told"), [("claude-desktop", True), ("codex", False), ("cursor", False)])
def test_a_program_without_a_folder_of_its_own_is_told_of_this_one(
    run: Run, tmp_path: Path, client: str, told: bool
) -> None:
    shown = run("install", client, "--dry-run").stdout
    assert "mcp" in shown
    assert (f'"{tmp_path}"' in shown) == told


@pytest.mark.parametrize("folder", ["home", pytest.param("/", marks=pytest.mark.slow)])
def test_a_server_that_is_started_just_anywhere_says_what_to_do(run: Run, tmp_path: Path, folder: str) -> None:
    started = run("mcp", cwd=tmp_path / folder)
    assert started.returncode == 2
    assert "quaestor install CLIENT PATH" in started.stderr


def test_a_project_of_its_own(run: Run, tmp_path: Path) -> None:
    assert run("install", "claude-code", "--project").returncode == 0
    assert json.loads((tmp_path / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]["quaestor"]["type"] == "stdio"


def test_the_text_for_agents(run: Run) -> None:
    shown = run("install", "skill")
    assert "quaestor search" in shown.stdout


def test_mistakes(run: Run) -> None:
    assert run("install", "emacs").returncode == 2
    failed = run("uninstall", "zed")
    assert failed.returncode == 2
    assert "nothing to remove" in failed.stderr
