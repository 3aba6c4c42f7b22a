"""Work grows with its input: texts made to be read again and again are read once. Steps are counted, not seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from quaestor.answers.citations.sentences import sentences
from quaestor.crawl.politeness import parse
from quaestor.llm import tags
from quaestor.llm.tags.parser import Quoting


def steps(work: Callable[[], object]) -> int:
    """Return how many lines of Python some work goes through, each element of a generator or comprehension counted."""
    count = 0

    def trace(frame: FrameType, event: str, _argument: object) -> Callable[..., object]:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("answer", ["```\n", "```\nx\n```\n\nA b. ", "~~~\n```\n", "A b.\n\n```\n"])
def test_sentences_over_fences(answer: str) -> None:
    few, many = (steps(lambda count=count: sentences(answer * count)) for count in (50, 400))  # type: ignore[misc]
    assert many < 10 * few


def test_a_robots_txt_that_names_everybody() -> None:
    named = "".join(f"User-agent: a{number}\n" for number in range(40_000))
    robots = parse(f"{named}User-agent: quaestor/2\nDisallow: /a\n" + "Disallow: /b\n" * 40_000)
    assert robots.rules == (("/a", False), ("/b", False))
    few, many = (
        steps(lambda count=count: parse("User-agent: a\n" * count + "Disallow: /\n" * count))  # type: ignore[misc]
        for count in (50, 400)
    )
    assert many < 10 * few


class Runs(str):
    """A letter that counts the letters that it is joined to."""

    __slots__ = ()
    joined = 0

    def __radd__(self, other: str) -> Runs:
        Runs.joined += len(other) + len(self)
        return Runs(str(other) + str(self))


@pytest.mark.parametrize("letter", "`~")
def test_a_run_of_backticks_is_not_copied_letter_by_letter(letter: str) -> None:
    Runs.joined = 0
    quoting = Quoting()
    for _ in range(10_000):
        quoting.step(Runs(letter))
    assert Runs.joined <= 10_000
    assert quoting.ends_inside
    text = letter * 10_000 + "<|search|>"
    assert tags.parse(text) == (tags.Text(text),)
