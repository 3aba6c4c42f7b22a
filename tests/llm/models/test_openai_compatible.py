"""Our client against the scripted server, in the habits of each real one."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from typing import Any

import pytest
from wire_parts import ASK, KEY, Start, ask, model_for, sentence

from quaestor import __version__
from quaestor.core.errors import UsageError
from quaestor.core.messages import Message, ToolCall
from quaestor.llm.endpoints.client import RetryPolicy, async_client
from quaestor.llm.endpoints.failures import Endpoint, HungUpError, StreamCutError, TooLongError
from quaestor.llm.models import Request, TextDelta
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from scripted_server import STYLES, Call, Recorded, Reply, endless, in_pieces


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


def test_reply_limit_beyond_the_window(scripted_server: Start) -> None:
    request = Request(ASK.messages, max_tokens=5000)
    assert isinstance(ask(model_for(scripted_server(style="vllm", window=100)), request).error, TooLongError)
    server = scripted_server(["word " * 300], style="llama_cpp_python", window=100)
    assert ask(model_for(server), request).end.reason == "length"


def test_no_done_mark_is_no_cut(scripted_server: Start) -> None:
    assert ask(model_for(scripted_server(["fine"], style="transformers_serve"))).end.reason == "stop"


def test_parallel_streams_of_a_server_for_one(scripted_server: Start) -> None:
    may_end = threading.Event()
    server = scripted_server([Reply(pieces=["a"] * 30, may_end=may_end)], style="llama_cpp_python")

    async def one(model: OpenAICompatibleModel) -> str:
        text = ""
        async for delta in model.stream(ASK):
            text += delta.text if isinstance(delta, TextDelta) else ""
        return text

    async def run() -> list[Any]:
        model = OpenAICompatibleModel("tiny", base_url=server.base_url, retries=RetryPolicy(retries=0))
        asked = asyncio.gather(*(one(model) for _ in range(8)), return_exceptions=True)
        while server.streams < 8:
            await asyncio.sleep(0.02)
        may_end.set()
        return await asked

    results = asyncio.run(run())
    assert [result for result in results if isinstance(result, str)] == ["a" * 30]
    assert sum(isinstance(result, StreamCutError | HungUpError) for result in results) == 7


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
    server = scripted_server([endless("aa")])

    async def run() -> None:
        deltas = model_for(server).stream(ASK)
        async for _ in deltas:
            break
        await deltas.aclose()  # type: ignore[attr-defined]

    asyncio.run(run())
    assert server.hung_up.wait(600)


def test_cancellation_ends_the_request(scripted_server: Start) -> None:
    server = scripted_server([endless("aa")])

    async def run() -> None:
        begun = asyncio.Event()

        async def listen() -> None:
            async for _ in model_for(server).stream(ASK):
                begun.set()

        task = asyncio.create_task(listen())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert server.hung_up.wait(600)


@pytest.mark.parametrize(
    "base_url",
    [
        "ftp://x/v1",
        "localhost:8080",
        "file:///etc/passwd",
        "http://",
        "http://[::1",
        "http://127.0.0.1:99999/v1",
        "http://127.0.0.1:port/v1",
        "http://two\u2028lines/v1",
        "http://127.0.0.1/\0",
    ],
)
def test_bad_base_url(base_url: str) -> None:
    with pytest.raises(UsageError, match="base_url"):
        OpenAICompatibleModel("tiny", base_url=base_url)


def test_a_bad_base_url_is_shown_without_its_password() -> None:
    with pytest.raises(UsageError, match=r"base_url 'http://127\.0\.0\.1:99999/v1'"):
        OpenAICompatibleModel("tiny", base_url="http://me:secret@127.0.0.1:99999/v1")


@pytest.mark.parametrize(
    "key", ["sk-secret\n", "sk-secret\r\nHost: elsewhere", " sk-secret", "sk-secrét", "sk-\0secret"]
)
def test_a_key_that_no_header_can_hold_is_refused_unseen(key: str) -> None:
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as caught:
        OpenAICompatibleModel("tiny", base_url="http://127.0.0.1:8080/v1", api_key=key)
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize("ending", ["", "/", "//"])
def test_what_follows_a_question_mark_in_the_address_is_sent_with_each_request(
    scripted_server: Start, ending: str
) -> None:
    server = scripted_server([Reply(status=404)])
    model = OpenAICompatibleModel("tiny", base_url=f"{server.base_url}{ending}?api-version=1&token=secret")
    assert f"{server.base_url}{ending}' answered" in sentence(ask(model)), "without what may be secret"
    assert server.requests[0].path == "/v1/chat/completions?api-version=1&token=secret"


def test_headers(scripted_server: Start) -> None:
    server = scripted_server(["ok"])
    ask(model_for(server))
    assert server.requests[0].headers == {
        "host": server.base_url.removeprefix("http://").removesuffix("/v1"),
        "accept": "application/json",
        "accept-encoding": "identity",
        "authorization": f"Bearer {KEY}",
        "connection": "close",
        "content-type": "application/json",
        "content-length": server.requests[0].headers["content-length"],
        "user-agent": f"quaestor/{__version__}",
    }


@pytest.mark.parametrize(
    ("base_url", "sent"),
    [
        ("https://api.openai.com/v1", "org-1"),
        ("https://eu.api.openai.com/v1", "org-1"),
        ("https://openai.com.evil.example/v1", None),
        ("https://notopenai.com/v1", None),
    ],
)
def test_who_pays_is_told_to_openai_alone(monkeypatch: pytest.MonkeyPatch, base_url: str, sent: str | None) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "")
    headers = async_client(Endpoint(base_url, "m", KEY), 1.0).headers
    assert headers.get("openai-organization") == sent
    assert "openai-project" not in headers


def test_as_many_conversations_at_once_as_there_are(scripted_server: Start) -> None:
    most = threading.Barrier(120)

    def script(_request: Recorded) -> str:
        most.wait(600)  # until all are there, or it breaks
        return "ok"

    server = scripted_server(script)

    async def one(model: OpenAICompatibleModel) -> str:
        return "".join([delta.text async for delta in model.stream(ASK) if isinstance(delta, TextDelta)])

    async def run() -> list[str]:
        model = OpenAICompatibleModel("tiny", base_url=server.base_url)
        replies = await asyncio.gather(*(one(model) for _ in range(most.parties)))
        await model.aclose()
        return replies

    assert asyncio.run(run()) == ["ok"] * most.parties


def test_nothing_but_a_model_loads_the_http_library_and_no_model_loads_the_openai_package(
    scripted_server: Start,
) -> None:
    code = (
        "import asyncio, sys\n"
        "import quaestor.assemble, quaestor.chat.engine, quaestor.server.http.app\n"
        "assert 'httpx2' not in sys.modules, 'without a model'\n"
        "from quaestor.core.messages import Message\n"
        "from quaestor.llm.models import Request\n"
        "from quaestor.llm.models.openai_compatible import OpenAICompatibleModel\n"
        "async def ask():\n"
        "    model = OpenAICompatibleModel('tiny', base_url=sys.argv[1])\n"
        "    return [delta async for delta in model.stream(Request((Message('user', 'x'),)))]\n"
        "assert asyncio.run(ask())\n"
        "print({'openai'} & {*sys.modules})"
    )
    address = scripted_server(["ok"]).base_url
    done = subprocess.run([sys.executable, "-c", code, address], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
