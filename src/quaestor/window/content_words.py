"""The words of a text that carry meaning: what recall and summaries work on."""

from __future__ import annotations

from quaestor.core.terms import find_words, terms_of_word

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


def content_terms(text: str) -> list[str]:
    """Return the lexical terms of ``text`` without stop words, in order, as often as they occur."""
    return [term for word in find_words(text) if word.lower() not in STOP_WORDS for term in terms_of_word(word)]
