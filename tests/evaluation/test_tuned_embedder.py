"""Evaluating what a corpus's own index was tuned to, beside what it was before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quaestor import Index
from quaestor.assemble.tuned import keep_tuned
from quaestor.config import Settings
from quaestor.embedding.static import StaticEmbedder
from quaestor.embedding.tuned import Replaced
from quaestor.errors import UsageError
from quaestor.evaluation.datasets import DataSet, Part
from quaestor.evaluation.grid import grid
from quaestor.evaluation.metrics import Question, Target
from quaestor.evaluation.running import Place, Run

GRID = grid(["static", "tuned"], ["auto"], ["dense"], [True])


def tuned_to(root: Path, settings: Settings, word: str, meaning: str) -> None:
    """Tune an index so that a word means what another does."""
    bundled = StaticEmbedder.bundled()
    rows, meant = (np.unique(bundled.pieces.rows(text)).astype(np.int32) for text in (word, meaning))
    vectors = np.repeat(bundled.vectors_of(meant).mean(0)[None], len(rows), 0)
    scales = np.abs(vectors).max(1) / 127
    replaced = Replaced(rows, np.rint(vectors / scales[:, None]).astype(np.int8), scales.astype(np.float32))
    keep_tuned(root, settings, replaced, 1.5, {}, lambda done, total: None)


def test_a_tuned_embedder_is_compared_with_what_it_was(tmp_path: Path) -> None:
    root = tmp_path / "corpus"
    root.mkdir()
    (root / "pond.md").write_text("# Pond\n\nThe heron waits for fish in the water.\n")
    (root / "oven.md").write_text("# Oven\n\nBread is baked from flour and yeast.\n")
    settings = Settings(home=str(tmp_path / "home"))
    Index.build(root, settings=settings).close()
    asked = DataSet("a", "jsonl", "documents", (Part("a", root, (Question("1", "zeppelin", (Target("oven.md"),)),)),))
    run = Run(Place(tmp_path / "evaluations"), lambda part: settings)
    with pytest.raises(UsageError, match="is not tuned"):
        run.of(asked, GRID)
    tuned_to(root, settings, "zeppelin", "bread")
    static, tuned = run.of(asked, GRID).cells
    assert tuned.built.embedder.startswith(f"{static.built.embedder}+tuned-")
    assert tuned.answers["1"].locations[0][0] == "oven.md"
    assert tuned.built.documents == 2
