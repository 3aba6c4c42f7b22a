"""Answering without a language model: the best sentences and lines of the passages, quoted and cited.

A stretch is worth the rarity of the question's words that it holds and that no better one has held yet, how alike it
is to the question where an embedder is given, and how high its passage was ranked. Every quote is a verbatim part of
its passage.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from quaestor.answers.stretches import Unit, units
from quaestor.messages import Usage
from quaestor.models import Delta, Finished, Request, TextDelta
from quaestor.models.capabilities import Capabilities
from quaestor.models.content import content_terms
from quaestor.prompts.passages import Passage, where
from quaestor.questions import asks_how_to

if TYPE_CHECKING:
    from numpy.typing import NDArray

Encode: TypeAlias = "Callable[[Sequence[str]], NDArray[np.float32]]"
"""Maps texts to rows of unit length, as ``Embedder.encode`` does."""

LEAD = "No language model is configured, so the answer is quoted from what matches best:"
NOTHING = "No language model is configured, and nothing in the passages answers the question clearly enough to quote."
UNMENTIONED = "No language model is configured, and nothing here mentions {}."

# Only where both fail is a question refused. They are low, since people ask in words of their own: higher ones refused
# a quarter of the questions that a corpus answers, and no more of those that it does not but that are close to it.
_LEAST_COVERAGE = 0.17
_LEAST_SIMILARITY = 0.5
_AGAIN = 0.5
_LABEL_SHARE = 0.3
_RANK_STEP = 0.25
_LINE_COST = 0.006
_LEAST_SHARE = 0.3
_CANDIDATES = 400
_LEAST_CODE_LINES = 8
# Where further documents say it as well as the best does, so many are quoted in all, each once.
_MOST_DOCUMENTS = 6
# Where both speak of what is asked, documents tell how to use it.
_CODE_FOR_HOW_TO = 0.6
_AS_WELL = 0.8
_LEAST_SAID = 0.5


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim part of a passage.

    Attributes:
        n: the passage's number.
        path: the document's path.
        start_line: first line, 1-based.
        end_line: last line, inclusive.
        text: the words as they stand.
        code: whether they are lines of code.
    """

    n: int
    path: str
    start_line: int
    end_line: int
    text: str
    code: bool


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """An answer made of quotes.

    Attributes:
        text: Markdown with a citation mark after each quote; says that it is quoting.
        quotes: the quotes, best first.
        known: whether the passages seem to hold an answer.
        coverage: share of the question's meaning, weighted by rarity, that stands in the quotes, 0 to 1.
    """

    text: str
    quotes: tuple[Quote, ...]
    known: bool
    coverage: float


def answer(
    question: str,
    passages: Sequence[Passage],
    encode: Encode | None = None,
    most: int = 3,
    unmentioned: Sequence[str] = (),
    refused: bool | None = None,
) -> ExtractiveAnswer:
    """Answer a question with quotes from numbered passages.

    Args:
        question: the user's words.
        passages: best first.
        encode: an embedder's ``encode``, for likeness beyond shared words.
        most: how many quotes to give at most; more only where more documents of prose say the same as well.
        unmentioned: names in the question that stand nowhere in the corpus: passages that are near to it do not answer
            it then, unless it is known not to be ``refused``.
        refused: whether the passages are known not to answer; None where how much of the question they hold tells.
    """
    wanted = content_terms(question)
    found = [unit for passage in passages for unit in units(passage)]
    rarity = _rarity(wanted, passages)
    scored = _scored(question, found, rarity, encode, {passage.n: rank for rank, passage in enumerate(passages)})
    chosen = _choose(scored, rarity, most)
    further = _further(scored, rarity, chosen)
    held = frozenset().union(*(wanted & (one.unit.terms | _label_terms(one.unit.passage)) for one in chosen))
    coverage = _told(held, rarity)
    alike = max((one.likeness for one in chosen), default=0.0)
    if refused is None:
        refused = bool(unmentioned) or (coverage < _LEAST_COVERAGE and alike < _LEAST_SIMILARITY)
    known = bool(chosen) and not refused
    quotes = tuple(_quote(one.unit) for one in (*chosen, *further)) if known else ()
    named = {passage.n: passage for passage in passages}
    if quotes:
        text = "\n\n".join([LEAD, *(_shown(quote, named[quote.n]) for quote in quotes)])
    else:
        text = UNMENTIONED.format(" or ".join(map(repr, unmentioned))) if unmentioned else NOTHING
    return ExtractiveAnswer(text, quotes, known, coverage)


