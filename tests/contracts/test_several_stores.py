"""Several stores: what they count together, and what is copied from one to another."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_factories import WORDS, Entry, Open, entry, factory_of, lexical_texts, put, texts, vector_of

from quaestor.stores import FieldBoosts, Store
from quaestor.stores.copy_index import copy_store, digest_of


@given(
    st.lists(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), min_size=1, max_size=3)),
    st.data(),
)
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_stores_that_count_together_score_as_one(
    open_store: Open, documents: list[list[str]], data: st.DataObject
) -> None:
    """Chunks of two stores get the scores that they have in one store, and those of each are its own best."""
    entries = [entry(f"{number}.py", texts) for number, texts in enumerate(documents)]
    halves: tuple[list[Entry], list[Entry]] = [], []
    for one in entries:
        halves[data.draw(st.booleans())].append(one)
    each = (FieldBoosts(), FieldBoosts(1.0, 0.0, 0.0))
    with tempfile.TemporaryDirectory() as folder:
        whole, *parts = (open_store(Path(folder) / str(number)) for number in range(3))
        for store, held in zip((whole, *parts), (entries, *halves), strict=True):
            put(store, *held)
        among = parts[0].counts(WORDS).plus(parts[1].counts(WORDS))
        assert among == whole.counts(WORDS)
        expected = whole.lexical_each(WORDS, 100, each)
        found = [store.lexical_each(WORDS, 100, each, among=among) for store in parts]
        for way, own in enumerate(expected.chunks):
            scores = sorted(score for one in found for _, score in one.chunks[way])
            assert scores == pytest.approx(sorted(score for _, score in own), rel=1e-5)
        assert all(one.frequencies == expected.frequencies for one in found)
        for store in (whole, *parts):
            store.close()


@pytest.mark.parametrize("into", ["embedded, in memory", "postgres"])
def test_what_one_store_holds_another_can_hold(
    store: Store, into: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    put(store, entry("a.py", ["one retry", "two \x00 naïve", ""], title="A"), entry("odd/\udcff.py", ["lone \ud800 x"]))
    put(store, entry("c.md", [], "markdown"))
    with store.writing() as writer:
        writer.set_metadata("root", "/home/ä\udc80")
    other = factory_of(request, into)(tmp_path / "other")
    put(other, entry("a.py", ["of an earlier version"]), entry("gone.py", ["x"]))
    done: list[tuple[int, int]] = []
    copied = copy_store(store, other, lambda *count: done.append(count))
    assert (copied.documents, copied.chunks, copied.written, copied.removed) == (3, 4, 3, 1)
    assert done[-1] == (3, 3)
    assert other.documents() == store.documents()
    assert other.all_metadata() == store.all_metadata() == {"root": "/home/ä\udc80"}
    for path in store.documents():
        assert [one.chunk for one in other.chunks_of(path)] == [one.chunk for one in store.chunks_of(path)]
    assert lexical_texts(other, ["retry"]) == ["one retry"]
    assert len(other.dense(vector_of("one retry"), 5)) == 3
    assert texts(other, list(other.defining(["LONE"], 5))) == ["lone \ud800 x"]
    again = copy_store(store, other, lambda *_: None)
    assert again == copied._replace(written=0, removed=0)
    other.close()


def test_stores_that_differ_in_a_vector_alone_have_other_digests(open_store: Open, tmp_path: Path) -> None:
    one, two = open_store(tmp_path / "one"), open_store(tmp_path / "two")
    made = entry("a.py", ["text"])
    put(one, made)
    put(two, replace(made, vectors=-made.vectors))
    assert digest_of(one)[:2] == digest_of(two)[:2] == (1, 1)
    assert digest_of(one) != digest_of(two)
    for store in (one, two):
        store.close()
