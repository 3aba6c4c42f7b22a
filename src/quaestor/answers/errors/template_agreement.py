"""Measures how much of a message is the text of a template: its fixed words in order, with values in between. Pure.

A program prints ``Queue 'mails' missing from task_queues``; its source has ``f"Queue {name!r} missing from {where}"``,
perhaps over several lines. Both share the fixed parts. Values need not be recognised: any word of the message that is
not in the template is a value, as in log parsers that align lines with each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import STOP_WORDS

_WORD = lazy_regex(r"[^\W_]+(?:['’][^\W\d_]{1,2})?(?![\w'’])|\w+")
_LITERAL = lazy_regex(
    r"\"\"\"(.*?)\"\"\"|'''(.*?)'''|\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'(?!\w)|`((?:[^`\\]|\\.)*)`|\[\[(.*?)\]\]|%[qQwW]?[({\[]([^)}\]\n]*)",
    re.DOTALL,
)
# Placeholders of format strings, interpolation and translations: {name!r}, ${x}, #{x}, %s, %(n)d, %{count}, ~p, \(x).
_PLACEHOLDER = lazy_regex(
    r"\$?\{\{?[^{}\n]*\}?\}|#\{[^{}\n]*\}|%\{\w+\}|%\(\w+\)[-#0-9.]*\w|%[-+ #0-9.*]*(?:hh|h|ll|l|z|j"
    r"|t)?[a-zA-Z@]|~[0-9.]*[a-z]{1,2}\b|\\\([^()\n]*\)"
    r"|\$\w+|<%=?.*?%>"
)
_ESCAPED_QUOTE = lazy_regex(r"\\(?=['\"])")
_ESCAPE = lazy_regex(r"\\[nrt]|\\u\{?[0-9a-fA-F]+\}?|\\x[0-9a-fA-F]{2}|\\(?=.)")


_LONGEST_LINE = 1000
_FEWEST, _SHORTEST = 2, 3
"""The fewest words that a literal must have beside its values, and the letters of the shortest of them."""
_KEY, _COMMENT = lazy_regex(r"\s*[\"']?[\w.-]{1,100}[\"']?\s*[:=]\s"), lazy_regex(r"\s*(?:#|;|//)")
"""A key of a catalogue of messages, and what begins a comment there."""
# Lines that print nothing, and comments.
_CODE = lazy_regex(
    r"[=;{(]|->|::|\w\.\w|^\s*(?:def|class|fn|func|if|for|while|return|end|do|import|using|package|use|include|from|object|interface|override|case|elif|except|rescue)\b"
    r"|^\s*(?:#|//|/\*|\*|--|;|<!--)"
)
_IMPORTS = lazy_regex(r"\s*(?:#\s*(?:include|import)\b|(?:import|require|require_once|include|from)\s)")
"""A line that names another file, and prints nothing."""
_DOCUMENTS_FAULT = lazy_regex(
    r"\s*(?:[*#/;-]+\s*)?(?:[@:\\](?:raises?|throws?|exception)\b|[A-Z]\w*(?:Error|Exception|Warning|Failure)\s*:\s)"
)
"""A comment that documents what a function raises; the message is not raised there."""


class Agreement(NamedTuple):
    """How a message and a template agree.

    Attributes:
        weight: the weight of the words that both have, in order.
        words: the number of these words.
        of_template: their share of the weight of the template, 0 to 1.
        of_message: their share of the weight of the message, 0 to 1.
        of_span: their share of the weight of the message from the first to the last of them, 0 to 1. Words that a
            sentence shares with a template by chance lie far apart.
        between: the number of other words of the message from the first to the last of them.
    """

    weight: float
    words: int
    of_template: float
    of_message: float
    of_span: float = 0.0
    between: int = 0


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, in lower case; a name with underscores is one."""
    return tuple(word.lower() for word in _WORD.findall(text))


def template_words(code: str) -> tuple[str, ...]:
    """Return the words of the string literals in lines of source, without their placeholders."""
    literals = (next(filter(None, groups), "") for groups in _LITERAL.findall(code))
    return words_of(" ".join(fixed_text(literal) for literal in literals))


def fixed_text(text: str) -> str:
    """Return a template without its placeholders and escapes."""
    return _ESCAPE.sub(" ", _ESCAPED_QUOTE.sub("", _PLACEHOLDER.sub(" ", text)))


