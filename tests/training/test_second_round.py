"""Hard negatives, and the pull of everyday words back to the start."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.tuning.text_bags import KINDS, Bags, PairedBags, bag_files
from quaestor.tuning.train_embedder import Parameters, Recipe
from quaestor.tuning.training_pairs import Kind, Pair, write_pairs
from training.anchor import everyday_shares, pull_back
from training.fit import second_round
from training.hard_negatives import _POOL, draw, hard_negatives


def one_row_each(rows: list[int]) -> Bags:
    return Bags(np.arange(len(rows) + 1), np.array(rows, np.uint16), np.ones(len(rows), np.uint8))


def paired(queries: list[int], texts: list[int], sources: list[int], kind: Kind = "doc") -> PairedBags:
    """Pairs of one row a side; no paths."""
    none = Bags(np.zeros(len(queries) + 1, np.int64), np.zeros(0, np.uint16), np.zeros(0, np.uint8))
    kinds = np.full(len(queries), KINDS.index(kind), np.uint8)
    names = tuple(f"me/{number}" for number in range(max(sources) + 1))
    return PairedBags(one_row_each(queries), one_row_each(texts), none, np.array(sources, np.int32), kinds, names)


def unit_rows(*angles: float) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.array([(np.cos(angle), np.sin(angle)) for angle in np.radians(angles)], np.float32)


@given(st.integers(1, 40), st.integers(0, 5))
def test_what_is_drawn_scores_clearly_less_than_the_right_text(count: int, seed: int) -> None:
    likeness = np.random.default_rng(seed).normal(size=(count, count)).astype(np.float32)
    drawn = draw(likeness, np.random.default_rng(seed))
    for row, column in enumerate(drawn):
        assert column == row or likeness[row, column] < likeness[row, row]


def test_of_many_wrong_texts_one_of_the_best_is_drawn() -> None:
    likeness = np.tile(np.linspace(0, 0.5, 100, dtype=np.float32), (100, 1))
    np.fill_diagonal(likeness, 1)
    drawn = draw(likeness, np.random.default_rng(0))
    assert drawn.min() >= 90
    assert len(np.unique(drawn)) > 3


def test_a_text_as_good_as_the_right_one_is_no_negative() -> None:
    table = unit_rows(0, 1, 40)  # rows 0 and 1 mean the same
    pairs = paired([0, 0, 0], [0, 1, 2], [0, 0, 0])
    assert hard_negatives(pairs, table, seed=0).tolist() == [2, 2, 2]


def test_negatives_come_from_the_same_repository() -> None:
    """Though one has more pairs than are compared with one another."""
    chance, count = np.random.default_rng(0), _POOL + 100
    sources = np.sort(np.where(chance.random(count) < 0.99, 1, chance.integers(0, 3, count))).tolist()
    rows = chance.permutation(count).tolist()
    pairs = paired(rows, rows, sources)
    table = chance.normal(size=(count, 6)).astype(np.float32)
    found = hard_negatives(pairs, table, seed=1)
    assert sources.count(1) > _POOL
    assert [sources[number] for number in found] == sources
    assert (found != np.arange(count)).all()
    assert np.array_equal(found, hard_negatives(pairs, table, seed=1))


def test_a_repository_of_one_pair_has_no_negative() -> None:
    assert hard_negatives(paired([0], [0], [0]), unit_rows(0), seed=0).tolist() == [0]


def test_the_second_round_pushes_hard_negatives_away() -> None:
    """Row 0 asks for row 1 and is mistaken for row 2, in every pair that is not about something else."""
    chance = np.random.default_rng(0)
    asked = 3 * chance.integers(0, 4, 400)
    both = paired([*asked, *(asked + 1)], [*(asked + 1), *(asked + 2)], [0] * 800)
    table = chance.normal(size=(12, 8)).astype(np.float32)
    table[2::3] = 0.6 * table[::3] + 0.4 * table[2::3]
    recipe = Recipe(batch=32, run=4, vector_rate=0.02, weight_rate=0.02, path_share=0.0, epochs=4, warm_up=5)
    trained = second_round(both, table, recipe, share=0.9)

    def margin(rows: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> float:
        units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        right = (units[::3] * units[1::3]).sum(1)
        return float((right - (units[::3] * units[2::3]).sum(1)).mean())

    assert margin(trained) > margin(table) + 0.3


def test_everyday_words_go_back_and_keep_their_length() -> None:
    start, table = unit_rows(0, 0, 0), 3 * unit_rows(90, 90, 90)
    back = pull_back(table, start, np.array([0, 0.5, 1], np.float32))
    assert back[0] == pytest.approx(table[0])
    assert back[1] == pytest.approx([1.5, 1.5], abs=1e-5)
    assert back[2] == pytest.approx([3, 0], abs=1e-5)


def test_a_row_belongs_to_where_it_is_used(tmp_path: Path) -> None:
    code = [Pair("doc", "mutex the", "mutex the", "a.py", "python")] * 5
    novel = [Pair("sentence", "hobby the", "hobby the", "b.md", "markdown")] * 2
    files = [tmp_path / "me+code.jsonl.gz", tmp_path / "novels+emma.jsonl.gz"]
    for file, pairs in zip(files, (code, novel), strict=True):
        write_pairs(file, pairs)
    vocabulary = ["mutex", "hobby", "the", "unseen", *(f"[{number}]" for number in range(256))]
    (tmp_path / "vocabulary.txt").write_text("\n".join(vocabulary), "utf-8")
    shares = everyday_shares(bag_files(files, tmp_path / "vocabulary.txt", 1), len(vocabulary), "novels/")
    assert shares[:4] == pytest.approx([0, 1, 0.5, 0.5], abs=1e-5)


def test_the_second_round_leaves_its_start_alone() -> None:
    pairs = paired(list(range(8)) * 8, list(range(8)) * 8, [0] * 64)
    table = np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32)
    before = Parameters(table.copy(), np.zeros(8, np.float32), np.zeros(1, np.float32))
    second_round(pairs, table, Recipe(batch=16, run=4, path_share=0.0), share=1.0)
    assert np.array_equal(table, before.vectors)