def speaks(question: str, passages: Sequence[Passage], encode: Encode | None = None) -> bool:
    """Return whether passages seem to hold an answer: what ``answer`` calls known, and mostly far sooner.

    One stretch that holds enough of the question will do, so that quotes are chosen only where there is none: a server
    asks this of every turn, and choosing takes it longer than searching.
    """
    wanted = content_terms(question)
    rarity = _rarity(wanted, passages)
    stretches = (unit for passage in passages for unit in units(passage))
    if any(_told(unit.terms & wanted, rarity) >= _LEAST_COVERAGE for unit in stretches):
        return True
    return answer(question, passages, encode).known


class ExtractiveModel:
    """``answer`` behind the ``Model`` protocol, for one question; the request's messages are not read."""

    name = "extractive"
    capabilities = Capabilities()

    def __init__(self, question: str, passages: Sequence[Passage], encode: Encode | None = None) -> None:
        self._question = question
        self._passages = passages
        self._encode = encode

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Yield the answer quote by quote and, last, ``Finished`` without any tokens used."""
        text = answer(self._question, self._passages, self._encode).text
        pieces = text.split("\n\n")
        for number, piece in enumerate(pieces, 1):
            yield TextDelta(piece if number == len(pieces) else f"{piece}\n\n")
        yield Finished(reason="stop", usage=Usage(0, 0, reported=False), model=self.name)


def _label_terms(passage: Passage) -> frozenset[str]:
    return content_terms(" ".join(filter(None, (passage.path, passage.title, passage.symbol))))


def _rarity(wanted: frozenset[str], passages: Sequence[Passage]) -> Mapping[str, float]:
    """Return each wanted term's share of the question: the fewer passages hold it, the more it tells."""
    counts = Counter(
        term for passage in passages for term in wanted & (content_terms(passage.text) | _label_terms(passage))
    )
    weights = {term: math.log(1 + (len(passages) + 1) / (counts[term] + 0.5)) for term in wanted}
    total = math.fsum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


@dataclass(frozen=True, slots=True)
class _Scored:
    unit: Unit
    held: frozenset[str]
    label: frozenset[str]
    likeness: float
    prior: float


def _scored(
    question: str, found: Sequence[Unit], rarity: Mapping[str, float], encode: Encode | None, ranks: Mapping[int, int]
) -> list[_Scored]:
    """Return the units that have something to do with the question, with their likeness to it."""
    wanted = frozenset(rarity)
    labels = {unit.passage.n: wanted & _label_terms(unit.passage) for unit in found}

    def lexical(unit: Unit) -> float:
        return unit.weight * _told(unit.terms & wanted, rarity)

    if encode is None:
        best = [unit for unit in found if unit.terms & wanted]
    else:
        best = sorted(found, key=lexical, reverse=True)[:_CANDIDATES]
    likenesses = _likenesses(question, best, encode)
    of_code = _CODE_FOR_HOW_TO if asks_how_to(question) else 1.0
    return [
        _Scored(
            unit,
            unit.terms & wanted,
            labels[unit.passage.n] - unit.terms,
            likeness,
            (of_code if unit.code else 1.0) / (1 + _RANK_STEP * ranks[unit.passage.n]),
        )
        for unit, likeness in zip(best, likenesses, strict=True)
    ]


def _likenesses(question: str, found: Sequence[Unit], encode: Encode | None) -> list[float]:
    if encode is None or not found:
        return [0.0] * len(found)
    vectors = encode([question, *(unit.text for unit in found)])
    return [float(value) for value in vectors[1:] @ vectors[0]]


def _choose(scored: Sequence[_Scored], rarity: Mapping[str, float], most: int) -> list[_Scored]:
    """Pick stretches one after the other, each for what it adds; none that overlaps an earlier one."""
    chosen: list[_Scored] = []
    first_gain = 0.0
    rest = list(scored)
    while rest and len(chosen) < most:
        said = frozenset().union(*(one.held for one in chosen))
        best = max(rest, key=lambda one: _gain(one, said, rarity))
        gain = _gain(best, said, rarity)
        if gain <= 0.03 or gain < first_gain * _LEAST_SHARE:
            break
        first_gain = first_gain or gain
        chosen.append(best)
        rest = [one for one in rest if not _overlap(one.unit, best.unit)]
    return chosen


