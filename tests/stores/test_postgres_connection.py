"""Reaching a PostgreSQL server, losing it, and what is said when it cannot be used."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from postgres_server import PASSWORD, PostgresServer, server_folder
from servers.threads import free_port

psycopg = pytest.importorskip("psycopg")

from quaestor.core.errors import (  # noqa: E402
    IndexBusyError,
    IndexReadOnlyError,
    IndexUnusableError,
    LimitError,
    QuaestorError,
    UsageError,
)
from quaestor.stores.postgres.connection import Connection, Database, check_server  # noqa: E402
from quaestor.stores.postgres.failures import Address, explain_failure, mask_passwords  # noqa: E402
from quaestor.stores.postgres.migrations import migrate, reached_step, steps  # noqa: E402


@pytest.fixture(scope="module")
def address(postgres_server: PostgresServer) -> Iterator[str]:
    with postgres_server.database("connections") as address:
        yield address


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server that a test may kill."""
    with server_folder() as folder:
        server = PostgresServer.created(folder)
        try:
            yield server
        finally:
            server.stop()


_HOLDS_A_SERVER = """
import sys, time
from postgres_server import PostgresServer, server_folder
with server_folder() as folder:
    server = PostgresServer.created(folder)
    print(folder, server.port, flush=True)
    time.sleep(600)
"""


@pytest.mark.postgres
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_of_tests_goes_with_a_process_that_is_killed(ending: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", _HOLDS_A_SERVER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as holder:
        assert holder.stdout is not None
        folder, port = holder.stdout.readline().split()
        holder.send_signal(ending)
    deadline = time.monotonic() + 600
    while Path(folder).exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(folder).exists()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(port)))


def one(connection: Connection, query: str) -> object:
    return connection.execute(query.encode()).fetchone()[0]  # type: ignore[index]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda at: at.replace(quote(PASSWORD, safe=""), "wrong"), "check the user and the password"),
        (lambda at: at.replace(f":{quote(PASSWORD, safe='')}@", "@"), "password file"),
        (lambda at: at.replace("/connections", "/elsewhere"), "check the names in the address"),
        (lambda at: at.replace("127.0.0.1", "no-such-host.invalid"), "check the host"),
        (lambda at: at + "?sslmode=require", "sslmode"),
    ],
)
def test_what_keeps_a_server_from_being_reached_is_told(address: str, change: Callable[[str], str], said: str) -> None:
    with pytest.raises(IndexUnusableError, match=said) as raised:
        Database.open(change(address))
    assert PASSWORD not in str(raised.value)
    assert quote(PASSWORD, safe="") not in str(raised.value)


def test_a_server_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(IndexUnusableError, match="check that the server runs there"):
        Database.open(f"postgresql://somebody@127.0.0.1:{free_port()}/any")


@pytest.mark.parametrize(
    "text",
    [
        "mysql://a:secret@b/c",
        "postgresql://a:secret@b:port/c?nonsense=1",
        "embeded",
        "postgresql://a:a secret@b/c",
        "postgresql://a:100%secret@b/c",
        "postgresql://a:secret/part@b/c",
        "postgresql://a:more/secret@b/c",
        "postgresql://a:more@secret@b/c",
    ],
)
def test_what_is_no_address_is_refused_without_its_password(text: str) -> None:
    with pytest.raises(UsageError, match="not an address") as raised:
        Address.read(text)
    assert "secret" not in str(raised.value)


def test_passwords_are_left_out_wherever_they_stand() -> None:
    assert mask_passwords("at postgresql://me:s:e%40c@h,i:1/d?sslpassword=x&password=y&a=b") == (
        "at postgresql://me:***@h,i:1/d?sslpassword=***&password=***&a=b"
    )
    assert "secret" not in repr(Address.read("postgresql://me:secret@h/d"))
    for password in ("se?cret", "se#cret", "se@cr@et"):
        assert mask_passwords(f"postgresql://me:{password}@h:1/d?a=b") == "postgresql://me:***@h:1/d?a=b"


def test_too_old_a_server_is_refused() -> None:
    with pytest.raises(IndexUnusableError, match="PostgreSQL 13; 14 or newer"):
        check_server(130011, Address.read("postgresql://h/d"))


