"""The store in PostgreSQL behind PgBouncer in transaction mode, where a session belongs to nobody."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator

import psycopg
import pytest
from postgres_parts import put, several, use_everything

from postgres_server import OWNER, PASSWORD, PostgresServer, other_user, server_folder
from quaestor.stores.postgres import Thresholds
from quaestor.stores.postgres.connection import Database
from quaestor.stores.postgres.postgres_store import PostgresStore
from servers.threads import free_port

pytestmark = pytest.mark.postgres

_SETTINGS = """\
[databases]
pooled = host=127.0.0.1 port={port} dbname=pooled user={user} password='{password}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
logfile = {folder}/log
pidfile = {folder}/pid
"""


@pytest.fixture(scope="module")
def pooled(postgres_server: PostgresServer) -> Iterator[str]:
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin") or shutil.which("pgbouncer")
    if program is None:
        pytest.skip("PgBouncer is not installed")
    own = free_port()
    with postgres_server.database("pooled"), server_folder() as folder:
        settings = folder / "settings.ini"
        settings.write_text(
            _SETTINGS.format(port=postgres_server.port, user=OWNER, password=PASSWORD, own=own, folder=folder)
        )
        folder.chmod(0o777)
        settings.chmod(0o644)
        pooler = subprocess.Popen([program, "-q", str(settings)], stderr=subprocess.DEVNULL, **other_user())
        try:
            yield _answering(f"postgresql://{OWNER}@127.0.0.1:{own}/pooled", pooler)
        finally:
            pooler.kill()
            pooler.wait()


def _answering(address: str, pooler: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + 600
    while True:
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            if pooler.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return address


def test_everything_works_and_leaves_nothing_in_sessions_that_others_get(pooled: str) -> None:
    stores = [
        PostgresStore.open(
            Database.open(pooled),
            name,
            embedder="test",
            dimensions=8,
            create=True,
            sizes=Thresholds(overlaid=2, exact=-1),
        )
        for name in ("one", "two", "three")
    ]
    for store in stores:
        use_everything(store)
    with stores[0].writing() as first:
        several(8)[0].put(first)
        put(stores[1], *several(9))
    assert "8.py" in stores[0].documents()
    assert "9.py" in stores[1].documents()
    with psycopg.connect(pooled, autocommit=True, prepare_threshold=None) as other:
        for _ in range(5):
            assert other.execute("SHOW statement_timeout").fetchone() == ("0",)
            assert other.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)
            assert other.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone() == (0,)
    for store in stores:
        store.close()
