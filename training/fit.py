"""Trains and exports: ``python -m training.fit --bags FILE --start FILE --vocabulary FILE --out FOLDER``.

Trains one member for each ``--member RUN:SEED:RATE`` and averages their tables, which is possible because they share
their start (Wortsman et al. 2022, "Model soups"). A second round, ``--hard RUN:SEED:RATE``, continues with hard
negatives that the average itself mistakes for answers. A share of the start is mixed in, and everyday words are moved
further back towards it (``anchor``). Prints the mean reciprocal ranks on repositories held out of training: of the
start, after each step, and of the exported table.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quaestor.tuning import text_bags as bag_files
from quaestor.tuning.text_bags import HASHED, KINDS, PairedBags
from quaestor.tuning.train_embedder import Parameters, Recipe, export, train
from training.anchor import everyday_shares, pull_back
from training.hard_negatives import hard_negatives
from training.heldout import held_out, reciprocal_ranks, samples

Floats = NDArray[np.float32]
_WIDEST = 4.0  # the first weights differ by at most e to this


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="training.fit", description="Train and export the embedder.")
    parser.add_argument("--bags", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--member", nargs="+", default=["256:0:0.002", "512:1:0.001"], metavar="RUN:SEED:RATE")
    parser.add_argument("--repeat", nargs="*", default=["sentence=2", "standardebooks/=4"], metavar="WHAT=TIMES")
    parser.add_argument("--hard", metavar="RUN:SEED:RATE", help="second round (default: none)")
    parser.add_argument("--hard-share", type=float, default=0.4, help="of the pairs, seen in the second round")
    parser.add_argument("--start-share", type=float, default=0.1, help="of the start, mixed into all rows")
    parser.add_argument("--everyday", default="standardebooks/", help="how names of sources of everyday language begin")
    parser.add_argument("--pull-back", type=float, default=0.8, help="of an everyday word, towards the start")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    pairs, start = bag_files.load(options.bags), read_start(options.start)
    out_of_it = held_out(pairs.names)
    judges = samples(pairs, out_of_it)
    print("start", reciprocal_ranks(judges, start.table()), flush=True)
    repeats = {what: int(times) for what, times in (item.split("=") for item in options.repeat)}
    pairs = training_part(pairs, out_of_it, repeats)
    members = [fit(pairs, start, read_member(member)) for member in options.member]
    mixed = np.mean([unit_scale(table) for table in members], axis=0)
    print("members", reciprocal_ranks(judges, mixed), flush=True)
    if options.hard:
        harder = second_round(pairs, mixed, read_member(options.hard), options.hard_share)
        mixed = (mixed + unit_scale(harder)) / 2
        print("second round", reciprocal_ranks(judges, mixed), flush=True)
    mixed = (1 - options.start_share) * mixed + options.start_share * unit_scale(start.table())
    shares = options.pull_back * everyday_shares(pairs, len(mixed), options.everyday)
    mixed = pull_back(mixed, start.table(), shares)
    print("written", reciprocal_ranks(judges, mixed))
    vocabulary = options.vocabulary.read_text("utf-8").split("\n")
    print(export(mixed, vocabulary, HASHED, options.out))
    return 0


def read_start(file: Path) -> Parameters:
    """Read what ``distil`` wrote."""
    data = np.load(file)
    weights = np.maximum(data["weights"], data["weights"].max() - _WIDEST)
    return Parameters(data["table"], weights - weights.mean(), np.zeros(1, np.float32))


def training_part(pairs: PairedBags, held_out_sources: NDArray[np.bool_], repeats: dict[str, int]) -> PairedBags:
    """Return the pairs to train on: none of held-out repositories, none without words.

    ``repeats`` says how often pairs are seen: by their kind, or by how the names of their repositories begin.
    """
    words = np.minimum(np.diff(pairs.queries.offsets), np.diff(pairs.texts.offsets))
    times = (~held_out_sources[pairs.source] & (words > 0)).astype(np.intp)
    for what, more in repeats.items():
        named = np.array([name.startswith(what) for name in pairs.names])
        times[pairs.kind == KINDS.index(what) if what in KINDS else named[pairs.source]] *= more
    return pairs.take(np.repeat(np.arange(len(pairs)), times))


def read_member(text: str) -> Recipe:
    """Read ``RUN:SEED:RATE``; the weights' rate is three times that of the vectors."""
    run, seed, rate = text.split(":")
    return Recipe(path_share=0.8, run=int(run), seed=int(seed), vector_rate=float(rate), weight_rate=3 * float(rate))


def second_round(pairs: PairedBags, table: Floats, recipe: Recipe, share: float) -> Floats:
    """Go on from ``table`` with hard negatives mined with it among a random ``share`` of the pairs."""
    chosen = np.random.default_rng(recipe.seed).random(len(pairs)) < share
    part = pairs.take(np.flatnonzero(chosen))
    start = Parameters(table, np.zeros(len(table), np.float32), np.zeros(1, np.float32))
    return fit(part, start, recipe, hard_negatives(part, table, recipe.seed))


def fit(pairs: PairedBags, start: Parameters, recipe: Recipe, negatives: NDArray[np.intp] | None = None) -> Floats:
    """Train once, saying on stderr how it goes; return the weighted vectors."""
    begun = time.monotonic()

    def watch(step: int, steps: int, loss: float, now: Parameters) -> None:
        if step % 50 == 0:
            seconds = time.monotonic() - begun
            print(f"step {step} of {steps}, loss {loss:.3f}, {seconds:.0f} s", file=sys.stderr, flush=True)

    return train(pairs, start, recipe, watch, negatives).table()


def unit_scale(table: Floats) -> Floats:
    """Scale to a mean norm of 1, so that tables can be averaged."""
    scaled: Floats = table / np.linalg.norm(table, axis=1).mean()
    return scaled


if __name__ == "__main__":
    sys.exit(main())
