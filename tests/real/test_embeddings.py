"""An index whose embedder is a real llama-server: its numbers, its limit on the length of a text, its counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from real_servers import RealServer, tiny_model

from quaestor import Index
from quaestor.assemble import make_embedder, make_ledger
from quaestor.core.config import Settings

pytestmark = pytest.mark.real

StartLlama = Callable[..., RealServer]
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def embedding_llama(start_llama: StartLlama) -> RealServer:
    """llama-server that reads 256 tokens of a text."""
    return start_llama("--embeddings", "--pooling", "mean", "-c", "1024", "-b", "256", "-ub", "256", "-np", "4")


def settings_for(server: RealServer, home: Path) -> Settings:
    return Settings(
        home=str(home),
        embedder=f"openai:{server.model}",
        embedder_base_url=server.base_url,
        embedder_tokenizer=str(tiny_model() / "tokenizer.json"),
        embedder_price=1.0,
    )


def test_vectors_come_in_the_order_of_the_texts(embedding_llama: RealServer, tmp_path: Path) -> None:
    embedder = make_embedder(settings_for(embedding_llama, tmp_path))
    texts = ["where is a request sent again", "the dough rests", "herring"]
    together = embedder.encode(texts)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    alone = make_embedder(settings_for(embedding_llama, tmp_path))
    # This server's vectors of several texts differ a little from those of each alone.
    likenesses = together @ np.array([alone.encode([text])[0] for text in texts]).T
    assert likenesses.argmax(axis=1).tolist() == [0, 1, 2]


def test_a_corpus_is_embedded_whole_and_long_texts_are_cut(embedding_llama: RealServer, tmp_path: Path) -> None:
    settings = settings_for(embedding_llama, tmp_path)
    with Index.build(DOCS, settings=settings, max_cost=math.inf) as index:
        changes = index.last_changes
        assert (changes.failure, changes.pending) == (None, ())
        assert changes.embedded == index.stats().chunks
        assert 0 < changes.cut < changes.embedded
        assert index.search("how is a limit on money held", 5)
        assert index.meaning.reach == "all"
    [row] = make_ledger(settings).usage("model")
    assert 0 < row.counted < row.requests, "those that it refused; of others it reports what it read"
    assert row.cost == row.prompt_tokens > 0
