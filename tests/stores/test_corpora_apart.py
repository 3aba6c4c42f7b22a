"""Every statement of the PostgreSQL store names its corpus, so that Citus can distribute corpora."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from postgres_server import PostgresServer

pytest.importorskip("psycopg")

from postgres_parts import IN_SEGMENTS, Opened, put, several, use_everything
from store_factories import entry

import quaestor.stores.postgres
from quaestor.stores.copy_index import copy_store
from quaestor.stores.postgres import THRESHOLDS, Thresholds
from quaestor.stores.postgres.corpus_states import TABLES, list_corpora
from quaestor.stores.postgres.database_health import examine_corpus
from quaestor.stores.postgres.leased_work import LeasedWork
from quaestor.stores.postgres.postgres_store import PostgresStore
from quaestor.stores.shared_store import WorkItem

PACKAGE = Path(quaestor.stores.postgres.__file__).parent
OF_ALL_CORPORA = (
    "ANALYZE quaestor.",
    "VACUUM (ANALYZE) quaestor.",
    "SELECT c.name, s.embedder, s.generation",  # what `quaestor store corpora` lists
)

_TABLE = rf"(?<!')quaestor\.(?:{'|'.join(TABLES)})\b"
_VALUE = r"(?:\$\d+|\d+)\b"


def share_work(store: PostgresStore) -> None:
    """Take part in filling a corpus as several processes do."""
    items = [WorkItem(f"{number}.py", 10, 1) for number in range(20, 23)]
    with store.sharing() as work:
        assert isinstance(work, LeasedWork)
        work.offer(items)
        first, second, _ = work.take(3, ())
        work._renew()
        work.give_back([second])
        assert work.count_remaining(()) == 3
        with store.writing() as writer:
            several(20)[0].put(writer)
            work.finish(writer, [first])


def grow_and_wear_out(store: PostgresStore) -> None:
    """Take in so much that the planner is told, and change so much that vectors go that nothing uses."""
    put(store, entry("many.py", [f"x {number}" for number in range(1100)]))
    store.settle()
    for number in range(3):
        put(store, *several(30 + number))
        with store.writing() as writer:
            writer.remove(f"{30 + number}.py")


def statements(log: str) -> list[str]:
    """Return the statements that a server notes in its log."""
    return re.findall(r"(?:statement|execute <unnamed>): (.*?)(?=\n\d{4}-|\Z)", log, re.DOTALL)


def texts_about_corpora() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield each text in the package that names a table of corpora, with what the server is sent of it."""
    for path in sorted(PACKAGE.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr | ast.Constant) and not {id(node)} & (said | parts):
                pattern = "".join(_sent(part) for part in getattr(node, "values", [node]))
                if re.search(rf"quaestor\\\.(?:{'|'.join(TABLES)}|\.\*)", pattern):
                    yield f"{path.name}:{node.lineno}", re.compile(pattern, re.DOTALL)


def _sent(part: ast.AST) -> str:
    """Return what is sent of a part of a text, as a pattern: parameters have numbers there."""
    if not isinstance(part, ast.Constant):
        return ".*"
    return ".*".join(map(re.escape, re.split(r"%[sb]|%\(\w+\)s", part.value))) if isinstance(part.value, str) else ""


def unbound(statement: str) -> list[str]:
    """Return the corpora's tables in a statement whose corpus it leaves open."""
    bound = re.findall(rf"(?:(\w+)\.)?corpus_id = {_VALUE}", statement)
    known = set(bound) - {""}
    for _ in range(3):
        for pair in re.findall(r"(\w+)\.corpus_id = (\w+)\.corpus_id", statement):
            known.update(pair if known & set(pair) else ())
    named = re.findall(rf"{_TABLE} ?(\(corpus_id,|[a-z]\w*)?", statement)
    open_ = [alias for alias in named if alias and alias not in known and not alias.startswith("(")]
    return open_ + ["without an alias"] * (named.count("") - bound.count(""))


