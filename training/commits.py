"""Makes pairs from history: a commit's subject -> the lines that it changed, as they are afterwards."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from quaestor.chunking.languages import recognise
from quaestor.evaluation.made_questions.clean_queries import subject_query
from quaestor.evaluation.made_questions.surface_syntax import LANGUAGES
from quaestor.tuning.training_pairs import Pair

_FEWEST, _MOST = 200, 1_500
_LONGEST_LOG = 48_000_000  # bytes
_MOST_FILES = 8


def commit_pairs(git_dir: Path, commits: int, per_commit: int = 2) -> Iterator[Pair]:
    """Yield up to ``per_commit`` pairs for each of the newest ``commits`` that are not merges."""
    command = [
        "git",
        "--git-dir",
        str(git_dir),
        "log",
        "--no-merges",
        f"-n{commits}",
        "--diff-filter=M",
        "--no-renames",
    ]
    command += ["--format=%x00%s", "-p", "-U8", "--no-color", "--no-ext-diff", "HEAD"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None  # PIPE was asked for
        log = process.stdout.read(_LONGEST_LOG)
        process.kill()
    for commit in log.decode("utf-8", "replace").split("\0")[1:]:
        subject, _, diff = commit.partition("\n")
        query = subject_query(subject)
        files = diff.split("\ndiff --git ")
        if query and len(files) <= _MOST_FILES:
            yield from _hunks(query, files, per_commit)


def _hunks(query: str, files: list[str], most: int) -> Iterator[Pair]:
    for file in files:
        found = re.search(r"^\+\+\+ b/(.*)$", file, re.MULTILINE)
        language = recognise(b"", found[1]) if found else ""
        if not found or language not in LANGUAGES or re.search(r"(?:^|/)(?:vendor|dist|node_modules)/", found[1]):
            continue
        for hunk in re.split(r"^@@ .*$", file, flags=re.MULTILINE)[1:]:
            text = "\n".join(line[1:] for line in hunk.splitlines() if line[:1] in {" ", "+"})[:_MOST]
            if len(text) >= _FEWEST and most:
                most -= 1
                yield Pair("commit", query, text.strip("\n"), found[1], language)
