"""What each feature adds to a hit's score, worked out when somebody asks: hardly any search is explained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quaestor.search.ranker import Matrix, Ranker


class Shares(Mapping[str, float]):
    """The shares of a score, which add up to it: one a feature, then ``certain`` and ``further_of_file``.

    Args:
        ranker: made the score.
        features: of the hit, shape ``(len(FEATURES),)``.
        step: what it has for being certain, or lacks for being background; see ``certain.steps``.
        score: the whole, lowered for what came before it of the file.
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
