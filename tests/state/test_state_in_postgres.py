"""Faults that only shared state can have: data left behind, sessions mixed up, a server that is away for a while."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from postgres_proxy import CuttingProxy
from postgres_server import PostgresServer, server_folder
from quaestor.accounts import Purpose
from quaestor.accounts.database import AccountsUnusableError
from quaestor.accounts.ledger import Ledger
from quaestor.accounts.limits import Limits
from quaestor.accounts.money import Amount
from quaestor.accounts.users import Users
from quaestor.core.errors import IndexUnusableError, NotFoundError, QuaestorError
from quaestor.core.messages import Message
from quaestor.sessions.named_sessions import Sessions
from quaestor.sessions.records import Ending
from quaestor.state.rows import RowsRefusedError

pytest.importorskip("psycopg", reason="the extra 'postgres' is not installed")

from quaestor.sessions.shared_sessions import SharedSessions
from quaestor.state.postgres import SESSION, STATE, StateTables, transaction
from quaestor.stores.postgres.connection import Database
from quaestor.stores.postgres.migrations import migrate


@pytest.fixture
def sessions(database: Database) -> Sessions:
    return SharedSessions(database)


def talked(sessions: Sessions, name: str, question: str = "why?") -> None:
    with sessions.begin(name=name) as transcript:
        number, _ = transcript.begin(Message("user", question))
        transcript.end(number, Ending("done", (Message("assistant", "So."),)))


def test_a_transaction_leaves_nothing_in_the_connection(database: Database) -> None:
    """A pooler in transaction mode gives the connection to somebody else next."""
    with transaction(database, SESSION, alone="x", settings={"quaestor.session": "1"}) as connection:
        inside = connection.execute("select current_setting('search_path'), current_setting('quaestor.session')")
        assert inside.fetchone() == (SESSION, "1")
        pid = connection.execute("select pg_backend_pid()").fetchone()
    left = "select pg_backend_pid(), current_setting('search_path'), current_setting('quaestor.session', true)"
    locks = "select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()"
    with database.writing() as raw:
        now = raw.execute(left.encode()).fetchone()
        assert now is not None
        assert (now[:1], now[1], now[2] or "") == (pid, '"$user", public', "")
        assert raw.execute(locks.encode()).fetchone() == (0,)


def test_whoever_forgets_to_say_which_session_sees_none(database: Database, sessions: Sessions) -> None:
    talked(sessions, "one")
    for statement in ("select * from messages", "insert into titles values (1, 'x', 'y')", "delete from turns"):
        with pytest.raises((IndexUnusableError, RowsRefusedError)), transaction(database, SESSION) as connection:
            connection.execute(statement)
    assert sessions.list()[0].turns == 1


def test_a_session_sees_no_row_of_another(sessions: Sessions) -> None:
    for name in ("one", "two"):
        talked(sessions, name, f"about {name}?")
    with sessions.open("one") as transcript:
        assert [turn.question for turn in transcript.turns()] == ["about one?"]
        tables = transcript.dump()
    assert [row["content"] for row in tables["messages"]] == ["about one?", "So."]


def test_names_of_users_are_apart(database: Database) -> None:
    anna, ben = (SharedSessions(database).of(user) for user in ("anna", "ben"))
    talked(anna, "one", "mine?")
    talked(ben, "one", "yours?")
    assert [(info.id, info.title) for info in anna.list()] == [("one", "mine?")]
    anna.delete("one")
    assert anna.names() == []
    assert [info.title for info in ben.list()] == ["yours?"]


def test_what_is_deleted_leaves_no_row(database: Database, sessions: Sessions) -> None:
    talked(sessions, "one")
    transcript = sessions.open("one")
    sessions.delete("one")
    with pytest.raises(NotFoundError, match="no session 'one'"):
        transcript.begin(Message("user", "still there?"))
    with transaction(database, "quaestor_sessions") as connection:
        counts = [connection.execute(f"select count(*) from {table}").fetchone() for table in ("turns", "messages")]
    assert counts == [(0,), (0,)]


def test_a_letter_that_no_text_of_the_server_holds(sessions: Sessions) -> None:
    talked(sessions, "one", "what is \0 and \ud800?")
    with sessions.open("one") as transcript:
        assert transcript.turns()[0].question == "what is \u2400 and \ufffd?"


def test_connections_that_were_cut_are_made_anew(
    server_with_tables: PostgresServer, database: Database, sessions: Sessions
) -> None:
    talked(sessions, "one")
    cut = (
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname like 'state%'"
    )
    server_with_tables.run_sql(cut)
    talked(sessions, "two")
    server_with_tables.run_sql(cut)
    assert sessions.names() == ["one", "two"]
    assert Users(StateTables(database)).list() == []


def test_what_was_committed_is_kept_though_the_answer_was_lost(
    server_with_tables: PostgresServer, state_uri: str
) -> None:
    with (
        closing(CuttingProxy(server_with_tables.port, lose_answer=True)) as proxy,
        closing(Database.open(proxy.before(state_uri))) as database,
        SharedSessions(database).begin(name="one") as transcript,
    ):
        proxy.cut_commit(lose_answer=True)
        number, _ = transcript.begin(Message("user", "kept?"))
        proxy.cut_commit(lose_answer=False)
        with pytest.raises(IndexUnusableError, match="cannot be reached") as lost:
            transcript.begin(Message("user", "lost?"))
        assert lost.value.retryable
        transcript.end(number, Ending("done", (Message("assistant", "So."),)))
        assert [turn.question for turn in transcript.turns()] == ["kept?"]


def test_turns_that_begin_at_once_have_numbers_of_their_own(sessions: Sessions) -> None:
    sessions.begin(name="one").close()
    numbers: list[int] = []

    def begin() -> None:
        with sessions.open("one") as transcript:
            numbers.extend(transcript.begin(Message("user", "why?"))[0] for _ in range(5))

    threads = [threading.Thread(target=begin) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(1, 31))


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server that the test may stop, and that keeps what it acknowledged."""
    with server_folder() as folder:
        server = PostgresServer.created(folder, ())
        try:
            yield server
        finally:
            server.stop()


@pytest.mark.postgres
def test_a_server_that_is_away_is_named_and_used_again_when_it_is_back(own_server: PostgresServer) -> None:
    uri = own_server.address("postgres")
    with closing(Database.open(uri)) as database:
        migrate(database)
        users, ledger = (kind(StateTables(database, AccountsUnusableError)) for kind in (Users, Ledger))
        sessions = SharedSessions(database)
        _, token = users.add("anna")
        number = ledger.reserve(Purpose(user="anna"), "m", Amount(5, 5, 1, "USD"), Limits())
        talked(sessions, "one")
        own_server.kill()
        refused: list[tuple[type[QuaestorError], Callable[[], object]]] = [
            (AccountsUnusableError, lambda: users.by_token(token)),
            (IndexUnusableError, lambda: sessions.open("one")),
        ]
        for kind, attempt in refused:
            with pytest.raises(kind, match="cannot be reached") as said:
                attempt()
            assert said.value.retryable
            assert "odd" not in str(said.value), "no password is shown"
        own_server.start()
        found = users.by_token(token)
        assert found is not None
        assert found.name == "anna"
        # What was acknowledged before the kill is there, and can be settled.
        ledger.settle(number, Amount(1, 1, 1, "USD"), "done")
        [row] = ledger.usage("user")
        assert (row.requests, row.prompt_tokens) == (1, 1)
        assert sessions.list()[0].turns == 1
        with transaction(database, STATE) as connection:
            assert connection.execute("select count(*) from claims").fetchone() == (0,)
