"""The numpy trainer: its gradient against finite differences, its batches, and a small training that helps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.embedding.static import Pieces, StaticEmbedder
from quaestor.tuning import text_bags as bag_files
from quaestor.tuning.text_bags import Bags, PairedBags, bags_of, join
from quaestor.tuning.train_embedder import (
    _BLOCK,
    Adam,
    Parameters,
    Recipe,
    backward,
    encode,
    export,
    gradient,
    info_nce,
    make_batches,
    quantise,
    schedule,
    train,
)
from quaestor.tuning.training_pairs import Pair, write_pairs
from training.export_model2vec import tokenizer, write
from training.vocabulary import HASHED, choose, count_rows, count_words

ROWS, DIMENSIONS = 24, 6


def random_bags(texts: int, chance: np.random.Generator, rows: int = ROWS) -> Bags:
    parts = [np.unique(chance.integers(0, rows, chance.integers(1, 7))) for _ in range(texts)]
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    flat = np.concatenate(parts).astype(np.uint16)
    return Bags(offsets, flat, chance.integers(1, 4, len(flat)).astype(np.uint8))


def random_pairs(count: int, seed: int = 0) -> PairedBags:
    chance = np.random.default_rng(seed)
    bags = [random_bags(count, chance) for _ in range(3)]
    return PairedBags(
        *bags,
        np.repeat([0, 1], [count // 2, count - count // 2]).astype(np.int32),
        np.zeros(count, np.uint8),
        ("a", "b"),
    )


def random_parameters(seed: int = 0) -> Parameters:
    chance = np.random.default_rng(seed)
    vectors = chance.normal(size=(ROWS, DIMENSIONS)).astype(np.float32)
    return Parameters(vectors, chance.normal(0, 0.3, ROWS).astype(np.float32), np.array([1.5], np.float32))


def loss_at(pairs: PairedBags, now: Parameters) -> float:
    return gradient(pairs, now, Recipe(path_share=0.0), np.random.default_rng(0))[0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("part", ["vectors", "weights", "temperature"])
def test_the_gradient_is_that_of_finite_differences(part: str, seed: int) -> None:
    pairs, now = random_pairs(8, seed), random_parameters(seed)
    slopes = gradient(pairs, now, Recipe(path_share=0.0), np.random.default_rng(0))[1]
    slope = dict(zip(("vectors", "weights", "temperature"), slopes, strict=True))[part]
    direction = np.random.default_rng(seed + 9).normal(size=slope.shape).astype(np.float32)
    step = np.float32(1e-2)
    above, below = now.copy(), now.copy()
    getattr(above, part)[...] += step * direction
    getattr(below, part)[...] -= step * direction
    measured = (loss_at(pairs, above) - loss_at(pairs, below)) / (2 * step)
    assert float((slope * direction).sum()) == pytest.approx(measured, rel=0.02, abs=2e-3)


def test_the_gradient_with_extra_negatives_is_that_of_finite_differences() -> None:
    chance = np.random.default_rng(3)
    queries, texts = (chance.normal(size=(n, 4)).astype(np.float32) for n in (3, 5))
    same = np.zeros((3, 5), bool)
    same[0, 3] = True
    found = info_nce(queries, texts, 0.5, same)
    for array, slope in ((queries, found.queries), (texts, found.texts)):
        direction = chance.normal(size=array.shape).astype(np.float32) * np.float32(1e-2)
        array += direction
        above = info_nce(queries, texts, 0.5, same).value
        array -= 2 * direction
        below = info_nce(queries, texts, 0.5, same).value
        array += direction
        assert 2 * float((slope * direction).sum()) == pytest.approx(above - below, rel=0.02, abs=1e-4)


def test_hard_negatives_of_a_batch_count_as_wrong_answers() -> None:
    pairs, now = random_pairs(8), random_parameters()
    wrong = pairs.take(np.array([7, 3]))
    recipe, chance = Recipe(path_share=0.0), np.random.default_rng(0)
    value, slopes = gradient(pairs, now, recipe, chance, wrong)
    assert value > loss_at(pairs, now)
    step = np.float32(1e-2)
    direction = np.random.default_rng(9).normal(size=slopes[0].shape).astype(np.float32)
    above, below = now.copy(), now.copy()
    above.vectors += step * direction
    below.vectors -= step * direction
    measured = [gradient(pairs, one, recipe, chance, wrong)[0] for one in (above, below)]
    assert float((slopes[0] * direction).sum()) == pytest.approx((measured[0] - measured[1]) / (2 * step), rel=0.02)


def test_encoding_is_the_weighted_sum() -> None:
    """Of more texts than are worked on at once."""
    bags, table = random_bags(2 * _BLOCK + 7, np.random.default_rng(1)), random_parameters().table()
    for number, unit in enumerate(encode(bags, table).units):
        span = slice(bags.offsets[number], bags.offsets[number + 1])
        wanted = np.log1p(bags.counts[span].astype(np.float32)) @ table[bags.rows[span]]
        assert unit == pytest.approx(wanted / np.linalg.norm(wanted), abs=1e-5)


def test_a_gradient_along_the_vector_changes_nothing() -> None:
    bags, table = random_bags(5, np.random.default_rng(1)), random_parameters().table()
    encoded, slope = encode(bags, table), np.zeros_like(table)
    backward(encoded, encoded.units, slope)
    assert np.abs(slope).max() < 1e-5


@given(st.integers(1, 60), st.integers(1, 9), st.integers(1, 5))
def test_batches_hold_each_pair_at_most_once(count: int, batch: int, run: int) -> None:
    source = np.sort(np.arange(count) % 3).astype(np.int32)
    batches = list(make_batches(source, Recipe(batch=batch, run=run), np.random.default_rng(0)))
    assert all(len(one) == batch for one in batches)
    seen = np.concatenate([*batches, np.zeros(0, np.intp)])
    assert len(np.unique(seen)) == len(seen) == count // batch * batch


def test_the_rate_rises_then_falls() -> None:
    shares = [schedule(step, 100, 10) for step in range(100)]
    assert shares[0] == 0.1
    assert max(shares) == 1 == shares[9]
    assert shares[10:] == sorted(shares[10:], reverse=True)
    assert shares[-1] < 0.02


def test_adam_goes_downhill() -> None:
    array = np.array([3.0, -2.0], np.float32)
    mover = Adam(array, 0.1)
    for _ in range(200):
        mover.step(2 * array, 1.0)
    assert np.abs(array).max() < 0.1


def mean_reciprocal_rank(pairs: PairedBags, now: Parameters) -> float:
    table = now.table()
    scores = encode(pairs.queries, table).units @ encode(pairs.texts, table).units.T
    return float((1 / (scores > scores.diagonal()[:, None]).sum(1, initial=1)).mean())


def synonym_pairs(count: int, seed: int) -> PairedBags:
    """Queries in words 0 to 9, texts in their synonyms 10 to 19 among filler words 20 to 23."""
    chance = np.random.default_rng(seed)
    said = [np.sort(chance.permutation(10)[:3]) for _ in range(count)]
    fill = [np.sort(chance.permutation(4)[:2]) + 20 for _ in range(count)]
    queries = join([Bags(np.array([0, 3]), words.astype(np.uint16), np.ones(3, np.uint8)) for words in said])
    texts = join(
        [
            Bags(np.array([0, 5]), np.concatenate([words + 10, more]).astype(np.uint16), np.ones(5, np.uint8))
            for words, more in zip(said, fill, strict=True)
        ]
    )
    return PairedBags(queries, texts, texts, np.zeros(count, np.int32), np.zeros(count, np.uint8), ("a",))


def test_training_learns_synonyms_and_helps_on_held_out_pairs() -> None:
    start, held_out = random_parameters(), synonym_pairs(60, seed=5)
    recipe = Recipe(epochs=20, batch=32, run=4, vector_rate=0.05, weight_rate=0.05, path_share=0.0, warm_up=5)
    seen: list[float] = []
    trained = train(synonym_pairs(320, 1), start, recipe, lambda step, steps, loss, now: seen.append(loss))
    assert len(seen) == 200
    assert seen[-1] < seen[0]
    assert mean_reciprocal_rank(held_out, trained) > mean_reciprocal_rank(held_out, start) + 0.3
    again = train(synonym_pairs(320, 1), start, replace(recipe))
    assert np.array_equal(trained.vectors, again.vectors)


def test_query_dropout_leaves_some_rows_out() -> None:
    pairs, now = random_pairs(16), random_parameters()
    values = {gradient(pairs, now, Recipe(query_dropout=0.5), np.random.default_rng(s))[0] for s in range(3)}
    assert len(values) == 3


def test_quantising_loses_little() -> None:
    table = random_parameters().table()
    rows, scales = quantise(table)
    assert rows.dtype == np.int8
    assert np.abs(rows * scales[:, None] - table).max() <= np.abs(table).max() / 127
    assert not quantise(np.zeros((2, 3), np.float32))[0].any()


def test_an_export_is_what_was_trained(tmp_path: Path) -> None:
    now = random_parameters()
    vocabulary = [f"{chr(97 + number)}" for number in range(ROWS)]
    name = export(now.table(), vocabulary, 0, tmp_path)
    embedder = StaticEmbedder.load(tmp_path)
    assert embedder.name == name
    wanted = encode(bags_of(["a b b c"], Pieces(vocabulary, 0)), now.table()).units
    assert embedder.encode(["a b b c"]) == pytest.approx(wanted, abs=0.02)
    assert export(now.table() * 2, vocabulary, 0, tmp_path) != name


def test_model2vec_gets_the_same_pieces(tmp_path: Path) -> None:
    export(random_parameters().table(), [f"{chr(97 + number)}" for number in range(ROWS)], 0, tmp_path / "ours")
    write(tmp_path / "ours", tmp_path / "theirs")
    assert {file.name for file in (tmp_path / "theirs").iterdir()} == {
        "config.json",
        "model.safetensors",
        "tokenizer.json",
    }
    assert tokenizer(["a", "[UNK]"])["model"]["vocab"] == {"a": 0, "[UNK]": 1}


def test_the_vocabulary_keeps_what_words_can_reach_and_adds_frequent_words(tmp_path: Path) -> None:
    texts = ["asyncify the reader"] * 3
    for number in range(4):
        write_pairs(tmp_path / f"{number}.jsonl.gz", [Pair("doc", "q", text, "p", "python") for text in texts])
    counts, spread = count_words(sorted(tmp_path.glob("*.gz")), 10)
    vocabulary = choose(["[CLS]", "the", "read", "##er", "!", "don't"], counts, spread, 10)
    assert vocabulary[:3] == ["the", "read", "##er"]
    assert "asyncify" in vocabulary
    assert vocabulary[-HASHED:] == [f"[{number}]" for number in range(HASHED)]
    rows = count_rows(vocabulary, counts)
    assert rows[0] == counts["the"] == 12


def test_bags_survive_their_file(tmp_path: Path) -> None:
    pairs = random_pairs(9)
    bag_files.save(tmp_path / "a.npz", pairs)
    read = bag_files.load(tmp_path / "a.npz")
    assert read.names == pairs.names
    assert np.array_equal(read.texts.rows, pairs.texts.rows)
    chosen = read.take(np.array([4, 1]))
    span = slice(pairs.queries.offsets[4], pairs.queries.offsets[5])
    assert np.array_equal(chosen.queries.rows[: chosen.queries.offsets[1]], pairs.queries.rows[span])
