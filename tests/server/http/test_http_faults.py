"""Clients that go away, models' servers that fail, and a server that is told to stop."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from served import Running, post, serving, stream, write

from quaestor.core.errors import IndexBusyError, IndexUnusableError
from quaestor.server.api.turn_routes import failure
from quaestor.server.http.error_responses import answer
from scripted_server import Reply, ScriptedServer, StartServer, endless

Answering = Callable[..., tuple[Running, ScriptedServer]]

ASKED: Any = {"model": "quaestor", "messages": [{"role": "user", "content": "how often is a request sent?"}]}
ENDLESS = endless("word word ")


def chat(server: Running, **more: Any) -> httpx.Response:
    return post(f"{server.url}/v1/chat/completions", json={**ASKED, **more}, timeout=600)


def error_of(answer: httpx.Response) -> dict[str, Any]:
    found: dict[str, Any] = answer.json()["error"]
    assert set(found) == {"message", "type", "param", "code"}
    return found


def test_a_client_that_leaves_in_the_middle_closes_the_request_to_the_model(answering: Answering) -> None:
    server, upstream = answering([ENDLESS])
    body = {**ASKED, "stream": True}
    with stream("POST", f"{server.url}/v1/chat/completions", json=body, timeout=600) as answer:
        lines = answer.iter_lines()
        assert any('"content":"word' in line for line in lines)
    assert upstream.hung_up.wait(600)


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_leaves_before_the_first_word_does_so_too(
    answering: Answering, stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "quaestor.server")
    server, upstream = answering([Reply(silent=True)])
    body = httpx.Request("POST", server.url, json={**ASKED, "stream": stream}).content
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as connection:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        connection.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)
        while not upstream.requests:
            threading.Event().wait(0.02)
    assert upstream.hung_up.wait(600)
    while not caplog.records:
        threading.Event().wait(0.02)
    # That somebody left is not a fault of the server's.
    assert [record.getMessage() for record in caplog.records] == ["request"]


def test_a_server_that_is_down(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    settings = {"model": "tiny", "base_url": f"http://127.0.0.1:{port}/v1"}
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home", **settings) as server:
        assert chat(server, stream=False).json()["choices"][0]["message"]["quaestor"]["model"] == "extractive"
        with ScriptedServer(["It is there."], port=port):
            checked = chat(server, stream=False).json()["choices"][0]["message"]["quaestor"]
            assert (checked["known"], checked["unchecked"], checked["model"]) == (False, True, "tiny")
            assert checked["window"]["sent"] <= checked["window"]["passages"]
        for stream in (False, True):
            answer = chat(server, stream=stream)
            assert answer.status_code == 502
            assert error_of(answer)["code"] == "upstream"
            assert "start the server" in error_of(answer)["message"]


@pytest.mark.parametrize(
    ("reply", "status", "header"),
    [
        (Reply(status=401, error="bad key"), 502, ("x-should-retry", "false")),
        (Reply(status=429, error="busy", headers={"retry-after": "99"}), 429, ("retry-after", "99")),
        (Reply(status=403, error="not for you"), 502, ("x-should-retry", "false")),
        (Reply(status=404, error="no such model"), 502, ("x-should-retry", "false")),
        (Reply(status=400, error="The model `tiny` does not exist"), 502, ("x-should-retry", "false")),
        (Reply(raw=b"<html>not a model</html>"), 502, ("x-should-retry", "false")),
    ],
)
def test_a_server_that_refuses(answering: Answering, reply: Reply, status: int, header: tuple[str, str]) -> None:
    server, _ = answering([reply])
    answer = chat(server, stream=True)
    assert (answer.status_code, answer.headers[header[0]]) == (status, header[1])
    assert error_of(answer)["message"]


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("stream", [False, True])
def test_what_the_model_finds_wrong_with_a_request_is_the_clients_to_mend(
    answering: Answering, status: int, stream: bool
) -> None:
    said = {"message": "top_p must be above 0, not sk-verysecret12345", "param": "top_p", "code": None}
    server, upstream = answering([Reply(status=status, error={"error": said})])
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none")
    with client, pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(**ASKED, top_p=0, stream=stream)
    error = refused.value
    assert (error.param, error.code, error.type) == ("top_p", "invalid_request", "invalid_request_error")
    assert "top_p must be above 0, not ***" in str(error)
    assert upstream.base_url not in str(refused.value)
    assert len(upstream.requests) == 1, "what is wrong is not asked for again"


def test_a_field_of_our_own_making_is_not_named_to_the_client(answering: Answering) -> None:
    said = {"message": "bad message", "param": "messages[7].content"}
    server, _ = answering([Reply(status=400, error={"error": said})])
    answer = chat(server)
    assert (answer.status_code, error_of(answer)["param"]) == (400, None)


def test_tools_that_the_model_does_not_take_are_the_clients_to_leave_out(answering: Answering) -> None:
    server, _ = answering([Reply(status=400, error="'tiny' does not support tools")])
    tool = {"type": "function", "function": {"name": "weather"}}
    answer = chat(server, tools=[tool])
    assert (answer.status_code, error_of(answer)["param"]) == (400, "tools")


def test_a_prompt_that_is_too_long_however_small_is_said_as_openai_says_it(answering: Answering) -> None:
    said = {"message": "This model's maximum context length is 4 tokens.", "code": "context_length_exceeded"}
    server, _ = answering([Reply(status=400, error={"error": said})])
    answer = chat(server)
    assert (answer.status_code, error_of(answer)["code"]) == (400, "context_length_exceeded")


def test_on_our_own_routes_a_refusal_stays_the_servers_failure(answering: Answering) -> None:
    server, _ = answering([Reply(status=400, error="no such parameter")])
    answer = post(f"{server.url}/api/ask", json={"question": "how often is a request sent?"}, timeout=600)
    assert (answer.status_code, answer.json()["error"]["code"]) == (502, "upstream")


def test_a_server_that_is_slow(answering: Answering) -> None:
    server, _ = answering([Reply(silent=True)], timeout=0.2)
    answer = chat(server)
    assert answer.status_code == 502
    assert "sent nothing" in error_of(answer)["message"]


@pytest.mark.parametrize("reset", [True, False])
def test_a_stream_that_is_cut_says_so(answering: Answering, reset: bool) -> None:
    server, _ = answering([Reply(pieces=["It is tried three ", "times, and ", "then"], cut_after=2, reset=reset)])
    text = ""
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        stream = client.chat.completions.create(**ASKED, stream=True)
        with pytest.raises(openai.APIError, match="cut the reply"):
            for chunk in stream:
                text += chunk.choices[0].delta.content or ""
    assert text == "It is tried three times, and "


def test_what_does_not_fit_any_window_is_said(answering: Answering) -> None:
    server, _ = answering(["Yes."], window=600)
    answer = chat(server, messages=[{"role": "user", "content": "why? " * 2000}])
    assert (answer.status_code, error_of(answer)["code"]) == (400, "context_length_exceeded")


def test_replies_may_end_when_the_server_stops(answering: Answering) -> None:
    may_end = threading.Event()
    server, _ = answering([Reply(pieces=["It goes on ", "and is over."], may_end=may_end)])
    with stream("POST", f"{server.url}/v1/chat/completions", json={**ASKED, "stream": True}, timeout=600) as answer:
        lines = answer.iter_lines()
        assert any('"content":"It goes' in line for line in lines)
        server.server.should_exit = True
        may_end.set()
        text = "".join(lines)
    assert "over." in text
    assert text.endswith("data: [DONE]")


def test_a_reply_without_end_is_cut_when_the_server_stops(tmp_path: Path, scripted_server: StartServer) -> None:
    upstream = scripted_server([ENDLESS])
    settings = {"model": "tiny", "base_url": upstream.base_url, "subroutines": "off"}
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home", grace=1, **settings) as server:
        answer = stream("POST", f"{server.url}/v1/chat/completions", json={**ASKED, "stream": True}, timeout=600)
        with answer as reply, pytest.raises(httpx.RemoteProtocolError):
            for line in reply.iter_lines():
                if '"content":"word' in line:
                    server.server.should_exit = True
    assert upstream.hung_up.wait(600)


@pytest.mark.parametrize(
    ("body", "kind"), [(b"[]", "application/json"), (b'"x"', "application/json"), (b"model=quaestor", "text/plain")]
)
def test_a_body_that_is_no_object_is_said_to_be_none(answering: Answering, body: bytes, kind: str) -> None:
    server, _ = answering(["Nothing is asked of it."])
    headers = {"Content-Type": kind}
    answer = httpx.post(f"{server.url}/v1/chat/completions", content=body, headers=headers, timeout=600)
    assert answer.status_code == 400
    assert "The body is not a JSON object" in error_of(answer)["message"]


def test_who_may_ask_again_is_told_when() -> None:
    passing, lasting = IndexBusyError("It is written: try again."), IndexUnusableError("It is damaged.")
    assert answer("/api/search", passing).headers["retry-after"] == "2"
    assert "retry-after" not in answer("/api/search", lasting).headers
    assert [failure(one)[1]["retryable"] for one in (passing, lasting)] == [True, False]