@pytest.mark.parametrize(
    ("statement", "left_open"),
    [
        ("SELECT id FROM quaestor.chunks WHERE corpus_id = $1", 0),
        ("SELECT corpus_id FROM quaestor.chunks", 1),
        ("DELETE FROM quaestor.chunks c WHERE c.id = $1", 1),
        ("SELECT FROM quaestor.chunks c JOIN quaestor.vectors v ON v.corpus_id = c.corpus_id WHERE c.corpus_id = 7", 0),
        ("SELECT FROM quaestor.chunks c JOIN quaestor.vectors v ON v.id = c.vector WHERE c.corpus_id = $1", 1),
        ("COPY quaestor.chunks (corpus_id, id) FROM STDIN", 0),
        ("INSERT INTO quaestor.chunks (id) VALUES (1)", 1),
    ],
)
def test_a_table_whose_corpus_is_left_open_is_seen(statement: str, left_open: int) -> None:
    assert len(unbound(statement)) == left_open


def test_no_statement_reads_or_writes_across_corpora_without_saying_so(
    postgres_server: PostgresServer, opened: Opened
) -> None:
    """The log of a server is read for it; it has everything that stands in the package, so that nothing was missed."""
    log = postgres_server.folder / "log"
    with postgres_server.database("logged") as address:
        for sizes in (THRESHOLDS, IN_SEGMENTS, Thresholds(exact=-1, loose=1)):
            opened(str(sizes), address=address, sizes=sizes).close()
        postgres_server.run_sql("ALTER DATABASE logged SET log_statement = 'all'")
        before = log.stat().st_size
        for sizes in (THRESHOLDS, IN_SEGMENTS, Thresholds(exact=-1, loose=1)):
            store = opened(str(sizes), address=address, sizes=sizes)
            use_everything(store)
            share_work(store)
            copy_store(store, opened("copied", address=address), lambda *_: None)
            assert examine_corpus(store._database, store._name)
        grow_and_wear_out(store)
        assert len(store._database.read(list_corpora)) == 4
        PostgresStore.erase(store._database, store._name)
        said = log.read_bytes()[before:].decode(errors="replace")
        postgres_server.run_sql("ALTER DATABASE logged RESET log_statement")
    sent = set(statements(said))
    assert [place for place, pattern in texts_about_corpora() if not any(map(pattern.search, sent))] == []
    about = [one for one in sent if re.search(_TABLE, one)]
    left_open = {one for one in about if unbound(one)}
    assert {one for one in left_open if not one.startswith(OF_ALL_CORPORA)} == set()
    assert len(left_open) == 2 * len(TABLES)
    analysed = {one for one in sent if one.startswith("ANALYZE quaestor.vectors")}
    assert [bool(re.fullmatch(r"ANALYZE quaestor\.vectors_\d+", one)) for one in analysed] == [True]
    called = {name for one in about if not one.startswith("SELECT") for name in re.findall(r"\b([a-z_]+)\(", one)}
    changing = postgres_server.run_sql("SELECT proname FROM pg_proc WHERE provolatile = 'v'")
    assert called.isdisjoint(name for (name,) in changing), "Citus refuses them where rows are changed"


_DISTRIBUTED = re.compile(r"ARRAY\[(.*?)\]", re.DOTALL)


def test_citus_can_distribute_every_table_by_its_corpus(postgres_server: PostgresServer, opened: Opened) -> None:
    """What Citus asks of a table: the column in each unique key and in each reference to another table, no triggers."""
    documented = (Path(__file__).parents[2] / "docs" / "stores.md").read_text(encoding="utf-8")
    statements = _DISTRIBUTED.search(documented)
    assert statements is not None
    named = {"states", *re.findall(r"'(\w+)'", statements[1])}
    with postgres_server.database("distributed") as address:
        opened("corpus", address=address).close()
        tables = postgres_server.run_sql(
            "SELECT relname FROM pg_class WHERE relnamespace = 'quaestor'::regnamespace AND relkind IN ('r', 'p')"
            " AND NOT relispartition AND relname NOT IN ('corpora', 'migrations')",
            "distributed",
        )
        keyless = postgres_server.run_sql(
            "SELECT c.conname FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid"
            " WHERE t.relnamespace = 'quaestor'::regnamespace AND t.relname NOT IN ('corpora', 'migrations')"
            " AND c.contype IN ('p', 'u', 'f') AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.oid"
            " AND a.attname = 'corpus_id' AND a.attnum = c.conkey[1])",
            "distributed",
        )
        triggers = postgres_server.run_sql(
            "SELECT tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
            " WHERE c.relnamespace = 'quaestor'::regnamespace AND NOT tgisinternal",
            "distributed",
        )
    assert named == {name for (name,) in tables}
    assert (keyless, triggers) == ([], [])
