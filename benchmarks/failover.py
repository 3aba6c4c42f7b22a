"""Kills two servers, a standby and three indexing processes on one PostgreSQL at random, and checks what is left.

    python benchmarks/failover.py [--minutes 10] [--files 150] [--seed 1]

An editor changes a folder that three `quaestor index` and two `quaestor serve` share; two clients search, ask and
upload. Each round kills one to three of: an indexing process, a server, the primary (its standby is promoted and gets a
new standby). Then everything that was acknowledged must be there: each file in the version that a successful index run
had found, or a later one, complete and once, with its chunks and its bytes; every turn, and every upload. At the end,
the index must hold exactly the folder. Exit code 1: something was incomplete, doubled or lost. PostgreSQL is that of
the tests. The rounds and the counts are saved with our commit and the machine in results/failover.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import _machine

HERE = Path(__file__).parent
ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from _failover_clients import Client, Editor, stored_version  # noqa: E402 - they need the tests' folder
from _failover_cluster import Databases, IndexWorker, Program, WebServer  # noqa: E402

from quaestor.stores.postgres.connection import Database  # noqa: E402
from quaestor.stores.postgres.postgres_store import PostgresStore  # noqa: E402
from servers.threads import free_port  # noqa: E402

CORPUS = "failover"
WORKERS = 3
SERVERS = 2
KINDS = ("worker", "worker", "worker", "server", "primary")
LONGEST_PAUSE = 4.0


class Run:
    """Everything that runs, and what it has acknowledged.

    Args:
        stack: ends it all.
        folder: for files and data.
        files: how many the folder holds.
        seed: of the choices.
    """

    def __init__(self, stack: ExitStack, folder: Path, files: int, seed: int) -> None:
        self.draw = random.Random(seed)
        self.kills: Counter[str] = Counter()
        self.acknowledged: dict[str, int] = {}
        self._lock = threading.Lock()
        self._root = folder / "corpus"
        self._root.mkdir()
        self._folder = folder
        self.databases = stack.enter_context(Databases())
        self.editor = Editor(self._root, files, seed)
        self.index()
        ports = [free_port() for _ in range(SERVERS)]
        self.servers = [WebServer(self._serving(number, port), port) for number, port in enumerate(ports)]
        for server in self.servers:
            stack.callback(server.kill)
        urls = [server.url for server in self.servers]
        self.clients = [Client(urls, "anna"), Client(urls[::-1], "boris")]
        self.workers = [
            IndexWorker(self._indexing(f"worker {number}"), self._present, self._acknowledge)
            for number in range(WORKERS)
        ]
        for worker in self.workers:
            stack.callback(worker.program.kill)
        self.editor.start()

    def index(self) -> None:
        """Bring the index up to date and wait for it."""
        program = self._indexing("alone")
        program.start()
        code, _ = program.wait()
        if code:
            raise RuntimeError(f"the index was not made: {(self._folder / 'log').read_text()[-2000:]}")

    def kill_one(self) -> str:
        """Kill one of them and start it again; return which kind it was."""
        kind = self.draw.choice(KINDS)
        self.kills[kind] += 1
        if kind == "worker":
            self.draw.choice(self.workers).program.kill()
        elif kind == "server":
            server = self.draw.choice(self.servers)
            server.kill()
            server.start()
        else:
            self.databases.fail_over()
        return kind

    def stop(self) -> None:
        """Let everybody finish what is under way, and change nothing more."""
        self.editor.stop()
        for one in (*self.clients, *self.workers):
            one.stop()

    def wrong(self) -> Iterator[str]:
        """Yield what was acknowledged and is not as it should be."""
        with self._lock:
            acknowledged = dict(self.acknowledged)
        with closing(Database.open(self.databases.primary.address("postgres"))) as database:
            yield from wrong_documents(database, acknowledged)
        for client in self.clients:
            yield from client.missing()

    def _present(self) -> dict[str, int]:
        return dict(self.editor.versions)

    def _acknowledge(self, versions: dict[str, int]) -> None:
        with self._lock:
            self.acknowledged = {
                path: max(version, self.acknowledged.get(path, 0)) for path, version in versions.items()
            }

    def _indexing(self, name: str) -> Program:
        return self._program(name, "index", str(self._root), "--json")

    def _serving(self, number: int, port: int) -> Program:
        return self._program(f"server {number}", "serve", str(self._root), "--port", str(port))

    def _program(self, name: str, *arguments: str) -> Program:
        environment = {
            "QUAESTOR_HOME": str(self._folder / name),
            "QUAESTOR_STORE": self.databases.uri,
            "QUAESTOR_CORPUS": CORPUS,
            "QUAESTOR_REQUESTS_PER_MINUTE": "100000",
            "QUAESTOR_PREMEDITATION": "off",
        }
        return Program(arguments, environment, self._folder / "log")


def wrong_documents(database: Database, acknowledged: dict[str, int]) -> Iterator[str]:
    """Yield what is torn, doubled or lost of the corpus; ``acknowledged`` are the least versions by path."""
    made = PostgresStore.recorded_embedder(database, CORPUS)
    assert made is not None
    store = PostgresStore.open(database, CORPUS, embedder=made[0], dimensions=made[1], create=False)
    yield from store.check()
    for path, version in acknowledged.items():
        held = {
            "chunks": [one.chunk.text for one in store.chunks_of(path)],
            "bytes": [(store.bytes_of(path) or b"").decode()],
        }
        for what, texts in held.items():
            try:
                stored = stored_version(texts)
            except ValueError as error:
                yield f"{path!r}, {what}: {error}"
                continue
            if stored < version:
                yield f"{path!r}, {what}: version {stored}, and {version} was acknowledged"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--files", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HERE / "results" / "failover.json", help="JSON file")
    options = parser.parse_args(arguments)
    report: dict[str, Any] = {
        "benchmark": "failover",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "minutes": options.minutes,
        "files": options.files,
        "seed": options.seed,
        "machine": _machine.describe(),
        "load_before": os.getloadavg(),
    }
    with TemporaryDirectory(prefix="failover-", ignore_cleanup_errors=True) as folder, ExitStack() as stack:
        run = Run(stack, Path(folder), options.files, options.seed)
        report["rounds"] = rounds(run, options.minutes * 60)
        run.stop()
        run.index()
        run.acknowledged = dict(run.editor.versions)
        report["end"] = {"wrong": said("the end", run.wrong)}
        report["counts"] = counts(run)
    report["load_after"] = os.getloadavg()
    commit = report["machine"]["commit"][:8]
    print(*(f"| {what} | {count} |" for what, count in report["counts"].items()), f"| commit | {commit} |", sep="\n")
    options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 1 if any(one["wrong"] for one in (*report["rounds"], report["end"])) else 0


def rounds(run: Run, seconds: float) -> list[dict[str, Any]]:
    """Kill and look until the time is over; return each round's kills and what was wrong after it."""
    end, done = time.monotonic() + seconds, list[dict[str, Any]]()
    while time.monotonic() < end:
        killed = []
        for _ in range(run.draw.randint(1, 3)):
            time.sleep(run.draw.uniform(0.0, LONGEST_PAUSE))
            killed.append(run.kill_one())
        done.append(
            {"killed": killed, "wrong": said(f"round {len(done) + 1:3}: killed {', '.join(killed)}", run.wrong)}
        )
    return done


def said(what: str, wrong: Callable[[], Iterator[str]]) -> list[str]:
    """Print a round with what was wrong, and return that."""
    found = list(wrong())
    print(f"{what}: {len(found)} wrong", *found[:20], sep="\n    ", flush=True)
    return found


def counts(run: Run) -> dict[str, int | float]:
    """Return what was done, in words."""
    answered = sum((Counter(client.counts) for client in run.clients), Counter[str]())
    ended = sum((Counter(worker.ended) for worker in run.workers), Counter[int]())
    return {
        **{f"kills of a {kind}": count for kind, count in sorted(run.kills.items())},
        **{f"`quaestor index` ended with {code}": count for code, count in sorted(ended.items())},
        "of those with 0, runs of which others did a part": sum(worker.shared for worker in run.workers),
        "versions of files written": sum(run.editor.versions.values()),
        "turns acknowledged": sum(len(one) for client in run.clients for one in client.turns.values()),
        "uploads acknowledged": sum(len(client.uploads) for client in run.clients),
        **dict(sorted(answered.items())),
        "longest time between two answers to a search, s": round(max(client.gap for client in run.clients), 1),
    }


if __name__ == "__main__":
    sys.exit(main())
