"""What our client makes of servers that fail: too long, cut off, silent, busy, talking nonsense."""

from __future__ import annotations

import asyncio
import json
import shutil
import ssl
from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from wire_parts import ASK, KEY, Answer, Start, ask, follow, model_for, sentence

from quaestor.core.messages import Message
from quaestor.llm.endpoints.failures import HungUpError, StreamCutError, TooLongError
from quaestor.llm.models import Request, TextDelta
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from scripted_server import STYLES, Recorded, Reply, endless, in_pieces
from servers.certificates import write_certificate
from servers.turned_loop import TurnedLoop


@pytest.mark.parametrize("style", STYLES)
def test_too_long(scripted_server: Start, style: str) -> None:
    server = scripted_server(style=style, window=100)
    answer = ask(model_for(server), Request((Message("user", "word " * 300),)))
    assert isinstance(answer.error, TooLongError)
    assert not answer.error.retryable
    assert "too long" in sentence(answer)
    if STYLES[style].overflow != "empty":
        assert answer.error.limit == 100
        assert answer.error.request_tokens == server.requests[0].prompt_tokens
    assert len(server.requests) == (2 if STYLES[style].silent else 1)


def test_a_stream_in_which_nothing_was_is_asked_for_whole(scripted_server: Start) -> None:
    server = scripted_server([Reply(raw=b""), Reply(pieces=["whole"], whole=True)])
    answer = ask(model_for(server))
    assert (answer.text, answer.end.reason) == ("whole", "stop")
    assert "stream" not in server.requests[1].body


def test_length_after_text_is_no_overflow(scripted_server: Start) -> None:
    answer = ask(model_for(scripted_server(["word " * 50])), Request(ASK.messages, max_tokens=10))
    assert answer.end.reason == "length"
    assert answer.text.split() == ["word"] * 10


def test_reasoning_that_used_all_room_is_no_overflow(scripted_server: Start) -> None:
    delta = {"choices": [{"index": 0, "delta": {"reasoning_content": "hm"}, "finish_reason": "length"}]}
    answer = ask(model_for(scripted_server([Reply(events=[json.dumps(delta)])])))
    assert answer.end.reason == "length"


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("style", STYLES)
def test_cut_in_the_middle_keeps_what_arrived(scripted_server: Start, style: str, reset: bool) -> None:
    server = scripted_server([Reply(pieces=in_pieces("one two three four"), cut_after=3, reset=reset, pause=0.02)])
    server.style = STYLES[style]
    answer = ask(model_for(server), Request(ASK.messages, stop=("tomorrow",)))
    assert isinstance(answer.error, StreamCutError)
    assert answer.error.retryable
    assert answer.text == "one two thre"
    assert answer.error.received in ("one two thre", "one two ")  # a reset may overtake the end
    assert "cut" in sentence(answer)
    assert len(server.requests) == 1, "a reply that was begun is not asked for again"


def test_cut_before_any_text_is_retried(scripted_server: Start) -> None:
    server = scripted_server([Reply(pieces=["x"], cut_after=0), Reply(pieces=["x"], cut_after=0, reset=True), "whole"])
    model = model_for(server)
    assert ask(model).text == "whole"
    assert model.slept == [0.5, 1.0]  # type: ignore[attr-defined]


def test_cut_before_any_text_gives_up(scripted_server: Start) -> None:
    server = scripted_server([Reply(pieces=["x"], cut_after=0)])
    answer = ask(model_for(server))
    assert isinstance(answer.error, HungUpError)
    assert "closed the connection" in sentence(answer)
    assert len(server.requests) == 3


@pytest.mark.parametrize("style", ["llama_cpp_python", "transformers_serve"])
def test_reset_after_a_500(scripted_server: Start, style: str) -> None:
    server = scripted_server([Reply(status=500), "back"], style=style)
    assert ask(model_for(server)).text == "back"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for this machine's address with its key, in one file."""
    return write_certificate(tmp_path_factory.mktemp("tls"), "localhost", "IP:127.0.0.1")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_pooled_connection_that_is_reset_after_a_500(
    scripted_server: Start, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))  # over https connections are kept
    server = scripted_server([Reply(status=500), "back"], style="transformers_serve")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.listening.socket = context.wrap_socket(server.listening.socket, server_side=True)
    model = model_for(SimpleNamespace(base_url=server.base_url.replace("http:", "https:")))

    async def run() -> str:
        parts = [delta.text async for delta in model.stream(ASK) if isinstance(delta, TextDelta)]
        await model.aclose()
        return "".join(parts)

    assert asyncio.run(run()) == "back"
    assert model.slept == [0.5, 1.0]  # type: ignore[attr-defined] # the 500, then the reset


def test_429_waits_as_told(scripted_server: Start) -> None:
    server = scripted_server([Reply(status=429, headers={"retry-after": "7"}), "at last"])
    model = model_for(server)
    assert ask(model).text == "at last"
    assert model.slept == [7.0]  # type: ignore[attr-defined]


def test_429_that_asks_for_too_much_is_told(scripted_server: Start) -> None:
    server = scripted_server([Reply(status=429, headers={"retry-after": "3600"})])
    answer = ask(model_for(server))
    assert answer.error is not None
    assert (answer.error.retryable, answer.error.retry_after, answer.error.status) == (True, 3600.0, 429)
    assert "in 3600 seconds" in sentence(answer)
    assert len(server.requests) == 1


