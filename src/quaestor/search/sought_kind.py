"""Whether a question seeks documents or code, if its words show it.

Requests to do something ("switch off caching", "how can I ...") seek documents, which say how it is done. Questions for
the place where something is done seek code, as do those for who does it if they name code: "who approves a release?"
asks for people. Questions in another language than English are answered by documents more often than others, and so are
questions of a few words without a name ("retry backoff"), which people ask first. All others show nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import dropwhile, pairwise
from typing import Literal

from quaestor.core.terms import STOP_WORDS
from quaestor.search.query import Query

SoughtKind = Literal["documents", "code", ""]

_FEW_TERMS = 3  # of a question that tells a subject and little more
_FAULTS = (
    "abort",
    "cannot",
    "can't",
    "crash",
    "denied",
    "error",
    "exception",
    "fail",
    "fatal",
    "invalid",
    "refus",
    "unexpect",
    "unknown",
)
_MOST_WORDS = 60  # of a question: what is longer is a pasted text
_MARKS = ".,:;!?\"'“”‘’`()[]¿¡…"
_COURTESIES = frozenset({"please", "just", "don't", "do", "not"})
# What a program is told to do. Many of these name things as well ("retry backoff"): in an order, grammar follows.
_ORDERS = frozenset(
    """add allow always avoid bind bump change choose clear configure connect copy customise customize cut
    decrease define delay deny disable disallow drop emit enable enlarge exclude expose extend force
    forbid generate get give hide ignore include increase install keep let limit load lower make mark
    mask merge move mute never only open overwrite pass pick pin prefer prepend append prevent print
    protect put quieten raise read record redirect reduce register remove rename replace reset restrict
    retry reuse roll rotate route run save say send serve set share shorten show shrink silence skip
    slow sort split start stop store strip suppress swap switch treat trim trust turn tweak unset update
    upload use wait widen write""".split()
)
_GRAMMAR = STOP_WORDS | frozenset("after all before each every off only out own per under up without".split())
_PEOPLE = frozenset(
    """i we they he she user users customer customers someone somebody team colleague client admin
    operator""".split()
)
_SPEAKERS = frozenset({"i", "we", "one"})
_ANYBODY = _PEOPLE | _SPEAKERS | {"you"}  # "you need to ..." is what a program says, and no wish
_WISHES = frozenset({"want", "wants", "wanted", "need", "needs", "needed", "prefer", "prefers", "wish", "wishes"})
_WISH_WITHIN = 6  # words after the one who has it
_HOW = frozenset({"how", "what", "where"})
_MAY = frozenset({"can", "could", "may", "must", "should"})
_DO = frozenset({"do", "would", *_MAY})
_IS = frozenset({"is", "are", "do", "does", "did", "in", "gets", "happens"})
_PLACES = frozenset(
    f"{word}{s}"
    for word in "code file function class method place spot module line component".split()
    for s in ("", "s", "es")
)

_TESTS = r"(?:tests?|specs?)\b"
_MAY_SEEK_TESTS = re.compile("test|spec|assert", re.IGNORECASE)  # a cheap look first
_SOUGHT_TESTS = re.compile(
    rf"\btest_\w|\btested\b|\basserts?\b|^\W*{_TESTS}|(?<!under )\b{_TESTS}\W*$"
    rf"|\b(?:which|what|find|list|show|any|existing|there)\s+(?:\w+\s+){{0,2}}{_TESTS}"
    rf"|\b{_TESTS}\s+(?:about|cases?|covering|fixtures?|for|helpers?|of|suites?|that|tools?|which)\b",
    re.IGNORECASE,
)
# Who runs or writes tests, or sets them aside, does not look for one.
_TESTS_ASIDE = re.compile(
    r"\b(?:apart from|besides|beyond|builds?|create|debug|except|excluding|execute|other than|outside(?: of)?|runs?"
    r"|running|skip|start|without|write|writing)\s+"
    rf"(?:(?:a|all|an|any|its|my|one|only|our|single|some|the|their)\s+)*(?:\w+\s+)?{_TESTS}",
    re.IGNORECASE,
)


def seeks_tests(query: Query) -> bool:
    """Return whether a query seeks tests: "which tests cover retries?", not "how do I run the tests?".

    Most questions that mention a test are about what it tests, or about running it.
    """
    return (
        _MAY_SEEK_TESTS.search(query.text) is not None
        and _SOUGHT_TESTS.search(query.text) is not None
        and _TESTS_ASIDE.search(query.text) is None
    )


def sought_kind(query: Query) -> SoughtKind:
    """Return the kind of text that a query seeks; empty if its words do not show it."""
    if query.kind != "text":  # a plain word alone is read as a name, and may as well be a subject
        word = query.text.strip(_MARKS)
        return "documents" if word.isalpha() and word[1:].islower() else ""
    if query.translated:
        return "documents"
    if query.text.lower().lstrip(_MARKS).startswith("who ") and not query.written_names:
        return ""
    return _sought_by(query.text) or ("documents" if _is_subject(query) else "")


def _is_subject(query: Query) -> bool:
    """Return whether a query has few words, none of them a name and none that reports a fault, as a message does."""
    faults = any(word.startswith(_FAULTS) for word in query.text.lower().split())
    return 0 < len(set(query.terms)) <= _FEW_TERMS and not query.written_names and not faults


@lru_cache(maxsize=16)  # a search asks more than once
def _sought_by(text: str) -> SoughtKind:
    words = [word.strip(_MARKS) for word in text.lower().replace("’", "'").split(maxsplit=_MOST_WORDS)[:_MOST_WORDS]]
    if _asks_where(words):
        return "code"
    return "documents" if _orders(words) or _wishes(words) else ""


def _asks_where(words: Sequence[str]) -> bool:
    if words[:1] in (["where"], ["who"]):
        return not (len(words) > 2 and words[1] in _DO and words[2] in _ANYBODY)  # where can I set it?
    return any(
        (one == "where" and other in _IS) or (one in ("which", "what") and other in _PLACES)
        for one, other in pairwise(words)
    )


def _orders(words: Sequence[str]) -> bool:
    rest = [*dropwhile(_COURTESIES.__contains__, words)]
    return bool(rest) and rest[0] in _ORDERS and not _GRAMMAR.isdisjoint(rest[1:])


def _wishes(words: Sequence[str]) -> bool:
    for at, word in enumerate(words):
        after = words[at + 1 : at + 1 + _WISH_WITHIN]
        if word in _PEOPLE and not _WISHES.isdisjoint(after):
            return True
        if word in _HOW and len(after) > 1 and after[0] in _DO and after[1] in _ANYBODY:
            return True
        if word in _MAY and after and after[0] in _SPEAKERS:
            return True
        if word == "i'd" and after[:1] == ["like"]:
            return True
    return False
