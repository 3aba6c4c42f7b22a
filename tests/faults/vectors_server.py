"""Serves nothing but has vectors made behind it; says the process that makes them, and stays: ROOT HOME MODEL."""

from __future__ import annotations

import sys
from pathlib import Path

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.server.index_process import BackgroundVectors

_, root, home, model = sys.argv
settings = Settings(home=home, embedder=f"onnx:{model}")
Index.ready(root, settings=settings).close()
with BackgroundVectors(Path(root), settings) as behind:
    while (child := behind._child) is None:
        behind._ended.wait(0.01)
    print(child.pid, flush=True)
    sys.stdin.readline()
