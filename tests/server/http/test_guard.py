"""Requests that must not get through, and what every answer is sent with."""

from __future__ import annotations

import json
import logging
import queue
import socket
from collections.abc import Iterator
from logging.handlers import QueueHandler
from typing import Any

import pytest
from served import Running, get, post, request

from quaestor.assemble import make_users
from quaestor.server.http.json_log import JsonLines

SECRET = "a question about Project Nightingale"
CHAT = "/v1/chat/completions"


def asked(text: str = "how long does the dough rest?", **more: Any) -> dict[str, Any]:
    return {"model": "quaestor", "messages": [{"role": "user", "content": text}], **more}


def port_of(server: Running) -> int:
    return int(server.url.rpartition(":")[2])


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "",
        "a@localhost",
        "10.0.0.1",
        "evil.example[::1]",
        "[::1]evil.example",
        "[localhost]",
        "localhost/evil.example",
        "localhost#",
        "localhost:80:80",
        "localhost:x",
    ],
)
def test_a_forged_host_is_refused(shared: Running, host: str) -> None:
    for path in ("/healthz", "/v1/models", "/"):
        answer = get(f"{shared.url}{path}", headers={"host": host})
        assert answer.status_code == 421
        assert answer.json()["error"]["code"] == "unknown_host"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "127.0.0.1", "[::1]:8756", "localhost."])
def test_our_own_names_are_taken(shared: Running, host: str) -> None:
    assert get(f"{shared.url}/healthz", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:1"},
        {"origin": "file://"},
        {"origin": "http://[broken"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_other_sites_pages_are_refused(shared: Running, headers: dict[str, str]) -> None:
    answer = post(f"{shared.url}{CHAT}", json=asked(), headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_origin")
    assert not any(name.startswith("access-control") for name in answer.headers)


def test_our_own_pages_are_let_through(shared: Running) -> None:
    own = {"origin": shared.url, "sec-fetch-site": "same-origin"}
    assert post(f"{shared.url}{CHAT}", json=asked(), headers=own).status_code == 200


def test_a_large_body_is_refused_before_it_is_read(shared: Running) -> None:
    with socket.create_connection(("127.0.0.1", port_of(shared))) as connection:
        head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: 100000000\r\n\r\n".encode())
        # Nothing of the body was sent.
        assert connection.makefile("rb").readline().split()[1] == b"413"


def test_a_large_body_of_unknown_size_is_refused_when_it_is_too_much(shared: Running) -> None:
    with socket.create_connection(("127.0.0.1", port_of(shared))) as connection:
        head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        for _ in range(shared.served.body_limit // 0x100000 + 1):
            connection.sendall(chunk)
        assert connection.makefile("rb").readline().split()[1] == b"413"


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=b"])
def test_a_large_form_of_unknown_size_is_too_large_and_not_wrong(shared: Running, kind: str) -> None:
    def form() -> Iterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="question"\r\n\r\n' if "multipart" in kind else b"question="
        for _ in range(100):
            yield b"x" * 1_000_000

    answer = post(f"{shared.url}/ask", content=form(), headers={"content-type": kind}, timeout=600)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (b"{", None),
        (b"", None),
        (b"[]", None),
        (b"null", None),
        (b'"text"', None),
        (b"\xff\xfe{}", None),
        (b"[" * 100_000, None),
        (b'{"model": "quaestor"}', "messages"),
        (b'{"model": 7, "messages": [{"role": "user", "content": "x"}]}', "model"),
        (b'{"model": "quaestor", "messages": []}', "messages"),
        (b'{"model": "quaestor", "messages": "x"}', "messages"),
        (b'{"model": "quaestor", "messages": [{"role": "robot", "content": "x"}]}', "messages[0].role"),
        (b'{"model": "quaestor", "messages": [{"role": "user", "content": 7}]}', "messages[0].content"),
        (b'{"model": "quaestor", "messages": [{"role": "user"}]}', "messages[0].content"),
        (b'{"model": "quaestor", "messages": [{"role": "tool", "content": "x"}]}', "messages[0].tool_call_id"),
        (b'{"model": "quaestor", "messages": [{"role": "system", "content": "x"}]}', "messages"),
        (b'{"model": "quaestor", "messages": [{"role": "user", "content": "x"}], "stop": "\\ud800"}', "stop"),
    ],
)
def test_bad_requests_are_told_what_is_wrong(shared: Running, body: bytes, param: str | None) -> None:
    answer = post(f"{shared.url}{CHAT}", content=body, headers={"content-type": "application/json"})
    error = answer.json()["error"]
    assert (answer.status_code, error["param"], error["type"]) == (400, param, "invalid_request_error")
    assert error["message"].endswith(".")


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"n": 2}, "n"),
        ({"temperature": "hot"}, "temperature"),
        ({"temperature": 3}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"stop": 7}, "stop"),
        ({"stream": "yes"}, "stream"),
        ({"tools": [{"type": "function"}]}, "tools[0].function"),
        ({"logprobs": True}, "logprobs"),
        ({"functions": [{"name": "f"}]}, "functions"),
        ({"modalities": ["text", "audio"]}, "modalities"),
    ],
)
def test_bad_parameters_are_named(shared: Running, more: dict[str, Any], param: str) -> None:
    answer = post(f"{shared.url}{CHAT}", json=asked(**more))
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)


