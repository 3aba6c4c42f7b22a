"""Commit subjects: each asks for the files that it changed. Nothing gives them away, for no file holds them."""

from __future__ import annotations

import subprocess
from collections.abc import Container, Iterator
from pathlib import Path

from quaestor.evaluation.made.asked import Asked
from quaestor.evaluation.made.clean import subject_query

_COMMITS = 2000
_SECONDS = 20.0
_MOST_FILES = 3


def of_history(root: Path, paths: Container[str]) -> Iterator[Asked]:
    """Yield the questions of a repository's newest commits that changed few of its present files; none elsewhere."""
    command = ["git", "-C", str(root), "-c", "core.quotePath=false", "log", "--no-merges", f"-n{_COMMITS}"]
    command += ["--diff-filter=AM", "--relative", "--name-only", "-z", "--format=%x01%s%x02", "--no-ext-diff"]
    try:
        log = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return  # no repository, or no git: there is nothing to ask
    seen: set[str] = set()
    for commit in log.decode("utf-8", "replace").split("\x01")[1:]:
        subject, _, names = commit.partition("\x02")
        files = [name.strip("\n") for name in names.split("\0") if name.strip("\n")]
        query = subject_query(subject)
        if query and query not in seen and 0 < len(files) <= _MOST_FILES and all(name in paths for name in files):
            seen.add(query)
            yield Asked("commit", query, tuple((name, None, None) for name in files))
