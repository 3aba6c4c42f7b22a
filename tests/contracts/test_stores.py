"""What every store promises, whatever it is made of."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from store_factories import (
    DIMENSIONS,
    ON_DISK,
    Entry,
    Open,
    PostgresFactory,
    PostgresSizes,
    entry,
    open_embedded,
    vector_of,
)

from quaestor.core.errors import NotFoundError
from quaestor.stores import FieldBoosts, Store, Where
from quaestor.stores.copying import copy_store, digest_of
from quaestor.stores.embedded.sizes import Sizes

# Each store, with what lets small tests reach all of it.
FACTORIES: dict[str, Open] = {
    "embedded, in memory": open_embedded,
    "embedded, mixed": partial(open_embedded, sizes=Sizes(overlaid=3)),
    "embedded, on disk": partial(open_embedded, sizes=ON_DISK),
    "postgres": PostgresFactory(),
    "postgres, in segments": PostgresFactory(
        sizes=PostgresSizes(written=2, overlaid=2, gathered=3, worn=1), cached=True
    ),
    "postgres, by an index": PostgresFactory(sizes=PostgresSizes(exact=-1)),
}


LONG = ("postgres, in segments", "postgres, by an index")


def _each(*, long: Sequence[str] = LONG) -> list[object]:
    """Return the stores' names; those that take long on a server are left to `make postgres`."""
    return [pytest.param(name, marks=pytest.mark.postgres) if name in long else name for name in FACTORIES]


@pytest.fixture(params=_each())
def open_store(request: pytest.FixtureRequest) -> Open:
    return _factory(request, request.param)


def _factory(request: pytest.FixtureRequest, name: str) -> Open:
    if name.startswith("postgres"):
        PostgresFactory.address = request.getfixturevalue("postgres_address")
    return FACTORIES[name]


@pytest.fixture
def store(open_store: Open, tmp_path: Path) -> Iterator[Store]:
    store = open_store(tmp_path / "index")
    yield store
    store.close()


def put(store: Store, *entries: Entry) -> None:
    with store.writing() as writer:
        for one in entries:
            one.put(writer)


def texts(store: Store, ids: list[int]) -> list[str]:
    found = store.get(ids)
    return [found[chunk].chunk.text for chunk in ids]


def lexical_texts(store: Store, terms: list[str], k: int = 10, where: Where | None = None) -> list[str]:
    return texts(store, [chunk for chunk, _ in store.lexical(terms, k, where)])


def test_an_empty_store_finds_nothing(store: Store) -> None:
    assert store.generation() == 0
    assert store.lexical(["retry"], 5) == []
    assert store.dense(vector_of("retry"), 5) == []
    assert store.documents() == {}
    assert store.document("a.py") is None
    assert list(store.chunks_of("a.py")) == []
    assert list(store.defining(["retry"], 5)) == []
    assert store.get([1, 2]) == {}
    assert store.known_vectors([b"key"]) == {}
    assert store.metadata("root") is None
    assert store.stats().documents == 0


def test_what_was_put_comes_back_whole(store: Store) -> None:
    one = entry("src/a.py", ["retry the call", "parse \x00 input"], title="A", url="https://a", note="odd")
    put(store, one)
    assert store.document("src/a.py") == one.document
    assert store.documents() == {"src/a.py": one.document}
    stored = store.chunks_of("src/a.py")
    assert [found.chunk for found in stored] == list(one.chunks)
    assert [found.position for found in stored] == [0, 1]
    assert all(found.document == one.document for found in stored)
    assert list(store.get([found.id for found in stored]).values()) == list(stored)


def test_chunks_tell_the_paths_of_their_documents(store: Store) -> None:
    put(store, entry("a.py", ["one", "two"]), entry("b/\udcff.py", ["three"]), entry("c.py", ["four"]))
    chunks = [chunk.id for path in ("a.py", "b/\udcff.py") for chunk in store.chunks_of(path)]
    assert set(store.paths_of([*chunks, 10**9])) == {"a.py", "b/\udcff.py"}
    assert not store.paths_of([])


