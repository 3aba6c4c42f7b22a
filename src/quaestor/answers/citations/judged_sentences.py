"""Which sentences of an answer nothing supports. Every sentence is judged, the short ones too.

- A sentence that cites is supported if one of its citations holds, and only then.
- A sentence that cites nothing is supported by a passage that says the same, by the measure of ``support``.
- A sentence too short for that ("No, it doesn't.", "Three times.") stands with the one before or after it in its
  paragraph, if that one is supported and the short one brings nothing new: each word was asked, is said there or stands
  in what that rests on, and numbers stand there in any case. A paragraph of one such sentence stands with the next.
- A lead-in ("Here is how:") stands with what follows, if it names and counts nothing that stands nowhere else.
- A question claims nothing, nor does a courtesy, nor a sentence that says what the passages do not hold.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import takewhile

from quaestor.answers.citations.citation_marks import Mark, without_marks
from quaestor.answers.citations.claim_support import Ground, find_support
from quaestor.answers.citations.sentence_claims import (
    brings_nothing_new,
    is_about_the_answer,
    is_lead_in,
    is_question,
    is_short,
    leads_fairly,
)
from quaestor.answers.citations.sentences import Sentence
from quaestor.core.citation import Citation

Cited = list[tuple[Mark, Citation | None]]
"""Marks with their citations; None where no passage has the number."""


class Judge:
    """Judges the sentences of one answer.

    Args:
        answer: the visible text.
        cut: its sentences.
        checked: its marks with their citations; None where no passage has the number.
        grounds: what each passage says, by its number.
        question: that was asked.
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
        inside = _inside(cut, checked)
        self._plain = [
            without_marks(one.text, [mark for mark, _ in marks], one.start).strip()
            for one, marks in zip(cut, inside, strict=True)
        ]
        self._cited = _with_marks_below(inside, self._plain)
        self._rests_on = [self._held(at) for at in range(len(cut))]

    def unsupported(self) -> list[Sentence]:
        """Return the sentences that nothing supports, in order."""
        # Once in either direction: a short sentence may stand with a short one that stands with a cited one.
        for order, beside in ((range(len(self._cut)), -1), (reversed(range(len(self._cut))), 1)):
            for at in order:
                self._lean(at, at + beside)
        return [one for at, one in enumerate(self._cut) if not self._rests_on[at] and self._claims(at)]

    def _held(self, at: int) -> tuple[Ground, ...]:
        """Return what a sentence rests on by itself; empty if on nothing."""
        if self._cited[at]:
            holding = [one for _, one in self._cited[at] if one is not None and one.status != "unverified"]
            return tuple(
                ground for one in holding for ground in (self._grounds.get(one.n), Ground([one.quote])) if ground
            )
        found = next((one for one in self._grounds.values() if find_support(self._plain[at], one)), None)
        return () if found is None else (found,)

    def _lean(self, at: int, beside: int) -> None:
        """Let a short sentence stand with the one next to it."""
        if self._rests_on[at] or self._cited[at] or not 0 <= beside < len(self._cut) or not is_short(self._plain[at]):
            return
        grounds = self._rests_on[beside]
        said = f"{self._question}\n{self._plain[beside]}"
        if grounds and self._are_together(at, beside) and brings_nothing_new(self._plain[at], said, grounds):
            self._rests_on[at] = grounds

    def _are_together(self, at: int, beside: int) -> bool:
        """Return whether two neighbours share a paragraph, or the first is one by itself."""
        same = self._cut[at].paragraph == self._cut[beside].paragraph
        alone = at == 0 or self._cut[at - 1].paragraph != self._cut[at].paragraph
        return same or (beside > at and alone)

    def _claims(self, at: int) -> bool:
        """Return whether a sentence that rests on nothing claims something."""
        plain = self._plain[at]
        if not _says_anything(plain) or is_question(plain):
            return False
        if self._cited[at]:
            return True
        if is_lead_in(plain) and self._leads(at):
            return False
        return not is_about_the_answer(plain, self._question, self._grounds.values())

    def _leads(self, at: int) -> bool:
        """Return whether what follows a lead-in bears it: a supported sentence, or a table or code."""
        following = list(takewhile(lambda other: not is_lead_in(self._plain[other]), range(at + 1, len(self._cut))))
        end = self._cut[at + 1].start if at + 1 < len(self._cut) else len(self._answer)
        block = _says_anything(self._answer[self._cut[at].end : end])
        if not block and not any(self._rests_on[other] for other in following):
            return False
        said = "\n".join([self._question, *(self._plain[other] for other in following)])
        return leads_fairly(self._plain[at], said, tuple(self._grounds.values()))


def _says_anything(text: str) -> bool:
    return any(map(str.isalnum, text))


def _inside(cut: Sequence[Sentence], checked: Mapping[Mark, Citation | None]) -> list[Cited]:
    """Return the marks of each sentence with their citations."""
    starts = [one.start for one in cut]
    inside: list[Cited] = [[] for _ in cut]
    for mark, citation in checked.items():
        at = bisect_right(starts, mark.start) - 1
        if at >= 0 and mark.start < cut[at].end:
            inside[at].append((mark, citation))
    return inside


def _with_marks_below(inside: Sequence[Cited], plain: Sequence[str]) -> list[Cited]:
    """Return the marks of each sentence, with those that stand by themselves below it."""
    cited = list(inside)
    for at in range(len(cited) - 1, 0, -1):
        if not _says_anything(plain[at]):
            cited[at - 1] = [*cited[at - 1], *cited[at]]
    return cited
