"""Names, texts, titles and errors that mean something in HTML or in a terminal leave as JSON, and as nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from native_parts import begin, client, of, turn
from served import serving, write

from scripted_server import Reply, StartServer

SCRIPT = "<script>alert('xss')</script>"
CONTROL = "\x1b[31mred\x07\u202egnp.exe\u2028\x00"
NAME = "a<img src=x onerror=alert(1)>\u202e.md"
FILES = {
    NAME: f"# {SCRIPT} heron\n\nThe heron stands {SCRIPT} at \x1b]0;title\x07 the [pond](javascript:alert(1)).\n",
    "line\nend.md": "# Line ends\n\nThe kingfisher dives.\n",
}
QUESTION = f"where does the heron stand? {SCRIPT}"


@pytest.fixture
def api(tmp_path: Path, scripted_server: StartServer) -> Iterator[httpx.Client]:
    reply = f'{SCRIPT}![x](https://evil.example/?q=1) It stands [1: "at the pond"] \x1b[2J\u2028'
    model = scripted_server([reply, Reply(status=500, error=SCRIPT)])
    settings = {"base_url": model.base_url, "model": "tiny", "premeditation": "off", "subroutines": "off"}
    with (
        serving(write(tmp_path / SCRIPT.replace("/", "-"), FILES), home=tmp_path / "home", **settings) as server,
        client(server.url) as found,
    ):
        yield found


def checked(answer: httpx.Response, *kinds: str) -> httpx.Response:
    """Return an answer that a browser can take for nothing but what it says it is."""
    kind = answer.headers.get("content-type", "")
    assert kind.startswith(kinds or ("application/json",)), kind
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    if kind == "application/json":
        json.loads(answer.text)
    return answer


def test_what_is_found_is_data(api: httpx.Client) -> None:
    found = checked(api.post("/api/search", json={"query": f"heron {SCRIPT} {CONTROL}"})).json()
    assert found["query"] == f"heron {SCRIPT} {CONTROL}"
    hit = next(hit for hit in found["hits"] if hit["path"] == NAME)
    assert SCRIPT in hit["text"]
    passage = checked(api.get("/api/passage", params={"path": NAME})).json()
    assert passage["lines"][0] == f"# {SCRIPT} heron"
    assert checked(api.get("/api/passage", params={"path": "line\nend.md"})).json()["path"] == "line\nend.md"
    checked(api.get("/api/corpora"))
    checked(api.get("/api/stats"))


def test_what_is_asked_answered_and_named_is_data(api: httpx.Client) -> None:
    session = begin(api, title=f"{SCRIPT}\x1b[31m")
    found = turn(api, session, QUESTION)
    assert SCRIPT in of(found, "done")[0]["answer"]
    assert any(one["path"] == NAME for one in of(found, "passages")[0]["passages"])
    # The model's server says something that looks like a page.
    failed = turn(api, session, "and now?")[-1]
    assert failed[0] == "error"
    for path in ("", "/window", "/export?format=json", "/export?format=chatml"):
        checked(api.get(f"/api/sessions/{session}{path}"))
    markdown = checked(api.get(f"/api/sessions/{session}/export"), "text/markdown")
    assert markdown.headers["content-disposition"].startswith("attachment")
    assert checked(api.get("/api/sessions")).json()["sessions"][0]["title"].startswith(SCRIPT)


def test_a_stream_is_events_whatever_is_said(api: httpx.Client) -> None:
    session = begin(api)
    with api.stream(
        "POST", f"/api/sessions/{session}/turns", json={"question": f"{QUESTION}\r\n\r\nevent: done"}
    ) as answer:
        raw = answer.read()
        checked(answer, "text/event-stream")
    blocks = raw.decode().strip().split("\n\n")
    names = [block.split("\n")[0].removeprefix("event: ") for block in blocks]
    assert set(names) <= {"searching", "passages", "composed", "text", "citations", "done"}
    assert names.count("done") == 1
    for block in blocks:
        name, data = block.split("\n")
        assert name.startswith("event: ")
        json.loads(data.removeprefix("data: "))


@pytest.mark.parametrize(
    ("method", "path", "send"),
    [
        ("GET", f"/api/passage?path={SCRIPT}", {}),
        ("GET", f"/api/stats?corpus={SCRIPT}", {}),
        ("GET", f"/api/sessions/{SCRIPT.replace('/', '%2f')}", {}),
        ("GET", f"/api/{SCRIPT}", {}),
        ("POST", "/api/search", {"json": {"query": "x", SCRIPT: 1}}),
        ("POST", "/api/search", {"json": {"query": "x", "corpus": f"{SCRIPT}{CONTROL}"}}),
        ("POST", "/api/search", {"content": SCRIPT, "headers": {"content-type": "application/json"}}),
        ("POST", "/api/documents", {"content": SCRIPT, "headers": {"content-type": "text/html"}}),
        ("POST", "/api/documents", {"json": {"name": f"{SCRIPT}.exe", "text": "x"}}),
        ("DELETE", f"/api/documents/{SCRIPT.replace('/', '')}", {}),
        ("PUT", "/api/search", {}),
    ],
)
def test_errors_are_data(shared_api: httpx.Client, method: str, path: str, send: dict[str, object]) -> None:
    answer = checked(shared_api.request(method, path, **send))  # type: ignore[arg-type]
    assert 400 <= answer.status_code < 500
    assert set(answer.json()["error"]) == {"code", "message"}


def test_a_document_with_a_hostile_name_is_stored_under_a_plain_one(api: httpx.Client) -> None:
    stored = checked(api.post("/api/documents", json={"name": f"{SCRIPT}{CONTROL}.md", "text": SCRIPT})).json()
    assert not set("<>'\x1b\x07\u202e\u2028\x00") & set(stored["name"])
    checked(api.get("/api/documents"))
