"""From documents to pairs, and from pairs to rows of the bundled embedder's table that fit them better.

Only rows of words that occur in the pairs are trained, in few small steps, and then moved a share of the way back
(Wortsman et al. 2022, "Robust fine-tuning of zero-shot models"): all other rows stay unchanged.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.chunking.languages import PROSE
from quaestor.embedding.static import StaticEmbedder
from quaestor.embedding.tuned_embedder import TunedRows
from quaestor.evaluation.made_questions import SourceText
from quaestor.evaluation.made_questions.surface_syntax import LANGUAGES
from quaestor.tuning.text_bags import KINDS, Bags, PairedBags, bags_of
from quaestor.tuning.train_embedder import Parameters, Recipe, quantise, train
from quaestor.tuning.training_pairs import Kind, Pair, code_pairs, prose_pairs

Floats = NDArray[np.float32]

FEWEST_PAIRS = 64
MOST_PAIRS = 20_000
"""The most pairs; of more, a random sample is used."""
_DRAWS = 5  # of sentences that ask for the rest of their passages, and of headings: as many as there are passes

_BATCH = 512
_LEAST_BATCH = 64
_BATCHES = 12  # at least so many a pass, as far as the least batch allows
RECIPE = Recipe(epochs=5, vector_rate=2e-3, weight_rate=6e-3, path_share=0.7, warm_up=10)
"""Hyperparameters, chosen on the development questions of docs/tune.md."""


def pairs_of(texts: Iterable[SourceText], seed: int, without: Container[str] = ()) -> list[Pair]:
    """Return training pairs of documents: comments, names, headings and sentences with their texts; each query once.

    Args:
        texts: the documents.
        seed: the seed of random choices.
        without: queries to leave out, in the form of ``as_asked``.
    """
    chance = random.Random(seed)
    pairs: dict[str, Pair] = {}
    for text in texts:
        for pair in _pairs_of(text, chance):
            if as_asked(pair.query) not in without:
                pairs.setdefault(pair.query, pair)
    return list(pairs.values())


def sample(pairs: Sequence[Pair], seed: int) -> Sequence[Pair]:
    """Return the pairs, or a random sample if they are very many."""
    return pairs if len(pairs) <= MOST_PAIRS else random.Random(seed).sample(pairs, MOST_PAIRS)


def as_asked(query: str) -> str:
    """Return a query's normal form, without case, spaces and punctuation."""
    return re.sub(r"\W+", " ", query.casefold()).strip()


def _pairs_of(text: SourceText, chance: random.Random) -> Iterator[Pair]:
    if text.language in LANGUAGES:
        yield from code_pairs("\n".join(text.lines), text.path, text.language, chance)
    elif text.language in PROSE:
        yield from prose_pairs("\n".join(text.lines), text.path, text.language, chance, _DRAWS)


def learn_rows(
    pairs: Sequence[Pair], seed: int, tick: Callable[[], None] = lambda: None
) -> tuple[NDArray[np.int32], Floats]:
    """Train on pairs; return the changed rows and their new weighted vectors.

    Args:
        pairs: the pairs, at least ``FEWEST_PAIRS``.
        seed: the seed of all random choices.
        tick: named after every step; an exception from it ends the training.
    """
    rows, bags = _compact(_bag_pairs(pairs))
    start = StaticEmbedder.bundled().vectors_of(rows)
    batch = max(_LEAST_BATCH, min(_BATCH, len(pairs) // _BATCHES))
    recipe = Recipe(
        **{
            **{name: getattr(RECIPE, name) for name in Recipe.__slots__},
            "batch": batch,
            "run": batch,
            "seed": seed,
        }
    )
    zeros = np.zeros(len(rows), np.float32)
    done = train(bags, Parameters(start, zeros, np.zeros(1, np.float32)), recipe, lambda step, steps, loss, now: tick())
    return rows.astype(np.int32), done.table()


def rows_to_keep(rows: NDArray[np.int32], vectors: Floats, strength: float) -> TunedRows:
    """Return the rows to store: the share ``strength`` of the way from the bundled rows to the learned ones."""
    start = StaticEmbedder.bundled().vectors_of(rows)
    table, scales = quantise(start + np.float32(strength) * (vectors - start))
    return TunedRows(rows, table, scales)


def _bag_pairs(pairs: Sequence[Pair]) -> PairedBags:
    pieces = StaticEmbedder.bundled().pieces
    queries, texts, paths = (
        bags_of((getattr(pair, name) for pair in pairs), pieces) for name in ("query", "text", "path")
    )
    number: Mapping[Kind, int] = {kind: at for at, kind in enumerate(KINDS)}
    kinds = np.array([number[pair.kind] for pair in pairs], np.uint8)
    return PairedBags(queries, texts, paths, np.zeros(len(pairs), np.int32), kinds, ("corpus",))


def _compact(pairs: PairedBags) -> tuple[NDArray[np.intp], PairedBags]:
    """Return the rows that occur, and the bags with each row replaced by its place among these."""
    bags = (pairs.queries, pairs.texts, pairs.paths)
    rows = np.unique(np.concatenate([one.rows for one in bags])).astype(np.intp)
    places = np.zeros(int(rows[-1]) + 1, np.uint16)
    places[rows] = np.arange(len(rows))
    queries, texts, paths = (Bags(one.offsets, places[one.rows], one.counts) for one in bags)
    return rows, PairedBags(queries, texts, paths, pairs.source, pairs.kind, pairs.names)
