"""What a sentence of an answer claims by itself, and what of it is new beside what stands next to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from quaestor.answers.citations.claim_support import (
    Ground,
    denies,
    names_of,
    numbers_of,
    spelled_numbers,
    spelled_words,
)
from quaestor.core.stems import content_terms

_CONTRACTION = re.compile(r"\b[a-z]+n['’]t\b|['’](?:s|re|ve|ll|d|m)\b", re.IGNORECASE)
# They judge what was asked, or count what is named elsewhere, and name nothing themselves.
_VERDICTS = (
    "yes yeah yep no nope not sure certainly indeed correct right true false exactly absolutely course times"
    " ja nein oui non sí si sim não да нет"
)
_VERDICT_TERMS = content_terms(_VERDICTS)
_COURTESY = re.compile(r"(?:i )?hope (?:this|that|it) helps|let me know|feel free", re.IGNORECASE)
_MISSING = re.compile(
    r"(?:(?:however|but|unfortunately),? )?(?:the |these |those )?(?:given |provided )?"
    r"(?:passages?|documents?|sources?|corpus|excerpts?|context)\b[^.,;:]{0,20}?"
    r"\b(?:do not|does not|don['’]t|doesn['’]t|never|says? nothing)\b",
    re.IGNORECASE,
)
_AND_YET = re.compile(r"\b(?:but|however|although|though|yet)\b|[;:–—]", re.IGNORECASE)
_MANY_WORDS = 3
_LEADING_SHARE = 1 / 3


def own_terms(sentence: str) -> frozenset[str]:
    """Return the stems of what a sentence names itself: no verdict, no contraction, no number."""
    plain = _CONTRACTION.sub(" ", sentence)
    spelled = {term for word in spelled_words(plain) for term in content_terms(word)}
    return content_terms(plain) - _VERDICT_TERMS - spelled


def is_short(sentence: str) -> bool:
    """Return whether a sentence names too little to be looked for by its words."""
    return len(own_terms(sentence)) < _MANY_WORDS


def is_question(sentence: str) -> bool:
    """Return whether a sentence asks instead of claiming."""
    return _bare(sentence).endswith(("?", "？"))


def is_lead_in(sentence: str) -> bool:
    """Return whether a sentence introduces what follows it."""
    return _bare(sentence).endswith((":", "：", "…:"))


def is_about_the_answer(sentence: str, question: str, grounds: Iterable[Ground]) -> bool:
    """Return whether a sentence is a courtesy, or says what the passages do not hold, and claims nothing beside it."""
    bare = _bare(sentence)
    if _COURTESY.match(bare):
        return not numbers_of(bare) and not names_of(bare)
    missing = _MISSING.match(bare)
    if missing is None or _AND_YET.search(bare, missing.end()):
        return False
    return _brings_no_name(bare, question, grounds)


def brings_nothing_new(sentence: str, said: str, grounds: Sequence[Ground]) -> bool:
    """Return whether all that a sentence names was asked, is said next to it, or stands in what that is said from.

    Args:
        sentence: without citation marks.
        said: the question, and the sentence next to it.
        grounds: what the sentence next to it stands on.
    """
    known = content_terms(said).union(*(ground.all_terms for ground in grounds))
    return own_terms(sentence) <= known and _brings_no_name(sentence, said, grounds)


def leads_fairly(sentence: str, said: str, grounds: Sequence[Ground]) -> bool:
    """Return whether a lead-in claims nothing of its own: nothing is named or counted that stands nowhere else.

    Args:
        sentence: without citation marks.
        said: the question, and what follows.
        grounds: all passages.
    """
    terms = own_terms(sentence)
    if not _brings_no_name(sentence, said, grounds, spelled=False):
        return False
    known = content_terms(said).union(*(ground.all_terms for ground in grounds))
    return len(terms) < _MANY_WORDS or len(terms & known) >= _LEADING_SHARE * len(terms)


def _brings_no_name(sentence: str, said: str, grounds: Iterable[Ground], *, spelled: bool = True) -> bool:
    """Return whether every number and name of a sentence is known.

    A number must stand in the sources: that somebody asked for it does not make it right. Only a denial may repeat it.
    """
    grounds = tuple(grounds)
    lowered = said.lower()
    numbers = numbers_of(sentence) | (spelled_numbers(sentence.lower()) - {"1"} if spelled else set())
    counted = set().union(*(ground.numbers for ground in grounds))
    if denies(sentence):
        counted |= numbers_of(said) | spelled_numbers(lowered)
    named = all(
        name.lower() in lowered or any(name.lower() in ground.lowered for ground in grounds)
        for name in names_of(sentence)
    )
    return numbers <= counted and named


def _bare(sentence: str) -> str:
    return sentence.strip().strip("*_`~ \t\"'“”‘’()").strip()
