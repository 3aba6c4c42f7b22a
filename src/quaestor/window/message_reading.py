"""Reading messages: who said them, which of their words carry meaning, and how far two conversations are the same."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from quaestor.core.messages import Message
from quaestor.core.terms import find_words, terms_of_word, words

# Function words of English, and what its contractions leave behind. Other languages rely on rarity alone.
_STOP_WORDS = """
    a an and are as at be been being but by can could d did do does doing don for from had has have having
    he her hers him his how i if in into is it its ll m me my of on or our ours out over re s she so some
    such t than that the their them then there these they this those to too up us ve was we were what when
    where which while who whom whose why will with would you your yours about after again all also am any
    because before both down during each few further here just more most no nor not now off once only
    other own same should through under until very
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def content_terms_in(text: str) -> list[str]:
    """Return the lexical terms of ``text`` without stop words, in order, as often as they occur."""
    return [term for word in find_words(text) if word.lower() not in STOP_WORDS for term in terms_of_word(word)]


_PREFIX = re.compile(r"\s{0,4}(?:[\[(][^\])\n]{1,60}[\])]\s?)?(?P<name>[^\W\d_][\w .'-]{0,30}?):\s")


def speaker_of(message: Message) -> str | None:
    """Return a message's speaker: its name, or ``Anna`` where the text begins with ``Anna:``, or None."""
    if message.name is not None:
        return message.name.lower()
    match = _PREFIX.match(message.content)
    return match["name"].lower() if match else None


@lru_cache(maxsize=1024)
def name_words(speaker: str) -> frozenset[str]:
    """Return the words of a speaker's name, without initials."""
    return frozenset(word for word in words(speaker) if len(word) > 1)


def asked_about(question: str, speakers: Collection[str]) -> set[str]:
    """Return the speakers whom the question names."""
    words_asked = set(words(question))
    return {speaker for speaker in speakers if name_words(speaker) & words_asked}


def shared_beginning(old: list[Message], new: list[Message]) -> int:
    """Return how many messages both begin with.

    Halving lets whole stretches be compared at once, and messages that are the same object at no cost.
    """
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
