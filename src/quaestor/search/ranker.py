"""The learned ranker: a linear model over explicit, bounded features, one set of weights for code and one for prose.

The weights are data (``ranker.json``), made by ``training.ranker``; nothing here is set by hand. Being linear,
each feature's share in a score is exact; it is computed on demand. What needs no learning is in
``certain_hits``. The dense retriever is trusted more if the embedder was tuned to the corpus.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from quaestor.core.errors import IndexUnusableError
from quaestor.core.light_imports import NamedTuple
from quaestor.search.features import FEATURES

if TYPE_CHECKING:
    from numpy.typing import NDArray


Matrix: TypeAlias = "NDArray[np.float32]"

_PROSE = FEATURES.index("prose")

_DENSE = np.array(["dense" in name for name in FEATURES])


class Ranker(NamedTuple):
    """Weights of the features.

    Attributes:
        name: the name of the training run.
        of_code: the weights for chunks of code and data, shape ``(len(FEATURES),)``.
        of_prose: the weights for chunks of prose, shape ``(len(FEATURES),)``.
        decay: the amount subtracted from the score of each further chunk of a file.
    """

    name: str
    of_code: Matrix
    of_prose: Matrix
    decay: float

    @classmethod
    def bundled(cls) -> Ranker:
        """Return the ranker that comes with the package."""
        return _bundled()

    @classmethod
    def from_json(cls, text: str) -> Ranker:
        """Read weights.

        Raises:
            IndexUnusableError: the weights were trained for other features.
        """
        data = json.loads(text)
        if tuple(data["features"]) != FEATURES:
            raise IndexUnusableError("The ranker's weights are for other features. Train it again, or reinstall.")
        of_code, of_prose = (np.array(data[key], dtype=np.float32) for key in ("of_code", "of_prose"))
        return cls(data["name"], of_code, of_prose, float(data["decay"]))

    def to_json(self) -> str:
        """Return the weights as ``from_json`` reads them."""
        return json.dumps(
            {
                "name": self.name,
                "features": FEATURES,
                "of_code": [round(float(weight), 4) for weight in self.of_code],
                "of_prose": [round(float(weight), 4) for weight in self.of_prose],
                "decay": self.decay,
            },
            indent=1,
        )

    def scores(self, features: Matrix) -> Matrix:
        """Return one score a row of ``features``."""
        prose = features[:, _PROSE] > 0
        of_code: Matrix = features @ self.of_code
        return np.where(prose, features @ self.of_prose, of_code) if prose.any() else of_code

    def shares(self, features: Matrix) -> list[Mapping[str, float]]:
        """Return each feature's share in the score of each row; they add up to it."""
        weights = np.where(features[:, _PROSE, None] > 0, self.of_prose, self.of_code)
        return [dict(zip(FEATURES, row, strict=True)) for row in (features * weights).tolist()]


@cache
def _bundled() -> Ranker:
    return Ranker.from_json(Path(__file__).with_name("ranker.json").read_text(encoding="utf-8"))


def diversify(scores: Sequence[float], files: Sequence[Hashable], decay: float, k: int) -> list[tuple[int, float]]:
    """Choose ``k`` entries greedily; each further entry of a file loses ``decay`` once more.

    Args:
        scores: the score of each entry.
        files: the file of each entry.
        decay: the amount that an entry loses for every entry of its file that was chosen before.
        k: the number of entries to choose.

    Returns:
        Indices with their lowered scores, best first.
    """
    waiting = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    if not decay:
        return [(index, scores[index]) for index in waiting[:k]]
    earlier = dict.fromkeys(files, 0)
    adjusted: list[tuple[int, float]] = []
    # Entries of one file come in falling order, so each one's penalty is known when its turn comes.
    for index in waiting:
        file = files[index]
        adjusted.append((index, scores[index] - decay * earlier[file]))
        earlier[file] += 1
    return sorted(adjusted, key=itemgetter(1), reverse=True)[:k]


class Shares(Mapping[str, float]):
    """The shares of a score, which add up to it: one a feature, then ``certain`` and ``further_of_file``.

    Args:
        ranker: the ranker that computed the score.
        features: the features of the hit, shape ``(len(FEATURES),)``.
        step: its step for being certain or background; see ``certain_hits.certainty_steps``.
        score: the total, lowered for earlier hits of the same file.
    """

    def __init__(self, ranker: Ranker, features: Matrix, step: float, score: float) -> None:
        self._ranker = ranker
        self._features = features
        self._step = step
        self._score = score
        self._known: Mapping[str, float] | None = None

    def __getitem__(self, name: str) -> float:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def _all(self) -> Mapping[str, float]:
        if self._known is None:
            [own] = self._ranker.shares(self._features[None])
            further = self._score - self._step - sum(own.values())
            self._known = {**own, "certain": self._step, "further_of_file": further}
        return self._known


def with_dense_factor(ranker: Ranker, dense: float) -> Ranker:
    """Return a ranker that counts every feature of the dense retriever ``dense`` times; 1 changes nothing."""
    if dense == 1:
        return ranker
    times = np.where(_DENSE, np.float32(dense), np.float32(1))
    return ranker._replace(
        name=f"{ranker.name}, dense x {dense:g}", of_code=ranker.of_code * times, of_prose=ranker.of_prose * times
    )
