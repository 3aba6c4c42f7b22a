"""What each feature adds to a hit's score, worked out when somebody asks: hardly any search is explained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quaestor.retrieval.ranker import Group, Matrix, Ranker


class Shares(Mapping[str, float]):
    """The shares of a score, which add up to it: one a feature, then ``place_in_file`` and ``further_of_file``.

    Args:
        ranker: made the score.
        group: of the query.
        features: of the hit, shape ``(len(FEATURES),)``.
        earned: its score as the place that it takes in its file gives it.
        score: the same, lowered for what came before it of the file.
    """

    def __init__(self, ranker: Ranker, group: Group, features: Matrix, earned: float, score: float) -> None:
        self._ranker = ranker
        self._group = group
        self._features = features
        self._earned = earned
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
            [own] = self._ranker.shares(self._features[None], self._group)
            lowered = {
                "place_in_file": self._earned - sum(own.values()),
                "further_of_file": self._score - self._earned,
            }
            self._known = {**own, **lowered}
        return self._known