def _further(scored: Sequence[_Scored], rarity: Mapping[str, float], chosen: Sequence[_Scored]) -> list[_Scored]:
    """Return the best stretch of each further document of prose that says as much as the best one that was chosen.

    What many documents answer, each in its own way, is worth more than what the best of them say. Beside code alone one
    stretch of prose is enough: what the code does is also explained.
    """
    kinds = {one.unit.code for one in chosen}
    if len(kinds) != 1:
        return []

    def worth(one: _Scored) -> float:
        return _told(one.held, rarity) * min(1.0, one.unit.weight)

    least = max(_LEAST_SAID, _AS_WELL * max(map(worth, chosen)))
    quoted = {one.unit.passage.path for one in chosen}
    said = {one.unit.text for one in chosen}
    most = 1 if True in kinds else _MOST_DOCUMENTS - len(quoted)
    further: dict[str, _Scored] = {}
    for one in sorted(scored, key=worth, reverse=True):
        if worth(one) < least or len(further) >= most:
            break
        if not one.unit.code and one.unit.passage.path not in quoted | further.keys() and one.unit.text not in said:
            further[one.unit.passage.path] = one
            said.add(one.unit.text)
    return list(further.values())


def _gain(one: _Scored, said: frozenset[str], rarity: Mapping[str, float]) -> float:
    new = _told(one.held - said, rarity)
    if one.held:
        # What the path or symbol says need not be said again, but a stretch must say something itself.
        new += _LABEL_SHARE * _told(one.label - said, rarity)
    again = _told(one.held & said, rarity)
    lexical = (new + _AGAIN * again) * one.unit.weight
    lines = one.unit.text.count("\n")
    likeness = max(0.0, one.likeness) * (_AGAIN if said else 1.0)
    return (lexical + likeness) * one.prior - _LINE_COST * lines


def _told(terms: Iterable[str], rarity: Mapping[str, float]) -> float:
    """Return the share of the question that some terms are; exact, so that the order of a set does not matter."""
    return math.fsum([rarity[term] for term in terms])


def _overlap(one: Unit, other: Unit) -> bool:
    """Tell whether two stretches say the same; of code, one from each passage is enough, as it is shown longer."""
    if one.passage.path != other.passage.path:
        return False
    crossing = one.start < other.end and other.start < one.end
    return one.text == other.text or (one.passage is other.passage and (crossing or (one.code and other.code)))


def _quote(unit: Unit) -> Quote:
    start, end = _extended(unit) if unit.code else (unit.start, unit.end)
    text = unit.passage.text[start:end]
    first = unit.passage.start_line + unit.passage.text.count("\n", 0, start)
    return Quote(unit.passage.n, unit.passage.path, first, first + text.count("\n"), text, unit.code)


def _extended(unit: Unit) -> tuple[int, int]:
    """Return where a quote of code begins and ends: a few lines grow, down and then up, to blank ones."""
    text, start, end = unit.passage.text, unit.start, unit.end

    def is_short() -> bool:
        return text.count("\n", start, end) + 1 < _LEAST_CODE_LINES

    while is_short():
        newline = text.find("\n", end)
        stop = text.find("\n", newline + 1) if newline >= 0 else -1
        following = text[newline + 1 : stop if stop >= 0 else len(text)] if newline >= 0 else ""
        if not following.strip():
            break
        end = newline + 1 + len(following.rstrip("\r"))
    while is_short() and start > 0:
        before = text.rfind("\n", 0, start - 1) + 1
        if not text[before:start].strip():
            break
        start = before
    return start, end


def _shown(quote: Quote, passage: Passage) -> str:
    """Return a quote in Markdown with where it stands and its citation mark."""
    label = passage.symbol if quote.code else passage.title or passage.symbol
    place = where(Passage(quote.n, quote.path, quote.start_line, quote.end_line, ""))
    head = f"`{place}`" + (f" ({f'`{label}`' if quote.code else label})" if label else "") + ":"
    if not quote.code:
        return "\n".join([head, "", *(f"> {line}" for line in quote.text.split("\n")), "", f"[{quote.n}]"])
    longest = max((len(run) for run in re.findall(r"`+", quote.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{head}\n\n{fence}{passage.language}\n{quote.text}\n{fence}\n[{quote.n}]"