def test_paths_are_found_by_their_end(store: Store) -> None:
    put(store, *(entry(path, ["text"]) for path in ("lib/a/Main.py", "main.py", "lib/domain.py", "b/\udcff.py")))
    assert store.paths_ending("main.py", 5) == ["main.py", "lib/a/Main.py"]
    assert store.paths_ending("a/main.py", 5) == ["lib/a/Main.py"]
    assert store.paths_ending("main.py", 5, Where(paths=("lib/**",))) == ["lib/a/Main.py"]
    assert store.paths_ending("main.py", 1) == ["main.py"]
    for end in ("ain.py", "%.py", "\udcff", "/main.py", ""):
        assert not store.paths_ending(end, 5)


def test_lexical_ranks_by_bm25(store: Store) -> None:
    put(
        store,
        entry("a.py", ["x retry retry retry", "x retry other words in a longer chunk of text", "x nothing"]),
        entry("b.py", ["x common", "x common", "x common rare"]),
    )
    assert lexical_texts(store, ["retry"])[0] == "x retry retry retry"
    assert set(lexical_texts(store, ["retry"])) == {
        "x retry retry retry",
        "x retry other words in a longer chunk of text",
    }
    assert lexical_texts(store, ["common", "rare"])[0] == "x common rare"
    scores = [score for _, score in store.lexical(["retry", "common"], 10)]
    assert scores == sorted(scores, reverse=True)
    assert lexical_texts(store, ["absent"]) == []


def test_lexical_searches_paths_and_symbols(store: Store) -> None:
    put(store, entry("login/form.py", ["render it"]), entry("other.py", ["use render"]))
    assert lexical_texts(store, ["login"]) == ["render it"]
    assert lexical_texts(store, ["render"])[0] == "render it"
    only_path = store.lexical(["render"], 5, boosts=FieldBoosts(body=0, path=1, symbol=0))
    assert only_path == []


def test_repeated_query_terms_count_once_with_a_weight(store: Store) -> None:
    put(store, entry("a.py", ["x alpha", "x beta"]))
    assert lexical_texts(store, ["alpha", "beta", "beta"])[0] == "x beta"
    [(_, once)], [(_, thrice)] = store.lexical(["beta"], 5), store.lexical(["beta"] * 3, 5)
    assert once < thrice < 3 * once


@pytest.mark.parametrize(
    "hostile",
    [
        ["body:retry", "AND", "OR", "NOT", '"', "*", "~2", "^9", "[a", "TO", "b]", "(", ")"],
        ["'; DROP TABLE chunks; --", "\x00", "", " ", "\n", "\udc80", "é" * 70_000],
        [f"term{number}" for number in range(20_000)],
        ["retry"] * 50_000,
    ],
)
def test_no_query_is_anything_but_terms(store: Store, hostile: list[str]) -> None:
    put(store, entry("a.py", ["x retry", "x other"]))
    assert lexical_texts(store, hostile) == (["x retry"] if "retry" in hostile else [])
    assert lexical_texts(store, ["other", *hostile]).count("x other") == 1


def test_a_long_query_keeps_its_rarest_terms(store: Store) -> None:
    put(store, entry("a.py", [f"x common word{number}" for number in range(100)]))
    found = lexical_texts(store, ["common"] + [f"word{number}" for number in range(100)], k=200)
    assert len(found) >= 60
    assert "common" not in found


def test_dense_is_cosine(store: Store) -> None:
    put(store, entry("a.py", ["one", "two", "three"]), entry("b.py", ["four", ""]))
    found = store.dense(vector_of("two") * 5, 10)
    assert texts(store, [chunk for chunk, _ in found])[0] == "two"
    assert found[0][1] == pytest.approx(1, abs=0.01)
    assert len(found) == 4, "a zero vector is near nothing"
    assert store.dense(np.zeros(DIMENSIONS, dtype=np.float32), 5) == []
    assert store.dense(vector_of("two"), 0) == []


def test_vectors_that_are_no_numbers_are_near_nothing(store: Store) -> None:
    one = entry("a.py", ["one", "two"])
    one.vectors[0] = np.nan
    put(store, one)
    assert texts(store, [chunk for chunk, _ in store.dense(vector_of("one"), 5)]) == ["two"]


