"""Evaluation corpora never get into training, whatever a clone of them is called."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from quaestor.errors import ForbiddenError, NotFoundError
from quaestor.training import gather
from quaestor.training.refused import canonical, refusal
from quaestor.training.sources import list_blobs, open_source, read_blobs

MIT = "Permission is hereby granted, free of charge, to any person ... without restriction ..."


def repository(folder: Path, files: dict[str, str], remote: str | None = None) -> Path:
    """Make a git repository of one commit."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    empty = str(folder.parent / "no-config")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": empty, "GIT_CONFIG_SYSTEM": empty}

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
        subprocess.run(["git", *who, "-C", str(folder), *arguments], check=True, capture_output=True, env=environment)

    git("init")
    git("add", ".")
    git("commit", "-m", "Keep the first words together")
    if remote:
        git("remote", "add", "origin", remote)
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "pallets/flask",
        "PALLETS/Flask",
        "https://github.com/pallets/flask.git",
        "git@github.com:pallets/flask.git",
        "ssh://git@example.org:2222/mirror/flask/",
        "someone-else/flask",
        "psf/requests",
        "ziglang/zig",
        "simonw/til",
        "python/peps",
        "git/git",
        "nvim-mini/mini.nvim",
        "MessagePack-CSharp/MessagePack-CSharp",
    ],
)
def test_evaluation_corpora_are_refused(name: str) -> None:
    assert refusal([name])


@pytest.mark.parametrize("name", ["jbranchaud/til", "tornadoweb/tornado", "pallets/jinja", "fork/flask-login"])
def test_others_are_not(name: str) -> None:
    assert refusal([name]) is None


def test_one_bad_name_among_many_is_enough() -> None:
    assert refusal(["me/my-copy", "https://example.org/x/y", "https://github.com/Encode/HTTPX"])


def test_names_are_compared_without_form() -> None:
    assert canonical("git@github.com:A/B.git") == canonical("https://github.com/a/b") == "a/b"


def test_a_clone_is_refused_by_its_remote(tmp_path: Path) -> None:
    folder = repository(tmp_path / "mine", {"LICENSE": MIT}, "https://github.com/aio-libs/AioHTTP.git")
    with pytest.raises(ForbiddenError, match="evaluation"):
        open_source(folder, "me/mine")


def test_a_clone_is_refused_by_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ForbiddenError, match="evaluation"):
        open_source(repository(tmp_path / "tokio", {"LICENSE": MIT}))


@pytest.mark.parametrize("licence", ["", "GNU General Public License, version 3", "Mozilla Public License 2.0"])
def test_only_permissive_licences_are_taken(tmp_path: Path, licence: str) -> None:
    with pytest.raises(ForbiddenError, match="permissive"):
        open_source(repository(tmp_path / "thing", {"LICENSE": licence, "a.py": "x = 1"}))


def test_a_copyleft_file_beside_a_permissive_one_refuses_both(tmp_path: Path) -> None:
    files = {
        "COPYING": "GNU General Public License, version 3",
        "licenses/MIT": MIT,
        "LICENSE-MIT": MIT,
        "a.py": "x = 1",
    }
    with pytest.raises(ForbiddenError, match="permissive"):
        open_source(repository(tmp_path / "thing", files))


def test_a_folder_that_is_no_repository_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no git repository"):
        open_source(tmp_path)


def test_a_source_knows_its_commit_and_licence(tmp_path: Path) -> None:
    source = open_source(repository(tmp_path / "thing", {"LICENSE": MIT, "a.py": "x = 1\n"}), "me/thing")
    assert (source.name, source.licence, len(source.commit)) == ("me/thing", "MIT", 40)
    blobs = list_blobs(source.git_dir)
    assert {blob.path: data for blob, data in read_blobs(source.git_dir, blobs)}["a.py"] == b"x = 1\n"


def test_gathering_reports_refusals_and_goes_on(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code = '"""A module."""\n\n\ndef wait_longer(times):\n    """Wait twice as long after each failed attempt."""\n'
    code += "    for number in range(times):\n        sleep(2 ** number)\n" + "    pause(times)\n" * 12
    good = repository(tmp_path / "good", {"LICENSE": MIT, "a.py": code})
    bad = repository(tmp_path / "flask", {"LICENSE": MIT})
    assert gather.main([str(bad), str(good), "--out", str(tmp_path / "out"), "--processes", "1"]) == 0
    rows = (tmp_path / "out" / "sources.tsv").read_text("utf-8").splitlines()
    assert [row.split("\t")[0] for row in rows] == ["good"]
    assert "evaluation corpus" in capfd.readouterr().err
