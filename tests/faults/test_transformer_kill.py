"""A process killed while it makes a transformer's vectors: the index still answers, and finished vectors stay."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.embedding.static import StaticEmbedder
from quaestor.files.indexing_values import ProgressState
from tiny_transformer import write_transformer

SCRIPT = Path(__file__).with_name("transformer_indexer.py")
AT_ONCE = 64  # texts between two commits
FILES = 6 * AT_ONCE
STEPS = [
    "indexing",
    "embedding 0",
    f"embedding {AT_ONCE}",
    f"embedding {2 * AT_ONCE}",
    f"embedding {FILES}",
    "taking in",
]


OFTEN = ("indexing", f"embedding {2 * AT_ONCE}", "taking in")
"""In every run; before each is another that differs in its number only."""


@pytest.mark.parametrize("step", [pytest.param(one, marks=[] if one in OFTEN else pytest.mark.slow) for one in STEPS])
def test_a_kill_loses_at_most_one_commit(tmp_path: Path, step: str) -> None:
    root, home, model = tmp_path / "root", tmp_path / "home", tmp_path / "model"
    root.mkdir()
    for number in range(FILES):
        (root / f"{number}.md").write_text(f"# Village {number}\n\nIts harbour, {'bread' if number % 2 else 'fish'}.\n")
    write_transformer(model, alike={"zeppelin": "bread"})
    kept = _killed_at(step, root, home, model)
    settings = Settings(home=str(home), embedder=f"onnx:{model}")
    if step != "indexing":
        with Index.open(root, settings=settings._replace(embedder="auto")) as index:
            assert len(index.search("harbour village", 5)) == 5
            assert index.embedder.name == StaticEmbedder.bundled().name
            coming = index.meaning.vector_progress
            assert coming is not None and coming.done == kept and not coming.busy
    states: list[ProgressState] = []
    with Index.build(root, settings=settings, progress=states.append) as index:
        assert (
            index.stats().documents == FILES and index.meaning.reach == "all" and index.meaning.vector_progress is None
        )
        assert "bread" in index.search("zeppelin", 1, mode="dense")[0].text
    assert next(state.done for state in states if state.doing == "embedding") == kept


def _killed_at(step: str, root: Path, home: Path, model: Path) -> int:
    """Kill the indexer when it says a step, and return how many vectors it had kept by then."""
    command = [sys.executable, str(SCRIPT), str(root), str(home), str(model)]
    kept = 0
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        for line in process.stdout:
            doing, done, _ = line.rsplit(" ", 2)
            kept = int(done) if doing == "embedding" else kept
            if line.startswith(step):
                process.kill()
                return kept
            process.stdin.write("\n")
            process.stdin.flush()
    raise AssertionError(f"it never came to {step!r}")


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells of the end of somebody else's process")
def test_who_makes_vectors_ends_with_whom_they_are_made_for(tmp_path: Path) -> None:
    root, home, model = tmp_path / "root", tmp_path / "home", tmp_path / "model"
    root.mkdir()
    for number in range(20 * AT_ONCE):
        (root / f"{number}.md").write_text(f"# Village {number}\n\nIts harbour.\n")
    write_transformer(model)
    command = [sys.executable, str(SCRIPT.with_name("vectors_server.py")), str(root), str(home), str(model)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        maker = os.pidfd_open(int(process.stdout.readline()))
        process.kill()
    try:
        assert select.select([maker], [], [], 600)[0] == [maker]
    finally:
        os.close(maker)