def test_replacing_leaves_nothing_of_the_earlier_version(store: Store) -> None:
    put(store, entry("a.py", ["old one", "old two"]), entry("b.py", ["kept old"]))
    before = {found.id for found in store.chunks_of("a.py")}
    put(store, entry("a.py", ["new one"]))
    assert lexical_texts(store, ["old"]) == ["kept old"]
    assert lexical_texts(store, ["new"]) == ["new one"]
    assert store.get(before) == {}
    assert len(store.dense(vector_of("old one"), 10)) == 2
    assert texts(store, list(store.defining(["OLD", "New"], 10))) == ["new one"]
    assert store.stats().chunks == 2


def test_replacing_twice_in_one_transaction_keeps_the_last(store: Store) -> None:
    put(store, entry("a.py", ["first"]), entry("a.py", ["second"]))
    assert lexical_texts(store, ["first", "second"]) == ["second"]
    assert store.stats().documents == 1


def test_removing(store: Store) -> None:
    put(store, entry("a.py", ["retry"]), entry("b.py", ["retry"]))
    with store.writing() as writer:
        writer.remove("a.py")
        writer.remove("never there")
    assert set(store.documents()) == {"b.py"}
    assert len(store.lexical(["retry"], 5)) == len(store.dense(vector_of("retry"), 5)) == 1
    with store.writing() as writer:
        writer.remove("b.py")
        entry("b.py", ["again"]).put(writer)
    assert lexical_texts(store, ["again"]) == ["again"]


def test_touching_changes_only_the_document(store: Store) -> None:
    one = entry("a.py", ["retry"])
    put(store, one)
    [(chunk, _)] = store.lexical(["retry"], 5)
    touched = one.document._replace(stamp=99, title="T")
    with store.writing() as writer:
        writer.touch(touched)
    assert store.document("a.py") == touched
    assert [hit for hit, _ in store.lexical(["retry"], 5)] == [chunk]
    with pytest.raises(NotFoundError), store.writing() as writer:
        writer.touch(one.document._replace(path="missing.py"))


def test_touching_what_the_same_transaction_put(store: Store) -> None:
    one = entry("a.py", ["retry"])
    with store.writing() as writer:
        one.put(writer)
        writer.touch(one.document._replace(stamp=99))
    assert store.documents()["a.py"].stamp == 99


def test_an_exception_undoes_everything(store: Store) -> None:
    put(store, entry("a.py", ["kept"]))
    with pytest.raises(ZeroDivisionError), store.writing() as writer:
        entry("a.py", ["lost"] * 10).put(writer)
        writer.set_metadata("root", "lost")
        raise ZeroDivisionError
    assert store.generation() == 1
    assert lexical_texts(store, ["kept", "lost"]) == ["kept"]
    assert store.metadata("root") is None
    put(store, entry("b.py", ["more"]))
    assert lexical_texts(store, ["kept", "more", "lost"]) == ["kept", "more"]


def test_arguments_that_do_not_fit_are_refused(store: Store) -> None:
    one = entry("a.py", ["text"])
    with pytest.raises(ValueError, match="shape"), store.writing() as writer:
        writer.put(store.pack(one.document, one.chunks, np.zeros((1, 3), dtype=np.float32), one.terms, one.keys))
    with pytest.raises(ValueError, match="keys"):
        store.pack(one.document, one.chunks, one.vectors, one.terms, ())
    with pytest.raises(ValueError, match="dimensions"):
        store.dense(np.zeros(3, dtype=np.float32), 5)


def test_readers_see_a_transaction_only_when_it_ends(open_store: Open, tmp_path: Path) -> None:
    store, other = open_store(tmp_path / "index"), open_store(tmp_path / "index")
    put(store, entry("a.py", ["before"]))
    with store.writing() as writer:
        entry("a.py", ["after"]).put(writer)
        for reader in (store, other):
            assert lexical_texts(reader, ["before", "after"]) == ["before"]
            assert reader.generation() == 1
    for reader in (store, other):
        assert lexical_texts(reader, ["before", "after"]) == ["after"]
        assert len(reader.dense(vector_of("after"), 5)) == 1
        assert reader.generation() == 2
        reader.close()