def test_a_lost_connection_is_made_again_for_what_is_read(address: str) -> None:
    database, tries = Database.open(address), list[int]()

    def read(connection: Connection) -> int:
        tries.append(connection.info.backend_pid)
        if len(tries) == 1:
            with psycopg.connect(address, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s)", (tries[0],))
        return int(str(one(connection, "SELECT 42")))

    assert database.read(read) == 42
    assert len(set(tries)) == 2
    database.close()


def tcp_option(connection: Connection, option: int) -> int:
    with socket.socket(fileno=os.dup(connection.fileno())) as same:
        return same.getsockopt(socket.IPPROTO_TCP, option)


def test_a_machine_that_goes_away_without_a_word_is_given_up(address: str) -> None:
    """The system's own limits are hours for an answer, and a quarter of one for what was sent."""

    def limits(address: str, *, primary: bool = True) -> list[int]:
        options = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT)
        with closing(Database.open(address)) as database:
            return database.read(
                lambda connection: [tcp_option(connection, option) for option in options], primary=primary
            )

    assert limits(address) == [4, 2, 3, 60_000]
    both = address.replace("@", "@127.0.0.1:1,")
    assert [limits(both, primary=primary)[3] for primary in (True, False)] == [60_000, 10_000]
    assert limits(f"{address}?keepalives_idle=60&tcp_user_timeout=90000")[::3] == [60, 90_000]


def test_a_server_gives_up_the_machine_of_a_writer_that_went_away_without_a_word(address: str) -> None:
    """Its locks would keep all others from writing for ten minutes."""
    names = ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout")

    def limits(connection: Connection) -> list[object]:
        return [one(connection, f"SHOW {name}") for name in names]

    with closing(Database.open(address)) as database:
        with database.writing() as connection:
            assert limits(connection) == ["10", "5", "3", "25000"]
        assert "10" not in database.read(limits)


def test_idle_connections_of_a_server_that_was_restarted_are_replaced(own_server: PostgresServer) -> None:
    database = Database.open(own_server.address("postgres"))
    with ThreadPoolExecutor(4) as threads:
        barrier = threading.Barrier(4)
        list(threads.map(lambda _: database.read(lambda _: barrier.wait(600)), range(4)))
    own_server.kill()
    own_server.start()
    with database.writing() as connection:
        assert one(connection, "SELECT 1") == 1
    database.close()


def test_idle_connections_that_the_server_closed_are_replaced(address: str) -> None:
    with psycopg.connect(address, autocommit=True) as other:
        other.execute("ALTER DATABASE connections SET idle_session_timeout = '500ms'")
        try:
            database = Database.open(address)
            for ask in (lambda: database.look("SELECT 1"), lambda: database.read(lambda _: (1,))):
                while one(other, "SELECT count(*) FROM pg_stat_activity WHERE datname = 'connections'") != 1:
                    threading.Event().wait(0.05)
                assert ask() == (1,)
            database.close()
        finally:
            other.execute("ALTER DATABASE connections RESET idle_session_timeout")


def test_a_server_that_comes_back_in_a_moment_is_waited_for(own_server: PostgresServer) -> None:
    database = Database.open(own_server.address("postgres"))
    own_server.kill()
    starter = threading.Timer(0.5, own_server.start)
    starter.start()
    assert database.read(lambda connection: one(connection, "SELECT 1")) == 1
    starter.join()
    database.close()


