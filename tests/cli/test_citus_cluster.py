"""Commands on a database that Citus spreads over machines by the statements of docs/stores.md.

They need a PostgreSQL that has Citus: QUAESTOR_POSTGRES names the folder of its programs. That of other tests has none.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from cli_parts import FILES, Outcome, Run, aged, write

from postgres_server import PostgresServer, binaries, server_folder
from servers.threads import free_port

pytest.importorskip("psycopg")
pytestmark = pytest.mark.postgres

DATABASE = "spread"
DOCUMENTED = re.compile(r"### Many machines: Citus.*?```sql\n(.*?)```", re.DOTALL)
SETTINGS = ("shared_preload_libraries=citus", "citus.shard_count=4", "fsync=off", "autovacuum=off")


@pytest.fixture
def servers() -> Iterator[list[PostgresServer]]:
    """A coordinator without shards and two nodes that hold them."""
    if not list(binaries().parent.glob("lib/**/citus.so")):
        pytest.skip(f"the PostgreSQL in {binaries()} has no Citus; QUAESTOR_POSTGRES names another")
    with ExitStack() as stack:
        servers = []
        for _ in range(3):
            server = PostgresServer.created(stack.enter_context(server_folder()), SETTINGS)
            stack.callback(server.stop)
            # Nodes reach one another without a password.
            (server.data / "pg_hba.conf").write_text("host all all 127.0.0.1/32 trust\n")
            server.run_sql("SELECT pg_reload_conf()")
            server.run_sql(f"CREATE DATABASE {DATABASE}")
            for extension in ("citus", "vector"):
                server.run_sql(f"CREATE EXTENSION {extension}", DATABASE)
            servers.append(server)
        coordinator, *nodes = servers
        coordinator.run_sql(f"SELECT citus_set_coordinator_host('127.0.0.1', {coordinator.port})", DATABASE)
        for node in nodes:
            coordinator.run_sql(f"SELECT citus_add_node('127.0.0.1', {node.port})", DATABASE)
        yield servers


@pytest.fixture
def coordinator(servers: list[PostgresServer]) -> PostgresServer:
    return servers[0]


def spread(coordinator: PostgresServer) -> None:
    """Distribute the tables as documented."""
    documented = (Path(__file__).parents[2] / "docs" / "stores.md").read_text(encoding="utf-8")
    statements = DOCUMENTED.search(documented)
    assert statements is not None
    for statement in statements[1].split(";\n"):
        coordinator.run_sql(statement, DATABASE)


def hits(done: Outcome) -> list[tuple[object, ...]]:
    return [(hit["path"], hit["start_line"], hit["score"]) for hit in done.json["hits"]]


@pytest.mark.timeout(600)
def test_every_command_does_there_what_it_does_elsewhere(
    quaestor: Run, coordinator: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = aged(write(tmp_path / "shop", dict(FILES)))
    monkeypatch.chdir(root)
    assert quaestor("index").code == 0
    here = hits(quaestor("search", "--json", "total of a cart"))
    address = coordinator.address(DATABASE)

    def done(*arguments: object, typed: Sequence[str] | None = None) -> Outcome:
        outcome = quaestor(*arguments, typed=typed)
        assert outcome.code == 0, outcome.err
        return outcome

    monkeypatch.setenv("QUAESTOR_STORE", address)
    done("store", "corpora")
    spread(coordinator)
    placed = coordinator.run_sql("SELECT DISTINCT nodeport FROM pg_dist_shard_placement", DATABASE)
    assert len(placed) == 3, "the coordinator holds its copy of the list of corpora"

    done("index")
    assert hits(done("search", "--json", "total of a cart")) == here
    (root / "new.py").write_text("def unheard_of_before():\n    return 1\n")
    assert hits(done("search", "--json", "unheard_of_before"))[0][0] == "new.py"
    (root / "new.py").unlink()
    done("index")
    done("ask", "how is the total of a cart computed?")
    assert done("store", "check").out == "nothing is wrong\n"
    done("store", "vacuum")
    done("doctor")
    done("users", "add", "anna")
    assert "anna" in done("users", "list").out
    done("usage")
    done("chat", typed=["how is the total of a cart computed?"])
    [session] = done("sessions", "list", "--json").json["sessions"]
    assert session["turns"] == 1
    [corpus] = done("store", "corpora", "--json").json["corpora"]
    (tmp_path / "taken").mkdir()
    done("store", "copy", address, tmp_path / "taken", "--corpus", corpus["name"])
    done("store", "copy", tmp_path / "taken", address, "--corpus", "returned")
    done("index", "--rebuild")
    listed = done("store", "corpora", "--json").json["corpora"]
    assert {one["name"]: one["chunks"] for one in listed} == dict.fromkeys(
        (corpus["name"], "returned"), corpus["chunks"]
    )
    done("store", "drop", "returned", "--yes")
    assert len(done("store", "corpora", "--json").json["corpora"]) == 1


def port_of(coordinator: PostgresServer, corpus: str) -> object:
    """Return the port of the node that holds a corpus."""
    [(port,)] = coordinator.run_sql(
        "SELECT nodeport FROM pg_dist_shard_placement WHERE shardid = (SELECT get_shard_id_for_distribution_column("
        f"'quaestor.states', corpus_id) FROM quaestor.corpora WHERE name = '{corpus}')",
        DATABASE,
    )
    return port


@contextmanager
def served(root: Path, corpus: str, log: Path) -> Iterator[httpx.Client]:
    """Serve a corpus in a process of its own."""
    port = free_port()
    command = [sys.executable, "-m", "quaestor", "serve", str(root), "--port", str(port)]
    with log.open("wb") as said:
        process = subprocess.Popen(command, stderr=said, stdout=said, env={**os.environ, "QUAESTOR_CORPUS": corpus})
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600) as client:
            while True:
                with suppress(httpx.HTTPError):
                    if client.get("/healthz").json()["ready"]:
                        break
                assert process.poll() is None, log.read_text()
                time.sleep(0.1)
            yield client
    finally:
        process.kill()
        process.wait()


@pytest.mark.timeout(600)
def test_a_node_that_is_down_takes_away_its_own_corpora_alone(
    quaestor: Run, servers: list[PostgresServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = aged(write(tmp_path / "shop", dict(FILES)))
    coordinator = servers[0]
    monkeypatch.setenv("QUAESTOR_STORE", coordinator.address(DATABASE))
    assert quaestor("store", "corpora").code == 0
    spread(coordinator)
    by_port: dict[object, str] = {}
    for number in range(20):
        monkeypatch.setenv("QUAESTOR_CORPUS", f"shop {number}")
        assert quaestor("index", root).code == 0
        by_port.setdefault(port_of(coordinator, f"shop {number}"), f"shop {number}")
    node = servers[1]
    down, up = by_port.pop(node.port), by_port.popitem()[1]
    query = {"query": "total of a cart"}
    with served(root, up, tmp_path / "up.log") as lucky, served(root, down, tmp_path / "down.log") as unlucky:
        before = [client.post("/api/search", json=query) for client in (lucky, unlucky)]
        assert [answer.status_code for answer in before] == [200, 200]
        node.kill()
        assert lucky.post("/api/search", json=query).json()["hits"] == before[0].json()["hits"]
        refused = unlucky.post("/api/search", json=query)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "index")
        assert refused.headers["Retry-After"]
        monkeypatch.setenv("QUAESTOR_CORPUS", down)
        assert "cannot be reached" in quaestor("search", "total of a cart", root).sentence
        node.start()
        assert unlucky.post("/api/search", json=query).json()["hits"] == before[1].json()["hits"]
        assert quaestor("store", "check").out == "nothing is wrong\n"
