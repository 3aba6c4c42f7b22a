"""An index in a database: the same commands find the same, and it moves without being made again."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_parts import FILES, Run, write

from postgres_server import PASSWORD, PostgresServer


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


def test_an_index_moves_there_and_back_without_being_made_again(quaestor: Run, tmp_path: Path, store: str) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    write(one, FILES)
    quaestor("index", one)
    there = quaestor("store", "copy", one, store, "--corpus", "moved", "--json").json
    assert there["written"] == there["documents"] > 0
    (one / "later.py").write_text("later = 1\n")
    quaestor("index", one)
    (one / "later.py").write_text("later = 2\n")
    once_more = quaestor("store", "copy", one, store, "--corpus", "moved")
    assert "1 file changed since it was indexed" in once_more.err
    assert "1 written" in once_more.out
    assert "moved" in {
        found["name"] for found in quaestor("store", "corpora", "--store", store, "--json").json["corpora"]
    }
    (one / "later.py").unlink()
    quaestor("index", one)
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
    assert (refused.code, "There are no files in" in refused.sentence) == (2, True)
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
        (["store", "corpora"], 2, "No database is named"),
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


def test_a_wrong_password_is_not_shown(quaestor: Run, tmp_path: Path, store: str) -> None:
    write(tmp_path, FILES)
    done = quaestor("index", tmp_path, "--store", store.replace("/commands", "/nowhere"))
    assert done.code == 4
    assert "check the names in the address" in done.sentence
    assert PASSWORD not in done.err
    shown = quaestor("config", "show", "--json", tmp_path)
    assert shown.json["store"]["value"] == "embedded"
