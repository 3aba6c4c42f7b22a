"""``quaestor index``: what it does the first time, the second time, and when it is told not to write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli_parts import FILES, RETRY, Run, contents, shell, write


def test_first_run_takes_everything_in(quaestor: Run, repository: Path) -> None:
    done = quaestor("index", repository)
    assert done.code == 0
    assert done.out.startswith(f"{repository}: 3 documents, ")
    assert "3 new" in done.out


def test_second_run_touches_only_what_changed(quaestor: Run, repository: Path) -> None:
    quaestor("index", repository)
    assert quaestor("index", "--json", repository).json["unchanged"] == 3
    write(repository, {"src/retry.py": RETRY + "\n\ndef give_up():\n    raise SystemExit\n", "src/new.py": "NEW = 1\n"})
    (repository / "shop/cart.go").unlink()
    done = quaestor("index", "--json", repository)
    changes = done.json
    assert done.err == ""
    assert changes["added"] == ["src/new.py"]
    assert changes["changed"] == ["src/retry.py"]
    assert changes["removed"] == ["shop/cart.go"]
    assert changes["unchanged"] == 1
    assert changes["stale"] == []
    assert changes["index"]["documents"] == 3
    assert changes["index"]["languages"] == {"markdown": 1, "python": 2}


def test_who_has_an_index_of_other_settings_is_told_in_one_line_that_all_is_read_anew(
    quaestor: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An earlier version differs from this one as other settings do: in the recipe that the index keeps."""
    told = "The index was made by an earlier version or with other settings, so every file is read anew."
    assert told not in quaestor("index", repository).out
    monkeypatch.setenv("QUAESTOR_CHUNK_TARGET", "300")
    assert quaestor("index", repository).out.count(told) == 1
    assert told not in quaestor("index", repository).out
    monkeypatch.setenv("QUAESTOR_CHUNK_TARGET", "200")
    assert told in quaestor("search", "retry", repository).err
    assert quaestor("index", "--json", repository).json["anew"] is False


def test_the_repository_itself_is_not_written_to(quaestor: Run, repository: Path) -> None:
    before = contents(repository)
    quaestor("index", repository)
    quaestor("search", "retry", repository)
    assert contents(repository) == before


def test_dry_run_writes_nothing(quaestor: Run, repository: Path, home: Path) -> None:
    done = quaestor("index", "--dry-run", repository)
    assert done.code == 0
    assert "documents   3 (" in done.out
    assert "tokens      " in done.out
    assert not home.exists()


def test_dry_run_leaves_an_index_as_it_is(quaestor: Run, repository: Path, home: Path) -> None:
    quaestor("index", repository)
    before = contents(home)
    write(repository, {"src/new.py": "NEW = 1\n"})
    survey = quaestor("index", "--dry-run", "--json", repository).json
    assert survey["documents"] == 4
    assert (
        survey["words"]["total"] >= survey["words"]["most"] >= survey["words"]["mean"] >= survey["words"]["least"] > 0
    )
    assert survey["tokens"] > 100
    assert survey["bytes"] == sum(len(text) for text in FILES.values()) + len("NEW = 1\n")
    assert contents(home) == before


def test_rebuild_begins_anew(quaestor: Run, repository: Path) -> None:
    quaestor("index", repository)
    assert len(quaestor("index", "--rebuild", "--json", repository).json["added"]) == 3
    assert quaestor("search", "--json", "send_with_retry", repository).json["hits"][0]["path"] == "src/retry.py"


def test_what_is_left_out_is_told(quaestor: Run, repository: Path) -> None:
    write(
        repository, {".gitignore": "*.log\n", "a.log": "noise\n", ".env": "KEY=1\n", "logo.png": b"\x89PNG\r\n\x1a\n\0"}
    )
    done = quaestor("index", "--verbose", repository)
    assert "left out    " in done.out
    assert "  a.log  (ignored)" in done.out
    assert "  .env  (secret)" in done.out
    assert "logo.png" in done.out
    reasons = {entry["path"]: entry["reason"] for entry in quaestor("index", "--json", repository).json["skipped"]}
    assert reasons[".env"] == "secret"
    assert reasons["a.log"] == "ignored"


def test_a_single_file_can_be_indexed(quaestor: Run, repository: Path) -> None:
    assert quaestor("index", repository / "src/retry.py").out.startswith(f"{repository}/src/retry.py: 1 document, ")
    [hit, *_] = quaestor("search", "--json", "send_with_retry", repository / "src/retry.py").json["hits"]
    assert hit["path"] == "retry.py"


@pytest.mark.parametrize("marker", [".git/HEAD", None])
def test_without_a_path_the_repository_around_is_meant(
    quaestor: Run, repository: Path, monkeypatch: pytest.MonkeyPatch, marker: str | None
) -> None:
    if marker:
        write(repository, {marker: "ref: refs/heads/main\n"})
    monkeypatch.chdir(repository / "src")
    documents = quaestor("index", "--json").json["index"]["documents"]
    assert documents == (3 if marker else 1)


def test_a_relative_path_and_a_link_mean_the_same_index(
    quaestor: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quaestor("index", repository)
    link = repository.parent / "link"
    link.symlink_to(repository)
    monkeypatch.chdir(repository.parent)
    assert quaestor("index", "--json", "repository").json["unchanged"] == 3
    assert quaestor("index", "--json", link).json["unchanged"] == 3


def test_as_a_process(repository: Path) -> None:
    done = shell("index", os.fspath(repository))
    assert (done.code, done.err) == (0, "")
    assert "3 new" in done.out
