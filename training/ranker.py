r"""Trains the ranker: one linear model over bounded features, fitted to questions with the lines that answer them.

    python -m training.ranker --asked benchmarks/asked --checkouts DIR --indexes DIR \
        [--annotations DIR --repositories DIR] [--out ranker.json] [--shipped] [--report]

The code of the search itself computes the features, over real indexes. Weights are fitted to the repositories of the
part ``learn``; the ridge and the decay are chosen on ``choose``. ``--shipped`` measures the ranker that ships instead,
``--beside`` fits single features beside its weights; ``--report`` opens the part ``report``, once a release.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quaestor.search.features import FEATURES
from quaestor.search.ranker import Ranker, diversify
from training.asked_questions import read_asked
from training.judged_searches import Search, asked_searches, prepared_searches
from training.softmax import fit_softmax

_PROSE = FEATURES.index("prose")
_CORPORA = ("code", "mechanisms", "prose")
_TEN, _HUNDRED = 10, 100
_RIDGES = (10.0, 30.0, 100.0)
_DECAYS = (0.0, 0.125, 0.25, 0.5)
# Questions about prepared folders name files, few of them lines; seen once each, they had little say.
_PREPARED_TIMES = 3


@dataclass(frozen=True, slots=True)
class Figures:
    """How well some searches are answered; means over them.

    Attributes:
        searches: how many they are.
        first: share with an answer in the first place.
        in_ten: share with an answer among ten.
        in_hundred: share with an answer among a hundred.
        share: of all places that answer, the share among ten.
        by_file: NDCG@10 where each file counts once.
    """

    searches: int
    first: float
    in_ten: float
    in_hundred: float
    share: float
    by_file: float

    @property
    def worth(self) -> float:
        """What is maximised where something is chosen."""
        return (self.first + self.in_ten + self.share + self.by_file) / 4

    def __str__(self) -> str:
        means = (self.first, self.in_ten, self.in_hundred, self.share, self.by_file)
        return f"{self.searches:5}   " + "   ".join(f"{mean:.3f}" for mean in means)


def fit(searches: Sequence[Search], ridge: float, name: str) -> Ranker:
    """Fit weights for all chunks and, on top of them, what is different for prose.

    Both blocks cost the same, so that code and prose share what they teach each other.
    """
    useful = [search for search in searches if search.answerable]
    features = [_doubled(search.features) for search in useful]
    shared, of_prose = np.split(fit_softmax(features, [search.answers for search in useful], ridge), 2)
    return Ranker(name, shared.astype(np.float32), (shared + of_prose).astype(np.float32), 0.0)


def fit_beside(searches: Sequence[Search], ranker: Ranker, names: Sequence[str], ridge: float) -> Ranker:
    """Fit the weights of some features anew, beside all others, which stay as they are."""
    useful = [search for search in searches if search.answerable]
    columns = [FEATURES.index(name) for name in names]
    of_code, of_prose = ranker.of_code.copy(), ranker.of_prose.copy()
    of_code[columns] = of_prose[columns] = 0
    without = ranker._replace(name=f"{ranker.name}; {', '.join(names)} beside it", of_code=of_code, of_prose=of_prose)
    features = [
        _doubled(search.features)[:, [*columns, *(len(FEATURES) + column for column in columns)]] for search in useful
    ]
    known = [without.scores(search.features) + search.steps for search in useful]
    shared, own = np.split(fit_softmax(features, [search.answers for search in useful], ridge, known), 2)
    of_code[columns], of_prose[columns] = shared, shared + own
    return without


def _doubled(features: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return features twice: for all chunks, and for chunks of prose."""
    of_prose = features * np.greater(features[:, [_PROSE]], 0)
    return np.concatenate([features, of_prose], axis=1).astype(np.float64)


def measure(searches: Sequence[Search], ranker: Ranker) -> Figures:
    """Return how well a ranker answers searches; what no candidate answers counts as not found."""
    rows = [_row(search, ranked(search, ranker)) for search in searches]
    means = np.mean(rows, axis=0).tolist() if rows else [math.nan] * 5
    return Figures(len(rows), *means)


def ranked(search: Search, ranker: Ranker) -> list[int]:
    """Return the candidates as the ranker puts them, best first."""
    scores = ranker.scores(search.features) + search.steps
    return [index for index, _ in diversify(scores.tolist(), search.paths, ranker.decay, len(scores))]


def _row(search: Search, order: Sequence[int]) -> tuple[float, float, float, float, float]:
    hundred = search.answers.take(list(order[:_HUNDRED]), axis=1)
    found = hundred[:, :_TEN].any(axis=1)
    first, in_hundred = float(hundred[:, :1].any()), float(hundred.any())
    return first, float(found.any()), in_hundred, float(found.mean()), _ndcg_by_file(search, order)


