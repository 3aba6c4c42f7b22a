"""Stems of the words that carry a sentence's meaning."""

from __future__ import annotations

from quaestor.core.terms import find_words, terms_of_word

_EMPTY = """
a about above after again all also although always am an and another any are as at be because been before
being below between both but by can cannot could did do does doing done down during each either else etc ever
every few for from further get gets give given gives had has have having he her here hers him his how however
i if in into is it its itself just let like made make makes many may me might more most much must my need
needs neither next no nor not now of off on once one only onto or other our out over own per rather same say
says see she should since so some such than that the their them then there these they this those through thus
to together too under until up upon us use used uses using very was way we well were what when where whether
which while who whom whose why will with within without would yet you your file files passage passages code
line lines called calls call defined according shows show shown come comes go goes find finds work works
happen happens mean means want wants please tell explain
"""
EMPTY_WORDS = frozenset(_EMPTY.split())
"""Words without a meaning of their own."""


def content_terms(text: str) -> frozenset[str]:
    """Return the stems of the words that carry meaning."""
    words = (word for word in find_words(text) if word.lower() not in EMPTY_WORDS and not word.isdigit())
    return frozenset(term for word in words for term in terms_of_word(word))
