"""An index gets another embedder: a process that has it open for the former one is told, and damages nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from store_factories import DIMENSIONS, entry, vector_of

from quaestor.core.errors import EmbedderChangedError, IndexUnusableError
from quaestor.stores.embedded.store import EmbeddedStore


def opened(folder: Path, embedder: str) -> EmbeddedStore:
    return EmbeddedStore.open(folder, embedder=embedder, dimensions=DIMENSIONS, create=True)


def switch(folder: Path, texts: list[str]) -> None:
    store = opened(folder, "old")
    with store.writing() as writer:
        writer.set_embedder("new", DIMENSIONS)
        entry("a.py", texts).put(writer)
    store.close()


def test_an_open_index_of_the_former_embedder_neither_searches_by_meaning_nor_writes(tmp_path: Path) -> None:
    before = opened(tmp_path, "old")
    with before.writing() as writer:
        entry("a.py", ["one two"]).put(writer)
    assert before.dense(vector_of("one two"), 5)
    switch(tmp_path, ["three four"])
    with pytest.raises(EmbedderChangedError, match="open it again"):
        before.dense(vector_of("one two"), 5)
    with pytest.raises(EmbedderChangedError), before.writing() as writer:
        entry("b.py", ["five"]).put(writer)
    assert before.lexical(["three"], 5), "words are the same for every embedder"
    before.close()
    with pytest.raises(IndexUnusableError, match="'new'"):
        opened(tmp_path, "old")
    after = opened(tmp_path, "new")
    assert set(after.documents()) == {"a.py"}
    assert len(after.dense(vector_of("three four"), 5)) == 1
    after.close()


def test_an_empty_index_notices_as_well(tmp_path: Path) -> None:
    before = opened(tmp_path, "old")
    other = opened(tmp_path, "old")
    with other.writing() as writer:
        writer.set_embedder("new", DIMENSIONS)
    other.close()
    with pytest.raises(EmbedderChangedError), before.writing() as writer:
        entry("a.py", ["one"]).put(writer)
    before.close()


def test_an_interrupted_switch_leaves_the_former_embedder(tmp_path: Path) -> None:
    store = opened(tmp_path, "old")
    with store.writing() as writer:
        entry("a.py", ["one two"]).put(writer)
    with pytest.raises(KeyboardInterrupt), store.writing() as writer:
        writer.set_embedder("new", DIMENSIONS)
        entry("a.py", ["three four"]).put(writer)
        raise KeyboardInterrupt
    assert EmbeddedStore.recorded_embedder(tmp_path) == ("old", DIMENSIONS)
    assert [found.chunk.text for found in store.chunks_of("a.py")] == ["one two"]
    assert len(store.dense(vector_of("one two"), 5)) == 1
    store.close()


@pytest.mark.parametrize("chunks", [3, 700], ids=["few", "many"])
def test_the_new_embedder_may_have_vectors_of_another_length(tmp_path: Path, chunks: int) -> None:
    texts = [f"one {number}" for number in range(chunks)]
    before = opened(tmp_path, "old")
    with before.writing() as writer:
        entry("a.py", texts).put(writer)
    assert before.dense(vector_of("one 1"), 5)
    store = opened(tmp_path, "old")
    old = entry("a.py", texts)
    longer = np.concatenate([old.vectors, -old.vectors], axis=1) / np.float32(2**0.5)
    with store.writing() as writer:
        writer.set_embedder("new", 2 * DIMENSIONS)
        writer.put(store.pack(old.document, old.chunks, longer, old.terms, [key + b"2" for key in old.keys]))
    store.close()
    with pytest.raises(EmbedderChangedError):
        before.dense(vector_of("one 1"), 5)
    before.close()
    assert EmbeddedStore.recorded_embedder(tmp_path) == ("new", 2 * DIMENSIONS)
    after = EmbeddedStore.open(tmp_path, embedder="new", dimensions=2 * DIMENSIONS, create=False)
    [(best, score), *_] = after.dense(longer[1], 5)
    assert after.get([best])[best].chunk.text == "one 1" and score > 0.99
    assert after.lexical(["one"], chunks) and len(after.dense(longer[1], chunks + 1)) <= chunks
    after.close()