def test_generations_count_transactions_that_changed_something(store: Store) -> None:
    with store.writing():
        pass
    assert store.generation() == 0
    with store.writing() as writer:
        writer.set_metadata("root", "/home/ä\udc80")
    assert store.generation() == 1
    assert store.metadata("root") == "/home/ä\udc80"


def test_filters_apply_before_the_best_are_taken(store: Store) -> None:
    put(
        store,
        *(entry(f"src/deep/m{number}.py", ["x retry retry"]) for number in range(30)),
        entry("docs/guide.md", ["x retry once among many other words here"], "markdown"),
        entry("docs/more.md", ["x retry once among many other words there"], "markdown"),
    )
    for where in (Where(paths=("docs/**",)), Where(languages=("markdown",)), Where(paths=("*.md",))):
        assert len(lexical_texts(store, ["retry"], 2, where)) == 2
        found = [chunk for chunk, _ in store.dense(vector_of("x retry retry"), 2, where)]
        assert {store.get([chunk])[chunk].document.language for chunk in found} == {"markdown"}
        assert len(found) == 2
    assert len(store.lexical(["retry"], 5, Where(paths=("src/**",), languages=("markdown",)))) == 0
    assert len(store.dense(vector_of("x"), 50, Where(languages=("python", "markdown")))) == 32
    assert store.dense(vector_of("x"), 50, Where(paths=("nowhere/**",))) == []


def test_vectors_are_known_by_key(open_store: Open, tmp_path: Path) -> None:
    store = open_store(tmp_path / "index")
    one = entry("a.py", ["one", "two", ""])
    put(store, one)
    with store.writing() as writer:
        writer.remove("a.py")
    known = store.known_vectors([*one.keys, b"unknown", one.keys[0]])
    assert set(known) == set(one.keys)
    for key, vector in zip(one.keys, one.vectors, strict=True):
        np.testing.assert_allclose(known[key], vector, atol=0.01)
    again = replace(entry("b.py", ["one", "two", ""]), vectors=np.array([known[key] for key in one.keys]))
    put(store, again)
    np.testing.assert_array_equal(store.known_vectors(one.keys)[one.keys[0]], known[one.keys[0]])
    store.close()


def test_names_and_texts_outside_unicode_are_kept(store: Store) -> None:
    one = entry("odd/\udcff\udc80 \n'\".py", ["lone \ud800 surrogate", "naïve Größe"])
    put(store, one)
    assert store.documents() == {one.document.path: one.document}
    assert [found.chunk for found in store.chunks_of(one.document.path)] == list(one.chunks)
    assert len(store.lexical(["surrogate"], 5, Where(paths=("odd/*",)))) == 1
    assert lexical_texts(store, ["Größe"]) == ["naïve Größe"]


def test_sizes(store: Store) -> None:
    put(
        store,
        entry("a.py", ["one", "two"]),
        entry("b.md", ["x"], "markdown", note="fallback"),
        entry("c.py", []),
    )
    stats = store.stats()
    assert (stats.documents, stats.chunks, stats.bytes) == (3, 3, 7)
    assert stats.languages == {"python": 2, "markdown": 1}
    assert stats.notes == {"fallback": 1}
    assert stats.chunkers == {"lines": 3}
    assert stats.store_bytes > 0


WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
PATHS = ("a.py", "src/b.py", "src/deep/c.py", "docs/d.md")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), max_size=4)


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


@pytest.mark.parametrize("name", _each(long=("postgres", *LONG)))
def test_random_sequences_match_a_model(name: str, request: pytest.FixtureRequest) -> None:
    machine = type("Sequences", (Sequences,), {"factory": staticmethod(_factory(request, name))})
    test = machine.TestCase
    test.settings = settings(
        max_examples=15, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
    )
    test("runTest").runTest()


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
        for way, own in enumerate(expected.found):
            scores = sorted(score for one in found for _, score in one.found[way])
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
    other = _factory(request, into)(tmp_path / "other")
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
