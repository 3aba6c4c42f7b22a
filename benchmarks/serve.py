"""Measures what the HTTP server adds to a model's latency with 100 streams, and how many searches it answers.

It also measures how soon the model's server notices a client that disconnects.

    python benchmarks/serve.py FOLDER --index FOLDER --workers 1 4

The model's server is scripted and runs in a separate process, as does ``quaestor serve``. The same questions go to
both: the wait for the first word through us, less the wait without us, is what we add. All of them, and the clients,
share the machine's cores; the report has the processor time of each.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import _machine
import _serve_processes
from _serve_clients import Streamed, hang_up, post, searches, stream

HERE = Path(__file__).parent
RESULTS = HERE / "results"
QUESTION = "where is a failed request sent again, and how often?"
PATIENCE = 300
ROWS = (
    "first_word_ms",
    "retrieval_ms",
    "beyond_retrieval_ms",
    "direct_ms",
    "added_ms",
    "cores",
    "megabytes",
    "descriptors",
)


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    report: dict[str, Any] = {
        "benchmark": "serve",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine.describe(),
        "streams": options.streams,
        "replies": options.streams * options.rounds,
        "pieces": options.pieces,
        "pause_seconds": options.pause,
        "load_before": os.getloadavg(),
        "workers": {},
    }
    with upstream(options.pieces, options.pause) as model:
        for workers in options.workers:
            report["workers"][str(workers)] = served(options, model, workers)
    report["load_after"] = os.getloadavg()
    print(table(report))
    path = options.out or RESULTS / "serve.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def served(options: argparse.Namespace, model: Upstream, workers: int) -> dict[str, Any]:
    """Measure a server of so many processes."""
    found: dict[str, Any] = {"load_before": os.getloadavg()}
    with serving([options.folder], model, workers) as server:
        found["spread"] = measured(options, server, model)
        found["at_once"] = measured(options, server, model, together=True)
        found["searches"] = asyncio.run(rates(server.port, options.seconds))
        found["hang_ups"] = asyncio.run(hang_ups(server.port, model.port, options.hang_ups))
    # A folder that is not indexed yet: the index is made while the streams go on.
    with serving([options.folder, options.index], model, workers) as server:
        found["while_indexing"] = measured(options, server, model, corpus=options.folder.name)
        found["while_indexing"]["indexing_at_the_end"] = not ready(server.port)
    return found


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=lambda text: Path(text).resolve(), help="what is asked about")
    parser.add_argument("--index", type=lambda text: Path(text).resolve(), required=True, help="indexed meanwhile")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4], help="processes that serve, one run for each")
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=4, help="replies of each stream")
    parser.add_argument("--pieces", type=int, default=25, help="deltas of a reply")
    parser.add_argument("--pause", type=float, default=0.2, help="seconds between them")
    parser.add_argument("--seconds", type=float, default=10.0, help="of searching with each number of clients")
    parser.add_argument("--hang-ups", type=int, default=40, help="clients that hang up in the middle of a reply")
    parser.add_argument("--out", type=Path)
    return parser.parse_args(arguments)


@dataclass(frozen=True, slots=True)
class Upstream:
    """The scripted model's server."""

    port: int
    process: int


@dataclass(frozen=True, slots=True)
class Server:
    """``quaestor serve``.

    Attributes:
        port: its port.
        processes: those that answer requests.
    """

    port: int
    processes: list[int]


