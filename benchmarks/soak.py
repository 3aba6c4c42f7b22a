"""An hour of mixed use of one server on a real repository, with edits and git at work in it.

    python benchmarks/soak.py [--repository PATH] [--minutes 60] [--out FILE]

Two clients search, two ask over OpenAI's API, two hold conversations over ours; an agent works over MCP; commands, an
editor and git run beside them, each from a seed, on a clone. The model is a scripted server that quotes, calls tools,
fails and hangs up. Memory, open files, threads and the disk are measured every INTERVAL seconds. The next search must
find what an editor has written. Exit code 1: there was a problem, or something grows. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import _machine
import _serve_processes
import _soak_plot
from _soak_users import CROWD, PATIENCE, SCRIPTED, Agent, Place, Record, User, copied

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
RESULTS = Path(__file__).parent / "results"
INTERVAL = 10.0
GROWTH = 1.25
"""What the median of the last quarter may be of that of the second one; in the first, caches fill."""

QUOTE = re.compile(r"<passage n=\"?(\d+)\"?[^\n]*>\n(.*?)</passage>", re.DOTALL)
WATCHED = ("server_mb", "server_files", "server_threads", "agent_mb", "agent_files", "disk_mb")
_ALLOWED = {"disk_mb": 3.0}
"""Sessions and commits are kept: that is what a disk is for, within reason."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", type=lambda text: Path(text).resolve(), default=ROOT)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=RESULTS / "soak.json")
    options = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as folder:
        root = copied(options.repository, Path(folder))
        report = soaked(root, Path(folder), options.minutes)
    report = {"machine": _machine.describe(), "repository": options.repository.name, **report}
    options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    options.out.with_suffix(".svg").write_text(_soak_plot.draw(report["samples"]), encoding="utf-8")
    print(table(report))
    return 1 if report["wrong"] or any(one["grows"] for one in report["levels"].values()) else 0


def soaked(root: Path, folder: Path, minutes: float) -> dict[str, Any]:
    """Let the users at a repository and return what became of it."""
    from servers.scripted import ScriptedServer  # noqa: PLC0415 - of the tests

    home = folder / "home"
    with ScriptedServer(_said, models=("scripted",)) as model:
        environment = {
            **os.environ,
            "QUAESTOR_HOME": str(home),
            "QUAESTOR_MODEL": "scripted",
            "QUAESTOR_BASE_URL": model.base_url,
            "QUAESTOR_TIMEOUT": str(PATIENCE),  # a busy machine lets the script wait, too
        }
        with serving(root, environment, folder / "log") as (port, process):
            record = Record()
            place = Place(root, port, environment, record, names_in(root))
            samples = attended(place, process, home, minutes * 60)
        failures = [repr(one) for one in model.failures]
        asked = len(model.requests)
    faults = [line for line in (folder / "log").read_text(encoding="utf-8").splitlines() if '"fault"' in line]
    wrong = [f"{at:.0f} s  {what}" for at, what in record.wrong] + faults + failures
    return {
        "minutes": minutes,
        "requests_to_the_model": asked,
        "scripted_failures": dict(record.scripted),
        "late": record.late,
        "operations": {kind: _told(times) for kind, times in sorted(record.seconds.items())},
        "wrong": wrong,
        "levels": {name: levels([one[name] for one in samples], _ALLOWED.get(name, GROWTH)) for name in WATCHED},
        "samples": samples,
    }


def attended(place: Place, process: int, home: Path, seconds: float) -> list[dict[str, float]]:
    """Let the users work and look at the processes meanwhile."""
    stop = threading.Event()
    users = [kind(place, number, stop) for kind, count in CROWD for number in range(count)]
    for user in users:
        user.start()
    samples = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(min(INTERVAL, max(end - time.monotonic(), 0)))
        samples.append(sampled(place, process, home, users))
    stop.set()
    for user in users:
        user.join(2 * PATIENCE)
        if user.is_alive():
            place.record.wrong.append((place.record.now(), f"{user.name} never came to its end"))
    return samples


def sampled(place: Place, process: int, home: Path, users: Sequence[User]) -> dict[str, float]:
    """Return what the server, the agent's program and the disk hold now."""
    agents = [one.program.pid for one in users if isinstance(one, Agent) and one.program is not None]
    return {
        "minute": round(place.record.now() / 60, 2),
        **_levels_of("server", [process]),
        **_levels_of("agent", agents),
        "disk_mb": sum(one.stat().st_size for one in home.rglob("*") if one.is_file()) / 1e6,
        "operations": sum(map(len, place.record.seconds.values())),
        "wrong": len(place.record.wrong),
    }


