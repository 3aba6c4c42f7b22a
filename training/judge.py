"""Measures an embedder alone, without words or ranking: ``python -m training.judge --embedder FOLDER ...``.

Code: NDCG@10 over chunks, with and without path and names in the text. Prose: recall@10 of the evidence's lines.
Conversations: recall@10 of all, and of any, evidence messages.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quaestor.embedding.static import StaticEmbedder
from training.corpora import (
    Collection,
    Place,
    Question,
    code_collections,
    memory_collections,
    prose_collections,
)

Floats = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Floats]
_CUTOFF = 10


def ndcg(found: Sequence[Place], targets: Sequence[Place]) -> float:
    """NDCG@10 with binary gain; targets that one result covers share its rank."""
    ranks = {
        next((rank for rank, place in enumerate(found[:_CUTOFF]) if place.covers(target)), None) for target in targets
    }
    gain = sum(1 / math.log2(rank + 2) for rank in ranks if rank is not None)
    return gain / sum(1 / math.log2(rank + 2) for rank in range(min(_CUTOFF, len(targets))))


def recall(found: Sequence[Place], targets: Sequence[Place]) -> tuple[float, float]:
    """Whether all targets, and whether any target, are among the ten best."""
    hits = [any(place.covers(target) for place in found[:_CUTOFF]) for target in targets]
    return float(all(hits)), float(any(hits))


def search(collection: Collection, encode: Encode, texts: Sequence[str]) -> list[list[Place]]:
    """Return the ten best places for each question."""
    vectors = encode(texts)
    asked = encode([question.text for question in collection.questions])
    best = np.argsort(-(asked @ vectors.T), axis=1, kind="stable")[:, :_CUTOFF]
    return [[collection.places[number] for number in row] for row in best]


def judge_code(collections: Iterable[Collection], encode: Encode, *, paths: bool) -> dict[str, float]:
    """Mean NDCG@10 over repositories, over questions, and by category."""
    scores: dict[str, list[float]] = defaultdict(list)
    for one in collections:
        found = search(one, encode, one.texts if paths else one.plain)
        values = [ndcg(places, question.targets) for places, question in zip(found, one.questions, strict=True)]
        scores["repositories"].append(float(np.mean(values)))
        for value, question in zip(values, one.questions, strict=True):
            scores["questions"].append(value)
            scores[question.category].append(value)
    return _means(scores)


def judge_recall(collections: Iterable[Collection], encode: Encode) -> dict[str, float]:
    """Recall@10 of all and of any target, over questions, and of any target by category."""
    scores: dict[str, list[float]] = defaultdict(list)
    for one in collections:
        for places, question in zip(search(one, encode, one.texts), one.questions, strict=True):
            _add_recall(scores, places, question)
    return _means(scores)


def megabytes_per_second(collections: Sequence[Collection], encode: Encode) -> float:
    """Return how fast all texts are embedded, words already seen."""
    begun = time.perf_counter()
    for one in collections:
        encode(one.texts)
    size = sum(len(text.encode()) for one in collections for text in one.texts)
    return size / 1e6 / (time.perf_counter() - begun)


def _add_recall(scores: dict[str, list[float]], places: list[Place], question: Question) -> None:
    whole, part = recall(places, question.targets)
    scores["all"].append(whole)
    scores["any"].append(part)
    scores[f"any:{question.category}"].append(part)


def _means(scores: dict[str, list[float]]) -> dict[str, float]:
    return {name: round(float(np.mean(values)), 4) for name, values in scores.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="training.judge", description="Judge an embedder alone.")
    parser.add_argument("--embedder", type=Path, help="folder of weights (default: the bundled ones)")
    parser.add_argument("--code", type=Path, nargs=2, metavar=("ANNOTATIONS", "CHECKOUTS"))
    parser.add_argument("--prose", type=Path, nargs=2, metavar=("QUESTIONS", "CHECKOUTS"))
    parser.add_argument("--memory", type=Path, metavar="LOCOMO")
    options = parser.parse_args(arguments)
    embedder = StaticEmbedder.load(options.embedder) if options.embedder else StaticEmbedder.bundled()
    print(f"embedder {embedder.name}")
    if options.code:
        code = list(code_collections(*options.code))
        print("code, path in the text", judge_code(code, embedder.encode, paths=True))
        print("code, text alone", judge_code(code, embedder.encode, paths=False))
        print(f"code, encoding {megabytes_per_second(code, embedder.encode):.1f} MB/s")
    if options.prose:
        print("prose", judge_recall(prose_collections(*options.prose), embedder.encode))
    if options.memory:
        print("conversations", judge_recall(memory_collections(options.memory), embedder.encode))
    return 0


if __name__ == "__main__":
    sys.exit(main())
