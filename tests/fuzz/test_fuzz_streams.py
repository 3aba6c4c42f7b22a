"""What model servers send: events, objects, calls, errors. Read whole or refused by one error."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fuzz.parser_properties import fuzzed
from quaestor.chat.reply_reader import ThoughtFilter, WrittenCallFilter, call_of
from quaestor.core.errors import UpstreamError
from quaestor.core.messages import Message
from quaestor.embedding.requests_and_replies import NoVectorsError, read_tokens, read_vectors
from quaestor.llm.endpoints.client import read_retry_after
from quaestor.llm.endpoints.failures import Endpoint, read_overflow
from quaestor.llm.models import Request
from quaestor.llm.models.reply import Reply
from quaestor.llm.models.reply_stream import Events, NotCompletionsError, StopCutter, parse_event, with_fields
from quaestor.llm.tokens import counter_for
from quaestor.mcp.fast_start import read_request, version_opened

LINES = [
    "data:",
    "data: ",
    "event: x",
    ":",
    "id: 1",
    "retry: 1",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "[DONE]",
    "{}",
    "\x00",
    "é",
]
CHUNKS = [
    *('{"choices":[', '{"delta":{', '"content":"a"', '"tool_calls":[', '"function":{', '"name":"search"', "]}", "}"),
    *(
        '"index":0',
        '"index":-1',
        '"index":"a"',
        '"arguments":"{"',
        '"finish_reason":"stop"',
        '"usage":{',
        ",",
        "[",
        "]",
    ),
    *('"prompt_tokens":1', '"completion_tokens":1e999', '"message":{', '"text":"a"', '"error":{"message":1}', "null"),
    *("NaN", "1e400", "-", '"\\ud800"', '"', "{", "[[[[", "0" * 30, '"id":"x"', '"stop_reason":"|>"', '"reasoning":1'),
]
WHOLE = '{"choices":[{"index":0,"delta":{"content":"a","tool_calls":[{"index":0,"function":{"name":"search"}}]}}]}'
CALLS = [
    "<tool_call>",
    "</tool_call>",
    "```json\n",
    "```",
    "[TOOL_CALLS]",
    '{"name":"search","arguments":{}}',
    "{",
    "[",
    ",",
    '"',
]
ERRORS = [
    *(
        "maximum context length is 4096 tokens",
        "you requested 5000 tokens",
        "exceeds the available context size",
        "(1 > 2)",
    ),
    *("tools", "does not support", "--jinja", "system", "roles must alternate", "sk-abcdefgh123456", "n_ctx", "9" * 25),
]
VECTORS = [
    '{"data":[',
    '{"index":0,',
    '"embedding":[',
    "1.0",
    "1e308",
    "NaN",
    ",",
    "]}",
    "]",
    '"AACAPw=="',
    '"index":9,',
    "{}",
]


def _events(pieces: list[bytes]) -> list[bytes]:
    events = Events(1 << 12)
    return [one for piece in pieces for one in events.feed(piece)] + events.finish()


@fuzzed(LINES, ["data: a\r\ndata: b\r\n\r\n:x\ndata:c\n\n"], raw=True)
def test_events_are_the_same_however_their_bytes_arrive(data: bytes) -> None:
    whole = _events([data])
    assert _events([data[at : at + 1] for at in range(len(data))]) == whole
    assert sum(map(len, whole)) <= len(data)


@fuzzed(CHUNKS, [WHOLE, '{"error":{"message":"no"}}', "[" * 300], raw=True)
def test_a_chunk_is_read_or_refused_by_one_error(data: bytes) -> None:
    try:
        chunk = with_fields(parse_event(data))
    except NotCompletionsError:
        return
    reply = Reply(Request((Message("user", "a"),), stop=("|>",)))
    shown = reply.feed(chunk) + reply.flush()
    assert isinstance(shown, str)
    finished = reply.finish(counter_for("gpt-4o"))
    assert all(call.name for call in finished.tool_calls)


@fuzzed(["|>", "|", ">", "<|", "a", "\n\n", "|>|>"], ["a|", "|>a"])
def test_a_stop_sequence_is_cut_out_however_it_arrives(text: str) -> None:
    cutter = StopCutter(["|>", "\n\nUser:"])
    shown = "".join(map(cutter.feed, text)) + cutter.flush()
    assert shown == min(text.split("|>", maxsplit=1)[0], text.split("\n\nUser:", maxsplit=1)[0], key=len)


@fuzzed(CALLS, ['<tool_call>{"name":"search","arguments":{"query":"a"}}</tool_call>'])
def test_a_call_in_text_is_a_call_or_text_that_is_shown_whole(text: str) -> None:
    calls = WrittenCallFilter(["search"])
    shown = "".join(map(calls.feed, text))
    rest, found = calls.finish()
    assert found or shown + rest == text
    assert all(one.name == "search" for one in found)
    asked = call_of("1", "search", text)
    assert asked.problem or isinstance(asked.arguments, dict)


@fuzzed(["<think>", "</think>", "<", "think", "a", "\n", "<think"], ["<think>a</think>b"])
def test_thinking_is_no_part_of_what_is_shown(text: str) -> None:
    whole, piecemeal = ThoughtFilter(), ThoughtFilter()
    assert whole.feed(text) + whole.finish() == "".join(map(piecemeal.feed, text)) + piecemeal.finish()


@fuzzed(ERRORS, [f"{ERRORS[0]}. However, {ERRORS[1]}", "8sk-abcdefgh1 is no key"])
def test_a_servers_words_are_one_clean_sentence(text: str) -> None:
    endpoint = Endpoint("http://127.0.0.1:1/v1", "tiny", key="sk-abcdefgh123456")
    read_overflow(text, {"code": text, "n_ctx": text})
    for status in (400, 401, 404, 429, 500):
        error = endpoint.refusal_error(status, text, {"param": text, "code": text}, None)
        assert isinstance(error, UpstreamError)
        assert "\n" not in str(error)
        assert "sk-abcdefgh" not in str(error)
        assert len(str(error)) < 1_000


@fuzzed(
    ["Sun, ", "06 Nov ", "1994 ", "08:49:37", " GMT", "9" * 12, "-", "+", ".", "e", "nan", "inf", "1"], ["1e9", "nan"]
)
def test_how_long_to_wait_is_a_number_or_nothing(text: str) -> None:
    for name in ("retry-after", "retry-after-ms", "x-ratelimit-reset-requests"):
        wait = read_retry_after({name: text}, now=0.0)
        assert wait is None or 0 <= wait < float("inf")


@fuzzed(VECTORS, ['{"data":[{"index":0,"embedding":[1.0,2.0]}]}'])
def test_vectors_are_of_length_one_or_refused(text: str) -> None:
    try:
        answer = json.loads(text)
    except ValueError:
        return
    read_tokens(answer)
    try:
        vectors = read_vectors(answer, 1)
    except NoVectorsError:
        return
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors[0]) == pytest.approx(1, abs=1e-3) or not vectors.any()


@fuzzed(
    [
        '{"jsonrpc":"2.0",',
        '"id":1,',
        '"id":true,',
        '"method":"initialize"',
        '"params":{',
        '"protocolVersion":',
        "}",
        "[",
    ],
    ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}'],
    raw=True,
)
def test_a_line_of_the_mcp_is_a_request_or_none(data: bytes) -> None:
    request = read_request(data)
    if request is not None:
        assert request.method is not None
        version_opened(request)
