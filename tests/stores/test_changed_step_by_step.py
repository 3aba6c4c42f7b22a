"""An index changed step by step gives every chunk the same score as one built at once."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from store_factories import entry, open_embedded, vector_of

from quaestor.stores import Store
from quaestor.stores.embedded import Thresholds

TERMS = ("alpha", "beta", "gamma", "a.py", "b", "delta")
PATHS = st.sampled_from(["a.py", "b/c.py", "b/d.py", "e.py"])
TEXTS = st.lists(st.lists(st.sampled_from(TERMS[:3]), min_size=1, max_size=6).map(" ".join), max_size=4)
STEPS = st.lists(st.dictionaries(PATHS, st.none() | TEXTS, min_size=1, max_size=3), min_size=1, max_size=12)


def write(store: Store, step: Mapping[str, list[str] | None]) -> None:
    with store.writing() as writer:
        for path, texts in step.items():
            if texts is None:
                writer.remove(path)
            else:
                entry(path, texts).put(writer)


def scores(store: Store, found: list[tuple[int, float]]) -> dict[tuple[str, int], float]:
    known = store.get(chunk for chunk, _ in found)
    return {(known[chunk].document.path, known[chunk].position): score for chunk, score in found}


# What lies on disk has some of its chunks taken away, and is not made anew for that.
_FEWER: list[dict[str, list[str] | None]] = [
    {"a.py": ["alpha", "beta", "gamma alpha", "beta beta"], "e.py": ["alpha gamma", "beta", "alpha", "gamma"]},
    {"a.py": None},
]


@settings(deadline=None)
@example(_FEWER, 6, 1000, True)
@example(_FEWER, 6, 1000, False)
@given(STEPS, st.sampled_from([0, 2, 6, 1000]), st.sampled_from([0, 4, 1000]), st.booleans())
def test_scores_are_those_of_an_index_made_at_once(
    steps: list[dict[str, list[str] | None]], overlaid: int, worn: int, kept_open: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sizes, held = Thresholds(overlaid=overlaid, worn=worn), dict[str, list[str] | None]()
        stepped = open_embedded(Path(folder, "stepped"), sizes)
        for step in steps:
            write(stepped, step)
            held.update(step)
            stepped.lexical(TERMS, 1)  # whatever is derived for a search is derived between two steps
            if not kept_open:
                stepped.close()
                stepped = open_embedded(Path(folder, "stepped"), sizes)
        with closing(stepped), closing(open_embedded(Path(folder, "clean"), sizes)) as clean:
            write(clean, held)
            assert stepped.counts(TERMS) == clean.counts(TERMS)
            assert stepped.frequencies(TERMS) == clean.frequencies(TERMS)
            for terms in (TERMS[:1], TERMS[:3], TERMS):
                expected = scores(clean, clean.lexical(terms, 100))
                assert scores(stepped, stepped.lexical(terms, 100)) == pytest.approx(expected, rel=1e-5)
            near = scores(clean, clean.dense(vector_of("alpha"), 100))
            assert scores(stepped, stepped.dense(vector_of("alpha"), 100)) == pytest.approx(near, abs=1e-6)
