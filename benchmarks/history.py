"""Measures how long answers about the history of a repository of many commits take; the repository is made for it.

    python benchmarks/history.py [--commits 300000] [--files 2000] [--folder DIR]

``git fast-import`` writes the commits: each changes one file, and half-way a function is added. Questions are asked
without a commit graph, as after a first clone, and with one, as ``git gc`` writes it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import _machine

from quaestor import Index
from quaestor.answers.history.history_answer import history_of
from quaestor.corpus import Corpus

QUESTIONS = (
    "what changed recently",
    "what changed in v1.7",
    "what changed in March 2010",
    "when was v1.3 released",
    "when was added_midway added",
    "who wrote src/d7/f7.py",
    "who maintains this project",
    "what was the last change to src/d7/f7.py",
    "history of function_7",
    "commits about reason 299999",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=300_000)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--folder", type=Path, help="where the repository is, or is made")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="history-") as place:
        os.environ["QUAESTOR_HOME"] = f"{place}/home"
        folder = options.folder or Path(place) / "many"
        if not (folder / ".git").exists():
            make(folder, options.commits, options.files)
        with Index.build(folder) as index:
            bare = dict(seconds(index))
            git(folder, "commit-graph", "write", "--reachable", "--changed-paths")
            graphed = dict(seconds(index))
    print(f"{'seconds':44} {'without':>8} {'with a commit graph'}")
    for question in QUESTIONS:
        print(f"{question:44} {bare[question]:>8} {graphed[question]}")
    print(f"{options.commits:,} commits, {options.files:,} files; * not read to its end; - not found")
    print(_machine.describe()["commit"][:10])


def seconds(index: Corpus) -> Iterator[tuple[str, str]]:
    """Yield each question with how long its answer took, and whether it was whole."""
    for question in QUESTIONS:
        started = time.perf_counter()
        found = history_of(index, question)
        took = time.perf_counter() - started
        yield question, f"{took:.2f}{'*' if found.partial else ''}{'' if found.known else '-'}"


def make(folder: Path, commits: int, files: int) -> None:
    """Make a repository of many commits."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    with subprocess.Popen(["git", "-C", str(folder), "fast-import", "--quiet"], stdin=subprocess.PIPE) as importing:
        assert importing.stdin is not None
        for number in range(1, commits + 1):
            importing.stdin.write(commit(number, commits, files))
    git(folder, "reset", "-q", "--hard")


def commit(number: int, commits: int, files: int) -> bytes:
    """Return one commit as ``git fast-import`` takes it, with a tag now and then."""
    at = number % files
    body = f"def function_{at}(value):\n    return value + {number}\n"
    if number * 2 >= commits and at == 7:
        body += "def added_midway(value):\n    return value\n"
    message = f"Change number {number} of file {at}\n\nBecause of reason {number}.\n"
    who = f"Person {number % 50} <p{number % 50}@example.org> {946684800 + number * 2000} +0000"
    lines = [
        f"commit refs/heads/main\nmark :{number}\nauthor {who}\ncommitter {who}",
        f"data {len(message)}\n{message}M 100644 inline src/d{at % 40}/f{at}.py\ndata {len(body)}\n{body}",
    ]
    if number % 10_000 == 0:
        lines.append(f"reset refs/tags/v1.{number // 10_000}\nfrom :{number}\n")
    return ("\n".join(lines) + "\n").encode()


def git(folder: Path, *arguments: str) -> None:
    """Run git on the repository."""
    subprocess.run(["git", "-C", str(folder), *arguments], check=True)


if __name__ == "__main__":
    main()
