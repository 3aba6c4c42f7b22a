"""An index whose embedder is our own ``/v1/embeddings``: served by us, asked by us, over a real socket."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from served import Running

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.embedding.static import StaticEmbedder


def test_our_server_embeds_for_an_index_as_the_embedder_in_it_does(shared: Running, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number, text in enumerate(["The dough rests for hours.", "A request is sent again.", "Herring is smoked."]):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n{text}\n", "utf-8")
    settings = Settings(
        home=str(tmp_path / "home"),
        embedder="openai:quaestor",
        embedder_base_url=f"{shared.url}/v1",
        embedder_price=0.0,
    )
    with Index.build(folder, settings=settings, max_cost=math.inf) as index:
        assert index.last_changes.failure is None
        assert index.embedder.dimensions == StaticEmbedder.bundled().dimensions
        texts = ["how long does the dough rest", "smoked fish"]
        np.testing.assert_allclose(index.embedder.encode(texts), StaticEmbedder.bundled().encode(texts), atol=1e-6)
        assert [hit.path for hit in index.search("smoked fish", 1)] == ["2.md"]
        ours = [hit.path for hit in index.search("how long does the dough rest", 3, mode="dense")]
    own = Settings(home=str(tmp_path / "own"))
    with Index.build(folder, settings=own) as index:
        hits = index.search("how long does the dough rest", 3, mode="dense")
        # Scores differ: an endpoint cannot know what is a question, which the embedder itself moves towards answers.
        assert hits[0].path == ours[0] == "0.md"
