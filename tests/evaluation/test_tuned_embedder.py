"""Evaluating what a corpus's own index was tuned to, beside what it was before."""

from __future__ import annotations

from pathlib import Path

import pytest

from quaestor import Index
from quaestor.assemble.tuned_index import keep_tuned
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.evaluation.datasets import DataSet, Part
from quaestor.evaluation.grid import grid
from quaestor.evaluation.metrics import Question, Target
from quaestor.evaluation.run import Place, Run
from tuned_words import alike

GRID = grid(["static", "tuned"], ["auto"], ["dense"], [True])


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
    keep_tuned(root, settings, alike("zeppelin", "bread"), 1.5, {}, lambda done, total: None)
    static, tuned = run.of(asked, GRID).cells
    assert tuned.built.embedder.startswith(f"{static.built.embedder}+tuned-")
    assert tuned.answers["1"].locations[0][0] == "oven.md"
    assert tuned.built.documents == 2
