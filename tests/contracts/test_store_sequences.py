"""Random changes of a store, held against a dictionary and brute force."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from store_factories import LONG, WORDS, Entry, Open, each_store, entry, factory_of, open_embedded, texts, vector_of

from quaestor.stores import Where

PATHS = ("a.py", "src/b.py", "src/deep/c.py", "docs/d.md")
_TEXT = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
# Some define one name twice, as a class and its instance do.
TEXTS = st.lists(_TEXT | st.sampled_from(WORDS).map(lambda word: f"{word} {word.upper()}"), max_size=4)


class Sequences(RuleBasedStateMachine):
    """Random changes and reopenings, held against a dictionary and brute force."""

    factory: Open = staticmethod(open_embedded)

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "index"
        self.store = type(self).factory(self.path)
        self.model: dict[str, Entry] = {}
        self.generations = 0

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            self.folder.cleanup()

    @rule(changes=st.dictionaries(st.sampled_from(PATHS), TEXTS | st.none(), max_size=3))
    def change(self, changes: dict[str, list[str] | None]) -> None:
        with self.store.writing() as writer:
            for path, texts in changes.items():
                self._apply(path, texts, writer)
        self.generations = self.store.generation()

    def _apply(self, path: str, texts: list[str] | None, writer: object) -> None:
        if texts is None:
            self.model.pop(path, None)
            writer.remove(path)  # type: ignore[attr-defined]
            return
        self.model[path] = entry(path, texts, "markdown" if path.endswith("md") else "python")
        self.model[path].put(writer)  # type: ignore[arg-type]

    @rule(path=st.sampled_from(PATHS), texts=TEXTS)
    def fail(self, path: str, texts: list[str]) -> None:
        with pytest.raises(KeyError), self.store.writing() as writer:
            entry(path, texts).put(writer)
            raise KeyError

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = type(self).factory(self.path)

    @invariant()
    def holds_the_model(self) -> None:
        assert self.store.documents() == {path: one.document for path, one in self.model.items()}
        for path in PATHS:
            expected = self.model[path].chunks if path in self.model else ()
            assert tuple(found.chunk for found in self.store.chunks_of(path)) == expected
        assert self.store.generation() == self.generations

    @rule(word=st.sampled_from(WORDS), within=st.sampled_from([None, "src/**", "*.md"]))
    def search_words(self, word: str, within: str | None) -> None:
        where = Where(paths=(within,)) if within else None
        found = [chunk for chunk, _ in self.store.lexical([word], 50, where)]
        expected = [chunk.text for one in self._within(within) for chunk in one.chunks if word in chunk.text]
        assert sorted(texts(self.store, found)) == sorted(expected)
        if within is None:
            names = [chunk.text for one in self.model.values() for chunk in one.chunks if word in chunk.defines]
            assert sorted(texts(self.store, list(self.store.defining([word.upper()], 50)))) == sorted(names)

    @rule(text=st.sampled_from(WORDS), k=st.integers(1, 5), within=st.sampled_from([None, "src/**", "*.md"]))
    def search_vectors(self, text: str, k: int, within: str | None) -> None:
        found = self.store.dense(vector_of(text), k, Where(paths=(within,)) if within else None)
        cosines = [float(row @ vector_of(text)) for one in self._within(within) for row in one.vectors if row.any()]
        np.testing.assert_allclose(
            [score for _, score in found],
            sorted(cosines, reverse=True)[:k],
            atol=0.02,
            err_msg="not the nearest",
        )
        assert set(self.store.get([chunk for chunk, _ in found])) == {chunk for chunk, _ in found}

    def _within(self, glob: str | None) -> list[Entry]:
        return [
            one
            for path, one in self.model.items()
            if glob is None or (path.startswith("src/") if glob == "src/**" else path.endswith(".md"))
        ]


@pytest.mark.parametrize("name", each_store(long=("postgres", *LONG)))
def test_random_sequences_match_a_model(name: str, request: pytest.FixtureRequest) -> None:
    machine = type("Sequences", (Sequences,), {"factory": staticmethod(factory_of(request, name))})
    test = machine.TestCase
    test.settings = settings(
        max_examples=15, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
    )
    test("runTest").runTest()
