"""The static embedder: rows of words, vectors of texts, and weights that are damaged."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from quaestor.core.errors import IndexUnusableError
from quaestor.embedding import Embedder, static
from quaestor.embedding.static import _REMEMBERED, Pieces, StaticEmbedder, question_vector

WEIGHTS = Path(static.__file__).with_name("weights")
VOCABULARY = ["read", "##er", "file", "a", "##b", "[0]", "[1]"]
texts = st.text(max_size=60)


def write(folder: Path, vocabulary: list[str] = VOCABULARY, rows: int = len(VOCABULARY)) -> Path:
    table = np.arange(rows * 4, dtype=np.int8).reshape(rows, 4) - 7
    np.save(folder / "table.npy", table)
    np.save(folder / "scales.npy", np.ones(rows, np.float32))
    (folder / "vocabulary.txt").write_text("\n".join(vocabulary), "utf-8")
    (folder / "model.json").write_text(json.dumps({"name": "toy", "hashed": 2}), "utf-8")
    return folder


def toy() -> StaticEmbedder:
    table = np.arange(28, dtype=np.int8).reshape(7, 4) - 7
    return StaticEmbedder("toy", table, np.ones(7, np.float32), VOCABULARY, 2)


def test_words_are_cut_into_the_longest_known_pieces() -> None:
    pieces = Pieces(VOCABULARY, 2)
    assert list(pieces.rows("read fileReader READ_FILE")) == [0, 2, 0, 1, 0, 2]


@given(texts)
def test_distinct_words_have_the_rows_of_all_words(text: str) -> None:
    pieces = Pieces(VOCABULARY, 2)
    assert set(np.frombuffer(pieces.of_distinct(text), np.int32).tolist()) == set(pieces.rows(text).tolist())


@given(texts, texts)
def test_cosines_are_the_same_when_lengths_are_known(one: str, other: str) -> None:
    fresh, used = toy(), toy()
    asked, rows = fresh.pieces.rows("read file"), np.unique(fresh.pieces.rows(f"a {other}")).astype(np.intp)
    used.cosines(np.unique(used.pieces.rows(f"a {one}")).astype(np.intp), asked)
    assert used.cosines(rows, asked).tolist() == fresh.cosines(rows, asked).tolist()


@given(texts)
def test_the_fast_cut_of_ascii_is_the_pattern(text: str) -> None:
    plain = text.encode("ascii", "ignore").decode()
    pieces = Pieces(VOCABULARY, 2)
    assert list(pieces.rows(plain)) == list(pieces.rows(plain + " é"))[: -len(pieces.rows("é")) or None]


@given(st.from_regex(r"[a-zA-Z]{1,80}", fullmatch=True) | st.sampled_from(["read", "Reader", "FILE", "fileREAD"]))
def test_a_word_of_one_part_has_the_rows_of_its_parts(word: str) -> None:
    pieces = Pieces(VOCABULARY, 2)
    assert list(pieces.rows(f"7{word}")) == [*pieces.rows("7"), *pieces.rows(word)]


def test_an_unknown_character_takes_a_hashed_row() -> None:
    pieces = Pieces(VOCABULARY, 2)
    assert list(pieces.rows("aq")) == [3, 5 + ord("q") % 2]
    assert list(Pieces(VOCABULARY[:5], 0).rows("q")) == []


def test_a_text_is_the_weighted_sum_of_its_rows_and_repeats_count_less() -> None:
    embedder = StaticEmbedder("toy", np.eye(7, dtype=np.int8), np.arange(1, 8, dtype=np.float32), VOCABULARY, 2)
    found = embedder.encode(["file read file"])[0]
    wanted = np.array([np.log(2), 0, 3 * np.log(3), 0, 0, 0, 0])
    assert found == pytest.approx(wanted / np.linalg.norm(wanted))


def test_it_is_an_embedder() -> None:
    embedder: Embedder = toy()
    assert (embedder.name, embedder.dimensions) == ("toy", 4)


def test_weights_cross_to_another_process_by_their_folder(tmp_path: Path) -> None:
    embedder = StaticEmbedder.load(write(tmp_path))
    sent = pickle.dumps(embedder)
    assert len(sent) < 1000
    assert np.array_equal(pickle.loads(sent).encode(["read file"]), embedder.encode(["read file"]))
    assert np.array_equal(pickle.loads(pickle.dumps(toy())).encode(["read file"]), toy().encode(["read file"]))


def test_many_texts_at_once_are_the_same_as_one_by_one() -> None:
    texts = [("file " * (number % 7) + "reader " * (number % 3)).strip() for number in range(600)]
    assert toy().encode(texts) == pytest.approx(np.concatenate([toy().encode([text]) for text in texts]))


@given(st.lists(texts, max_size=6))
def test_rows_are_unit_or_zero(batch: list[str]) -> None:
    vectors = toy().encode(batch)
    assert vectors.shape == (len(batch), 4)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.all(np.isclose(lengths, 1, atol=1e-5) | (lengths == 0))


@given(st.lists(texts, min_size=1, max_size=6), st.randoms())
def test_a_text_does_not_depend_on_its_neighbours(batch: list[str], chance: object) -> None:
    embedder = toy()
    alone = np.concatenate([embedder.encode([text]) for text in batch])
    assert np.array_equal(alone, embedder.encode(batch))
    assert np.array_equal(alone[::-1], embedder.encode(batch[::-1]))


@pytest.mark.parametrize("text", ["", " \n", "?!.,;", "\0"])
def test_no_words_give_zeros(text: str) -> None:
    assert not toy().encode([text]).any()


def test_no_texts_give_no_rows() -> None:
    assert toy().encode([]).shape == (0, 4)


@pytest.mark.parametrize(
    "text", ["Привет мир", "検索エンジン", "מילים", "ค้นหา", "한국어 검색", "naïve façade", "∑x", "emoji 🙂 word"]
)
def test_other_scripts_have_vectors(text: str) -> None:
    assert np.linalg.norm(StaticEmbedder.bundled().encode([text])[0]) == pytest.approx(1, abs=1e-4)


def test_the_cache_starts_anew_when_full() -> None:
    pieces = Pieces(VOCABULARY, 2)
    for number in range(_REMEMBERED):
        pieces[f"{number:x}"]
    assert len(pieces) == _REMEMBERED
    assert pieces["read"]
    assert len(pieces) == 1


def test_loading_reads_what_was_written(tmp_path: Path) -> None:
    embedder = StaticEmbedder.load(write(tmp_path))
    assert embedder.name == "toy"
    assert np.array_equal(embedder.encode(["read a file"]), toy().encode(["read a file"]))


@pytest.mark.parametrize("missing", ["model.json", "table.npy", "vocabulary.txt"])
def test_missing_parts_are_named(tmp_path: Path, missing: str) -> None:
    (write(tmp_path) / missing).unlink()
    with pytest.raises(IndexUnusableError, match="reinstall"):
        StaticEmbedder.load(tmp_path)


def test_parts_of_different_lengths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusableError, match="damaged"):
        StaticEmbedder.load(write(tmp_path, [*VOCABULARY, "more"]))


def test_a_question_is_compared_as_it_is_without_a_matrix() -> None:
    assert np.array_equal(toy().question("read a file"), toy().encode(["read a file"])[0])


def test_a_question_is_moved_by_the_matrix_beside_the_table(tmp_path: Path) -> None:
    turn = np.zeros((4, 4), np.float16)
    turn[0, 3] = 1
    np.save(write(tmp_path) / "questions.npy", turn)
    embedder = StaticEmbedder.load(tmp_path)
    as_it_is = embedder.encode(["read a file"])[0]
    expected = as_it_is + np.array([as_it_is[3], 0, 0, 0])
    assert np.allclose(embedder.question("read a file"), expected / np.linalg.norm(expected), atol=1e-6)
    assert np.array_equal(as_it_is, toy().encode(["read a file"])[0]), "what is indexed stays as it was"
    tuned = embedder.with_rows("other", np.array([0]), np.ones((1, 4), np.int8), np.ones(1, np.float32))
    assert not np.array_equal(tuned.question("read"), tuned.encode(["read"])[0])


def test_a_matrix_of_another_table_is_refused(tmp_path: Path) -> None:
    np.save(write(tmp_path) / "questions.npy", np.zeros((3, 4), np.float16))
    with pytest.raises(IndexUnusableError, match=r"questions\.npy has the shape \(3, 4\)"):
        StaticEmbedder.load(tmp_path)


@given(texts)
def test_a_question_is_one_unit_row_or_none(text: str) -> None:
    vector = StaticEmbedder.bundled().question(text)
    assert vector.dtype == np.float32
    words = StaticEmbedder.bundled().encode([text])[0].any()
    assert np.isclose(np.linalg.norm(vector), 1 if words else 0, atol=1e-5)


def test_other_embedders_are_asked_as_they_embed() -> None:
    class Other:
        name, dimensions = "other", 2

        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.array([[0, 1]] * len(texts), np.float32)

    assert question_vector(Other(), "read").tolist() == [0, 1]
    assert np.array_equal(question_vector(toy(), "read"), toy().question("read"))


def test_the_bundled_weights_are_small_and_know_code_from_prose() -> None:
    embedder = StaticEmbedder.bundled()
    assert embedder is StaticEmbedder.bundled()
    assert sum(file.stat().st_size for file in WEIGHTS.iterdir()) <= 20_000_000
    question, right, wrong = embedder.encode(
        [
            "where are failed requests retried",
            "def send(self):\n    for attempt in range(self.max_retries):\n        try: return self._request()",
            "class Color:\n    def __init__(self, red, green, blue): self.rgb = red, green, blue",
        ]
    )
    assert question @ right > question @ wrong + 0.1
