"""``quaestor ask`` with a model that fails: one sentence, exit code 3, no traceback, no key."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_parts import Outcome, Run, shell

from scripted_server import Reply, in_pieces

Start = Callable[..., Any]
KEY = "sk-a-long-secret-key-0123456789"
QUESTION = "how often is a request sent?"
# What is not retried, or is retried only after longer than anybody waits, so that no test waits either.
LONG = {"retry-after": "3600"}

REPLIES = {
    "401": (Reply(status=401, error=f"Incorrect API key provided: {KEY}"), "401"),
    "403": (Reply(status=403, error="not for you"), "403"),
    "404": (Reply(status=404, error="no such model"), "404"),
    "429": (Reply(status=429, error="slow down", headers=LONG), "3600"),
    "500": (Reply(status=500, error="out of cheese \x1b[31m", headers=LONG), "500"),
    "503": (Reply(status=503, error="loading", headers=LONG), "503"),
    "html": (Reply(raw=b"<html><body>Welcome</body></html>", headers={"content-type": "text/html"}), "base_url"),
    "not JSON": (Reply(raw=b"data: {broken\n\n"), "did not answer in the form"),
    "other JSON": (Reply(raw=b'data: {"hello": "world"}\n\ndata: [DONE]\n\n'), "did not answer in the form"),
    "cut stream": (Reply(pieces=in_pieces("It is sent three times, since " * 3), cut_after=9), "ask again"),
    "error in stream": (Reply(events=['{"error": {"message": "worker died", "code": 500}}']), "worker died"),
}


@pytest.fixture
def ask(quaestor: Run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def call(base_url: str, *options: str) -> Outcome:
        return quaestor("ask", "--model", "tiny", "--base-url", base_url, *options, QUESTION, repository)

    return call


@pytest.mark.parametrize("name", REPLIES)
def test_a_failing_server(scripted_server: Start, ask: Callable[..., Outcome], name: str) -> None:
    reply, word = REPLIES[name]
    server = scripted_server([reply])
    done = ask(server.base_url)
    assert done.code == 3
    assert word in done.sentence
    assert server.base_url in done.sentence
    assert KEY not in done.out + done.err
    assert "\x1b" not in done.err


@pytest.mark.parametrize("name", ["401", "not JSON", "cut stream"])
def test_in_json_nothing_is_printed_that_is_not_an_answer(
    scripted_server: Start, ask: Callable[..., Outcome], name: str
) -> None:
    done = ask(scripted_server([REPLIES[name][0]]).base_url, "--json")
    assert (done.code, done.out) == (3, "")


def test_what_came_before_a_cut_was_shown(scripted_server: Start, ask: Callable[..., Outcome]) -> None:
    done = ask(scripted_server([REPLIES["cut stream"][0]]).base_url)
    assert done.out.startswith("It is sent three times, since ")


def test_a_server_that_is_down(ask: Callable[..., Outcome]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = ask(f"http://127.0.0.1:{port}/v1")
    assert done.code == 3
    assert "cannot connect" in done.sentence
    assert "start the server" in done.sentence


def test_a_server_that_says_nothing(ask: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_TIMEOUT", "1")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        done = ask(f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
    assert done.code == 3
    assert "timeout" in done.sentence


def test_a_server_that_is_busy_once_is_asked_again(scripted_server: Start, ask: Callable[..., Outcome]) -> None:
    server = scripted_server([Reply(status=429, headers={"retry-after": "0"}), "It is sent three times."])
    assert ask(server.base_url).code == 1, "answered, and cited nothing"
    assert len(server.requests) == 2


@pytest.mark.parametrize("base_url", ["localhost:8080", "ftp://127.0.0.1/v1", "nonsense", "http://"])
def test_an_endpoint_that_is_no_url(ask: Callable[..., Outcome], base_url: str) -> None:
    done = ask(base_url)
    assert done.code == 2
    assert repr(base_url) in done.sentence


def test_credentials_in_the_url_are_not_shown(ask: Callable[..., Outcome]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = ask(f"http://someone:topsecret@127.0.0.1:{port}/v1")
    assert done.code == 3
    assert "topsecret" not in done.out + done.err


def test_as_a_process(scripted_server: Start, repository: Path) -> None:
    server = scripted_server([REPLIES["401"][0]])
    done = shell(
        "ask", "--model", "tiny", QUESTION, str(repository), OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY=KEY
    )
    assert done.code == 3
    assert "401" in done.sentence
    assert KEY not in done.out + done.err
