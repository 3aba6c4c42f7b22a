"""Whether what was found answers a question at all, told before anything is quoted.

Four things are known without a model: that a question names what the corpus does not, how many of its words stand
nowhere, how far the first hit stands above the rest, and how near it is to the question in meaning. Where a place
answers, it fits the question in ways that its neighbours do not; where none does, the ten best are about as good as
each other. Pairs of one question asked with and without the files that answer it gave the weights
(``benchmarks/refusals.py --split learn``): a better first hit, a longer lead and a nearer meaning never refuse more, a
name or a word that stands nowhere never refuses less. Words whose subject alone is the question's are what near misses
are made of, and what meaning tells best. They are in the ranker's units: another ranker needs the least worths anew,
which the benchmark prints; these refuse about sixteen in a hundred of the questions that the first quote answers.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from quaestor.chunking.languages import PROSE
from quaestor.core.light_imports import NamedTuple
from quaestor.core.passages import Hit
from quaestor.embedding.static import StaticEmbedder
from quaestor.search.certain import STEP
from quaestor.search.query import read_query
from quaestor.search.spelling import is_foreign

_FIRST = 0.6
_LEAD = 1.2
_NAMES = 5.0
_ALIKE = 9.0
"""What the cosine of the first hit to the question tells."""
_ALIKE_OF_NAMES = 0.33
"""It stands for that of a name, a path and a trace, which have no meaning to compare."""
_ABSENT = 2.5
"""What it tells that half of the question's words stand nowhere; it grows with their share up to there."""
_MOST_ABSENT = 0.5
_MISSED = 4.0
"""What it tells that a name or a path that is the whole query has no certain place."""
_FOREIGN = 1.0
"""Less is found of a question in another language, answered or not."""
_LEAST, _LEAST_OF_PROSE = 7.9, 7.5
"""What hits must be worth, where most are code, and where most are prose."""
_HIGHEST = 15.0
_LONGEST_LEAD = 6.0
_FEWEST = 10
"""Hits of which fewer are no rest that the first could stand above."""


class Doubt(NamedTuple):
    """What speaks against there being an answer.

    Attributes:
        names: what the question names and the corpus does not, as far as that tells anything.
        worth: how surely the hits answer, 0 and above if they do; None where there are too few of them to tell.
    """

    names: tuple[str, ...] = ()
    worth: float | None = None

    @property
    def refuses(self) -> bool | None:
        """Whether the question is not to be answered; None where only quotes can tell."""
        if self.worth is None:
            return True if self.names else None
        return self.worth < 0


def doubt_of(question: str, hits: Sequence[Hit], names: Sequence[str], absent: float = 0.0, *, alike: float) -> Doubt:
    """Return the doubt that hits answer a question.

    Names in a message, which shows values of another machine, and in another language than English tell nothing.

    Args:
        question: as it was searched for.
        hits: of a ranked search for it alone, best first.
        names: what ``unmentioned`` returns.
        absent: share of the question's words that stand nowhere, and nothing like them, 0 to 1.
        alike: how near in meaning the first hit is to the question, a cosine by the bundled embedder.
    """
    foreign, kind = is_foreign(question), read_query(question).kind
    kept = () if foreign or kind == "trace" else tuple(names)
    if len(hits) < _FEWEST:
        return Doubt(kept)
    certain = hits[0].score > STEP / 2
    first, lead = (_HIGHEST, _LONGEST_LEAD) if certain else _standing([hit.score for hit in hits[:_FEWEST]])
    near = alike if kind == "text" else _ALIKE_OF_NAMES
    worth = _FIRST * first + _LEAD * lead + _ALIKE * near + _FOREIGN * foreign - _NAMES * bool(kept)
    if not foreign and kind != "trace":
        worth -= _ABSENT * min(absent, _MOST_ABSENT) / _MOST_ABSENT
    if kind in ("symbol", "path") and not certain and not question.strip().islower():
        worth -= _MISSED
    prose = sum(hit.document.language in PROSE for hit in hits[:_FEWEST])
    return Doubt(kept, worth - (_LEAST_OF_PROSE if 2 * prose > _FEWEST else _LEAST))


def likeness(question: str, hits: Sequence[Hit]) -> float:
    """Return the cosine of the first hit's text to a question, by the bundled embedder; 0 where there is no hit.

    Another embedder's cosines are on another scale than the weights.
    """
    if not hits:
        return 0.0
    asked, found = StaticEmbedder.bundled().encode([question, hits[0].text])
    return float(asked @ found)


def _standing(scores: Sequence[float]) -> tuple[float, float]:
    """Return how good the first score is, and how much better than the rest; no more than tells anything."""
    lead = scores[0] - statistics.fmean(scores[1:])
    return min(scores[0], _HIGHEST), min(lead, _LONGEST_LEAD)