def agreement(message: Sequence[str], template: Sequence[str], weights: Mapping[str, float]) -> Agreement:
    """Return how the words of a message agree with those of a template, by their heaviest common subsequence.

    Args:
        message: the words of the message.
        template: the words of the template.
        weights: the weight of each word; 1 for a word that it lacks.
    """
    in_message = frozenset(message)
    common = [word for word in template if word in in_message]
    shared, words, first, last = _heaviest(message, common, weights)
    whole, agreed, span = (
        sum(weights.get(word, 1.0) for word in part) for part in (template, message, message[first : last + 1])
    )
    between = last - first + 1 - words
    return Agreement(shared, words, _share(shared, whole), _share(shared, agreed), _share(shared, span), between)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _heaviest(
    message: Sequence[str], template: Sequence[str], weights: Mapping[str, float]
) -> tuple[float, int, int, int]:
    """Return the weight and the length of the heaviest common subsequence, and its two ends in the message."""
    best: list[tuple[float, int, int, int]] = [(0.0, 0, 0, -1)] * (len(template) + 1)
    for place, word in enumerate(message):
        weight = weights.get(word, 1.0)
        before = best[0]
        for at, other in enumerate(template, 1):
            former = best[at]
            if other == word:
                shared, words, first, _ = before
                best[at] = max(former, (shared + weight, words + 1, first if words else place, place), key=_by_weight)
            best[at] = max(best[at], best[at - 1], key=_by_weight)
            before = former
    return best[-1]


def _by_weight(best: tuple[float, int, int, int]) -> tuple[float, int]:
    return best[:2]


def lines_with(words: Sequence[str], text: str) -> frozenset[int]:
    """Return the indices, from 0, of the lines that hold any of some words."""
    lowered = text.lower()
    numbers: set[int] = set()
    for word in words:
        at = lowered.find(word)
        while at >= 0:
            numbers.add(lowered.count("\n", 0, at))
            newline = lowered.find("\n", at)
            at = lowered.find(word, newline) if newline >= 0 else -1
    return frozenset(numbers)


def words_of_line(line: str) -> tuple[str, ...]:
    """Return the words that a line may print: those of its literals, or all words of a line of plain text."""
    if len(line) > _LONGEST_LINE:
        return ()  # nobody wrote it
    literal = template_words(line)
    if len(literal) > 1:
        return () if _IMPORTS.match(line) else literal
    if _DOCUMENTS_FAULT.match(line):
        return ()
    return literal if _CODE.search(line) else words_of(fixed_text(line))


def words_of_value(line: str) -> tuple[str, ...]:
    """Return the words of a line of a catalogue of messages, without its key: of its literal, or all of plain text."""
    line = line.rpartition("=>")[2]  # PHP's and Ruby's keys may be texts themselves
    literal = template_words(line) if len(line) <= _LONGEST_LINE else ()
    plain = _KEY.sub("", line[:_LONGEST_LINE])
    return literal if plain.lstrip().startswith(("'", '"')) or _COMMENT.match(line) else words_of(fixed_text(plain))


def prints(line: str, message: str) -> int:
    """Return the length of the literal in a line of source that is all of a message, values aside; 0 if none is.

    A value stands for a placeholder, or behind a literal that ends with a mark: ``"Invalid margin: " + margin``.
    """
    literals = (next(filter(None, groups), "") for groups in _LITERAL.findall(line))
    return max((len(one) for one in literals if _is_all_of(one, message)), default=0)


def _is_all_of(literal: str, message: str) -> bool:
    first, *further = [_ESCAPE.sub("", part) for part in _PLACEHOLDER.split(literal)]
    words = words_of(" ".join((first, *further)))
    if sum(len(word) >= _SHORTEST and word not in STOP_WORDS for word in words) < _FEWEST:
        return len(words) >= _FEWEST and literal == message
    if not message.startswith(first):
        return False
    at = len(first)
    for part in further:
        at = message.find(part, at + 1)
        if at < 0:
            return False
        at += len(part)
    last = further[-1] if further else first
    ended = message.endswith(last) if further else at == len(message)
    return ended or re.search(r"[^\w.!?]$", last) is not None
