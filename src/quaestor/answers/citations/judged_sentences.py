"""Finds the sentences of an answer that nothing supports. Every sentence is judged, short ones too.

- A sentence that cites is supported only if one of its citations holds.
- A sentence that cites nothing is supported by a passage that says the same, by the measure of ``claim_support``.
- A sentence too short for that ("No, it doesn't.", "Three times.") is supported if the sentence before or after it in
  its paragraph is, and it adds nothing new: each of its words occurs in the question, in that sentence or in its
  sources, and each number in its sources. A paragraph of one such sentence is judged with the next paragraph.
- A lead-in ("Here is how:") is supported if the text after it is, and it holds no name or number of its own.
- A question, a courtesy, and a sentence that says what the passages do not hold make no claim.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import takewhile

from quaestor.answers.citations.citation_marks import Mark, without_marks
from quaestor.answers.citations.claim_support import (
    Ground,
    denies,
    find_support,
    names_of,
    numbers_of,
    spelled_numbers,
    spelled_words,
)
from quaestor.answers.citations.sentences import Sentence
from quaestor.core.documents import Citation
from quaestor.core.light_imports import lazy_regex
from quaestor.core.terms import content_terms

MarkedCitations = list[tuple[Mark, Citation | None]]
"""Marks with their citations; None where no passage has the number."""

_CONTRACTION = lazy_regex(r"\b[a-z]+n['’]t\b|['’](?:s|re|ve|ll|d|m)\b", re.IGNORECASE)
# They judge what was asked, or count what is named elsewhere, and name nothing themselves.
_VERDICTS = (
    "yes yeah yep no nope not sure certainly indeed correct right true false exactly absolutely course times"
    " ja nein oui non sí si sim não да нет"
)
_COURTESY = lazy_regex(r"(?:i )?hope (?:this|that|it) helps|let me know|feel free", re.IGNORECASE)
_MISSING = lazy_regex(
    r"(?:(?:however|but|unfortunately),? )?(?:the |these |those )?(?:given |provided )?"
    r"(?:passages?|documents?|sources?|corpus|excerpts?|context)\b[^.,;:]{0,20}?"
    r"\b(?:do not|does not|don['’]t|doesn['’]t|never|says? nothing)\b",
    re.IGNORECASE,
)
_AND_YET = lazy_regex(r"\b(?:but|however|although|though|yet)\b|[;:–—]", re.IGNORECASE)
_MANY_WORDS = 3
_LEADING_SHARE = 1 / 3


class Judge:
    """Judges the sentences of one answer.

    Args:
        answer: the visible text.
        cut: the sentences of the answer.
        checked: the marks of the answer with their citations; None if no passage has the number.
        grounds: the text of each passage, by its number.
        question: the question that was asked.
    """

    def __init__(
        self,
        answer: str,
        cut: Sequence[Sentence],
        checked: Mapping[Mark, Citation | None],
        grounds: Mapping[int, Ground],
        question: str = "",
    ) -> None:
        self._answer = answer
        self._cut = cut
        self._question = question
        self._grounds = grounds
        inside = _marks_by_sentence(cut, checked)
        self._texts = [
            without_marks(sentence.text, [mark for mark, _ in marks], sentence.start).strip()
            for sentence, marks in zip(cut, inside, strict=True)
        ]
        self._citations = _with_marks_below(inside, self._texts)
        self._rests_on = [self._own_grounds(at) for at in range(len(cut))]

    def unsupported_sentences(self) -> list[Sentence]:
        """Return the sentences that nothing supports, in order."""
        # Once in either direction: a short sentence may stand with a short one that stands with a cited one.
        for order, beside in ((range(len(self._cut)), -1), (reversed(range(len(self._cut))), 1)):
            for at in order:
                self._support_by_neighbour(at, at + beside)
        return [sentence for at, sentence in enumerate(self._cut) if not self._rests_on[at] and self._makes_claim(at)]

    def _own_grounds(self, at: int) -> tuple[Ground, ...]:
        """Return the passages that support a sentence by itself; empty if there are none."""
        if self._citations[at]:
            holding = [citation for _, citation in self._citations[at] if citation is not None and citation.holds]
            return tuple(
                ground
                for citation in holding
                for ground in (self._grounds.get(citation.n), Ground([citation.quote]))
                if ground
            )
        supporting = next((ground for ground in self._grounds.values() if find_support(self._texts[at], ground)), None)
        return () if supporting is None else (supporting,)

    def _support_by_neighbour(self, at: int, beside: int) -> None:
        """Count a short sentence as supported if the sentence next to it is."""
        text = self._texts[at]
        if self._rests_on[at] or self._citations[at] or not 0 <= beside < len(self._cut) or not _is_short(text):
            return
        grounds = self._rests_on[beside]
        context = f"{self._question}\n{self._texts[beside]}"
        if grounds and self._are_together(at, beside) and _brings_nothing_new(text, context, grounds):
            self._rests_on[at] = grounds

    def _are_together(self, at: int, beside: int) -> bool:
        """Return whether two neighbouring sentences share a paragraph, or the first is a paragraph of its own."""
        same = self._cut[at].paragraph == self._cut[beside].paragraph
        alone = at == 0 or self._cut[at - 1].paragraph != self._cut[at].paragraph
        return same or (beside > at and alone)

    def _makes_claim(self, at: int) -> bool:
        """Return whether a sentence that nothing supports makes a claim."""
        plain = self._texts[at]
        if not _says_anything(plain) or _is_question(plain):
            return False
        if self._citations[at]:
            return True
        if _is_lead_in(plain) and self._leads_to_support(at):
            return False
        return not _is_about_the_answer(plain, self._question, self._grounds.values())

    def _leads_to_support(self, at: int) -> bool:
        """Return whether a lead-in is followed by what supports it: a supported sentence, a table or code."""
        following = list(takewhile(lambda other: not _is_lead_in(self._texts[other]), range(at + 1, len(self._cut))))
        end = self._cut[at + 1].start if at + 1 < len(self._cut) else len(self._answer)
        block = _says_anything(self._answer[self._cut[at].end : end])
        if not block and not any(self._rests_on[other] for other in following):
            return False
        text = "\n".join([self._question, *(self._texts[other] for other in following)])
        return _leads_fairly(self._texts[at], text, tuple(self._grounds.values()))


def _says_anything(text: str) -> bool:
    return any(map(str.isalnum, text))


def _marks_by_sentence(cut: Sequence[Sentence], checked: Mapping[Mark, Citation | None]) -> list[MarkedCitations]:
    """Return the marks of each sentence with their citations."""
    starts = [sentence.start for sentence in cut]
    inside: list[MarkedCitations] = [[] for _ in cut]
    for mark, citation in checked.items():
        at = bisect_right(starts, mark.start) - 1
        if at >= 0 and mark.start < cut[at].end:
            inside[at].append((mark, citation))
    return inside


def _with_marks_below(inside: Sequence[MarkedCitations], plain: Sequence[str]) -> list[MarkedCitations]:
    """Return the marks of each sentence, including marks that stand alone on a line below it."""
    cited = list(inside)
    for at in range(len(cited) - 1, 0, -1):
        if not _says_anything(plain[at]):
            cited[at - 1] = [*cited[at - 1], *cited[at]]
    return cited


def own_terms(sentence: str) -> frozenset[str]:
    """Return the stems of a sentence's own words, without yes and no, contractions and numbers."""
    plain = _CONTRACTION.sub(" ", sentence)
    spelled = {term for word in spelled_words(plain) for term in content_terms(word)}
    return content_terms(plain) - _verdict_terms() - spelled


