"""Whether what was found answers a question at all, told before anything is quoted.

Four things are known without a model: that a question names what the corpus does not, how many of its words stand
nowhere, how far the first hit stands above the rest, and how near it is to the question in meaning. Where a place
answers, it fits the question in ways that its neighbours do not; where none does, the ten best are about as good as
each other. A better first hit, a longer lead and a nearer meaning never refuse more, a name or a word that stands
nowhere never refuses less. The weights were learned, by logistic regression and a grid of round numbers around what it
gave, from the part ``learn`` of two sets: questions asked with and without the files that answer them, and near misses.
They are in the ranker's units, which differ between code and prose: another ranker needs the least worths anew, which
``benchmarks/refusals.py`` prints.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence

from quaestor.chunking.languages import PROSE
from quaestor.core.light_imports import NamedTuple
from quaestor.core.passages import Hit
from quaestor.core.terms import find_words
from quaestor.embedding.static import StaticEmbedder
from quaestor.search.certain import STEP
from quaestor.search.query import read_query
from quaestor.search.spelling import is_foreign

_FIRST, _FIRST_OF_PROSE = 0.33, 0.1
"""What a point of the first score tells, where most hits are code, and where most are prose."""
_LEAD = 0.67
_NAMES = 3.2
_NAMED = -1.0
"""What hits are worth at most where a question names what nothing mentions: whatever they say is of something else."""
_ALIKE = 6.5
"""What the likeness of the first hit to the question tells."""
_ALIKE_OF_NAMES = 0.25
"""It stands for that of a name, a path and a trace, which have no meaning to compare."""
_ABSENT = 1.2
"""What it tells that all words stand nowhere. It is little: in a small corpus most words of everyday speech do."""
_MISSED = 2.2
"""What it tells that a name or a path that is the whole query has no certain place."""
_LEAST, _LEAST_OF_PROSE = 5.0, 4.4
"""What hits must be worth, where most are code, and where most are prose."""
_HIGHEST = 15.0
_LONGEST_LEAD = 6.0
_FEWEST = 10
"""Hits of which fewer are no rest that the first could stand above."""
_BETWEEN_PARAGRAPHS = re.compile(r"\n\s*\n")
_FEWEST_WORDS = 4
_PLAIN = re.compile(r"[^\W\d]+|[^\W\d_]+/\d+(?:\.\d+)*")
"""A name without digits, or with its version; numbers, paths and the like may be values in a message."""
_CARRIED = re.compile(r"(?=.*[a-z_])[A-Za-z_]+[A-Z_][A-Za-z_]*|[A-Za-z]+/\d+(?:\.\d+)*")
"""A name that is one in any language: with a capital within, an underscore or a version."""


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


def doubt_of(
    question: str,
    hits: Sequence[Hit],
    names: Sequence[str],
    absent: float = 0.0,
    *,
    alike: float,
    translated: bool = False,
) -> Doubt:
    """Return the doubt that hits answer a question.

    Names in a message, which shows values of another machine, tell nothing; in another language than English only those
    do that are written as no word is (``GraphQL``, ``insert_all``, ``HTTP/3``).

    Args:
        question: as it was searched for.
        hits: of a ranked search for it alone, best first.
        names: what ``unmentioned`` returns.
        absent: share of the question's words that stand nowhere, and nothing like them, 0 to 1.
        alike: how near in meaning the first hit is to the question, as ``likeness`` tells.
        translated: whether the question was asked in another language than it was searched for in.
    """
    foreign, kind = translated or is_foreign(question), read_query(question).kind
    kept = () if kind == "trace" else tuple(name for name in names if not foreign or _CARRIED.fullmatch(name))
    if len(hits) < _FEWEST:
        return Doubt(kept)
    certain = hits[0].score > STEP / 2
    first, lead = (_HIGHEST, _LONGEST_LEAD) if certain else _score_and_lead([hit.score for hit in hits[:_FEWEST]])
    near = alike if kind == "text" else _ALIKE_OF_NAMES
    prose = _is_mostly_prose(hits)
    worth = (_FIRST_OF_PROSE if prose else _FIRST) * first + _LEAD * lead + _ALIKE * near
    worth -= _NAMES * bool(kept)
    if not foreign and kind != "trace":
        worth -= _ABSENT * absent
    if kind in ("symbol", "path") and not certain and not question.strip().islower():
        worth -= _MISSED
    worth -= _LEAST_OF_PROSE if prose else _LEAST
    return Doubt(kept, min(worth, _NAMED) if kind == "text" and any(map(_PLAIN.fullmatch, kept)) else worth)


def likeness(question: str, hits: Sequence[Hit]) -> float:
    """Return how near in meaning the first hit is to a question, -1 to 1; 0 where there is no hit.

    It is a cosine by the bundled embedder, for another's are on another scale than the weights. Code is compared with
    the question moved towards what answers it, as the search compares it, for they share few words. Of prose the
    nearest paragraph counts, for a passage of several says much besides.
    """
    if not hits:
        return 0.0
    embedder, text = StaticEmbedder.bundled(), hits[0].text
    if not _is_mostly_prose(hits):
        return float(embedder.question(question) @ embedder.encode([text])[0])
    asked, *told = embedder.encode([question, text, *_paragraphs(text)])
    return max(float(asked @ one) for one in told)


def _is_mostly_prose(hits: Sequence[Hit]) -> bool:
    best = hits[:_FEWEST]
    return 2 * sum(hit.document.language in PROSE for hit in best) > len(best)


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the parts of a text between blank lines that have some words."""
    return (part for part in _BETWEEN_PARAGRAPHS.split(text) if len(find_words(part)) >= _FEWEST_WORDS)


def _score_and_lead(scores: Sequence[float]) -> tuple[float, float]:
    """Return the first hit's score and its lead over the mean of the rest, each cut where more tells nothing more."""
    lead = scores[0] - statistics.fmean(scores[1:])
    return min(scores[0], _HIGHEST), min(lead, _LONGEST_LEAD)
