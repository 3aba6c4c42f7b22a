"""The reason why one path is left out agrees with the walk."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from quaestor.files.walk import walk
from quaestor.files.walk_rules import left_out


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("a.py", None),
        ("new/b.py", None),
        (".env", "secret"),
        ("build/out.txt", "ignored"),
        ("node_modules/a.js", "dependencies"),
        ("sub/secret.log", "ignored"),
        ("sub/kept.log", None),
        ("logo.png", "binary"),
        (".ssh/config", "secret"),
    ],
)
def test_reasons(tmp_path: Path, path: str, reason: str | None) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("build/\n*.log\n", encoding="utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.gitignore").write_text("!kept.log\n", encoding="utf-8")
    assert left_out(tmp_path, path) == reason
    place = tmp_path / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"x\n")
    assert left_out(tmp_path, path) == reason
    assert (path in {file.path for file in walk(tmp_path).added}) == (reason is None)
