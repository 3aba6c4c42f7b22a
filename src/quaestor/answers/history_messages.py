"""Finding the commit, or the line of a changelog, that speaks of something in words of its own.

Two things tell, and are added: the share of the subject's words that a text holds, by how rare they are, and how near
the two are in meaning. "An umbrella layout" is "Migrate to an umbrella structure", which has one word of two.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from quaestor.core.stems import content_terms
from quaestor.embedding.static import StaticEmbedder
from quaestor.history.git import Git
from quaestor.history.log import Commit, log

_MOST_BYTES = 48 << 20
# Of a message, what says what it is about.
_BODY = 400
# Of what a question's words tell together, by how rare they are, and of the likeness (cosine) to it: less than this
# together is another matter, as is a text that has too little of its words.
_LEAST = 1.0
_LEAST_SHARE = 0.35
_SAYS_VERB = 0.2
_MOST_COMPARED = 400
_STEM = 5
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


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
        if not self._stems.search(text):
            return frozenset()
        told = content_terms(text)
        return frozenset(term for term in self.terms if any(_is_of_one_word(term, other) for other in told))


def _is_of_one_word(one: str, other: str) -> bool:
    """Return whether two stems are of one word: the same, or the one a long beginning of the other."""
    return one == other or (min(len(one), len(other)) >= _STEM and (one.startswith(other) or other.startswith(one)))


def best_of(text: str, texts: Sequence[str], saying: str) -> list[int]:
    """Return the indices of the texts that speak of a subject and say a verb, best first and else in their order."""
    wanted = Wanted(text, texts)
    if not wanted.terms:
        return []
    said = re.compile(saying or "(?!)", re.IGNORECASE)
    numbers = [re.compile(rf"(?<![\d.]){re.escape(one)}(?!\d)") for one in _NUMBER.findall(text)]
    near = [at for at, share in enumerate(wanted.shares) if share >= _LEAST_SHARE]
    # Python 2 is not Python 3.7, however alike all else is.
    near = [at for at in near if all(number.search(texts[at]) for number in numbers)]
    near.sort(key=lambda at: -wanted.shares[at])
    near = near[:_MOST_COMPARED]
    worth = {
        at: wanted.shares[at] + alike
        for at, alike in zip(near, _likenesses(text, [texts[at] for at in near]), strict=True)
    }
    kept = {at: one + _SAYS_VERB * (said.search(texts[at]) is not None) for at, one in worth.items() if one >= _LEAST}
    return sorted(kept, key=lambda at: (-round(kept[at], 2), at))


def _likenesses(text: str, others: Sequence[str]) -> list[float]:
    """Return the cosine of a text to each of others, in meaning."""
    if not others:
        return []
    vectors = StaticEmbedder.bundled().encode([text, *others])
    return [float(value) for value in vectors[1:] @ vectors[0]]


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