def _levels_of(name: str, processes: Sequence[int]) -> dict[str, float]:
    try:
        threads = sum(len(list(Path(f"/proc/{one}/task").iterdir())) for one in processes)
        files = _serve_processes.descriptors(processes)
        memory = _serve_processes.megabytes(processes)
    except (OSError, StopIteration):
        return {f"{name}_{what}": 0.0 for what in ("mb", "files", "threads")}  # it has just ended
    return {f"{name}_mb": memory, f"{name}_files": files, f"{name}_threads": threads}


def levels(values: Sequence[float], most: float) -> dict[str, Any]:
    """Return the medians of the second and the last quarter, the highest value, and whether that grows."""
    known = [one for one in values if one]
    quarter = max(1, len(known) // 4)
    early, late = statistics.median(known[quarter : 2 * quarter] or known), statistics.median(known[-quarter:])
    return {"second_quarter": early, "last_quarter": late, "highest": max(known), "grows": late > most * early}


def names_in(root: Path) -> tuple[str, ...]:
    """Return names that a repository's files define."""
    found: dict[str, None] = {}
    for file in sorted(root.rglob("*.py"))[:400]:
        found.update(dict.fromkeys(re.findall(r"^\s*(?:def|class) (\w{4,})", file.read_text("utf-8", "replace"), re.M)))
    return tuple(found) or ("main",)


def _said(request: Any) -> Any:
    """Return what the scripted model says: it quotes mostly, calls, stops in the middle, fails and hangs up."""
    from servers.script import Reply, in_pieces  # noqa: PLC0415 - of the tests

    text = "\n".join(str(message.get("content")) for message in request.messages)
    dice = len(request.raw) % 100
    if dice < 3:
        return Reply(status=500, error=SCRIPTED)
    if dice < 5:
        return Reply(pieces=in_pieces("So it begins. " * 9), cut_after=3)
    passages = QUOTE.findall(text)
    if dice < 25 and not any(message["role"] == "assistant" for message in request.messages[-2:]):
        return '<|search query={"where is it tested"}|>'
    if not passages:
        return "Nothing in the passages says so. [no answer]"
    number, shown = passages[-1]
    words = next((line.strip() for line in shown.splitlines() if len(line.split()) > 2), shown[:40].strip())
    return Reply(pieces=in_pieces(f'It stands there [{number}: "{words[:80]}"]. Nobody says more.'), pause=0.01)


def _told(times: Sequence[tuple[float, float]]) -> dict[str, float]:
    seconds = sorted(taken for _, taken in times)
    return {
        "count": len(seconds),
        "p50_ms": round(1000 * statistics.median(seconds), 1),
        "p95_ms": round(1000 * seconds[int(0.95 * (len(seconds) - 1))], 1),
        "longest_ms": round(1000 * seconds[-1], 1),
    }


@contextmanager
def serving(root: Path, environment: Mapping[str, str], log: Path) -> Iterator[tuple[int, int]]:
    """Run ``quaestor serve`` on a repository; give its port and its process once it can be searched."""
    import socket  # noqa: PLC0415

    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = int(taken.getsockname()[1])
    command = [sys.executable, "-m", "quaestor", "serve", str(root), "--port", str(port)]
    with (
        log.open("w", encoding="utf-8") as into,
        subprocess.Popen(command, env=dict(environment), stderr=into) as process,
    ):
        try:
            _until_searchable(port)
            yield port, process.pid
        finally:
            process.send_signal(signal.SIGTERM)


def _until_searchable(port: int) -> None:
    end = time.monotonic() + 600
    while True:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/api/search", b'{"query": "a"}', {"content-type": "application/json"}
        )
        try:
            urllib.request.urlopen(request, timeout=30).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(1)
        else:
            return


def table(report: Mapping[str, Any]) -> str:
    """Return the report for people."""
    lines = [f"{report['repository']}, {report['minutes']:g} minutes, commit {report['machine']['commit'][:10]}", ""]
    lines += [f"{'operation':18}{'count':>8}{'p50 ms':>10}{'p95 ms':>10}{'longest':>10}"]
    for kind, one in report["operations"].items():
        lines.append(f"{kind:18}{one['count']:>8,}{one['p50_ms']:>10,}{one['p95_ms']:>10,}{one['longest_ms']:>10,}")
    lines += ["", f"{'level':18}{'2nd quarter':>12}{'last':>10}{'highest':>10}"]
    for name, one in report["levels"].items():
        grows = "  GROWS" if one["grows"] else ""
        lines.append(
            f"{name:18}{one['second_quarter']:>12,.1f}{one['last_quarter']:>10,.1f}{one['highest']:>10,.1f}{grows}"
        )
    scripted = sum(report["scripted_failures"].values())
    lines += ["", f"{report['requests_to_the_model']:,} requests to the model, {scripted} failed as scripted"]
    lines.append(f"{report['late']} searches said that there was no time to take in what had changed")
    return "\n".join([*lines, f"{len(report['wrong'])} wrong", *report["wrong"][:20]])


if __name__ == "__main__":
    sys.exit(main())
