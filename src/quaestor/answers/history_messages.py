"""Finding the commit, or the line of a changelog, that speaks of something in words of its own."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from quaestor.history.git import Git
from quaestor.history.log import Commit, log
from quaestor.models.content import content_terms

_MOST_BYTES = 24 << 20
# Of what a question's words tell together, by how rare they are: less than this is another matter.
_LEAST_SHARE = 0.65
_STEM = 5


class Wanted:
    """The words of a subject, each worth what it tells.

    Args:
        text: the subject.
        texts: among which it is looked for.
    """

    def __init__(self, text: str, texts: Sequence[str]) -> None:
        self.terms = content_terms(text)
        self._stems = re.compile(
            "|".join(re.escape(term[:_STEM]) for term in sorted(self.terms)) or "(?!)", re.IGNORECASE
        )
        held = [self._held(one) for one in texts]
        counts = Counter(term for terms in held for term in terms)
        worth = {term: math.log(1 + len(texts) / (1 + counts[term])) for term in self.terms}
        total = math.fsum(worth.values()) or 1.0
        self.shares = [math.fsum(sorted(worth[term] for term in terms)) / total for terms in held]

    def _held(self, text: str) -> frozenset[str]:
        # Stemming takes a while; most texts hold nothing that could be one of the words.
        return content_terms(text) & self.terms if self._stems.search(text) else frozenset()


def best_of(text: str, texts: Sequence[str], saying: str) -> list[int]:
    """Return the indices of the texts that hold enough of a subject and say a verb, best first and in their order."""
    wanted = Wanted(text, texts)
    if not wanted.terms:
        return []
    said = re.compile(saying, re.IGNORECASE)
    scored = {
        at: share + (0.2 if said.search(texts[at]) else 0.0)
        for at, share in enumerate(wanted.shares)
        if share >= _LEAST_SHARE
    }
    return sorted(scored, key=lambda at: (-round(scored[at], 2), at))


def commits_saying(git: Git, text: str, saying: str, *, oldest: bool) -> list[Commit]:
    """Return the commits whose subjects speak of something, best first.

    Args:
        git: asked.
        text: what they speak of.
        saying: an expression for the verb that they should say.
        oldest: of those that say it equally well, the oldest first; else the newest.
    """
    arguments = ("log", "--no-merges", "--format=%H%x00%s", "--no-show-signature", "HEAD", "--")
    lines = git.run(*arguments, *git.repository.scope, most=_MOST_BYTES).text.split("\n")
    rows = [(commit, subject) for commit, mark, subject in (line.partition("\0") for line in lines) if mark]
    rows = rows[::-1] if oldest else rows
    chosen = best_of(text, [subject for _, subject in rows], saying)[:3]
    return [commit for at in chosen for commit in _one(git, rows[at][0])]


def _one(git: Git, commit: str) -> Iterable[Commit]:
    return log(git, commit, limit=1, scoped=False)