@contextmanager
def upstream(pieces: int, pause: float) -> Iterator[Upstream]:
    """Run the scripted model's server."""
    command = [sys.executable, str(HERE / "_serve_upstream.py"), str(pieces), str(pause)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Upstream(int(process.stdout.readline()), process.pid)
        finally:
            process.kill()


@contextmanager
def serving(folders: Sequence[Path], model: Upstream, workers: int) -> Iterator[Server]:
    """Run ``quaestor serve`` with so many processes, until the first folder can be searched by all of them."""
    with TemporaryDirectory(prefix="serve-") as home, _free_port() as port:
        command = [sys.executable, "-m", "quaestor", "serve", *map(str, folders), "--port", str(port)]
        command += ["--workers", str(workers)] if workers > 1 else []
        environment = {
            **os.environ,
            "QUAESTOR_HOME": home,
            "QUAESTOR_MODEL": "scripted",
            "QUAESTOR_BASE_URL": f"http://127.0.0.1:{model.port}/v1",
            # One request to the model for each question: what is measured is what lies around it.
            "QUAESTOR_SUBROUTINES": "off",
        }
        with (
            Path(home, "log").open("w", encoding="utf-8") as log,
            subprocess.Popen(command, env=environment, stderr=log) as process,
        ):
            try:
                until_searchable(port, folders[0].name, workers)
                yield Server(port, _serve_processes.serving(process.pid))
            finally:
                process.send_signal(signal.SIGTERM)


@contextmanager
def _free_port() -> Iterator[int]:
    import socket  # noqa: PLC0415 - only here

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    yield port


def until_searchable(port: int, corpus: str, workers: int) -> None:
    """Wait for the first index of a corpus: which process answers is chance, so several must say so in a row."""
    end, times = time.monotonic() + PATIENCE, 0
    while time.monotonic() < end:
        try:
            there = any(one["name"] == corpus and one["ready"] for one in states(port))
        except URLError:
            there = False
        times = times + 1 if there else 0
        if times > 10 * (workers - 1):
            return
        time.sleep(0 if there else 0.1)
    raise SystemExit(f"{corpus!r} could not be searched after {PATIENCE} seconds")


def states(port: int) -> list[dict[str, Any]]:
    with urlopen(f"http://127.0.0.1:{port}/api/corpora") as answer:
        return list(json.load(answer)["corpora"])


def ready(port: int) -> bool:
    return all(one["ready"] for one in states(port))


def measured(
    options: argparse.Namespace,
    server: Server,
    model: Upstream,
    corpus: str = "quaestor",
    *,
    together: bool = False,
) -> dict[str, Any]:
    """Measure our server before the model, then the model alone, with the same requests."""
    processes, parties = (
        server.processes,
        {"server": server.processes, "model": [model.process], "clients": [os.getpid()]},
    )
    load = {"streams": options.streams, "rounds": options.rounds, "together": together}
    asyncio.run(all_streams(options, server.port, corpus, streams=4 * len(processes), rounds=1))
    files, size = _serve_processes.descriptors(processes), _serve_processes.megabytes(processes)
    began, taken = time.monotonic(), {name: _serve_processes.processor(party) for name, party in parties.items()}
    through = asyncio.run(all_streams(options, server.port, corpus, **load))
    wall = time.monotonic() - began
    taken = {name: _serve_processes.processor(party) - taken[name] for name, party in parties.items()}
    used = _serve_processes.megabytes(processes)
    direct = asyncio.run(all_streams(options, model.port, "scripted", **load))
    beyond = sorted(one.first - one.retrieval for one in through)
    alone = sorted(one.first for one in direct)
    return {
        "first_word_ms": spread([one.first for one in through]),
        "retrieval_ms": spread([one.retrieval for one in through]),
        "beyond_retrieval_ms": spread(beyond),
        "direct_ms": spread(alone),
        "added_ms": {
            name: round((at(beyond, share) - at(alone, share)) * 1000, 2)
            for name, share in (("p50", 0.5), ("p99", 0.99))
        },
        "lost": sum(not one.whole for one in (*through, *direct)),
        "errors": sorted({one.error for one in (*through, *direct) if one.error}),
        "mixed": sum(one.mixed for one in through),
        "descriptors": {"before": files, "after": _serve_processes.settled(processes, files)},
        "cores": {name: round(seconds / wall, 2) for name, seconds in taken.items()},
        "server_ms_a_reply": round(1000 * taken["server"] / len(through), 1),
        "megabytes": {"before": size, "under_load": used},
    }


async def all_streams(
    options: argparse.Namespace, port: int, model: str, *, streams: int, rounds: int, together: bool = False
) -> list[Streamed]:
    """Run so many streams at once, each one reply after the other, and return them all.

    Their first replies begin evenly spread over the time that one takes, or ``together``.
    """
    length = options.pieces * options.pause

    async def client(number: int) -> list[Streamed]:
        await asyncio.sleep(0 if together else length * number / streams)
        found = []
        for turn in range(rounds):
            word = f"w{number}x{turn}"
            body = {"model": model, "messages": [{"role": "user", "content": f"{word} {QUESTION}"}]}
            found.append(await stream(port, body, word, options.pieces))
        return found

    return [one for found in await asyncio.gather(*map(client, range(streams))) for one in found]


async def rates(port: int, seconds: float) -> dict[str, Any]:
    """Return searches per second, and how long one takes, with several numbers of clients."""
    found = {}
    body = {"query": QUESTION, "k": 10}
    reader, writer = await post(port, "/api/search", body)
    await reader.read()
    writer.close()
    for clients in (1, 8, 32):
        taken = await searches(port, clients, seconds, body)
        found[str(clients)] = {"per_second": round(len(taken) / seconds, 1), "ms": spread(taken)}
    return found


async def hang_ups(port: int, model_port: int, count: int) -> dict[str, Any]:
    """Return how long the model goes on for clients that hang up: one after the other, and all at once."""

    async def leave(number: str) -> float | None:
        word = f"gone{number}x{port}"
        body = {"model": "quaestor", "messages": [{"role": "user", "content": f"{word} {QUESTION}"}]}
        return await hang_up(port, model_port, body, word, PATIENCE / 10)

    each = [await leave(f"alone{number}") for number in range(count)]
    together = await asyncio.gather(*(leave(f"together{number}") for number in range(count)))
    return {"one by one": _left(each), "at once": _left(together)}


def _left(found: Sequence[float | None]) -> dict[str, Any]:
    taken = sorted(one for one in found if one is not None)
    ends = {"p50": round(at(taken, 0.5) * 1000, 2), "max": round(taken[-1] * 1000, 2)} if taken else {}
    return {"count": len(found), "never": len(found) - len(taken), "ms": ends}


def spread(seconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    return {name: round(at(ordered, share) * 1000, 2) for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))}


def at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def table(report: dict[str, Any]) -> str:
    """Return the report for people."""
    lines = [f"{report['streams']} streams at once, {report['replies']} replies"]
    for workers, found in report["workers"].items():
        lines += ["", f"--workers {workers}"]
        for name in ("spread", "at_once", "while_indexing"):
            part = found[name]
            lines.append(name.replace("_", " "))
            for row in ROWS:
                lines.append(f"  {row:20} " + "  ".join(f"{key} {value}" for key, value in part[row].items()))
            lines.append(f"  {'server_ms_a_reply':20} {part['server_ms_a_reply']}")
            lines.append(f"  lost {part['lost']}, mixed {part['mixed']} {' '.join(part['errors'])}")
        for clients, rate in found["searches"].items():
            lines.append(f"{clients:>3} clients searching: {rate['per_second']} a second, p50 {rate['ms']['p50']} ms")
        for name, left in found["hang_ups"].items():
            times = "  ".join(f"{key} {value} ms" for key, value in left["ms"].items())
            lines.append(f"{left['count']} clients hang up {name}: the model hears it after {times}")
            lines += [f"  and never of {left['never']}"] if left["never"] else []
    return "\n".join(lines)


if __name__ == "__main__":
    main()
