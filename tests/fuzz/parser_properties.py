"""Properties of parsers that hold for any input, tried by hypothesis in every test run and by atheris for hours.

What a parser knows (its marks, in any order, with anything between them) finds more than letters by chance: hypothesis
is given such soups, atheris the marks as its dictionary and the seeds to begin with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

EXAMPLES = max(40, settings.default.max_examples)
_MOST_PIECES = 30


@dataclass(frozen=True)
class Target:
    """A property and what its input is made of.

    Attributes:
        check: raises where the property does not hold.
        marks: what means something to the parser.
        seeds: whole inputs to begin with.
        raw: whether the parser takes bytes; else text.
    """

    check: Callable[[Any], None]
    marks: Sequence[str]
    seeds: Sequence[str]
    raw: bool

    def of_bytes(self, data: bytes) -> str | bytes:
        """Return some bytes as what the parser takes."""
        return data if self.raw else data.decode("utf-8", "replace")


def fuzzed(
    marks: Sequence[str], seeds: Sequence[str] = (), *, raw: bool = False
) -> Callable[[Callable[[Any], None]], Callable[[], None]]:
    """Return a decorator that makes a property a test of hypothesis, with its target for atheris in ``target``."""

    def decorate(check: Callable[[Any], None]) -> Callable[[], None]:
        target = Target(check, marks, seeds, raw)
        test = settings(max_examples=EXAMPLES, deadline=None)(given(_soup(target))(check))
        for seed in seeds:
            test = example(seed.encode() if raw else seed)(test)
        test.target = target
        return test

    return decorate


def _soup(target: Target) -> st.SearchStrategy[str] | st.SearchStrategy[bytes]:
    pieces = st.sampled_from([*target.marks, " ", "\n", "a", "1"])
    if target.raw:
        raw = pieces.map(str.encode) | st.binary(max_size=6)
        return st.lists(raw, max_size=_MOST_PIECES).map(b"".join)
    words = pieces | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
    return st.lists(words, max_size=_MOST_PIECES).map("".join)
