"""An index in a database: the same commands find the same, and it moves without being made again."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_parts import FILES, Run, write

from missing_packages import run_without
from postgres_server import PASSWORD, PostgresServer
from tiny_transformer import write_transformer


@pytest.fixture(scope="module")
def store(postgres_server: PostgresServer) -> Iterator[str]:
    with postgres_server.database("commands") as address:
        yield address


def hits(done: object) -> list[tuple[object, ...]]:
    return [(hit["path"], hit["start_line"], hit["score"]) for hit in done.json["hits"]]  # type: ignore[attr-defined]


def test_the_same_commands_find_the_same(quaestor: Run, tmp_path: Path, store: str) -> None:
    write(tmp_path, FILES)
    assert quaestor("index", tmp_path, "--store", store).code == 0
    assert quaestor("index", tmp_path).code == 0
    for query in ("total of a cart", "tax", "how is a price rounded?"):
        embedded, shared = (quaestor("search", "--json", query, tmp_path, *more) for more in ([], ["--store", store]))
        assert hits(shared) == hits(embedded)
    asked = quaestor("ask", "--json", "how is the total of a cart computed?", tmp_path, "--store", store)
    assert asked.code in (0, 1)
    (tmp_path / "new.py").write_text("def unheard_of_before():\n    return 1\n")
    assert hits(quaestor("search", "--json", "unheard_of_before", tmp_path, "--store", store))[0][0] == "new.py"
    assert quaestor("store", "check", tmp_path, "--store", store).out == "nothing is wrong\n"
    assert quaestor("store", "vacuum", tmp_path, "--store", store).code == 0
    assert quaestor("index", tmp_path, "--store", store, "--rebuild").code == 0


def test_who_gives_a_shared_index_another_embedder_is_told_that_all_have_it(
    quaestor: Run, tmp_path: Path, store: str
) -> None:
    root, model = write(tmp_path / "root", FILES), write_transformer(tmp_path / "model")
    assert "everybody" not in quaestor("index", root, "--store", store).err
    done = quaestor("index", root, "--store", store, "--embedder", f"onnx:{model}")
    assert done.code == 0
    assert "The index now has the embedder onnx-" in done.err
    assert "This holds for everybody who uses this database." in done.err
    assert "embedder" not in quaestor("index", root, "--store", store).err


def test_an_index_moves_there_and_back_without_being_made_again(
    quaestor: Run, tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    write(one, FILES)
    for path in map(one.joinpath, FILES):
        os.utime(path, (1_600_000_000, 1_600_000_000))  # a file that was only just written is looked at once more
    quaestor("index", one)
    there = quaestor("store", "copy", one, store, "--corpus", "moved", "--json").json
    assert there["written"] == there["documents"] > 0
    (one / "later.py").write_text("later = 1\n")
    quaestor("index", one)
    (one / "later.py").write_text("later = 2\n")
    once_more = quaestor("store", "copy", one, store, "--corpus", "moved")
    assert "1 file changed since being indexed" in once_more.err
    assert "1 written" in once_more.out
    assert "moved" in {
        found["name"] for found in quaestor("store", "corpora", "--store", store, "--json").json["corpora"]
    }
    (one / "later.py").unlink()
    quaestor("index", one)
    quaestor("store", "copy", one, store, "--corpus", "moved")
    with monkeypatch.context() as shared:
        shared.setenv("QUAESTOR_CORPUS", "moved")
        taken_over = quaestor("index", one, "--store", store, "--json").json
        assert (taken_over["changed"], taken_over["embedded"]) == ([], 0)
    there = quaestor("store", "copy", one, store, "--corpus", "moved", "--json").json
    write(other, FILES)
    back = quaestor("store", "copy", store, other, "--corpus", "moved", "--json").json
    assert back["digest"] == there["digest"]
    found = hits(quaestor("search", "--json", "total of a cart", one))
    assert found
    assert hits(quaestor("search", "--json", "total of a cart", other)) == found


def test_a_shared_index_is_not_begun_anew_from_where_no_files_are(
    quaestor: Run, tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUAESTOR_CORPUS", "guarded")
    write(tmp_path / "checkout", FILES)
    (tmp_path / "empty").mkdir()
    shared = ("--store", store)
    quaestor("index", tmp_path / "checkout", *shared)
    refused = quaestor("index", tmp_path / "empty", *shared, "--rebuild")
    assert (refused.code, "holds no files to rebuild" in refused.sentence) == (2, True)
    assert hits(quaestor("search", "--json", "total of a cart", tmp_path / "empty", *shared))


def test_a_corpus_is_named_after_the_repository_wherever_it_lies(quaestor: Run, tmp_path: Path, store: str) -> None:
    for name, remote in (("laptop", "git@Example.org:team/shop.git"), ("ci", "https://ci:key@example.org/team/shop")):
        write(tmp_path / name, FILES)
        subprocess.run(["git", "init", "-q", tmp_path / name], check=True)
        subprocess.run(["git", "-C", tmp_path / name, "remote", "add", "origin", remote], check=True)
        quaestor("index", tmp_path / name, "--store", store)
    names = [found["name"] for found in quaestor("store", "corpora", "--store", store, "--json").json["corpora"]]
    assert names.count("example.org/team/shop") == 1
    assert not [name for name in names if name.startswith("ci") or "key" in name]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["store", "drop"], 2, "Name the indexes to delete"),
        (["store", "drop", "nowhere"], 2, "There is no index of 'nowhere' on this machine"),
        (
            ["store", "drop", "--gone", "--store", "postgresql://me:hidden@127.0.0.1:1/db"],
            2,
            "for indexes on this machine",
        ),
        (["store", "copy", ".", "."], 2, "Give a folder and the address"),
        (["search", "x", "--store", "mysql://me:hidden@host/db"], 2, "There is no store 'mysql'"),
        (["index", "--store", "postgresql://me:hidden@127.0.0.1:1/db"], 4, "cannot be reached"),
        (["store", "check"], 2, "No database is named"),
    ],
)
def test_what_cannot_be_done_is_told(
    quaestor: Run, tmp_path: Path, arguments: list[str], code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    done = quaestor(*arguments)
    assert done.code == code
    assert said in done.sentence
    assert "hidden" not in done.err


def test_without_a_database_the_part_for_databases_is_not_needed(tmp_path: Path) -> None:
    code = "import sys; from quaestor.cli import run; print(run(['store', sys.argv[1]]))"
    for number, command in enumerate(("check", "vacuum")):
        assert run_without("psycopg", tmp_path / f"site{number}", code, command) == "2\n"


def test_a_wrong_password_is_not_shown(quaestor: Run, tmp_path: Path, store: str) -> None:
    write(tmp_path, FILES)
    done = quaestor("index", tmp_path, "--store", store.replace("/commands", "/nowhere"))
    assert done.code == 4
    assert "check the names in the address" in done.sentence
    assert PASSWORD not in done.err
    shown = quaestor("config", "show", "--json", tmp_path)
    assert shown.json["store"]["value"] == "embedded"


def listed(quaestor: Run, *arguments: object) -> dict[str, dict[str, object]]:
    corpora = quaestor("store", "corpora", "--json", *arguments).json["corpora"]
    return {str(one.get("source") or one.get("name") or Path(one["folder"]).name): one for one in corpora}


def test_indexes_on_this_machine_are_listed_and_the_one_that_is_named_is_deleted(
    quaestor: Run, tmp_path: Path, home: Path
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        write(folder, FILES)
        quaestor("index", folder)
    assert set(listed(quaestor)) == {str(one), str(other)}
    assert listed(quaestor)[str(one)]["documents"] == len(FILES)
    assert str(other) in quaestor("store", "corpora").out
    asked = quaestor("store", "drop", one)
    assert (asked.code, "give --yes" in asked.sentence, len(listed(quaestor))) == (2, True, 2)
    assert f"deleted: {one}" in quaestor("store", "drop", one, "--yes").out
    assert set(listed(quaestor)) == {str(other)}
    assert sorted(path.name for folder in (home / "indexes").glob("one-*") for path in folder.iterdir()) == ["lock"]
    assert (one / next(iter(FILES))).read_text() == FILES[next(iter(FILES))]
    assert hits(quaestor("search", "--json", "total of a cart", one))


def test_the_indexes_of_deleted_folders_are_found_and_deleted(quaestor: Run, tmp_path: Path) -> None:
    kept, moved = tmp_path / "kept", tmp_path / "moved"
    for folder in (kept, moved):
        write(folder, FILES)
        quaestor("index", folder)
    moved.rename(tmp_path / "elsewhere")
    assert [name for name, one in listed(quaestor).items() if one["gone"]] == [str(moved)]
    assert "its folder is gone" in quaestor("store", "corpora").out
    assert quaestor("store", "drop", "--gone", "--yes").code == 0
    assert set(listed(quaestor)) == {str(kept)}
    assert "Every folder that has an index exists" in quaestor("store", "drop", "--gone").err


@pytest.mark.parametrize("note", [b"/of/another/index", b"\xff\x00", None])
def test_an_index_that_does_not_say_what_it_is_of_is_deleted_by_its_name(
    quaestor: Run, tmp_path: Path, home: Path, note: bytes | None
) -> None:
    write(tmp_path / "shop", FILES)
    quaestor("index", tmp_path / "shop")
    (folder,) = (home / "indexes").iterdir()
    (folder / "source").unlink() if note is None else (folder / "source").write_bytes(note)
    (folder / "index.sqlite3").write_bytes(b"no database")
    assert (listed(quaestor)[folder.name]["embedder"], "cannot be read" in quaestor("store", "corpora").out) == (
        "",
        True,
    )
    assert quaestor("store", "drop", folder.name, "--yes").code == 0
    assert not listed(quaestor)


def test_what_lies_where_an_index_should_is_listed_and_deleted(quaestor: Run, home: Path) -> None:
    for name, make in (("folder", Path.mkdir), ("pipe", os.mkfifo), ("link", lambda path: path.symlink_to("/nowhere"))):
        (home / "indexes" / name).mkdir(parents=True)
        make(home / "indexes" / name / "index.sqlite3")
    assert {(name, one["size"], one["embedder"]) for name, one in listed(quaestor).items()} >= {
        ("folder", 0, ""),
        ("pipe", 0, ""),
    }
    assert quaestor("store", "drop", "folder", "pipe", "--yes").code == 0
    assert not {"folder", "pipe"} & set(listed(quaestor))


def test_a_corpus_of_a_database_is_deleted_for_all(
    quaestor: Run, tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, FILES)
    for name in ("dropped", "staying"):
        monkeypatch.setenv("QUAESTOR_CORPUS", name)
        quaestor("index", tmp_path, "--store", store)
    asked = quaestor("store", "drop", "dropped", "--store", store)
    assert (asked.code, "for everybody" in asked.sentence) == (2, True)
    assert quaestor("store", "drop", "dropped", "--store", store, "--yes").code == 0
    assert {"dropped", "staying"} & set(listed(quaestor, "--store", store)) == {"staying"}
    # A folder names the corpus that it would be indexed into.
    assert quaestor("store", "drop", tmp_path, "--store", store, "--yes").code == 0
    again = quaestor("store", "drop", tmp_path, "--store", store, "--yes")
    assert (again.code, "There is no corpus 'staying'" in again.sentence) == (2, True)