def test_a_connection_lost_in_the_middle_of_writing_is_an_error_and_writes_nothing(address: str) -> None:
    database = Database.open(address)
    with database.writing() as connection:
        connection.execute("CREATE TABLE written (n int)")
    with pytest.raises(IndexUnusableError, match="cannot be reached"), database.writing() as connection:
        connection.execute("INSERT INTO written VALUES (1)")
        with psycopg.connect(address, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
        connection.execute("INSERT INTO written VALUES (2)")
    assert database.read(lambda connection: one(connection, "SELECT count(*) FROM written")) == 0
    database.close()


def test_statements_and_locks_have_their_time(address: str) -> None:
    database = Database.open(address)
    with pytest.raises(IndexBusyError, match="busy for too long"):
        database.read(lambda connection: one(connection, "SELECT pg_sleep(20)"), seconds=0.2)
    with database.writing() as first:
        first.execute("SELECT pg_advisory_xact_lock(7)")
        with pytest.raises(IndexBusyError), database.writing(lock_seconds=0.2) as second:
            second.execute("SELECT pg_advisory_xact_lock(7)")
    database.close()


def test_nothing_stays_in_a_session(address: str) -> None:
    """What a pooler in transaction mode would hand on to somebody else."""
    database = Database.open(address)
    for _ in range(10):
        database.read(lambda connection: connection.execute("SELECT %s::int", (1,)).fetchall(), seconds=3)
    found = database.read(
        lambda connection: (
            one(connection, "SELECT count(*) FROM pg_prepared_statements"),
            one(connection, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"),
        )
    )
    assert found == (0, 0)
    with database.writing() as connection:
        connection.execute("COMMIT")
        assert one(connection, "SHOW statement_timeout") == "0"
    database.close()


def test_deadlocks_are_settled_by_trying_again(address: str) -> None:
    database, both = Database.open(address), threading.Barrier(2)
    waited: set[int] = set()

    def work(first: int, second: int) -> Callable[[Connection], object]:
        def locked(connection: Connection) -> object:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (first,))
            if first not in waited:
                waited.add(first)
                both.wait(600)
            return connection.execute("SELECT pg_advisory_xact_lock(%s)", (second,)).fetchone()

        return locked

    with ThreadPoolExecutor(2) as threads:
        done = [threads.submit(database.write, work(*pair)) for pair in ((1, 2), (2, 1))]
        assert [future.result(600) is not None for future in done] == [True, True]
    database.close()


def test_a_full_disk_is_told(address: str) -> None:
    """The server itself raises it here; a disk that is full cannot be had everywhere."""
    database = Database.open(address)
    with pytest.raises(LimitError, match="no room on the disk"), database.writing() as connection:
        connection.execute("DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$")
    database.close()
    # As a server refuses a new connection then.
    refused = psycopg.OperationalError("FATAL:  could not write init file: No space left on device")
    assert str(explain_failure(refused, database.address)).endswith(
        "free some space on the server's disk and run again."
    )


def test_a_standby_reads_and_its_promotion_is_followed(own_server: PostgresServer) -> None:
    own_server.run_sql("CREATE TABLE kept (n int)")
    with server_folder() as folder:
        standby = own_server.follow(folder)
        try:
            alone = Database.open(standby.address("postgres"))
            with pytest.raises(IndexReadOnlyError, match="name the primary"), alone.writing() as connection:
                connection.execute("INSERT INTO kept VALUES (1)")
            both = Database.open(own_server.address("postgres", further=f",127.0.0.1:{standby.port}"))
            assert both.read(lambda connection: connection.info.port) == standby.port
            assert both.read(lambda connection: connection.info.port, primary=True) == own_server.port
            with both.writing() as connection:
                assert connection.info.port == own_server.port
            own_server.kill()
            standby.promote()
            with both.writing() as connection:
                connection.execute("INSERT INTO kept VALUES (1)")
                assert connection.info.port == standby.port
            for database in (alone, both):
                database.close()
        finally:
            standby.stop()


def test_many_migrate_at_once_and_one_does(postgres_server: PostgresServer) -> None:
    with postgres_server.database("crowd") as address:

        def come(_: int) -> None:
            database = Database.open(address)
            migrate(database)
            database.close()

        with ThreadPoolExecutor(6) as threads:
            list(threads.map(come, range(6)))
        applied = postgres_server.run_sql("SELECT number FROM quaestor.migrations ORDER BY number", "crowd")
        assert [number for (number,) in applied] == [step.number for step in steps()]


def test_tables_that_are_seen_and_not_found_count_as_missing(postgres_server: PostgresServer) -> None:
    """As on a standby in the moment in which it takes in that they were made; here another process drops them."""
    with postgres_server.database("seen") as address, closing(Database.open(address)) as database:
        migrate(database)

        def look(connection: Connection) -> int:
            seen = reached_step(connection)
            connection.execute("ROLLBACK; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
            postgres_server.run_sql("DROP SCHEMA quaestor CASCADE", "seen")
            return seen - reached_step(connection)

        assert database.read(look) == len(steps())


def test_steps_are_numbered_without_gaps() -> None:
    assert [step.number for step in steps()] == list(range(1, len(steps()) + 1))


def test_tables_of_a_newer_version_are_refused(postgres_server: PostgresServer) -> None:
    with postgres_server.database("newer") as address:
        database = Database.open(address)
        migrate(database)
        postgres_server.run_sql("INSERT INTO quaestor.migrations VALUES (9999, 'of later')", "newer")
        with pytest.raises(IndexUnusableError, match="newer version of Quaestor"):
            migrate(database)
        database.close()


def test_a_step_that_fails_leaves_nothing(postgres_server: PostgresServer) -> None:
    """The last step finds that somebody else's table has the name of its own."""
    with postgres_server.database("broken") as address, closing(Database.open(address)) as database:
        postgres_server.run_sql("CREATE SCHEMA quaestor CREATE TABLE contents (theirs int)", "broken")
        with pytest.raises(IndexUnusableError, match="already exists"):
            migrate(database)
        tables = "SELECT schemaname, tablename FROM pg_tables WHERE schemaname LIKE 'quaestor%'"
        assert postgres_server.run_sql(tables, "broken") == [("quaestor", "contents")]


def test_what_a_user_may_not_do_is_told_with_what_an_administrator_has_to_run(postgres_server: PostgresServer) -> None:
    run = list[str]()
    with postgres_server.database("the team") as address:
        postgres_server.run_sql("CREATE ROLE meek LOGIN PASSWORD 'meek'")
        name = quote("the team")
        try:
            with closing(Database.open(postgres_server.address(name, user="meek", password="meek"))) as database:
                for _ in range(2):
                    with pytest.raises(IndexUnusableError) as raised:
                        migrate(database)
                    run += re.findall("`(.*)`", str(raised.value))
                    postgres_server.run_sql(run[-1], name)
                migrate(database)
        finally:
            postgres_server.run_sql("DROP OWNED BY meek CASCADE", name)
            postgres_server.run_sql("DROP ROLE meek")
        assert address
    assert run == ["CREATE EXTENSION vector", 'GRANT CREATE ON DATABASE "the team" TO "meek"']


def test_a_server_without_pgvector_is_told(postgres_server: PostgresServer) -> None:
    if not postgres_server.run_sql("SELECT 1 FROM pg_settings WHERE name = 'extension_control_path'"):
        pytest.skip("before PostgreSQL 18 extensions cannot be hidden from one database")
    with postgres_server.database("bare") as address:
        postgres_server.run_sql("ALTER DATABASE bare SET extension_control_path = '/nowhere'")
        database = Database.open(address)
        with pytest.raises(IndexUnusableError, match="lacks the extension pgvector: install it there"):
            migrate(database)
        assert postgres_server.run_sql("SELECT to_regnamespace('quaestor')", "bare") == [(None,)]
        database.close()


def test_pgvector_in_a_schema_that_is_not_searched_is_told(postgres_server: PostgresServer) -> None:
    with postgres_server.database("apart") as address:
        postgres_server.run_sql("CREATE SCHEMA extensions", "apart")
        postgres_server.run_sql("CREATE EXTENSION vector SCHEMA extensions", "apart")
        database = Database.open(address)
        with pytest.raises(IndexUnusableError, match="add the schema that the extension lies in"):
            migrate(database)
        assert postgres_server.run_sql("SELECT to_regnamespace('quaestor')", "apart") == [(None,)]
        postgres_server.run_sql("ALTER DATABASE apart SET search_path = public, extensions")
        database.close()
        migrate(database)
        database.close()


def test_a_database_that_cannot_keep_every_letter_is_refused(postgres_server: PostgresServer) -> None:
    postgres_server.run_sql("CREATE DATABASE narrow ENCODING 'LATIN1' TEMPLATE template0")
    database = Database.open(postgres_server.address("narrow"))
    try:
        with pytest.raises(IndexUnusableError, match=r"keeps text as LATIN1.* `createdb --encoding=UTF8"):
            migrate(database)
        assert postgres_server.run_sql("SELECT to_regnamespace('quaestor')", "narrow") == [(None,)]
    finally:
        database.close()
        postgres_server.run_sql("DROP DATABASE narrow WITH (FORCE)")


def test_too_old_a_pgvector_is_told(postgres_server: PostgresServer) -> None:
    with postgres_server.database("aged") as address:
        postgres_server.run_sql("CREATE EXTENSION vector", "aged")
        postgres_server.run_sql("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'", "aged")
        database = Database.open(address)
        with pytest.raises(QuaestorError, match=r"pgvector 0\.7\.4; 0\.8 or newer"):
            migrate(database)
        database.close()
