"""What ``quaestor doctor`` finds of a database and of the corpus in it; it says what to do, and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_parts import FILES, Outcome, Run, write

from postgres_server import PASSWORD, PostgresServer

pytest.importorskip("psycopg")

from quaestor.stores.postgres import THRESHOLDS, database_health
from quaestor.stores.postgres.connection import Database
from quaestor.stores.postgres.postgres_store import PostgresStore
from servers.threads import free_port

CORPUS = "shop"
READER = "a_reader"


pytestmark = pytest.mark.usefixtures("port")


@pytest.fixture
def address(postgres_server: PostgresServer) -> Iterator[str]:
    with postgres_server.database("doctor") as address:
        yield address


@pytest.fixture
def corpus(quaestor: Run, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus of that database, which the environment names."""
    monkeypatch.setenv("QUAESTOR_STORE", address)
    monkeypatch.setenv("QUAESTOR_CORPUS", CORPUS)
    root = tmp_path / "corpus"
    write(root, dict(FILES))
    assert quaestor("index", root).code == 0
    return root


def line(done: Outcome, name: str) -> str:
    """Return what was said of one thing."""
    return next(one for one in done.out.splitlines() if one.split()[1] == name)


def test_all_is_well_and_the_corpus_stays_as_it_is(quaestor: Run, corpus: Path) -> None:
    before = quaestor("store", "corpora", "--json").json
    done = quaestor("doctor", corpus)
    assert done.code == 0, done.out
    assert "PostgreSQL 1" in line(done, "store") and "pgvector 0." in line(done, "store")
    assert f"of {CORPUS!r}, chosen at random, match" in line(done, "index")
    assert "`quaestor store check` checks all" in line(done, "index")
    # What is indexed to try indexing must lie elsewhere: it would take the place of the whole team's documents.
    assert quaestor("store", "corpora", "--json").json == before


def test_a_corpus_that_is_not_there_yet(quaestor: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_CORPUS", "another")
    done = quaestor("doctor", corpus)
    assert done.code == 0
    assert "no corpus 'another'" in line(done, "index") and "quaestor index" in line(done, "index")
    assert [one["name"] for one in quaestor("store", "corpora", "--json").json["corpora"]] == [CORPUS]


def test_an_empty_database_stays_empty(
    quaestor: Run, address: str, repository: Path, postgres_server: PostgresServer
) -> None:
    done = quaestor("doctor", "--store", address, repository)
    assert done.code == 0, done.out
    assert "no tables yet" in line(done, "store")
    assert "not checked" in line(done, "sessions") and "not checked" in line(done, "accounts")
    assert postgres_server.run_sql("SELECT 1 FROM pg_namespace WHERE nspname LIKE 'quaestor%'", "doctor") == []
    assert postgres_server.run_sql("SELECT 1 FROM pg_extension WHERE extname = 'vector'", "doctor") == []


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE quaestor.chunks SET text = text || 'x'", "do not match their checksums"),
        ("UPDATE quaestor.vectors SET embedding = NULL; DELETE FROM quaestor.vectors", "chunks without a vector"),
        ("DELETE FROM quaestor.chunks WHERE id = 1", "documents whose chunks are not all there"),
        ("DELETE FROM quaestor.terms", "documents whose words are missing"),
        ("UPDATE quaestor.terms SET document = 99", "words of no document"),
        ("DELETE FROM quaestor.documents", "chunks of no document"),
    ],
)
def test_a_damaged_corpus(
    quaestor: Run, corpus: Path, postgres_server: PostgresServer, statement: str, said: str
) -> None:
    for one in statement.split(";"):
        postgres_server.run_sql(one, "doctor")
    done = quaestor("doctor", corpus)
    assert done.code == 4
    found = line(done, "index")
    assert found.startswith("FAIL") and said in found and "quaestor store check" in found and "--rebuild" in found
    assert quaestor("index", "--rebuild", corpus).code == 0
    assert quaestor("doctor", corpus).code == 0


