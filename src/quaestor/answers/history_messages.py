"""Finding the commit, or the line of a changelog, that speaks of something in words of its own."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from quaestor.core.stems import content_terms
from quaestor.history.git import Git
from quaestor.history.log import Commit, log

_MOST_BYTES = 48 << 20
# Of a message, what says what it is about.
_BODY = 400
# Of what a question's words tell together, by how rare they are: less than this is another matter.
_LEAST_SHARE = 0.5
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
    """Return the commit whose subject, or else whose message, speaks best of something.

    Args:
        git: asked.
        text: what they speak of.
        saying: an expression for the verb that they should say.
        oldest: of those that say it equally well, the oldest first; else the newest.
    """
    arguments = ("log", "-z", "--no-merges", "--format=%H%x00%s%x00%b", "--no-show-signature", "HEAD", "--")
    fields = git.run(*arguments, *git.repository.scope, most=_MOST_BYTES).text.split("\0")
    rows = list(zip(fields[0::3], fields[1::3], fields[2::3], strict=False))
    rows = rows[::-1] if oldest else rows
    by_subject = best_of(text, [subject for _, subject, _ in rows], saying)
    chosen = by_subject or best_of(text, [f"{subject}\n{body[:_BODY]}" for _, subject, body in rows], saying)
    return [commit for at in chosen[:1] for commit in log(git, rows[at][0], limit=1, scoped=False)]
