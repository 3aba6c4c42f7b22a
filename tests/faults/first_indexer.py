"""Makes a first index in small steps, and waits in the middle for its input to end: ROOT HOME."""

from __future__ import annotations

import sys

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.files.indexing_values import ProgressState
from quaestor.indexing import commit, intake

commit.COMMIT_CHUNKS = intake.TASK_FILES = 5
_, root, home = sys.argv


def progress(state: ProgressState) -> None:
    if state.done == 20:
        print(state.done, flush=True)
        sys.stdin.read()


with Index.build(root, settings=Settings(home=home), progress=progress) as index:
    print(len(index.last_changes.added), flush=True)