def test_half_a_letter_does_no_harm(shared: Running) -> None:
    body = b'{"model": "quaestor", "messages": [{"role": "user", "content": "dough? \\ud800"}]}'
    answer = post(f"{shared.url}{CHAT}", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 200


def test_images_are_refused_clearly(shared: Running) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    content = [{"type": "text", "text": "what is this?"}, image]
    answer = post(f"{shared.url}{CHAT}", json=asked(content))  # type: ignore[arg-type]
    error = answer.json()["error"]
    assert (answer.status_code, error["param"]) == (400, "messages[0].content[1]")
    assert "'image_url' is not supported" in error["message"]


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/v1/none", 404), ("DELETE", CHAT, 405)])
def test_routes_that_there_are_not(shared: Running, method: str, path: str, status: int) -> None:
    answer = request(method, f"{shared.url}{path}")
    assert (answer.status_code, answer.json()["error"]["type"]) == (status, "invalid_request_error")


def test_answers_are_sent_safely(shared: Running) -> None:
    for path in ("/healthz", "/v1/models", "/v1/none"):
        headers = get(f"{shared.url}{path}").headers
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers


def test_users_need_their_token(quoting: Running) -> None:
    users = make_users(quoting.served.settings)
    user, token = users.add("anna")
    for path in ("/v1/models", "/metrics"):
        url = f"{quoting.url}{path}"
        assert get(url).status_code == 401
        assert get(url, headers={"authorization": "Bearer quaestor_wrong"}).status_code == 401
        assert get(url, headers={"authorization": f"Bearer {token}"}).status_code == 200
    assert get(f"{quoting.url}/healthz").status_code == 200
    users.revoke(user.name)
    answer = get(f"{quoting.url}/v1/models", headers={"authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.json()["error"]["type"]) == (401, "authentication_error")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[queue.Queue[logging.LogRecord]]:
    """What is logged, in order: a line comes after the answer that it is about, and can be waited for."""
    caplog.set_level(logging.INFO, "quaestor.server")
    records: queue.Queue[logging.LogRecord] = queue.Queue()
    handler = QueueHandler(records)
    logging.getLogger("quaestor.server").addHandler(handler)
    yield records
    logging.getLogger("quaestor.server").removeHandler(handler)


def test_logs_are_json_without_what_was_asked(quoting: Running, logged: queue.Queue[logging.LogRecord]) -> None:
    headers = {"authorization": "Bearer quaestor_topsecret", "x-request-id": "mine"}
    post(f"{quoting.url}{CHAT}?key=topsecret", json=asked(SECRET), headers=headers)
    post(f"{quoting.url}{CHAT}", json={"model": SECRET, "messages": SECRET}, headers=headers)
    get(f"{quoting.url}/v1/models/{SECRET}")
    lines = [JsonLines().format(logged.get(timeout=600)) for _ in range(3)]
    entries = [json.loads(line) for line in lines]
    assert [entry["status"] for entry in entries] == [200, 400, 404]
    assert {entry["id"] for entry in entries[:2]} == {"mine"}
    assert entries[2]["route"] == "/v1/models/{name}"
    assert all(entry["seconds"] >= 0 for entry in entries)
    assert not any(word in line for line in lines for word in ("Nightingale", "topsecret"))
