"""The ways in which servers say "too long", and the window that is learned from each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.llm.endpoints.failures import TooLongError, read_overflow
from quaestor.llm.models.capabilities import LEAST, learned_limit

ANTHROPIC = "input length and `max_tokens` exceed context limit: 199758 + 8192 > 200000, decrease input length"
VLLM = (
    "You passed 5001 input tokens and requested 1 output tokens. However, the model's context length is only 4096"
    " tokens, resulting in a maximum input length of 4095 tokens."
)
OLLAMA = "the input length exceeds the context length"


@pytest.mark.parametrize(
    ("message", "limit", "asked"),
    [
        (ANTHROPIC, 200_000, None),
        (VLLM, 4096, 5001),
        (OLLAMA, None, None),
        ("prompt is too long", None, None),
        ("This model's maximum context length is 4097 tokens. However, you requested 5000 tokens (4000 in", 4097, 5000),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens.",
            8192,
            10000,
        ),
        ("the request exceeds the available context size, try increasing it", None, None),
        ("request (1234 tokens) exceeds the available context size (1024 tokens), try increasing it", 1024, 1234),
        ("Requested tokens (1500) exceed context window of 1024", 1024, 1500),
        (
            "'max_tokens' is too large: 2000. This model's maximum context length is 1024 tokens and"
            " your request has 15 input tokens",
            1024,
            15,
        ),
        ("The decoder prompt (length 1500) is longer than the maximum model length of 1024.", 1024, 1500),
        ("prompt is too long: 210000 tokens > 200000 maximum", 200000, 210000),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1048576, 1200000),
        ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32768, 40000),
        (
            "Input tokens exceed the configured limit of 272,000 tokens. Your messages resulted in 300,000 tokens.",
            272000,
            300000,
        ),
    ],
)
def test_words_of_servers(message: str, limit: int | None, asked: int | None) -> None:
    assert read_overflow(message, {}) == (limit, asked)


def test_overflow_by_code_and_numbers() -> None:
    assert read_overflow("no", {"type": "exceed_context_size_error", "n_ctx": 64, "n_prompt_tokens": 90}) == (64, 90)
    assert read_overflow("no", {"code": "context_length_exceeded"}) == (None, None)
    assert read_overflow("The model `x` does not exist", {"code": 404}) is None


@pytest.mark.parametrize("message", ["the model is overloaded", "Rate limit reached: limit 200000", "invalid role"])
def test_other_refusals(message: str) -> None:
    assert read_overflow(message, {}) is None


def failure(limit: int | None, asked: int | None) -> TooLongError:
    return TooLongError("too long", limit=limit, request_tokens=asked)


def test_the_server_s_own_number() -> None:
    assert learned_limit(failure(4096, None), 7000, 500) == 4096
    assert learned_limit(failure(4096, 7100), 7000, 500) == 4096


def test_a_server_that_counts_more_than_we_do() -> None:
    learned = learned_limit(failure(4096, 15_000), 7000, 500)
    assert learned == int(4096 / 2 * 0.97)
    assert learned_limit(failure(8000, None), 7000, 500) < 7500
    assert learned_limit(failure(8000, 8100), 7000, 500) < 7500


@pytest.mark.parametrize("number", [None, 1, 100, LEAST - 1])
def test_no_number_or_one_that_holds_no_conversation(number: int | None) -> None:
    assert learned_limit(failure(number, None), 7000, 500) == 3750


@given(
    st.none() | st.integers(1, 10**7), st.none() | st.integers(1, 10**7), st.integers(1, 10**6), st.integers(1, 4000)
)
def test_what_is_learned_is_less_than_what_was_sent(
    limit: int | None, asked: int | None, sent: int, reserve: int
) -> None:
    learned = learned_limit(failure(limit, asked), sent, reserve)
    assert learned >= LEAST
    assert learned < sent + reserve or learned == LEAST
    if limit is not None and limit >= LEAST:
        assert learned <= limit
