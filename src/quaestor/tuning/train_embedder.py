"""Train the static embedder contrastively, with numpy alone.

Each pair's text competes with all others of its batch. A batch is made of runs of one repository, because search
happens inside one corpus: the texts to be told apart are neighbours. Paths are put before a share of the texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.tuning.adam import Adam, schedule
from quaestor.tuning.contrastive_loss import info_nce
from quaestor.tuning.text_bags import Bags, PairedBags, join
from quaestor.tuning.trainable_embedder import Parameters, backward, encode

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of one training.

    Attributes:
        epochs: passes over the pairs.
        batch: pairs compared with one another.
        run: consecutive pairs of one repository in a batch.
        vector_rate, weight_rate, temperature_rate: Adam's rates.
        warm_up: steps.
        temperature: to begin with.
        path_share: how often a text is shown with its path.
        query_dropout: how often a row of a query is left out.
        seed: of all chance.
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
    """Return trained parameters; ``start`` is left as it is.

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
    kept = chance.random(len(bags.rows)) >= share
    running = np.concatenate([[0], np.cumsum(kept)])
    return Bags(running[bags.offsets], bags.rows[kept], bags.counts[kept])
