"""What every store promises, whatever it is made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from store_factories import DIMENSIONS, Open, entry, lexical_texts, put, texts, vector_of

from quaestor.core.errors import NotFoundError
from quaestor.stores import FieldBoosts, Store, Where
from quaestor.stores.shared_store import SharingStore, keep


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


def test_long_names_are_found_by_all_of_their_end(store: Store) -> None:
    names = ["N" * 240 + end for end in ("a.py", "b.py")] + ["n" * 5000, "100%_done!.md"]
    put(store, *(entry(f"lib/{name}", ["text"]) for name in names))
    for name in names:
        assert store.paths_ending(name.lower(), 5) == [f"lib/{name}"]


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


def test_names_that_differ_by_case_alone_can_be_replaced_and_removed(store: Store) -> None:
    put(store, entry("a.py", ["Option option"]), entry("b.py", ["option kept"]))
    put(store, entry("a.py", ["OPTION option new"]))
    assert sorted(texts(store, list(store.defining(["option"], 10)))) == ["OPTION option new", "option kept"]
    with store.writing() as writer:
        writer.remove("a.py")
    assert texts(store, list(store.defining(["option"], 10))) == ["option kept"]


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


def test_bytes_are_kept_by_stores_that_are_shared(store: Store) -> None:
    """An index on this machine lies beside the files: of whoever gives it their bytes, it takes the rest alone."""
    one = entry("a.py", ["retry"])
    with store.writing() as writer:
        packed = store.pack(one.document, one.chunks, one.vectors, one.terms, one.keys)
        writer.put(packed._replace(kept=keep(b"retry\x00\n")))
    [again] = store.packed_documents(["a.py"])
    if isinstance(store, SharingStore):
        assert store.bytes_of("a.py") == b"retry\x00\n"
        assert again.kept == keep(b"retry\x00\n")
        assert not store.unkept_paths()
    else:
        assert again.kept is None
    assert [stored.chunk for stored in store.chunks_of("a.py")] == list(one.chunks)


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
