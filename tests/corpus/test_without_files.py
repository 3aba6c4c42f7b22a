"""A folder without files over an index in PostgreSQL: answers of what the index keeps, which is left as it is."""

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
from quaestor.core.config import Settings
from quaestor.core.errors import NotFoundError
from quaestor.corpus.corpus_json import index_object
from quaestor.files.git_folder import head_commit
from shared_state import copied_database

FILES = {
    "bread.md": "# Bread\n\nThe dough rests for eighteen hours.\n\n\n## Oven\n\nBake at 230 degrees.\n",
    "dough.py": '"""Doughs."""\n\n\n\ndef rest(hours):\n    return hours * 60\n\n\nNAME = "dough"\n',
    "flour.ipynb": json.dumps(
        {"cells": [{"cell_type": "markdown", "source": ["Rye flour is grey."]}], "metadata": {}, "nbformat": 4}
    ),
}


@pytest.fixture
def settings(server_with_tables: PostgresServer, tmp_path: Path) -> Iterator[Settings]:
    with copied_database(server_with_tables) as store:
        yield Settings(home=str(tmp_path / "home"), store=store, corpus="kitchen")


@pytest.fixture
def commit(settings: Settings, tmp_path: Path) -> str:
    """The commit that a checkout elsewhere was at when it was indexed."""
    root = tmp_path / "checkout"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    author = ("-c", "user.name=A", "-c", "user.email=a@b")
    for command in (["init", "--quiet"], ["add", "."], [*author, "commit", "--quiet", "--message", "Begin"]):
        subprocess.run(["git", "-C", str(root), *command], check=True)
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
    assert any(commit[:12] in said and "checked against what it keeps" in said for said in index.remarks)


def test_nothing_is_removed_from_the_index(index: Index) -> None:
    assert not index.refresh().any
    assert set(index.store.documents()) == set(FILES)


def test_documents_are_read_byte_for_byte_from_the_index(index: Index) -> None:
    index.search("dough")
    for name in ("bread.md", "dough.py"):
        assert index.read(name) == index.read_source(name) == FILES[name].encode()
    assert b"Rye flour is grey." in (index.read("flour.ipynb") or b"")
    assert index.read_source("flour.ipynb") is None
    assert index.read_lines("bread.md", 3, 3).text == "The dough rests for eighteen hours."
    with pytest.raises(NotFoundError):
        index.read("other.md")


def test_citations_are_checked_against_what_the_index_keeps(index: Index) -> None:
    passage = Passage(1, "bread.md", 1, 8, FILES["bread.md"])
    assert check_quote(passage, "rests for eighteen hours", index.read).status == "verified"
    assert check_quote(passage, "rests for eighteen days", index.read).status == "unverified"


def test_files_that_come_are_taken_in(index: Index) -> None:
    (index.root / "soup.md").write_text("# Soup\n\nLeek and potato.\n", encoding="utf-8")
    assert index.refresh().added == ("soup.md",)
    assert not index.freshness.stored
