"""Gives an index a transformer's vectors, and waits for a line after each step, to be killed there: ROOT HOME MODEL."""

from __future__ import annotations

import sys

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.files.indexing_values import ProgressState

_, root, home, model = sys.argv


def step(state: ProgressState) -> None:
    print(state.doing, state.done, state.total, flush=True)
    sys.stdin.readline()


Index.build(root, settings=Settings(home=home, embedder=f"onnx:{model}"), progress=step).close()