def test_no_credit_is_final(scripted_server: Start) -> None:
    error = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    server = scripted_server([Reply(status=429, error=error)])
    answer = ask(model_for(server))
    assert answer.error is not None
    assert not answer.error.retryable
    assert "no credit" in sentence(answer)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "words", "requests"),
    [
        (401, "OPENAI_API_KEY", 1),
        (403, "OPENAI_API_KEY", 1),
        (404, "model's name", 1),
        (400, "refused", 1),
        (422, "refused", 1),
        (500, "its log", 3),
        (503, "its log", 3),
    ],
)
def test_statuses(scripted_server: Start, status: int, words: str, requests: int) -> None:
    server = scripted_server([Reply(status=status, error=f"bad {KEY}\nkey sk-other-123456789 given")])
    answer = ask(model_for(server))
    message = sentence(answer)
    assert words in message
    assert repr(server.base_url) in message
    assert "'tiny'" in message
    assert "sk-other" not in message
    assert answer.error is not None
    assert answer.error.status == status
    assert answer.error.retryable is (status >= 500)
    assert len(server.requests) == requests


def test_nobody_there(scripted_server: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    model = OpenAICompatibleModel("tiny", base_url="http://user:pass@127.0.0.1:1/v1", api_key=KEY)
    answer = ask(model)
    message = sentence(answer)
    assert "'http://127.0.0.1:1/v1'" in message
    assert "start the server" in message
    assert "proxies from the environment are not used" in message
    assert "pass" not in message
    assert KEY not in repr(model)
    assert answer.error is not None
    assert answer.error.retryable


Step = tuple[Callable[[Answer], object], Callable[[], object]]


def ask_beside(loop: TurnedLoop, model: OpenAICompatibleModel, *steps: Step) -> Answer:
    """Ask. Each step is done when its condition holds, the last again and again until the answer has ended."""
    answer = Answer()

    async def run() -> None:
        asked = asyncio.create_task(follow(model, ASK, answer))
        for holds, do in steps:
            while not holds(answer):
                await asyncio.sleep(0.02)
            do()
        while not asked.done():
            await asyncio.sleep(0.02)
            do()

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(run())
    return answer


def test_silence(scripted_server: Start) -> None:
    server, loop = scripted_server([Reply(silent=True)]), TurnedLoop()
    model = model_for(server, timeout=1200)
    answer = ask_beside(loop, model, (lambda _: server.requests, lambda: loop.turn(1300)))
    assert "sent nothing for 1200 seconds" in sentence(answer)
    assert len(server.requests) == 1


def test_silence_in_the_middle(scripted_server: Start) -> None:
    server, loop = scripted_server([endless("one two")]), TurnedLoop()
    model = model_for(server, timeout=1200)
    answer = ask_beside(loop, model, (lambda heard: heard.text == "one two", lambda: loop.turn(1300)))
    assert "sent nothing" in sentence(answer)


def test_silences_do_not_add_up(scripted_server: Start) -> None:
    may_begin, may_end, loop = Event(), Event(), TurnedLoop()

    def script(_: Recorded) -> Reply:
        assert may_begin.wait(600)
        return Reply(["one two"], may_end=may_end)

    def at(seconds: float, event: Event) -> None:
        loop.turned = seconds
        event.set()

    server = scripted_server(script)
    answer = ask_beside(
        loop,
        model_for(server, timeout=1200),
        (lambda _: server.requests, lambda: at(700, may_begin)),
        (lambda heard: heard.text, lambda: at(1400, may_end)),
    )
    assert (answer.text, answer.error) == ("one two", None)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(raw=b"<html><body>It works!</body></html>", headers={"content-type": "text/html"}),
        Reply(raw=b"data: {not json}\n\n"),
        Reply(raw=b"data: \xff\xfe\n\n"),
        Reply(raw=b"", headers={"content-type": "text/event-stream"}),
        Reply(raw=b"nothing", headers={"content-type": "application/json"}),
        Reply(raw=b"[1, 2]", headers={"content-type": "application/json"}),
        Reply(events=["42"]),
        Reply(events=["null"]),
        Reply(events=["[]"]),
        Reply(events=['{"choices": 5}']),
        Reply(events=['{"object": "list"}', "[DONE]"]),
    ],
)
def test_nonsense(scripted_server: Start, reply: Reply) -> None:
    server = scripted_server([reply])
    answer = ask(model_for(server))
    assert "chat completions" in sentence(answer)
    assert answer.error is not None
    assert not answer.error.retryable
    assert len(server.requests) <= 2, "what sends no event at all is asked once more, without a stream"


def test_nonsense_in_the_middle_keeps_what_arrived(scripted_server: Start) -> None:
    chunk = json.dumps({"choices": [{"index": 0, "delta": {"content": "so far"}, "finish_reason": None}]})
    answer = ask(model_for(scripted_server([Reply(events=[chunk, "{oops"])])))
    assert isinstance(answer.error, StreamCutError)
    assert answer.text == "so far"


def test_error_inside_a_stream(scripted_server: Start) -> None:
    event = json.dumps({"error": {"message": "CUDA out of memory", "code": 500}})
    answer = ask(model_for(scripted_server([Reply(events=[event])])))
    assert "CUDA out of memory" in sentence(answer)
    assert answer.error is not None
    assert answer.error.retryable
    event = json.dumps({"error": {"message": "request (90 tokens) exceeds the available context size (64 tokens)"}})
    answer = ask(model_for(scripted_server([Reply(events=[event])])))
    assert isinstance(answer.error, TooLongError)
    assert (answer.error.limit, answer.error.request_tokens) == (64, 90)
