"""Requests for embeddings: no text is lost, no limit is exceeded, and long texts are cut at their end."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from quaestor.embedding.requests_and_replies import RequestLimits, as_pieces, in_requests, longest_prefix
from quaestor.llm.tokens import ByteBound, tokenizer_for

exact = tokenizer_for("text-embedding-3-small").count
texts = st.lists(st.text("aé\ud800 \n", max_size=30), max_size=20)


@given(texts, st.integers(1, 6), st.integers(1, 40), st.none() | st.integers(1, 12))
@example(["é"], 1, 1, 1)
def test_every_text_that_says_anything_is_sent_once_within_the_limits(
    given_texts: list[str], count: int, tokens: int, each: int | None
) -> None:
    limits = RequestLimits(count, tokens, each)
    runs = list(in_requests(as_pieces(given_texts, limits, ByteBound().count), limits))
    pieces = [piece for run in runs for piece in run]
    assert [piece.place for piece in pieces] == [place for place, text in enumerate(given_texts) if text.strip()]
    for run in runs:
        assert len(run) <= count
        assert len(run) == 1 or sum(piece.tokens for piece in run) <= tokens
    for piece in pieces:
        whole = given_texts[piece.place].encode("utf-8", "replace").decode()
        assert whole.startswith(piece.text)
        assert piece.cut == (piece.text != whole)
        assert each is None or piece.tokens <= each or len(piece.text) == 1
        assert piece.tokens == ByteBound().count(piece.text)


@given(st.text(min_size=1, max_size=200), st.integers(1, 20))
def test_what_is_left_of_a_text_is_as_long_as_the_limit_allows(text: str, most: int) -> None:
    found = longest_prefix(text, most, exact)
    assert text.startswith(found)
    assert exact(found) <= most or len(found) == 1
    bytes_found = longest_prefix(text, most, ByteBound().count)
    longer = text[: len(bytes_found) + 1]
    assert longer == bytes_found or ByteBound().count(longer) > most


@given(st.integers(1, 10_000), st.none() | st.integers(1, 10_000))
def test_a_limit_that_was_refused_becomes_lower_until_it_is_one(longest: int, said: int | None) -> None:
    shorter = RequestLimits().shorter(longest, said).each
    assert shorter is not None
    assert 1 <= shorter <= max(1, longest - 1)
