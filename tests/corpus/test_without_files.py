"""A folder without files over an index in PostgreSQL: answers come from the index, which stays unchanged."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("psycopg")

from postgres_server import PostgresServer
from quaestor import Index
from quaestor.answers.citations.citation_marks import Passage
from quaestor.answers.citations.verify import check_quote
from quaestor.assemble.stores_by_name import open_database
from quaestor.core.config import Settings
from quaestor.core.documents import Chunk
from quaestor.core.errors import IndexUnusableError, NotFoundError
from quaestor.corpus.corpus_json import index_object
from quaestor.files.git_folder import head_commit
from quaestor.stores.postgres import Thresholds
from quaestor.stores.postgres.postgres_store import PostgresStore
from shared_state import copied_database, earlier_version

FILES = {
    "bread.md": "# Bread\n\nThe dough rests for eighteen hours.\n\n\n## Oven\n\nBake at 230 degrees.\n",
    "dough.py": '"""Doughs."""\n\n\n\ndef rest(hours):\n    return hours * 60\n\n\nNAME = "dough"\n',
    "flour.ipynb": json.dumps(
        {"cells": [{"cell_type": "markdown", "source": ["Rye flour is grey."]}], "metadata": {}, "nbformat": 4}
    ),
}
LATIN = "Caf\xe9 au lait, na\xefve and \xe0 point.\n\n   \n".encode("latin-1")
"""Of another encoding, with blanks at its end, which no chunk holds."""


@pytest.fixture
def settings(server_with_tables: PostgresServer, tmp_path: Path) -> Iterator[Settings]:
    with copied_database(server_with_tables) as store:
        yield Settings(home=str(tmp_path / "home"), store=store, corpus="kitchen")


def checked_out(tmp_path: Path) -> Path:
    """Return a checkout of a repository."""
    root = tmp_path / "checkout"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    (root / "latin.md").write_bytes(LATIN)
    author = ("-c", "user.name=A", "-c", "user.email=a@b")
    for command in (["init", "--quiet"], ["add", "."], [*author, "commit", "--quiet", "--message", "Begin"]):
        subprocess.run(["git", "-C", str(root), *command], check=True)
    return root


@pytest.fixture
def commit(settings: Settings, tmp_path: Path) -> str:
    """The commit that a checkout elsewhere was at when it was indexed."""
    root = checked_out(tmp_path)
    Index.build(root, settings=settings).close()
    return head_commit(root)


@pytest.fixture
def index(settings: Settings, commit: str, tmp_path: Path) -> Iterator[Index]:
    (tmp_path / "empty").mkdir()
    with Index.ready(tmp_path / "empty", settings=settings) as index:
        yield index


def test_a_search_says_as_of_when_and_of_which_commit_it_is(index: Index, commit: str) -> None:
    hits = index.search("how long does the dough rest")
    assert {hit.path for hit in hits if hit.fresh} >= {"bread.md", "dough.py"}
    told = index_object(index)
    assert (told["fresh"], told["stored"], told["commit"], len(commit)) == (True, True, commit, 40)
    assert told["checked_at"] == json.loads(index.store.metadata("ingest.taken_in") or "")[0]
    assert told["checked_against"] == "bytes"
    [said] = index.remarks
    assert commit[:12] in said
    assert said.endswith("citations are checked against the bytes that it keeps of them.")


def test_nothing_is_removed_from_the_index(index: Index) -> None:
    assert not index.refresh().any
    assert set(index.store.documents()) == {*FILES, "latin.md"}


def test_documents_are_read_byte_for_byte_from_the_index(index: Index) -> None:
    index.search("dough")
    for name in ("bread.md", "dough.py"):
        assert index.read(name) == index.read_source(name) == FILES[name].encode()
    assert index.read("latin.md") == index.read_source("latin.md") == LATIN
    assert b"Rye flour is grey." in (index.read("flour.ipynb") or b"")
    assert index.read_source("flour.ipynb") is None
    assert index.read_lines("bread.md", 3, 3).text == "The dough rests for eighteen hours."
    with pytest.raises(NotFoundError):
        index.read("other.md")


def test_a_first_index_that_a_search_makes_has_what_makes_searches_fast(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that `quaestor index` makes: an index of vectors, and what the planner has to know."""
    monkeypatch.setitem(PostgresStore.open.__func__.__kwdefaults__, "sizes", Thresholds(exact=1))  # type: ignore[attr-defined]
    with Index.ready(checked_out(tmp_path), settings=settings) as index:
        assert index.store._read(index.store._has_index)  # type: ignore[attr-defined]


def run(settings: Settings, statement: str) -> None:
    open_database(settings.store).write(lambda connection: connection.execute(statement.encode()))


PASSAGES = {
    "bread.md": (Passage(1, "bread.md", 1, 8, FILES["bread.md"]), "rests for eighteen hours"),
    "flour.ipynb": (Passage(1, "flour.ipynb", 1, 1, "Rye flour is grey."), "Rye flour is grey"),
    "latin.md": (Passage(1, "latin.md", 1, 1, "Café au lait"), "naïve and à point"),
}


@pytest.mark.parametrize("path", PASSAGES)
def test_citations_are_checked_against_the_bytes_that_the_index_keeps(
    index: Index, settings: Settings, path: str
) -> None:
    passage, quote = PASSAGES[path]
    run(settings, "DELETE FROM quaestor.chunks")
    assert check_quote(passage, quote, index.read).status == "verified"
    assert check_quote(passage, f"{quote} no more", index.read).status == "unverified"
    run(settings, "UPDATE quaestor.contents SET data = (SELECT data FROM quaestor.contents ORDER BY data DESC LIMIT 1)")
    with pytest.raises(IndexUnusableError, match="do not match their hash"):
        for name in PASSAGES:
            index.read(name)


def chunks(index: Index) -> dict[str, list[tuple[int, Chunk]]]:
    return {path: [(one.id, one.chunk) for one in index.store.chunks_of(path)] for path in PASSAGES}


def test_what_an_earlier_version_indexed_is_checked_against_its_chunks_until_it_is_indexed_again(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    with postgres_server.database("of_before") as store:
        settings = Settings(home=str(tmp_path / "home"), store=store, corpus="kitchen")
        with earlier_version(store, 6):
            root = checked_out(tmp_path)
            Index.build(root, settings=settings).close()
        (tmp_path / "empty").mkdir()
        (root / "dough.py").write_text("changed = True\n")
        with Index.ready(tmp_path / "empty", settings=settings) as index:
            index.search("dough")
            assert index_object(index)["checked_against"] == "chunks"
            assert any("but for 4 documents whose bytes it lacks" in said for said in index.remarks)
            passage, quote = PASSAGES["bread.md"]
            assert check_quote(passage, quote, index.read).status == "verified"
            before = chunks(index)
            with Index.ready(root, settings=settings) as searching:
                searching.search("dough")
            assert len(index.store.unkept_paths()) == 3  # type: ignore[attr-defined]
            Index.build(root, settings=settings).close()
            index.search("dough")
            assert index_object(index)["checked_against"] == "bytes"
            assert (index.read("latin.md"), index.read("dough.py")) == (LATIN, b"changed = True\n")
            assert chunks(index) == before, "nothing is made anew for it"
            assert index.store.check() == []  # type: ignore[attr-defined]
        open_database(store).close()


def test_files_that_come_are_taken_in(index: Index) -> None:
    (index.root / "soup.md").write_text("# Soup\n\nLeek and potato.\n", encoding="utf-8")
    assert index.refresh().added == ("soup.md",)
    assert not index.freshness.stored