def test_damaged_words(quaestor: Run, corpus: Path, address: str, postgres_server: PostgresServer) -> None:
    database = Database.open(address)
    made = PostgresStore.recorded_embedder(database, CORPUS)
    assert made is not None
    sizes = THRESHOLDS._replace(overlaid=1, gathered=1)  # words of so few chunks would not be packed
    store = PostgresStore.open(database, CORPUS, embedder=made[0], dimensions=made[1], create=False, sizes=sizes)
    store.vacuum()
    assert postgres_server.run_sql("SELECT 1 FROM quaestor.segments", "doctor")
    assert quaestor("doctor", corpus).code == 0
    postgres_server.run_sql("UPDATE quaestor.segments SET data = '\\x00'", "doctor")
    done = quaestor("doctor", corpus)
    assert done.code == 4 and "do not match their hash" in line(done, "index")
    store.vacuum()
    store.close()
    assert quaestor("doctor", corpus).code == 0


def test_tables_of_other_versions(quaestor: Run, corpus: Path, postgres_server: PostgresServer) -> None:
    postgres_server.run_sql("INSERT INTO quaestor.migrations VALUES (99, 'later')", "doctor")
    done = quaestor("doctor", corpus)
    assert done.code == 4 and "upgrade Quaestor here" in line(done, "store")
    # This version's last step would fail if anything made it again: it is looked at, and nothing is made.
    postgres_server.run_sql(
        "DELETE FROM quaestor.migrations WHERE number >= (SELECT max(number) - 1 FROM quaestor.migrations "
        "WHERE number < 99)",
        "doctor",
    )
    done = quaestor("doctor", corpus)
    assert done.code == 0, done.out
    assert "brings them up to date" in line(done, "store") and "not checked" in line(done, "sessions")


def test_what_everybody_may_read_is_named(quaestor: Run, corpus: Path, postgres_server: PostgresServer) -> None:
    postgres_server.run_sql("GRANT SELECT ON quaestor.chunks TO PUBLIC", "doctor")
    assert quaestor("doctor", corpus).code == 0, "nobody can use the schema"
    postgres_server.run_sql("GRANT USAGE ON SCHEMA quaestor TO PUBLIC", "doctor")
    done = quaestor("doctor", corpus)
    assert done.code == 2
    assert "everybody who may connect can read quaestor.chunks" in line(done, "store")


def test_a_user_who_may_only_read(
    quaestor: Run, corpus: Path, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres_server.run_sql(f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}'")
    try:
        postgres_server.run_sql(f"GRANT USAGE ON SCHEMA quaestor TO {READER}", "doctor")
        postgres_server.run_sql(f"GRANT SELECT ON ALL TABLES IN SCHEMA quaestor TO {READER}", "doctor")
        monkeypatch.setenv("QUAESTOR_STORE", postgres_server.address("doctor", user=READER))
        done = quaestor("doctor", corpus)
        assert "this user may not read and write quaestor.chunks" in line(done, "store")
        assert "only the owner of quaestor.vectors can make an index" in line(done, "store")
        assert line(done, "index").startswith("ok")
    finally:
        postgres_server.run_sql(f"DROP OWNED BY {READER}", "doctor")
        postgres_server.run_sql(f"DROP ROLE {READER}")


def test_a_user_who_may_make_nothing(
    quaestor: Run, address: str, repository: Path, postgres_server: PostgresServer
) -> None:
    postgres_server.run_sql(f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}'")
    try:
        done = quaestor("doctor", "--store", postgres_server.address("doctor", user=READER), repository)
        assert done.code == 4
        assert "CREATE EXTENSION vector" in line(done, "store")
        postgres_server.run_sql("CREATE EXTENSION vector", "doctor")
        done = quaestor("doctor", "--store", postgres_server.address("doctor", user=READER), repository)
        assert done.code == 4 and "GRANT CREATE ON DATABASE" in line(done, "store")
    finally:
        postgres_server.run_sql(f"DROP ROLE {READER}")


def test_a_server_that_is_not_there(quaestor: Run, repository: Path) -> None:
    done = quaestor("doctor", "--store", f"postgresql://me:hidden@127.0.0.1:{free_port()}/db", repository)
    assert done.code == 4
    assert "check that the server runs there" in line(done, "store")
    assert "hidden" not in done.out + done.err


def test_an_index_of_vectors_that_is_missing(quaestor: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_health, "THRESHOLDS", THRESHOLDS._replace(exact=1))
    done = quaestor("doctor", corpus)
    assert done.code == 2 and "no index of its vectors" in line(done, "index")
