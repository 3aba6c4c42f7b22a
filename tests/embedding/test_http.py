"""Embedding over a real socket: the wire, its faults, and what every request is held to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quaestor.core.config import Settings
from quaestor.core.errors import BudgetError, IndexUnusableError, UpstreamError, UsageError
from quaestor.embedding.http import name_of
from quaestor.embedding.remote import Allowance
from quaestor.embedding.requests_and_replies import RequestLimits
from quaestor.llm.tokens import tokenizer_for
from servers.embedder import MODEL, embedder_of, on_record, sent
from servers.script import Recorded, Reply
from servers.scripted import ScriptedServer
from servers.vectors import embed, embeddings_object

ALL = Allowance(None)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running
    assert not running.failures


def failing(*replies: Reply | dict[str, Any] | None) -> Any:
    """Return a script that gives replies in order and then vectors."""
    left = list(replies)
    lock = threading.Lock()

    def script(_request: Recorded) -> Reply | dict[str, Any] | None:
        with lock:
            return left.pop(0) if left else None

    return script


def test_vectors_come_in_the_order_of_the_texts_and_are_unit_long(server: ScriptedServer, tmp_path: Path) -> None:
    texts = ["read the file", "write the file", "  ", "close it"]
    vectors = embedder_of(server, tmp_path).encode(texts)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [embed(text) for text in texts], atol=1e-6)
    assert sent(server) == ["read the file", "write the file", "close it"], "a text that says nothing is not sent"
    assert server.requests[0].path == "/v1/embeddings"
    assert server.requests[0].body["model"] == MODEL


def test_no_key_is_sent_where_there_is_none(server: ScriptedServer, tmp_path: Path) -> None:
    embedder_of(server, tmp_path).encode(["a"])
    embedder_of(server, tmp_path, api_key="sk-secret").encode(["a"])
    assert "authorization" not in server.requests[0].headers
    assert server.requests[1].headers["authorization"] == "Bearer sk-secret"


def test_the_last_queries_are_remembered(server: ScriptedServer, tmp_path: Path) -> None:
    embedder = embedder_of(server, tmp_path)
    first = embedder.encode(["where is it", "and why"])
    again = embedder.encode(["and why", "where is it", "who"])
    assert sent(server) == ["where is it", "and why", "who"]
    np.testing.assert_array_equal(again[:2], first[::-1])


def test_many_texts_go_in_requests_of_bounded_size_several_at_once(server: ScriptedServer, tmp_path: Path) -> None:
    barrier = threading.Barrier(4, timeout=600)

    def script(_request: Recorded) -> None:
        barrier.wait()  # four requests are under way at once, or the barrier breaks

    server.embeddings = script
    texts = [f"text number {number}" for number in range(40)]
    encoded = embedder_of(server, tmp_path, limits=RequestLimits(texts=10)).encode_within(texts, ALL)
    assert encoded.failure is None
    assert encoded.done.all()
    assert [len(request.body["input"]) for request in server.requests] == [10] * 4
    np.testing.assert_allclose(encoded.vectors, [embed(text) for text in texts], atol=1e-6)


def test_requests_are_bounded_by_tokens_too(server: ScriptedServer, tmp_path: Path) -> None:
    embedder_of(server, tmp_path, limits=RequestLimits(tokens=10)).encode_within(["one two three four five"] * 4, ALL)
    assert sorted(request.prompt_tokens for request in server.requests) == [10, 10]


def test_what_the_server_reports_is_settled(server: ScriptedServer, tmp_path: Path) -> None:
    embedder = embedder_of(server, tmp_path)
    server.embeddings = lambda request: embeddings_object(request.body, 7)
    embedder.encode(["where is the file"])
    row = on_record(tmp_path)
    assert (row.requests, row.prompt_tokens, row.completion_tokens, row.cost, row.counted) == (1, 7, 0, 7, 0)


def test_without_a_report_it_is_counted_here(server: ScriptedServer, tmp_path: Path) -> None:
    server.embeddings = lambda request: {"data": embeddings_object(request.body, 7)["data"]}
    embedder_of(server, tmp_path).encode(["where is the file"])
    row = on_record(tmp_path)
    assert (row.prompt_tokens, row.counted) == (tokenizer_for(MODEL).count("where is the file"), 1)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again_after_the_time_that_it_wants(
    server: ScriptedServer, tmp_path: Path, status: int
) -> None:
    server.embeddings = failing(Reply(status=status, headers={"retry-after": "0"}), None)
    encoded = embedder_of(server, tmp_path).encode_within(["a text"], ALL)
    assert encoded.done.all()
    row = on_record(tmp_path)
    assert (row.requests, row.prompt_tokens) == (2, 2), "each try is on record, and the refused one at nothing"


def test_a_server_that_wants_longer_than_anybody_waits_is_given_up(server: ScriptedServer, tmp_path: Path) -> None:
    server.embeddings = lambda _: Reply(status=429, headers={"retry-after": "3600"})
    encoded = embedder_of(server, tmp_path).encode_within(["a text"], ALL)
    assert isinstance(encoded.failure, UpstreamError)
    assert encoded.failure.retry_after == 3600
    assert len(server.requests) == 1
    assert on_record(tmp_path).cost == 0


def test_a_connection_that_is_reset_may_have_cost_what_was_sent(server: ScriptedServer, tmp_path: Path) -> None:
    server.embeddings = failing(Reply(status=500, reset=True))
    assert embedder_of(server, tmp_path).encode_within(["a text"], ALL).done.all()
    row = on_record(tmp_path)
    assert (row.requests, row.cost) == (2, 4)


def test_nobody_listening_costs_nothing(tmp_path: Path) -> None:
    with ScriptedServer() as gone:
        address = gone.base_url
    embedder = embedder_of(gone, tmp_path, base_url=address)
    with pytest.raises(UpstreamError, match="cannot connect"):
        embedder.encode(["a text"])
    assert on_record(tmp_path).cost == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"data": []},
        {"data": [{"index": 0, "embedding": [1.0, 0.0]}, {"index": 1, "embedding": [1.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": [1.0, float("nan")]}]},
        {"data": [{"index": 0, "embedding": [float("inf"), 1.0]}]},
        {"data": [{"index": 3, "embedding": [1.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": [[1.0, 0.0], [0.0, 1.0]]}]},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": "not base64!"}]},
        {"data": [{"index": 0, "embedding": [1.0, None]}]},
        {"data": [{"index": 0}]},
        {"data": "none"},
        {"object": "list"},
    ],
)
def test_answers_that_are_not_what_was_asked_for_are_refused(
    server: ScriptedServer, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    server.embeddings = lambda _: {**wrong, "usage": {"prompt_tokens": 2}}
    with pytest.raises(UpstreamError, match="did not answer in the form of OpenAI's embeddings"):
        embedder_of(server, tmp_path).encode(["a text"])
    assert on_record(tmp_path).cost == 2, "it was charged all the same"


def test_other_dimensions_than_before_are_refused(server: ScriptedServer, tmp_path: Path) -> None:
    embedder = embedder_of(server, tmp_path)
    assert embedder.dimensions == 32
    server.dimensions = 48
    with pytest.raises(IndexUnusableError, match=r"48 dimensions.*32 before.*--rebuild"):
        embedder.encode(["a text"])


def test_a_server_that_knows_no_base64_sends_numbers(server: ScriptedServer, tmp_path: Path) -> None:
    def script(request: Recorded) -> Reply | None:
        refused = "encoding_format" in request.body
        return Reply(status=422, error="extra fields not permitted: encoding_format") if refused else None

    server.embeddings = script
    embedder = embedder_of(server, tmp_path)
    np.testing.assert_allclose(embedder.encode(["a text"]), [embed("a text")], atol=1e-6)
    embedder.encode(["another"])
    assert len(server.requests) == 3, "it is told once"


@pytest.mark.parametrize(
    "said",
    [
        "batch size 8 > maximum allowed batch size 4",
        "Invalid 'input': array too long. Expected an array with maximum length 4, but got 8 instead.",
    ],
)
def test_fewer_texts_are_sent_to_a_server_that_refuses_so_many(
    server: ScriptedServer, tmp_path: Path, said: str
) -> None:
    def script(request: Recorded) -> Reply | None:
        return Reply(status=422, error=said) if len(request.body["input"]) > 4 else None

    server.embeddings = script
    embedder = embedder_of(server, tmp_path)
    texts = [f"text {number}" for number in range(8)]
    encoded = embedder.encode_within(texts, ALL)
    assert encoded.done.all()
    np.testing.assert_allclose(encoded.vectors, [embed(text) for text in texts], atol=1e-6)
    before = len(server.requests)
    assert embedder.encode_within([f"more {number}" for number in range(8)], ALL).done.all()
    assert [len(request.body["input"]) for request in server.requests[before:]] == [4, 4]


def test_a_text_longer_than_the_model_reads_is_cut_to_it(server: ScriptedServer, tmp_path: Path) -> None:
    long = "word " * 9000
    encoded = embedder_of(server, tmp_path).encode_within([long, "short"], ALL)
    assert encoded.cut == 1
    count = tokenizer_for(MODEL).count
    lengths = sorted(count(text) for text in sent(server))
    assert lengths[-1] <= 8191
    assert lengths[-1] > 8100
    assert long.startswith(max(sent(server), key=len))


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (500, "input (# tokens) is too large to process. increase the physical batch size (current batch size: 20)"),
        (500, "input is too large to process. increase the physical batch size"),
        (413, "`inputs` must have less than 20 tokens. Given: #"),
        (400, "This model's maximum context length is 20 tokens. However, you requested # tokens in the input."),
    ],
)
def test_the_limit_of_a_model_is_learned_from_its_refusal(
    server: ScriptedServer, tmp_path: Path, status: int, said: str
) -> None:
    count = tokenizer_for(MODEL).count

    def script(request: Recorded) -> Reply | None:
        longest = max(map(count, request.body["input"]))
        return Reply(status=status, error=said.replace("#", str(longest))) if longest > 20 else None

    server.embeddings = script
    encoded = embedder_of(server, tmp_path, limits=RequestLimits()).encode_within(["word " * 100, "short"], ALL)
    assert encoded.failure is None
    assert (encoded.done.all(), encoded.cut) == (True, 1)
    assert sent(server)[-1] == "short"


def test_an_allowance_is_never_passed_and_what_was_paid_for_is_there(server: ScriptedServer, tmp_path: Path) -> None:
    texts = [f"one two three {number}" for number in range(40)]
    each = tokenizer_for(MODEL).count(texts[0])
    allowance = Allowance(10 * each)
    encoded = embedder_of(server, tmp_path, limits=RequestLimits(texts=3)).encode_within(texts, allowance)
    assert isinstance(encoded.failure, BudgetError)
    assert 0 < encoded.done.sum() <= 10
    assert len(sent(server)) == encoded.done.sum(), "what was sent came back, and no more was sent"
    assert on_record(tmp_path).cost == allowance.spent <= 10 * each
    for row, done, text in zip(encoded.vectors, encoded.done, texts, strict=True):
        np.testing.assert_allclose(row, embed(text) if done else np.zeros(32), atol=1e-6)


def test_without_a_price_no_bound_can_be_held(server: ScriptedServer, tmp_path: Path) -> None:
    embedder = embedder_of(server, tmp_path, price=None)
    refused = embedder.encode_within(["a text"], Allowance(1_000_000))
    assert isinstance(refused.failure, BudgetError)
    assert "--price" in str(refused.failure)
    assert not server.requests
    assert embedder.encode_within(["a text"], ALL).done.all()


def test_what_is_free_needs_no_allowance(server: ScriptedServer, tmp_path: Path) -> None:
    assert embedder_of(server, tmp_path, price="0").encode_within(["a text"], Allowance(0)).done.all()


def test_the_limits_of_the_accounts_hold(server: ScriptedServer, tmp_path: Path) -> None:
    embedder = embedder_of(server, tmp_path, settings=Settings(limit_day_tokens=5))
    embedder.encode(["a text"])
    with pytest.raises(BudgetError, match="limit_day_tokens"):
        embedder.encode(["another text that is longer"])
    assert len(server.requests) == 1


def test_a_limit_on_money_needs_a_price(server: ScriptedServer, tmp_path: Path) -> None:
    embedder = embedder_of(server, tmp_path, price=None, settings=Settings(limit_day_cost=1.0))
    with pytest.raises(UsageError, match=MODEL):
        embedder.encode(["a text"])


def test_after_a_failure_nothing_more_is_sent(server: ScriptedServer, tmp_path: Path) -> None:
    server.embeddings = failing(None, Reply(status=401, error="no such key"))
    embedder = embedder_of(server, tmp_path, limits=RequestLimits(texts=1))
    encoded = embedder.encode_within([f"text {number}" for number in range(400)], ALL)
    assert isinstance(encoded.failure, UpstreamError)
    # How many others are answered before the refusal has been read is up to the machine; without an end it is all.
    assert len(server.requests) < 200
    assert encoded.done.sum() == len(server.requests) - 1


def test_names_tell_the_server_where_it_is_not_openais_own() -> None:
    assert name_of("m") == name_of("m", "https://api.openai.com/v1/") == "openai:m"
    assert name_of("m", "http://me:secret@127.0.0.1:8080/v1/") == "openai:m at http://127.0.0.1:8080/v1"


def test_an_address_that_is_none_is_refused(server: ScriptedServer, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'localhost:8080'"):
        embedder_of(server, tmp_path, base_url="localhost:8080")
