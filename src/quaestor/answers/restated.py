"""Passes over hits that repeat a question instead of answering it: a test's list of questions, a command's example.

A search finds such places first, because they hold all words of the question. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Hit

_FEWEST_WORDS = 4
# A message such as "Are you sure?" is looked for where it stands.
_QUESTION = re.compile(
    r"\b(?:how|what|which|where|who|why|when|wie|was|welche\w*|wo|wer|warum|wann|comment|que|qu'\w+|quel\w*|où|qui|pourquoi"
    r"|cómo|qué|cuál\w*|dónde|quién|cuándo)\b|[吗呢么谁哪何か][？?]?$|什么|怎么|どう|なぜ|どこ",
    re.IGNORECASE,
)
_FEWEST_LISTED = 3
_LISTED = re.compile(r"""["'`“][^"'`“”\n]*\w[^"'`“”\n]*[?？]\\?["'`”]""")
_ANSWERED = re.compile(r"\banswer(?:s|ed)?\b", re.IGNORECASE)
_ASKS_FOR_QUESTIONS = re.compile(r"\b(?:questions?|asks?|asked)\b", re.IGNORECASE)
_QUOTED = r"""["'`“‘«]\W{0,3}"""


def without_restated(question: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return hits without those that only repeat the question or list questions; all hits if there are no others.

    In prose only quoted questions count, because a heading that is the question stands above its answer.
    """
    words = re.findall(r"\w+", question)
    if (question.isascii() and len(words) < _FEWEST_WORDS) or not _QUESTION.search(question):
        return tuple(hits)
    asked = re.compile(r"\W+".join(map(re.escape, words)), re.IGNORECASE)
    quoted = re.compile(_QUOTED + asked.pattern, re.IGNORECASE)
    lists = not _ASKS_FOR_QUESTIONS.search(question)
    answering = tuple(hit for hit in hits if not _restates(hit, asked, quoted, lists=lists))
    return answering or tuple(hits)


def _restates(hit: Hit, asked: re.Pattern[str], quoted: re.Pattern[str], *, lists: bool) -> bool:
    text = hit.text
    if hit.document.language.lower() in PROSE:
        return quoted.search(text) is not None
    if _ANSWERED.search(text):
        return False
    return asked.search(text) is not None or (lists and _lists_questions(text))


def _lists_questions(text: str) -> bool:
    """Return whether at least half of the lines with words are questions in quotation marks."""
    lines = [line for line in text.splitlines() if any(map(str.isalnum, line))]
    listed = sum(_LISTED.search(line) is not None for line in lines)
    return listed >= _FEWEST_LISTED and 2 * listed >= len(lines)
