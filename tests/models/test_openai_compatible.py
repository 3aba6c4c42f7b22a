"""Our client against the scripted server, in the habits of each real one."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from quaestor.errors import UpstreamError, UsageError
from quaestor.messages import Message, ToolCall
from quaestor.models import Finished, Request, TextDelta
from quaestor.models.capabilities import Capabilities
from quaestor.models.failures import HungUpError, StreamCutError, TooLongError
from quaestor.models.openai_compatible import OpenAICompatibleModel
from quaestor.models.retries import RetryPolicy
from scripted_server import STYLES, Call, Recorded, Reply, in_pieces

Start = Callable[..., Any]
KEY = "sk-very-secret-0123456789"
ASK = Request((Message("system", "Be brief."), Message("user", "Where is it?")))


def model_for(server: Any, name: str = "tiny", **settings: Any) -> OpenAICompatibleModel:
    async def no_sleep(seconds: float) -> None:
        slept.append(seconds)

    slept: list[float] = []
    model = OpenAICompatibleModel(
        name, base_url=server.base_url, api_key=KEY, retries=RetryPolicy(sleep=no_sleep), **settings
    )
    model.slept = slept  # type: ignore[attr-defined]
    return model


class Answer:
    """Everything that one request yields."""

    def __init__(self) -> None:
        self.text = ""
        self.finished: Finished | None = None
        self.error: UpstreamError | None = None

    @property
    def end(self) -> Finished:
        assert self.error is None
        assert self.finished is not None
        return self.finished


def ask(model: OpenAICompatibleModel, request: Request = ASK) -> Answer:
    async def run() -> Answer:
        answer = Answer()
        try:
            async for delta in model.stream(request):
                assert answer.finished is None, "nothing follows the end"
                if isinstance(delta, TextDelta):
                    assert delta.text
                    answer.text += delta.text
                else:
                    answer.finished = delta
        except UpstreamError as error:
            answer.error = error
        await model.aclose()
        return answer

    return asyncio.run(run())


def sentence(answer: Answer) -> str:
    assert answer.error is not None
    message = str(answer.error)
    assert KEY not in message
    assert "\n" not in message
    return message


@pytest.mark.parametrize("style", STYLES)
def test_text_and_usage(scripted_server: Start, style: str) -> None:
    server = scripted_server(["It is in `retry.py`."], style=style)
    answer = ask(model_for(server))
    assert answer.text == "It is in `retry.py`."
    assert answer.end.reason == "stop"
    assert answer.end.model == "tiny"
    assert answer.end.usage is not None
    assert answer.end.usage.reported is STYLES[style].stream_usage
    assert answer.end.usage.completion_tokens > 4
    assert answer.end.usage.prompt_tokens >= server.requests[0].prompt_tokens
    [request] = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Where is it?"},
    ]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_stop_sequence_is_never_shown(scripted_server: Start, style: str, size: int) -> None:
    text = "Let me look. <|search query={'|'}|> and on it goes"
    server = scripted_server([Reply(pieces=in_pieces(text, size))], style=style)
    answer = ask(model_for(server), Request(ASK.messages, stop=("|>", "<|end")))
    assert answer.text == "Let me look. <|search query={'|'}"
    assert answer.end.reason == "stop"
    assert answer.end.stop_sequence in ("|>", None)
    assert (answer.end.stop_sequence == "|>") is STYLES[style].keeps_stop


def test_server_that_ignores_stop_is_hung_up_on(scripted_server: Start) -> None:
    text = "one <stop> " + "two " * 2000
    server = scripted_server([Reply(pieces=in_pieces(text, 4), events=None)])
    server.style = STYLES["transformers_serve"]
    model = OpenAICompatibleModel("o3", base_url=server.base_url)  # its dialect sends no stop
    server.models = ("o3",)
    answer = ask(model, Request(ASK.messages, stop=("<stop>",)))
    assert answer.text == "one "
    assert answer.end.stop_sequence == "<stop>"
    assert "stop" not in server.requests[0].body
    assert "temperature" not in server.requests[0].body


def test_held_back_start_of_a_stop_sequence_is_given_at_the_end(scripted_server: Start) -> None:
    server = scripted_server([Reply(pieces=["a <", "|"])])
    assert ask(model_for(server), Request(ASK.messages, stop=("<|end|>",))).text == "a <|"


@pytest.mark.parametrize("style", ["openai", "vllm", "transformers_serve"])
def test_tool_calls_in_deltas(scripted_server: Start, style: str) -> None:
    calls = [Call("search", ['{"qu', 'ery": "lo', 'gin"}'], "a"), Call("read", ["{}"], "b")]
    server = scripted_server([Reply(calls=calls)], style=style)
    tool: dict[str, object] = {"type": "function", "function": {"name": "search", "parameters": {}}}
    answer = ask(model_for(server), Request(ASK.messages, tools=(tool,)))
    assert answer.end.reason == "tool_calls"
    assert answer.end.tool_calls == (ToolCall("a", "search", '{"query": "login"}'), ToolCall("b", "read", "{}"))
    assert server.requests[0].body["tools"] == [tool]


def test_tool_call_as_text_stays_text(scripted_server: Start) -> None:
    server = scripted_server([Reply(calls=[Call("search", ['{"query": "x"}'])])], style="llama_server")
    answer = ask(model_for(server))
    assert json.loads(answer.text)["name"] == "search"
    assert answer.end.tool_calls == ()


def test_tool_messages_on_the_wire(scripted_server: Start) -> None:
    server = scripted_server(["ok"])
    messages = (
        Message("user", "go"),
        Message("assistant", "", tool_calls=(ToolCall("a", "search", "{}"),)),
        Message("tool", "found", tool_call_id="a"),
        Message("system", "like this", name="example_user"),
    )
    ask(model_for(server), Request(messages))
    assert server.requests[0].messages[1:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "search", "arguments": "{}"}}],
        },
        {"role": "tool", "content": "found", "tool_call_id": "a"},
        {"role": "system", "content": "like this", "name": "example_user"},
    ]


@pytest.mark.parametrize("style", STYLES)
def test_too_long(scripted_server: Start, style: str) -> None:
    server = scripted_server(style=style, window=100)
    answer = ask(model_for(server), Request((Message("user", "word " * 300),)))
    assert isinstance(answer.error, TooLongError)
    assert not answer.error.retryable
    assert "too long" in sentence(answer)
    if STYLES[style].overflow != "empty":
        assert answer.error.limit == 100
        assert answer.error.asked == server.requests[0].prompt_tokens
    assert len(server.requests) == (2 if STYLES[style].silent else 1)


def test_a_stream_in_which_nothing_was_is_asked_for_whole(scripted_server: Start) -> None:
    server = scripted_server([Reply(raw=b""), Reply(pieces=["whole"], whole=True)])
    answer = ask(model_for(server))
    assert (answer.text, answer.end.reason) == ("whole", "stop")
    assert "stream" not in server.requests[1].body


def test_reply_limit_beyond_the_window(scripted_server: Start) -> None:
    request = Request(ASK.messages, max_tokens=5000)
    assert isinstance(ask(model_for(scripted_server(style="vllm", window=100)), request).error, TooLongError)
    server = scripted_server(["word " * 300], style="llama_cpp_python", window=100)
    assert ask(model_for(server), request).end.reason == "length"


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


def test_no_done_mark_is_no_cut(scripted_server: Start) -> None:
    assert ask(model_for(scripted_server(["fine"], style="transformers_serve"))).end.reason == "stop"


@pytest.mark.parametrize("style", ["llama_cpp_python", "transformers_serve"])
def test_reset_after_a_500(scripted_server: Start, style: str) -> None:
    server = scripted_server([Reply(status=500), "back"], style=style)
    assert ask(model_for(server)).text == "back"


def test_pooled_connection_that_is_reset_after_a_500(scripted_server: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    # As over https, where connections are kept.
    monkeypatch.setattr("quaestor.models.openai_compatible.headers_for", lambda endpoint: {})
    server = scripted_server([Reply(status=500), "back"], style="transformers_serve")
    model = model_for(server)

    async def run() -> str:
        parts = [delta.text async for delta in model.stream(ASK) if isinstance(delta, TextDelta)]
        await model.aclose()
        return "".join(parts)

    assert asyncio.run(run()) == "back"
    assert model.slept == [0.5, 1.0]  # type: ignore[attr-defined] # the 500, then the reset


def test_parallel_streams_of_a_server_for_one(scripted_server: Start) -> None:
    server = scripted_server([Reply(pieces=["a"] * 30, pause=0.02)], style="llama_cpp_python")

    async def one(model: OpenAICompatibleModel) -> str:
        text = ""
        async for delta in model.stream(ASK):
            text += delta.text if isinstance(delta, TextDelta) else ""
        return text

    async def run() -> list[Any]:
        model = OpenAICompatibleModel("tiny", base_url=server.base_url, retries=RetryPolicy(retries=0))
        return await asyncio.gather(*(one(model) for _ in range(8)), return_exceptions=True)

    results = asyncio.run(run())
    assert [result for result in results if isinstance(result, str)] == ["a" * 30]
    assert sum(isinstance(result, StreamCutError | HungUpError) for result in results) == 7


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


def test_without_a_key_none_is_sent(scripted_server: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    server = scripted_server([Reply(status=401)])
    model = OpenAICompatibleModel("tiny", base_url=server.base_url)
    assert "no key was sent" in sentence(ask(model))
    assert "authorization" not in server.requests[0].headers
    assert "openai-organization" not in server.requests[0].headers


def test_redirects_are_not_followed(scripted_server: Start) -> None:
    elsewhere = scripted_server()
    server = scripted_server([Reply(status=307, headers={"location": f"{elsewhere.base_url}/chat/completions"})])
    assert "redirects" in sentence(ask(model_for(server)))
    assert elsewhere.requests == []


def test_proxies_of_the_environment_are_not_used(scripted_server: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = scripted_server()
    monkeypatch.setenv("HTTP_PROXY", proxy.base_url)
    monkeypatch.setenv("ALL_PROXY", proxy.base_url)
    server = scripted_server(["direct"])
    assert ask(model_for(server)).text == "direct"
    assert proxy.requests == []


def test_nobody_there(scripted_server: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    model = OpenAICompatibleModel("tiny", base_url="http://user:pass@127.0.0.1:1/v1", api_key=KEY)
    started = time.perf_counter()
    answer = ask(model)
    assert time.perf_counter() - started < 5
    message = sentence(answer)
    assert "'http://127.0.0.1:1/v1'" in message
    assert "start the server" in message
    assert "proxies from the environment are not used" in message
    assert "pass" not in message
    assert KEY not in repr(model)
    assert answer.error is not None
    assert answer.error.retryable


def test_silence(scripted_server: Start) -> None:
    server = scripted_server([Reply(pieces=["late"], delay=1.0)])
    answer = ask(model_for(server, timeout=0.3))
    assert "sent nothing for 0.3 seconds" in sentence(answer)
    assert len(server.requests) == 1


def test_silence_in_the_middle(scripted_server: Start) -> None:
    server = scripted_server([Reply(pieces=["one ", "two"], pause=0.6)])
    answer = ask(model_for(server, timeout=0.9))
    assert answer.text == "one two"
    server.script = [Reply(events=[]), Reply(pieces=["never"])]
    late = scripted_server([Reply(pieces=["one ", "two"], pause=0.5)])
    answer = ask(model_for(late, timeout=0.3))
    assert "sent nothing" in sentence(answer)


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


@pytest.mark.parametrize(
    "choice",
    [{"delta": None}, {"delta": {"content": 7}}, {"delta": {"content": None, "tool_calls": [None, 3, {}]}}, {}, None],
)
def test_strange_fields_are_survived(scripted_server: Start, choice: Any) -> None:
    end = {"choices": [{"index": 0, "delta": {"content": "fine"}, "finish_reason": "stop"}], "usage": {"a": 1}}
    answer = ask(model_for(scripted_server([Reply(events=[json.dumps({"choices": [choice]}), json.dumps(end)])])))
    assert answer.text == "fine"
    assert answer.end.usage is not None
    assert not answer.end.usage.reported


def test_error_inside_a_stream(scripted_server: Start) -> None:
    event = json.dumps({"error": {"message": "CUDA out of memory", "code": 500}})
    answer = ask(model_for(scripted_server([Reply(events=[event])])))
    assert "CUDA out of memory" in sentence(answer)
    assert answer.error is not None
    assert answer.error.retryable
    event = json.dumps({"error": {"message": "request (90 tokens) exceeds the available context size (64 tokens)"}})
    answer = ask(model_for(scripted_server([Reply(events=[event])])))
    assert isinstance(answer.error, TooLongError)
    assert (answer.error.limit, answer.error.asked) == (64, 90)


def test_server_that_does_not_stream(scripted_server: Start) -> None:
    server = scripted_server([Reply(pieces=["all ", "at once"], calls=[Call("search", ["{}"])], whole=True)])
    answer = ask(model_for(server))
    assert answer.text == "all at once"
    assert answer.end.tool_calls == (ToolCall("call_1", "search", "{}"),)
    assert answer.end.usage is not None
    assert answer.end.usage.reported


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        ("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model."),
        ("temperature", "Unsupported value: 'temperature' does not support 0.1 with this model."),
        ("stream_options", "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs'}]"),
        ("stop", "Unsupported parameter: 'stop' is not supported with this model."),
        ("continue_final_message", "Unrecognized request argument supplied: continue_final_message"),
    ],
)
def test_refused_parameters_are_left_out_once_and_remembered(
    scripted_server: Start, refused: str, message: str
) -> None:
    def script(request: Recorded) -> Reply | str:
        return Reply(status=400, error=message) if refused in request.body else "taken"

    server = scripted_server(script)
    model = model_for(server, capabilities=Capabilities(continues_assistant=True))
    partial = (*ASK.messages, Message("assistant", "It is"))
    request = Request(partial, stop=("END",), max_tokens=50)
    assert ask(model, request).text == "taken"
    assert ask(model, request).text == "taken"
    assert len(server.requests) == 3
    assert (server.requests[-1].body.get("max_completion_tokens") == 50) is (refused == "max_tokens")


def test_refusal_that_does_not_end(scripted_server: Start) -> None:
    server = scripted_server([Reply(status=400, error="Unsupported parameter: 'temperature' is not supported")])
    assert "refused" in sentence(ask(model_for(server)))
    assert len(server.requests) == 2


def test_abandoned_stream_closes_the_connection(scripted_server: Start) -> None:
    server = scripted_server([Reply(pieces=["a"] * 200, pause=0.01)])

    async def run() -> None:
        deltas = model_for(server).stream(ASK)
        async for _ in deltas:
            break
        await deltas.aclose()  # type: ignore[attr-defined]

    asyncio.run(run())


def test_cancellation_ends_the_request(scripted_server: Start) -> None:
    server = scripted_server([Reply(pieces=["a"] * 500, pause=0.02)])

    async def run() -> None:
        task = asyncio.ensure_future(_all(model_for(server)))
        await asyncio.sleep(0.4)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    started = time.perf_counter()
    asyncio.run(run())
    assert time.perf_counter() - started < 5


async def _all(model: OpenAICompatibleModel) -> list[Any]:
    return [delta async for delta in model.stream(ASK)]


@pytest.mark.parametrize("base_url", ["ftp://x/v1", "localhost:8080", "file:///etc/passwd", "http://"])
def test_bad_base_url(base_url: str) -> None:
    with pytest.raises(UsageError, match="base_url"):
        OpenAICompatibleModel("tiny", base_url=base_url)


def test_openai_is_imported_late() -> None:
    code = (
        "import sys, quaestor.models.openai_compatible; sys.exit('openai' in sys.modules or 'tiktoken' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
