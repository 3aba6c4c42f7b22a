"""Texts are counted in pieces, and the pieces' counts are the text's."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.llm.tokens.bound import CalibratedBound
from quaestor.llm.tokens.exact import EncodingName, ExactTokenizer, load_encoding, segments

ENCODINGS = get_args(EncodingName)
BLANKS = ("\n", "\r\n", "\r", "\n\n", " ", "    ", "\t", "\x0c", "\x0b", "\x1c", "\x85", "\u2028", "\xa0")
WORDS = (
    "/",
    "//",
    "#",
    "):",
    "'",
    "'s",
    "don't",
    "word",
    "Straße",
    "日本",
    "👍🏽",
    "12",
    "345678",
    "_",
    "</",
    "e\u0301",
)
PIECES = st.sampled_from([*BLANKS, *WORDS])
LINES = st.lists(PIECES, max_size=60).map("".join)
# Long lines between, so that there are several pieces.
TEXTS = st.lists(st.tuples(st.sampled_from(["x = 1; " * 30, "a" * 201, ") " * 101, ""]), LINES), max_size=6).map(
    lambda parts: "".join(long + lines for long, lines in parts)
)


@given(TEXTS)
def test_pieces_make_the_text(text: str) -> None:
    assert "".join(segments(text)) == text


@pytest.mark.parametrize("name", ENCODINGS)
@given(text=TEXTS)
def test_counts_add_up(name: EncodingName, text: str) -> None:
    assert ExactTokenizer(name).count(text) == len(load_encoding(name).encode_ordinary(text))


@given(TEXTS, TEXTS)
def test_what_is_put_behind_changes_the_last_piece_only(text: str, more: str) -> None:
    before = list(segments(text))
    assert list(segments(text + more))[: len(before) - 1] == before[:-1]


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_piece_ends_where_lines_do_and_not_before_slashes_or_in_a_run_of_blanks(name: EncodingName) -> None:
    line = "x" * 201
    assert list(segments(f"{line};\n/{line}\n\n  \r\n  {line}\n")) == [f"{line};\n/{line}\n\n  \r\n", f"  {line}\n"]
    assert ExactTokenizer(name).count("<" * 300 + ";\n//\n\n\nend") == len(
        load_encoding(name).encode_ordinary("<" * 300 + ";\n//\n\n\nend")
    )


@given(TEXTS)
def test_a_bound_is_above_the_count_that_it_is_made_from(text: str) -> None:
    assert CalibratedBound().count(text) >= ExactTokenizer("cl100k_base").count(text)
