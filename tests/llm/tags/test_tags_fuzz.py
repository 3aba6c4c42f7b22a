"""Tags for every reply and every cut: nothing lost, nothing shown that is hidden, the same however it arrives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quaestor.llm import tags
from quaestor.llm.tags import Call, Part, Shown, Text

REPLIES = [
    'Let me look.\n\n<|search query={"login |> \\"x\\" "} deep|>\n<|result of={"search"}|>secret<|/result|>\nHere.',
    '<|plan asked={"where"} subroutines={["search"]} edit={false}|>`<|search|>` a <| b <|read path="a.py"|> end',
    "```fsharp\nxs |> map <| f\n```\nThen <|search query={'a'} (broken|> and <|im_end|> <|lost query={1}|>.",
    'text <|search query={"a"',
    "<<<|<|<|<|search|>|>>",
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"]))
    | st.sampled_from(["|>", "<|search|>", "<|>", '"}|>']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,10}", fullmatch=True)
MARKS = ["<|", "|>", "<", ">", "|", "/", " ", "\n", "\n\n", "{", "}", "[", "]", '"', "'", "`", "```", "~~~", "\\", "="]
WORDS = ["search", "plan", "result", "query=", "a", "5", "é", '<|search query={"x"}|>', "<|result|>", "<|/result|>"]
PIECES = st.sampled_from([*MARKS, *WORDS])
SOUP = st.lists(PIECES, max_size=40).map("".join)


def in_pieces(text: str, cuts: Sequence[int]) -> tuple[Part, ...]:
    """Parse a text that arrives in pieces; adjoining text is joined."""
    parser = tags.Parser()
    parts: list[Part] = []
    for start, end in pairwise([0, *cuts, len(text)]):
        parts += parser.feed(text[start:end])
    return joined([*parts, *parser.close()])


def joined(parts: Sequence[Part]) -> tuple[Part, ...]:
    found: list[Part] = []
    for part in parts:
        if isinstance(part, Text) and found and isinstance(found[-1], Text):
            found[-1] = Text(found[-1].raw + part.raw)
        else:
            found.append(part)
    return tuple(found)


def shown(pieces: Sequence[str], *, cut: bool = False) -> str:
    parser, visible = tags.Parser(), Shown()
    text = "".join(visible.take(parser.feed(piece)) for piece in pieces)
    return text + visible.take(parser.close(cut=cut))


@pytest.mark.parametrize("reply", REPLIES)
def test_every_pair_of_cuts_gives_the_same(reply: str) -> None:
    whole = joined(tags.parse(reply))
    for first in range(len(reply) + 1):
        for second in range(first, len(reply) + 1, 7):
            assert in_pieces(reply, [first, second]) == whole
    assert in_pieces(reply, range(len(reply))) == whole


@pytest.mark.parametrize("reply", REPLIES)
def test_a_stream_cut_anywhere_shows_a_beginning_of_the_whole(reply: str) -> None:
    whole = tags.strip(reply)
    for end in range(len(reply) + 1):
        assert whole.startswith(shown([reply[:end]], cut=True)), reply[:end]
        assert shown(list(reply[:end]), cut=True) == shown([reply[:end]], cut=True)


@given(SOUP, st.data())
def test_nothing_is_lost(text: str, data: st.DataObject) -> None:
    whole = joined(tags.parse(text))
    assert "".join(part.raw for part in whole) == text
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    assert in_pieces(text, cuts) == whole
    assert shown([text[a:b] for a, b in pairwise([0, *cuts, len(text)])]) == tags.strip(text)
    parser = tags.Parser()
    cut = joined([*parser.feed(text), *parser.close(cut=True)])
    assert "".join(part.raw for part in cut) == text


@given(SOUP)
def test_a_cut_stream_never_shows_what_the_whole_hides(text: str) -> None:
    whole = "".join(part.raw for part in tags.parse(text) if isinstance(part, Text))
    for end in range(len(text)):
        parser = tags.Parser()
        parts = (*parser.feed(text[:end]), *parser.close(cut=True))
        assert whole.startswith("".join(part.raw for part in parts if isinstance(part, Text)))


@given(NAMES, st.dictionaries(NAMES, VALUES, max_size=4))
def test_rendering_round_trips(name: str, arguments: dict[str, Any]) -> None:
    written = tags.render("search", arguments)
    assert tags.parse(written) == (Call(written, "search", arguments),)
    assert written.index(tags.CLOSING) == len(written) - len(tags.CLOSING)
    if any(value is not True for value in list(arguments.values())[:1]):
        written = tags.render(f"x{name}", arguments)
        assert tags.parse(written) == (Call(written, f"x{name}", arguments),)


@given(SOUP)
@example("a <|/")
@example("<|")
def test_escaped_text_shows_whole(text: str) -> None:
    assert tags.strip(tags.escape(text)) == tags.escape(text)
