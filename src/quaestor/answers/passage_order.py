"""How much passages tell of a question, and in which order passages of prose answer it most surely."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from quaestor.answers.stretches import PROSE
from quaestor.core.passages import Hit
from quaestor.core.stems import content_terms
from quaestor.llm.prompts.numbered_passages import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Encode: TypeAlias = "Callable[[Sequence[str]], NDArray[np.float32]]"
"""Maps texts to rows of unit length, as ``Embedder.encode`` does."""

_OF_SCORE, _OF_LIKENESS, _OF_TOLD, _OF_DOCUMENT = 0.58, 6.4, 4.3, 1.3
"""What a passage of prose is worth for each point of the ranker, for its paragraph that is most like the question, for
the one that holds most of its words, and for its document's share of what was found: weights of a softmax over ten
passages, learned from the part ``learn`` of the questions about documents."""
_OF_NUMBERS = 1.5
"""What it gains that holds the question's numbers: in a list of versions, all but one of them are another's."""
_NUMBER = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)*)(?!\w|\.\d)")
_BLANK_LINES = re.compile(r"\n\s*\n")
_FEWEST_WORDS = 4


def label_terms(passage: Passage) -> frozenset[str]:
    """Return the content terms of a passage's path, title and heading or symbol."""
    return content_terms(" ".join(filter(None, (passage.path, passage.title, passage.symbol))))


def rarity_of(wanted: frozenset[str], passages: Sequence[Passage]) -> Mapping[str, float]:
    """Return each wanted term's share of the question: the fewer passages hold it, the more it tells."""
    counts = Counter(
        term for passage in passages for term in wanted & (content_terms(passage.text) | label_terms(passage))
    )
    weights = {term: math.log(1 + (len(passages) + 1) / (counts[term] + 0.5)) for term in wanted}
    total = math.fsum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


def order_by_paragraphs(
    question: str, passages: Sequence[Passage], hits: Sequence[Hit], rarity: Mapping[str, float], encode: Encode
) -> tuple[Sequence[Passage], Sequence[Hit]]:
    """Return passages and hits in the order of how surely they answer, where most of them are prose.

    A search compares the question with whole chunks. What answers may be one paragraph among others; and of two
    documents, the one that more of the hits are from answers more often. Each hit's score becomes a logarithm of odds.
    """
    if len(hits) != len(passages) or 2 * sum(one.language.lower() in PROSE for one in passages) <= len(passages):
        return passages, hits
    parts = [(rank, part) for rank, one in enumerate(passages) for part in _paragraphs(one.text)]
    vectors = encode([question, *(part for _, part in parts)])
    alike, told = [0.0] * len(passages), [0.0] * len(passages)
    labels = [label_terms(one) for one in passages]
    for (rank, part), likeness in zip(parts, vectors[1:] @ vectors[0], strict=True):
        alike[rank] = max(alike[rank], float(likeness))
        told[rank] = max(told[rank], share_of((content_terms(part) | labels[rank]) & rarity.keys(), rarity))
    best = max(hit.score for hit in hits)
    odds = [math.exp(hit.score - best) for hit in hits]
    of_document = defaultdict[str, float](float)
    for hit, share in zip(hits, odds, strict=True):
        of_document[hit.path] += share / math.fsum(odds)
    numbers = frozenset(_NUMBER.findall(question))
    worth = [
        _OF_SCORE * hit.score
        + _OF_LIKENESS * alike[rank]
        + _OF_TOLD * told[rank]
        + _OF_DOCUMENT * of_document[hit.path]
        + _OF_NUMBERS * len(numbers & _numbers_of(passages[rank])) / max(1, len(numbers))
        for rank, hit in enumerate(hits)
    ]
    ranks = sorted(range(len(hits)), key=lambda rank: -worth[rank])
    return [passages[rank] for rank in ranks], [hits[rank]._replace(score=worth[rank]) for rank in ranks]


def _numbers_of(passage: Passage) -> frozenset[str]:
    """Return the numbers and versions in a passage and in its headings."""
    return frozenset(_NUMBER.findall("\n".join(filter(None, (passage.title, passage.symbol, passage.text)))))


def _paragraphs(text: str) -> Sequence[str]:
    """Return the parts of a text between blank lines that have some words, or all of it where none has."""
    return [part for part in _BLANK_LINES.split(text) if len(part.split()) >= _FEWEST_WORDS] or [text]


def share_of(terms: Iterable[str], rarity: Mapping[str, float]) -> float:
    """Return the share of the question that some terms are; exact, so that the order of a set does not matter."""
    return math.fsum([rarity[term] for term in terms])
