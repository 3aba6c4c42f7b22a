"""The learned ranker: a linear model over explicit features, one set of weights for each kind of query.

The weights are data (``ranker.json``), made by ``quaestor.training.ranker``; nothing here is set by hand. Being linear,
each feature's share in a score is exact.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from quaestor.errors import IndexUnusableError
from quaestor.named import NamedTuple
from quaestor.questions import asks_how_to
from quaestor.retrieval.features import FEATURES
from quaestor.retrieval.query import Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

Matrix: TypeAlias = "NDArray[np.float32]"
Group = Literal["symbol", "place", "quote", "how", "text"]

TEXTS: frozenset[Group] = frozenset({"how", "text"})
"""Questions and all else that is neither a name, nor a place, nor a quotation."""

# So large a share of a query's runs of three words is no chance; of common words, a third soon is. A message has some
# of its own words beside a value that the source does not have.
_VERBATIM = 0.6
_PROSE = FEATURES.index("prose")
_IS_PROSE = np.array([name == "prose" for name in FEATURES], dtype=np.float32)


class Ranker(NamedTuple):
    """Weights of the features for each group of queries.

    Attributes:
        name: identifies the training run.
        of_symbols: weights for queries that are a name, shape ``(len(FEATURES),)``.
        of_places: weights for paths, error messages and stack traces.
        of_quotes: weights for queries whose very words stand in the corpus: messages, copied lines.
        of_texts: weights for all other queries, for code and data.
        of_prose: weights for all other queries, for prose.
        of_quoted_prose: weights for queries whose very words stand in the corpus, for prose.
        of_places_within: weights by which the chunks of one source file share out the places that it has earned, for
            texts. Which file answers and which part of it does are different questions.
        how_to: what prose gains where somebody asks how to use a thing; in units of the score.
        decay: what each further chunk of a file loses, for code; in the same units.
        prose_decay: the same for prose.
    """

    name: str
    of_symbols: Matrix
    of_places: Matrix
    of_quotes: Matrix
    of_texts: Matrix
    of_prose: Matrix
    of_quoted_prose: Matrix
    of_places_within: Matrix
    how_to: float
    decay: float
    prose_decay: float

    @classmethod
    def bundled(cls) -> Ranker:
        """Return the ranker that comes with the package."""
        return _bundled()

    @classmethod
    def from_json(cls, text: str) -> Ranker:
        """Read weights.

        Raises:
            IndexUnusableError: they were trained for other features.
        """
        data = json.loads(text)
        if tuple(data["features"]) != FEATURES:
            raise IndexUnusableError("The ranker's weights are for other features. Train it again, or reinstall.")
        return cls(
            data["name"],
            np.array(data["of_symbols"], dtype=np.float32),
            np.array(data["of_places"], dtype=np.float32),
            np.array(data["of_quotes"], dtype=np.float32),
            np.array(data["of_texts"], dtype=np.float32),
            np.array(data["of_prose"], dtype=np.float32),
            np.array(data["of_quoted_prose"], dtype=np.float32),
            np.array(data["of_places_within"], dtype=np.float32),
            float(data["how_to"]),
            float(data["decay"]),
            float(data["prose_decay"]),
        )

    def weights(self, group: Group, *, prose: bool = False) -> Matrix:
        """Return the weights for a group of queries and a kind of chunk."""
        if group == "how" and prose:
            return self.of_prose + self.how_to * _IS_PROSE
        of_code, of_prose = {
            "symbol": (self.of_symbols, self.of_symbols),
            "place": (self.of_places, self.of_places),
            "quote": (self.of_quotes, self.of_quoted_prose),
            "how": (self.of_texts, self.of_prose),
            "text": (self.of_texts, self.of_prose),
        }[group]
        return of_prose if prose else of_code

    def scores(self, features: Matrix, group: Group) -> Matrix:
        """Return one score a row of ``features``."""
        code: Matrix = features @ self.weights(group)
        prose = features[:, _PROSE] > 0
        return np.where(prose, features @ self.weights(group, prose=True), code) if prose.any() else code

    def earners(self, features: Matrix, own: Matrix, group: Group, files: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return, for each row, the row of the same file whose score it takes: the best one's for what answers best.

        So a file stands where its best chunk as a whole brings it, and shows first what answers best within it. Other
        than for texts asked of code, every row keeps its own score.

        Args:
            features: of the rows.
            own: the rows' scores.
            group: of the query.
            files: a number for the file of each row.
        """
        if group not in TEXTS:
            return np.arange(len(own))
        within = np.where(features[:, _PROSE] > 0, own, features @ self.of_places_within)
        earned = np.empty(len(own), dtype=np.intp)
        earned[np.lexsort((-within, files))] = np.lexsort((-own, files))
        return earned

    def decays(self, features: Matrix) -> list[float]:
        """Return what each row loses for every row of its file that stands above it, in units of the score."""
        return [self.prose_decay if prose > 0 else self.decay for prose in features[:, _PROSE].tolist()]

    def shares(self, features: Matrix, group: Group) -> list[Mapping[str, float]]:
        """Return each feature's share in the score of each row; they add up to it."""
        weights = np.where(features[:, _PROSE, None] > 0, self.weights(group, prose=True), self.weights(group))
        return [dict(zip(FEATURES, row, strict=True)) for row in (features * weights).tolist()]


def group_of(query: Query, features: Matrix) -> Group:
    """Return which weights rank a query: what it is, and whether its very words were found."""
    if query.kind == "symbol":
        return "symbol"
    if query.kind == "path" or (query.places and query.kind == "trace"):
        return "place"
    verbatim = len(features) > 0 and float(features[:, FEATURES.index("phrase")].max()) >= _VERBATIM
    if verbatim:
        return "quote"
    return "how" if asks_how_to(query.text) else "text"


@cache
def _bundled() -> Ranker:
    return Ranker.from_json(Path(__file__).with_name("ranker.json").read_text(encoding="utf-8"))


def spread(
    scores: Sequence[float], files: Sequence[Hashable], decays: Sequence[float], k: int
) -> list[tuple[int, float]]:
    """Choose ``k`` entries greedily, each further entry of a file losing its decay once more.

    Args:
        scores: one an entry.
        files: what each entry belongs to.
        decays: what each entry loses for every entry of its file that was chosen before.
        k: how many to choose.

    Returns:
        Indices with their lowered scores, best first.
    """
    waiting = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    earlier = dict.fromkeys(files, 0)
    lowered: list[tuple[int, float]] = []
    # Entries of one file come in falling order, so each one's penalty is known when its turn comes.
    for index in waiting:
        file = files[index]
        lowered.append((index, scores[index] - decays[index] * earlier[file]))
        earlier[file] += 1
    return sorted(lowered, key=itemgetter(1), reverse=True)[:k]
