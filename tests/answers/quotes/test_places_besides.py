"""Below its quotes an answer names the places of the best passages that it does not quote."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from quote_parts import hit

from quaestor.answers.quotes.pick_quotes import NOTHING, answer
from quaestor.answers.quotes.quotes_in_markdown import OTHERS
from quaestor.llm.prompts.numbered_passages import Passage

QUESTION = "how long does a request wait"
_PLACE = re.compile(r"- `(?P<path>[^`]+)`(?: \((?P<label>.+)\))?")


def passages(count: int) -> list[Passage]:
    """Return passages of code about the question, each in a file of its own."""
    return [
        Passage(n, f"wait{n}.py", 1, 1, f"wait_{n} = {n}  # a request waits", symbol=f"wait_{n}", language="python")
        for n in range(1, count + 1)
    ]


def listed(text: str) -> list[re.Match[str]]:
    """Return the items of the list of places; empty if there is none."""
    lines = text.partition(f"{OTHERS}\n")[2].splitlines()
    found = [_PLACE.fullmatch(line) for line in lines]
    assert None not in found, text
    return [one for one in found if one is not None]


@given(st.lists(st.floats(0, 6), min_size=1, max_size=12))
def test_every_passage_is_quoted_or_named_until_four_are(behind: list[float]) -> None:
    those = passages(len(behind))
    scores = sorted((-one for one in behind), reverse=True)
    found = answer(QUESTION, those, hits=[hit(one, score) for one, score in zip(those, scores, strict=True)])
    assert found.known
    quoted = {quote.path for quote in found.quotes}
    rest = [one.path for one in those if one.path not in quoted]
    assert [one["path"].partition(":")[0] for one in listed(found.text)] == rest[:4]


def test_a_place_bears_the_name_of_its_code_or_section() -> None:
    code, *_ = passages(1)
    guide = Passage(2, "guide.md", 5, 9, "Tea is brown.", title="Guide", symbol="Guide > Tea", language="markdown")
    found = answer(QUESTION, [code, guide], hits=[hit(code, 0.0), hit(guide, -6.0)])
    assert found.text.endswith(f"{OTHERS}\n- `guide.md:5-9` (Guide > Tea)")
    untitled = Passage(3, "guide.md", 5, 9, "Tea is brown.", symbol="Guide > Tea > Brown", language="markdown")
    found = answer(QUESTION, [code, untitled], hits=[hit(code, 0.0), hit(untitled, -6.0)])
    assert found.text.endswith(f"{OTHERS}\n- `guide.md:5-9` (Brown)")
    found = answer(QUESTION, [code, *passages(2)[1:]], hits=[hit(code, 0.0), hit(passages(2)[1], -6.0)])
    assert found.text.endswith(f"{OTHERS}\n- `wait2.py:1` (`wait_2`)")
    nameless = replace(passages(2)[1], symbol=None)
    found = answer(QUESTION, [code, nameless], hits=[hit(code, 0.0), hit(nameless, -6.0)])
    assert found.text.endswith(f"{OTHERS}\n- `wait2.py:1`")


def test_the_name_of_a_place_stays_on_its_line_and_in_its_quotation_marks() -> None:
    code, other = passages(2)
    hostile = Passage(2, other.path, 1, 1, other.text, symbol="a`\n\n# b", language="python")
    found = answer(QUESTION, [code, hostile], hits=[hit(code, 0.0), hit(hostile, -6.0)])
    assert found.text.endswith(f"{OTHERS}\n- `wait2.py:1` (`a # b`)")


def test_a_refusal_names_no_place() -> None:
    those = passages(3)
    found = answer("who knits scarves", those, refused=True, hits=[hit(one, 0.0) for one in those])
    assert found.text == NOTHING


def test_an_answer_that_may_be_wrong_names_the_same_places() -> None:
    those = passages(8)
    found = answer(QUESTION, those, hits=[hit(one, -2.0 * one.n) for one in those])
    assert len(listed(found.text)) == 4
    assert [one[0] for one in listed(found.unsure().text)] == [one[0] for one in listed(found.text)]
