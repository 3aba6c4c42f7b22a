"""Train the static embedder contrastively, with numpy alone.

A text's vector is a weighted sum of rows, of unit length; gradients are propagated back to the rows. Small dense blocks
replace a sparse product: the rows that a block of texts shares are gathered once, and two matrix products do the rest
at the full speed of the processor.

Each pair's text competes with all others of its batch. A batch is made of runs of one repository, because search
happens inside one corpus: the texts to distinguish are neighbours. Paths are put before a share of the texts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quaestor.embedding.static import damp
from quaestor.tuning.text_bags import Bags, PairedBags, join

Floats = NDArray[np.float32]
_BLOCK = 64  # measured: larger blocks waste time on zeros


@dataclass(slots=True)  # mutable: training changes them in place
class Parameters:
    """The learned parameters.

    Attributes:
        vectors: one row per entry of the vocabulary, shape ``(rows, dimensions)``.
        weights: log-weight of each row, shape ``(rows,)``.
        temperature: logarithm of the inverse temperature, shape ``(1,)``.
    """

    vectors: Floats
    weights: Floats
    temperature: Floats

    def table(self) -> Floats:
        """Return the weighted vectors, which are all that is needed to embed."""
        return np.exp(self.weights)[:, None] * self.vectors

    def copy(self) -> Parameters:
        """Return an independent copy."""
        return Parameters(self.vectors.copy(), self.weights.copy(), self.temperature.copy())


@dataclass(frozen=True, slots=True)
class EncodedBatch:
    """Unit vectors of a batch, shape ``(texts, dimensions)``, and the values that ``backward`` needs."""

    units: Floats
    lengths: Floats
    blocks: list[tuple[slice, NDArray[np.intp], Floats]]


def encode(bags: Bags, table: Floats) -> EncodedBatch:
    """Embed every bag with the weighted vectors ``table``."""
    sums = np.zeros((len(bags), table.shape[1]), np.float32)
    blocks = []
    place = np.zeros(len(table), np.intp)
    for start in range(0, len(bags), _BLOCK):
        part = slice(start, min(start + _BLOCK, len(bags)))
        span = slice(bags.offsets[part.start], bags.offsets[part.stop])
        entries = bags.rows[span].astype(np.intp)
        rows = _distinct(entries, len(table))
        place[rows] = np.arange(len(rows))
        counts = np.zeros((part.stop - part.start, len(rows)), np.float32)
        text = np.repeat(np.arange(part.stop - part.start), np.diff(bags.offsets[part.start : part.stop + 1]))
        np.add.at(counts, (text, place[entries]), bags.counts[span].astype(np.float32))
        counts = damp(counts)
        sums[part] = counts @ table[rows]
        blocks.append((part, rows, counts))
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.float32(1e-6))
    return EncodedBatch(sums / lengths, lengths, blocks)


def backward(encoded: EncodedBatch, gradient: Floats, into: Floats) -> None:
    """Add to ``into`` the gradient of the table, given that of the unit vectors."""
    units = encoded.units
    sums = (gradient - units * (gradient * units).sum(1, keepdims=True)) / encoded.lengths
    for part, rows, counts in encoded.blocks:
        into[rows] += counts.T @ sums[part]


def _distinct(entries: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    seen = np.zeros(size, bool)
    seen[entries] = True
    return np.flatnonzero(seen)


_TOP = 127


def quantise(table: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return int8 rows and a scale for each, so that ``scales[:, None] * rows`` is nearly ``table``."""
    scales = np.maximum(np.abs(table).max(1), np.float32(1e-12)) / _TOP
    return np.rint(table / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def export(table: Floats, vocabulary: Sequence[str], hashed: int, folder: Path) -> str:
    """Write the weighted vectors ``table``, shape ``(rows, dimensions)``; return the embedder's name."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, scales = quantise(table)
    np.save(folder / "table.npy", rows)
    np.save(folder / "scales.npy", scales)
    (folder / "vocabulary.txt").write_text("\n".join(vocabulary), "utf-8")
    digest = hashlib.sha256(rows.tobytes() + scales.tobytes() + "\n".join(vocabulary).encode())
    name = f"quaestor-static-{rows.shape[1]}-{digest.hexdigest()[:12]}"
    (folder / "model.json").write_text(json.dumps({"name": name, "hashed": hashed}) + "\n", "utf-8")
    return name


class Adam:
    """The optimiser Adam for one array, with its moments."""

    def __init__(self, array: Floats, rate: float, betas: tuple[float, float] = (0.9, 0.999)) -> None:
        self._array = array
        self._rate = rate
        self._betas = betas
        self._first = np.zeros_like(array)
        self._second = np.zeros_like(array)
        self._steps = 0

    def step(self, gradient: Floats, share: float) -> None:
        """Move against ``gradient`` at ``share`` of the full rate; ``gradient`` is used up."""
        self._steps += 1
        fast, slow = self._betas
        self._first += (1 - fast) * (gradient - self._first)
        np.square(gradient, out=gradient)
        self._second += (1 - slow) * (gradient - self._second)
        np.sqrt(self._second, out=gradient)
        gradient /= np.float32(np.sqrt(1 - slow**self._steps))
        gradient += np.float32(1e-8)
        np.divide(self._first, gradient, out=gradient)
        gradient *= np.float32(self._rate * share / (1 - fast**self._steps))
        self._array -= gradient


def schedule(step: int, steps: int, warm_up: int) -> float:
    """Return the share of the full rate at ``step`` of ``steps``: up linearly, then down linearly to zero."""
    if step < warm_up:
        return (step + 1) / warm_up
    return max(0.0, (steps - step) / max(1, steps - warm_up))


@dataclass(frozen=True, slots=True)
class Loss:
    """The mean loss and its gradients with respect to queries, texts and the log inverse temperature."""

    value: float
    queries: Floats
    texts: Floats
    temperature: float


def info_nce(queries: Floats, texts: Floats, log_scale: float, same: NDArray[np.bool_] | None = None) -> Loss:
    """Compare each query with every text; text ``i`` is the right one for query ``i``.

    Args:
        queries: unit rows, shape ``(n, d)``.
        texts: unit rows, shape ``(n + extra, d)``; the extra ones are negatives for the queries only.
        log_scale: logarithm of the inverse temperature.
        same: marks texts that answer a query besides its own text and are no negatives; shape ``(n, n + extra)``.
    """
    n = len(queries)
    scale = np.float32(np.exp(log_scale))
    logits = queries @ texts.T
    logits *= scale
    if same is not None:
        logits[same] = -1e4
    right = logits.diagonal().copy()
    by_query, query_loss = _softmax(logits, right)
    by_text, text_loss = _softmax(logits[:, :n].T, right)
    slope = by_query
    slope[:, :n] += by_text.T
    slope[np.arange(n), np.arange(n)] -= 2
    slope /= 2 * n
    temperature = float((slope * logits).sum())
    slope *= scale
    return Loss(float(query_loss + text_loss) / 2, slope @ texts, slope.T @ queries, temperature)


def _softmax(logits: Floats, right: Floats) -> tuple[Floats, float]:
    """Return each row's softmax and the mean cross-entropy of its right entry."""
    top = logits.max(1, keepdims=True)
    shares = np.exp(logits - top)
    total = shares.sum(1, keepdims=True)
    shares /= total
    return shares, float((np.log(total) + top)[:, 0].mean() - right.mean())


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of one training.

    Attributes:
        epochs: the number of passes over the pairs.
        batch: the number of pairs that are compared with one another.
        run: the number of consecutive pairs of one repository in a batch.
        vector_rate, weight_rate, temperature_rate: Adam's rates.
        warm_up: the number of steps in which the rates rise.
        temperature: the initial temperature.
        path_share: the share of texts that are shown with their path.
        query_dropout: the share of a query's rows that are left out.
        seed: the seed of all random choices.
    """

    epochs: int = 1
    batch: int = 2_048
    run: int = 64
    vector_rate: float = 2e-3
    weight_rate: float = 6e-3
    temperature_rate: float = 5e-3
    warm_up: int = 50
    temperature: float = 0.05
    path_share: float = 0.5
    query_dropout: float = 0.0
    seed: int = 0


def train(
    pairs: PairedBags,
    start: Parameters,
    recipe: Recipe,
    watch: Callable[[int, int, float, Parameters], None] = lambda step, steps, loss, now: None,
    negatives: NDArray[np.intp] | None = None,
) -> Parameters:
    """Return trained parameters; ``start`` is unchanged.

    ``negatives`` holds for each pair the number of the pair whose text is its hard negative, or its own if it has none.
    """
    now = start.copy()
    now.temperature[:] = -np.log(recipe.temperature)
    chance = np.random.default_rng(recipe.seed)
    movers = (
        Adam(now.vectors, recipe.vector_rate),
        Adam(now.weights, recipe.weight_rate),
        Adam(now.temperature, recipe.temperature_rate),
    )
    steps = recipe.epochs * (len(pairs) // recipe.batch)
    batches = (batch for _ in range(recipe.epochs) for batch in make_batches(pairs.source, recipe, chance))
    for step, batch in enumerate(batches):
        more = None if negatives is None else pairs.take(negatives[batch][negatives[batch] != batch])
        value, gradients = gradient(pairs.take(batch), now, recipe, chance, more)
        for mover, one in zip(movers, gradients, strict=True):
            mover.step(one, schedule(step, steps, min(recipe.warm_up, max(1, steps // 5))))
        np.clip(now.temperature, 0.0, np.log(100), out=now.temperature)
        watch(step, steps, value, now)
    return now


def gradient(
    batch: PairedBags,
    now: Parameters,
    recipe: Recipe,
    chance: np.random.Generator,
    negatives: PairedBags | None = None,
) -> tuple[float, tuple[Floats, Floats, Floats]]:
    """Return the batch's loss and the gradients of vectors, weights and temperature.

    The texts of ``negatives`` are further wrong answers to all queries of the batch.
    """
    table = now.table()
    queries = encode(_thin(batch.queries, recipe.query_dropout, chance), table)
    parts = [batch] if negatives is None else [batch, negatives]
    bags, paths = join([part.texts for part in parts]), join([part.paths for part in parts])
    texts = encode(with_paths(bags, paths, chance.random(len(bags)) < recipe.path_share), table)
    loss = info_nce(queries.units, texts.units, float(now.temperature[0]))
    slope = np.zeros_like(table)
    backward(queries, loss.queries, slope)
    backward(texts, loss.texts, slope)
    weights = np.einsum("ij,ij->i", slope, table)
    slope *= np.exp(now.weights)[:, None]
    return loss.value, (slope, weights, np.array([loss.temperature], np.float32))


def make_batches(source: NDArray[np.int32], recipe: Recipe, chance: np.random.Generator) -> Iterator[NDArray[np.intp]]:
    """Yield batches of pair numbers, made of shuffled runs of one source each."""
    order = chance.permutation(len(source))
    order = order[np.argsort(source[order], kind="stable")]
    runs = [order[start : start + recipe.run] for start in range(0, len(order), recipe.run)]
    chance.shuffle(runs)
    mixed = np.concatenate(runs)
    for start in range(0, len(mixed) - recipe.batch + 1, recipe.batch):
        yield mixed[start : start + recipe.batch]


def with_paths(texts: Bags, paths: Bags, chosen: NDArray[np.bool_]) -> Bags:
    """Put the path's rows into the chosen texts."""
    n = len(texts)
    both = join([texts, paths.take(np.flatnonzero(chosen))])
    owner = np.concatenate([np.arange(n), np.flatnonzero(chosen)])
    per_entry = np.repeat(owner, np.diff(both.offsets))
    order = np.argsort(per_entry, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(per_entry, minlength=n))])
    return Bags(offsets, both.rows[order], both.counts[order])


def _thin(bags: Bags, share: float, chance: np.random.Generator) -> Bags:
    """Leave out a share of the rows."""
    if not share:
        return bags
    is_kept = chance.random(len(bags.rows)) >= share
    running = np.concatenate([[0], np.cumsum(is_kept)])
    return Bags(running[bags.offsets], bags.rows[is_kept], bags.counts[is_kept])
