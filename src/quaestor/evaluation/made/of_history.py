"""Commit subjects: each asks for the files that it changed. Nothing gives them away, for no file holds them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Container, Iterator
from pathlib import Path

from quaestor.evaluation.made.clean import subject_query
from quaestor.evaluation.made.made_question import Asked

_COMMITS = 2000
_SECONDS = 20.0
_MOST_FILES = 3
# A repository's own configuration may name programs to run: to check signatures, to watch files, to show differences.
# And what is missing of a partial clone would be fetched.
_HARMLESS = ("log.showSignature=false", "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false")
_QUIET = {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}


def of_history(root: Path, paths: Container[str]) -> Iterator[Asked]:
    """Yield the questions of a repository's newest commits that changed few of its present files; none elsewhere."""
    settings = [part for setting in _HARMLESS for part in ("-c", setting)]
    command = ["git", "-C", str(root), *settings, "log", "--no-merges", f"-n{_COMMITS}", "--no-show-signature"]
    command += ["--diff-filter=AM", "--relative", "--name-only", "-z", "--format=%x01%s%x02"]
    command += ["--no-ext-diff", "--no-textconv"]
    quiet = {**os.environ, **_QUIET}
    try:
        log = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True, env=quiet).stdout
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
