"""How well the answers of a session are supported: their citations as they were checked when they were given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from quaestor.sessions.records import TurnRecord


@dataclass(frozen=True, slots=True)
class Support:
    """Totals over the turns of a session that are done.

    Attributes:
        answers: turns in which something was answered, checked or not.
        refused: turns in which it was said that the corpus holds no answer.
        uncited: answers without a single citation that holds, which are a model's word alone.
        verified: citations whose quote stands where it was said to stand.
        repaired: citations whose quote stood nearby or in other letters.
        unverified: citations whose quote was not found.
        unsupported: sentences that claim something and that nothing supports.
    """

    answers: int = 0
    refused: int = 0
    uncited: int = 0
    verified: int = 0
    repaired: int = 0
    unverified: int = 0
    unsupported: int = 0


def support_of(turns: Iterable[TurnRecord]) -> Support:
    """Return the totals of turns."""
    endings = [turn.ending for turn in turns if turn.ending.state == "done"]
    answers = [ending for ending in endings if ending.known or ending.unchecked]
    statuses = Counter(citation.status for ending in answers for citation in ending.citations)
    return Support(
        answers=len(answers),
        refused=len(endings) - len(answers),
        uncited=sum(all(one.status == "unverified" for one in ending.citations) for ending in answers),
        verified=statuses["verified"],
        repaired=statuses["repaired"],
        unverified=statuses["unverified"],
        unsupported=sum(len(ending.unsupported) for ending in answers),
    )
