"""Who said a message, by its name or by how its text begins."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from quaestor.core.messages import Message
from quaestor.core.terms import words

_PREFIX = re.compile(r"\s{0,4}(?:[\[(][^\])\n]{1,60}[\])]\s?)?(?P<name>[^\W\d_][\w .'-]{0,30}?):\s")


def speaker_of(message: Message) -> str | None:
    """Return a message's speaker: its name, or ``Anna`` where the text begins with ``Anna:``, or None."""
    if message.name is not None:
        return message.name.lower()
    found = _PREFIX.match(message.content)
    return found["name"].lower() if found else None


@lru_cache(maxsize=1024)
def name_words(speaker: str) -> frozenset[str]:
    """Return the words of a speaker's name, without initials."""
    return frozenset(word for word in words(speaker) if len(word) > 1)


def asked_about(question: str, speakers: Collection[str]) -> set[str]:
    """Return the speakers whose name stands in the question."""
    said = set(words(question))
    return {speaker for speaker in speakers if name_words(speaker) & said}