@cache
def _verdict_terms() -> frozenset[str]:
    return content_terms(_VERDICTS)


def _is_short(sentence: str) -> bool:
    """Return whether a sentence has too few telling words for a search by its words."""
    return len(own_terms(sentence)) < _MANY_WORDS


def _is_question(sentence: str) -> bool:
    """Return whether a sentence asks instead of claiming."""
    return _without_emphasis(sentence).endswith(("?", "？"))


def _is_lead_in(sentence: str) -> bool:
    """Return whether a sentence introduces what follows it."""
    return _without_emphasis(sentence).endswith((":", "："))


def _is_about_the_answer(sentence: str, question: str, grounds: Iterable[Ground]) -> bool:
    """Return whether a sentence is a courtesy, or says what the passages do not hold, and claims nothing beside it."""
    bare = _without_emphasis(sentence)
    if _COURTESY.match(bare):
        return not numbers_of(bare) and not names_of(bare)
    missing = _MISSING.match(bare)
    if missing is None or _AND_YET.search(bare, missing.end()):
        return False
    return _brings_no_name(bare, question, grounds)


def _brings_nothing_new(sentence: str, beside: str, grounds: Sequence[Ground]) -> bool:
    """Return whether everything that a sentence names stands in the question, the sentence beside it, or its sources.

    Args:
        sentence: the sentence without citation marks.
        beside: the question, and the sentence next to it.
        grounds: the passages that support the sentence next to it.
    """
    known = content_terms(beside).union(*(ground.all_terms for ground in grounds))
    return own_terms(sentence) <= known and _brings_no_name(sentence, beside, grounds)


def _leads_fairly(sentence: str, beside: str, grounds: Sequence[Ground]) -> bool:
    """Return whether a lead-in claims nothing of its own: all its names and numbers occur elsewhere.

    Args:
        sentence: the sentence without citation marks.
        beside: the question, and the text that follows.
        grounds: all passages.
    """
    terms = own_terms(sentence)
    if not _brings_no_name(sentence, beside, grounds, spelled=False):
        return False
    known = content_terms(beside).union(*(ground.all_terms for ground in grounds))
    return len(terms) < _MANY_WORDS or len(terms & known) >= _LEADING_SHARE * len(terms)


def _brings_no_name(sentence: str, beside: str, grounds: Iterable[Ground], *, spelled: bool = True) -> bool:
    """Return whether every number and name of a sentence is known.

    A number must stand in the sources, even if the question contains it; only a denial may repeat it from there.
    """
    grounds = tuple(grounds)
    lowered = beside.lower()
    numbers = numbers_of(sentence) | (spelled_numbers(sentence.lower()) - {"1"} if spelled else set())
    counted = set().union(*(ground.numbers for ground in grounds))
    if denies(sentence):
        counted |= numbers_of(beside) | spelled_numbers(lowered)
    names_known = all(
        name.lower() in lowered or any(name.lower() in ground.lowered for ground in grounds)
        for name in names_of(sentence)
    )
    return numbers <= counted and names_known


def _without_emphasis(sentence: str) -> str:
    return sentence.strip().strip("*_`~ \t\"'“”‘’()").strip()
