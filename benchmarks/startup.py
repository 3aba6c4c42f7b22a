"""Measures how fast the command line answers: every run is a new process, beside a Python that does nothing.

    python benchmarks/startup.py DIR

``DIR`` is indexed once, into a temporary folder, before anything is timed. "cold" means a new process; the files are in
the system's cache, as on a machine in use. For an MCP server, three times are measured from the start of its process:
until it has answered ``initialize``, until its tools are known, and until the first search is answered, which waits for
the index of a repository without one. For comparison: the smallest server of the SDK, with one tool that returns a
word. The model is a scripted server in this process, which answers at once.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import _machine

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from servers.scripted import ScriptedServer

if TYPE_CHECKING:
    from mcp import StdioServerParameters

QUAESTOR = (sys.executable, "-m", "quaestor")
STEPS = ("initialize", "tools", "first search")


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    with TemporaryDirectory() as home, ScriptedServer(["It is there [1]."]) as model:
        environment = {**os.environ, "QUAESTOR_HOME": home}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        run((*QUAESTOR, "index", str(options.folder)), environment)
        commands = {
            "python -c pass": (sys.executable, "-c", "pass"),
            "quaestor --help": (*QUAESTOR, "--help"),
            "quaestor search": (*QUAESTOR, "search", options.query, str(options.folder)),
            "quaestor search --json": (*QUAESTOR, "search", "--json", options.query, str(options.folder)),
            "quaestor ask (no model)": (*QUAESTOR, "ask", options.query, str(options.folder)),
            "quaestor ask (a model)": (*QUAESTOR, "ask", *asked(model), options.query, str(options.folder)),
        }
        times = {name: timed(command, environment, options.runs) for name, command in commands.items()}
        times |= asyncio.run(sessions(options, environment))
    print(table(times, options.runs))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure how fast the command line answers.")
    parser.add_argument("folder", type=Path, help="a repository to search")
    parser.add_argument("--query", default="where is a failed request sent again")
    parser.add_argument("--runs", type=int, default=15)
    return parser.parse_args(arguments)


def asked(model: ScriptedServer) -> tuple[str, ...]:
    """Return the options that name a model."""
    return "--model", model.models[0], "--base-url", model.base_url


def timed(command: Sequence[str], environment: Mapping[str, str], runs: int) -> list[float]:
    """Return the seconds that each run took, after one that is not counted."""
    run(command, environment)
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        run(command, environment)
        times.append(time.perf_counter() - started)
    return times


async def sessions(options: argparse.Namespace, environment: Mapping[str, str]) -> dict[str, list[float]]:
    """Return the seconds from the start of an MCP server to its first answers, servers taking turns.

    The client is the SDK's own. Of the repository without an index, none is left from the run before.
    """
    from mcp import StdioServerParameters  # noqa: PLC0415 - only here, and takes a second

    with TemporaryDirectory() as elsewhere:
        fresh = {**environment, "QUAESTOR_HOME": f"{elsewhere}/home"}
        mcp = [*QUAESTOR[1:], "mcp", str(options.folder)]
        servers = {
            "MCP SDK, least server": ([str(Path(__file__).parent / "_startup_mcp.py")], environment),
            "quaestor mcp": (mcp, environment),
            "quaestor mcp, no index": (mcp, fresh),
        }
        times: dict[str, list[float]] = {f"{name}: {step}": [] for name in servers for step in STEPS}
        for turn in range(options.runs + 1):
            for name, (command, variables) in servers.items():
                rmtree(fresh["QUAESTOR_HOME"], ignore_errors=True)
                server = StdioServerParameters(command=sys.executable, args=command, env=dict(variables))
                found = await session(server, options.query)
                if turn:
                    for step, seconds in zip(STEPS, found, strict=True):
                        times[f"{name}: {step}"].append(seconds)
    return times


async def session(server: StdioServerParameters, query: str) -> list[float]:
    """Return the seconds from the start of a server to each step of a session with it."""
    from mcp import Client  # noqa: PLC0415

    times = []
    started = time.perf_counter()
    async with Client(server, mode="legacy", read_timeout_seconds=60) as client:
        times.append(time.perf_counter() - started)
        await client.list_tools()
        times.append(time.perf_counter() - started)
        answer = await client.call_tool("search", {"query": query})
        times.append(time.perf_counter() - started)
        if answer.is_error:
            sys.exit(f"a search over MCP failed: {answer}")
    return times


def run(command: Sequence[str], environment: Mapping[str, str]) -> None:
    done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} failed: {done.stderr.decode()}")


def table(times: Mapping[str, Sequence[float]], runs: int) -> str:
    """Return the figures as one text table."""
    machine = _machine.describe()
    lines = [f"{'seconds, ' + str(runs) + ' runs':36} {'median':>8} {'least':>8} {'most':>8}"]
    lines += [
        f"{name:36} {statistics.median(found):8.3f} {min(found):8.3f} {max(found):8.3f}"
        for name, found in times.items()
    ]
    lines.append(
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, commit {machine['commit'][:10]}"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
