"""The project's name, read from the repository and never by running git."""

from __future__ import annotations

from pathlib import Path

import pytest

from quaestor.files.git_folder import project_name


def repository(root: Path, config: str) -> Path:
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text(config, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/owner/thing.git", "thing"),
        ("git@example.org:owner/thing.nvim.git", "thing.nvim"),
        ("/srv/git/thing/", "thing"),
        ("ssh://git@example.org:22/owner/thing", "thing"),
    ],
)
def test_the_origin_names_it(tmp_path: Path, url: str, name: str) -> None:
    fork = '[core]\n\tbare = false\n[remote "fork"]\n\turl = x/other\n'
    config = f'{fork}[remote "origin"]\n\turl = {url}\n[branch "main"]\n'
    root = repository(tmp_path / "folder", config)
    (root / "src").mkdir()
    assert project_name(root / "src") == name


def test_without_an_origin_the_folder_names_it(tmp_path: Path) -> None:
    assert project_name(repository(tmp_path / "thing", "[core]\n")) == "thing"


def test_odd_configurations(tmp_path: Path) -> None:
    assert project_name(repository(tmp_path / "a", '[remote "origin"]\n\turl = ///\n')) == ""
    assert project_name(repository(tmp_path / "b", "\0\xff[remote")) == "b"


def test_outside_of_repositories_there_is_none(tmp_path: Path) -> None:
    assert project_name(tmp_path) == ""