def _ndcg_by_file(search: Search, order: Sequence[int]) -> float:
    """Return NDCG@10 with binary gain over files, each at the place of its first chunk."""
    files = list(dict.fromkeys(search.paths[index] for index in order))[:_TEN]
    wanted = list({target.path: target for target in search.targets}.values())
    ranks = [next((rank for rank, file in enumerate(files) if _is_file(one.path, file)), None) for one in wanted]
    gained = sum(1 / math.log2(rank + 2) for rank in ranks if rank is not None)
    return gained / sum(1 / math.log2(rank + 2) for rank in range(min(_TEN, len(wanted))))


def _is_file(one: str, other: str) -> bool:
    return one == other or one.endswith("/" + other) or other.endswith("/" + one)


def choose(learn: Sequence[Search], parts: Iterable[Sequence[Search]], name: str) -> Ranker:
    """Return the ranker whose ridge and decay are best, in the mean over the parts that it is chosen on."""
    chosen_on = [part for part in parts if part]
    fitted = [fit(learn, ridge, f"{name}, ridge {ridge:g}") for ridge in _RIDGES]
    rankers = [ranker._replace(decay=decay) for ranker in fitted for decay in _DECAYS]
    return max(rankers, key=lambda ranker: sum(measure(part, ranker).worth for part in chosen_on))


def main(arguments: Sequence[str] | None = None) -> int:
    """Train from the command line."""
    options = _parser().parse_args(arguments)
    parts: dict[str, list[Search]] = {}
    wanted = ["choose", *["learn"] * (not options.shipped), *["report"] * options.report]
    for asked in read_asked(options.asked):
        if asked.part in wanted:
            print(f"{asked.corpus} {asked.repository}", file=sys.stderr)
            found = asked_searches(asked, options.checkouts, options.indexes)
            parts.setdefault(f"{asked.corpus} {asked.part}", []).extend(found)
    prepared = (
        prepared_searches(options.annotations, options.repositories, options.indexes) if options.annotations else []
    )
    ranker = _ranker(options, parts, prepared)
    _print({**parts, "prepared folders (learned)": prepared}, ranker)
    if options.out:
        options.out.write_text(ranker.to_json() + "\n", encoding="utf-8")
    return 0


def _ranker(options: argparse.Namespace, parts: Mapping[str, Sequence[Search]], prepared: Sequence[Search]) -> Ranker:
    """Return the ranker that the command line asks for."""
    if options.beside:
        return fit_beside(parts.get("code learn", ()), Ranker.bundled(), options.beside, _RIDGES[0])
    return Ranker.bundled() if options.shipped else _chosen(parts, prepared, options.name)


def _chosen(parts: Mapping[str, Sequence[Search]], prepared: Sequence[Search], name: str) -> Ranker:
    learn = [search for corpus in _CORPORA for search in parts.get(f"{corpus} learn", ())]
    chosen_on = [parts.get(f"{corpus} choose", ()) for corpus in _CORPORA]
    return choose([*learn, *list(prepared) * _PREPARED_TIMES], chosen_on, name)


def _print(parts: Mapping[str, Sequence[Search]], ranker: Ranker) -> None:
    print(f"{ranker.name}, decay {ranker.decay:g}\n{'':28}    n   first     ten hundred   share by file")
    for part, searches in sorted(parts.items()):
        print(f"{part:28}{measure(searches, ranker)}")
        for kind in sorted({search.kind for search in searches}):
            print(f"  {kind:26}{measure([search for search in searches if search.kind == kind], ranker)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Train the ranker on questions with the lines that answer them.")
    parser.add_argument("--asked", type=Path, required=True, help="has code/ and prose/, files of questions")
    parser.add_argument("--checkouts", type=Path, required=True, help="one checkout OWNER__NAME")
    parser.add_argument("--annotations", type=Path, help="repos.json and annotations/NAME.json, of prepared folders")
    parser.add_argument("--repositories", type=Path, help="one checkout a NAME of these")
    parser.add_argument("--indexes", type=Path, required=True, help="where to keep the indexes between runs")
    parser.add_argument("--name", default="dev", help="what the weights are called")
    parser.add_argument("--out", type=Path, help="where to write the weights")
    parser.add_argument("--shipped", action="store_true", help="fit nothing: measure the ranker that ships")
    parser.add_argument("--beside", nargs="+", metavar="FEATURE", help="fit these beside what ships, from code alone")
    parser.add_argument("--report", action="store_true", help="also measure on the part that nothing was chosen on")
    return parser


if __name__ == "__main__":
    sys.exit(main())
