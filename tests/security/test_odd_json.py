"""Bodies and parameters that are not quite JSON's, or not quite text, in every place of every request that takes any.

NaN and numbers without an end, which Python reads; more digits than it reads; halves of letters; deep nesting; names
twice; other encodings. Each is answered, by 4xx or as if it were plain: no fault, no broken JSON, no broken connection.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import serving, write

from scripted_server import ScriptedServer

DEEP = b"[" * 3_000 + b"]" * 3_000
VALUES = (
    *(b"NaN", b"-Infinity", b"1e400", b"9" * 5_000, b"-1", b"0.1", b"18446744073709551616", b"null", b"true"),
    *(b'""', b'"\\ud800"', b'"a\\u0000\\u202e\\u0007"', b'["\\udfff"]', b"[null]", b"{}", b'{"a":1,"a":NaN}', DEEP),
)
BODIES = (
    *(b"", b"null", b"[]", b'"x"', b"{", b"\xff\xfe", b"{}x", DEEP, b"[" * 200_000, b'{"a":' * 100_000),
    *('{"é":1}'.encode(codec) for codec in ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1")),
)
KINDS = ("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json;;")
PARAMETERS = (
    *("%00", "%ff", "%ed%a0%80", "%0a", "%e2%80%ae", "..%2f..%2fetc%2fpasswd", "9" * 5_000, "NaN", "-1", "1e400"),
    *("1_0", "%2b1", "%d9%a1", "true", ""),
)

WHERE = {"path": ["*.md"], "language": ["markdown"], "since": "2020", "before": "2030", "by": ["Rosa"], "filters": True}
TOOL = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}
FIELDS: dict[str, dict[str, Any]] = {
    "post /v1/chat/completions": {
        "model": "quaestor",
        "messages": [{"role": "user", "content": "dough?"}],
        **{"temperature": 1, "top_p": 1, "n": 1, "max_tokens": 9, "seed": 1, "stop": ["x"], "tools": [TOOL]},
        **{"tool_choice": "auto", "response_format": {"type": "text"}, "stream_options": {"include_usage": True}},
        **{"logit_bias": {"1": 1}, "metadata": {"a": "b"}, "user": "u", "presence_penalty": 0, "stream": False},
    },
    "post /v1/responses": {
        **{"model": "quaestor", "input": [{"role": "user", "content": "dough?"}], "instructions": "x"},
        **{"max_output_tokens": 9, "temperature": 1, "stream": False, "metadata": {"a": "b"}, "store": False},
    },
    "post /v1/completions": {
        **{"model": "quaestor", "prompt": "dough?", "max_tokens": 9, "temperature": 0, "n": 1, "stop": "x", "seed": 3},
    },
    "post /v1/embeddings": {"model": "quaestor", "input": ["a", "b"], "encoding_format": "float", "dimensions": 256},
    "post /api/search": {"query": "dough", "k": 3, "corpus": "kitchen", **WHERE},
    "post /api/ask": {"question": "dough?", "corpus": "kitchen", **WHERE},
    "post /api/sessions": {"title": "t", "corpus": "kitchen"},
    "patch /api/sessions/{id}": {"title": "t"},
    "put /api/sessions/{id}/turns/{turn}/feedback": {"useful": True, "words": "well"},
    "post /api/sessions/{id}/turns": {"question": "dough?", **WHERE},
    "post /api/documents": {"name": "a.md", "text": "hello"},
}


@dataclass(frozen=True)
class Attacked:
    api: httpx.Client
    document: dict[str, Any]
    session: str

    def answers(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> int:
        """Send a request; return its status once all is well with its answer."""
        path = path.replace("{id}", self.session).replace("{turn}", "1").replace("{name}", "quaestor")
        answer = self.api.request(method, path, content=body, headers={"content-type": kind})
        assert answer.status_code < 500, answer.text
        if "json" in answer.headers.get("content-type", ""):
            json.loads(answer.content.decode("utf-8"), parse_constant=lambda name: pytest.fail(f"{name} in an answer"))
        return answer.status_code


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    folder: Path = tmp_path_factory.mktemp("odd")
    with (
        ScriptedServer(["It rests for eighteen hours [1]."]) as model,
        serving(write(folder / "kitchen"), home=folder / "home", model="tiny", base_url=model.base_url) as server,
        httpx.Client(base_url=server.url, timeout=600, verify=False) as api,
    ):
        document = api.get("/openapi.json").json()
        session = api.post("/api/sessions", json={}).json()["id"]
        api.post(f"/api/sessions/{session}/turns", json={"question": "dough?"})
        yield Attacked(api, document, session)


@pytest.fixture(autouse=True)
def no_fault(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever goes wrong behind an answer is logged."""
    with caplog.at_level(logging.ERROR):
        yield
    assert [one.getMessage() for one in caplog.get_records("call") if one.levelno >= logging.ERROR] == []


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def test_every_request_with_a_body_is_attacked(attacked: Attacked) -> None:
    bodies = {f"{method} {path}" for method, path, one in operations(attacked.document) if "requestBody" in one}
    assert bodies == FIELDS.keys()


@pytest.mark.parametrize("request_line", FIELDS)
def test_a_body_that_is_odd_as_a_whole(attacked: Attacked, request_line: str) -> None:
    method, path = request_line.split()
    for body in BODIES:
        attacked.answers(method, path, body)
    for kind in KINDS:
        attacked.answers(method, path, json.dumps(FIELDS[request_line]).encode(), kind)


@pytest.mark.parametrize("share", [3, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("request_line", FIELDS)
def test_a_body_with_one_odd_value(attacked: Attacked, request_line: str, share: int) -> None:
    """At every place within the body, beside values that are right: a third of them in every run; each name twice."""
    method, path = request_line.split()
    fields = FIELDS[request_line]
    assert attacked.answers(method, path, json.dumps(fields).encode()) < 300, "a body that is right"
    for name in fields:
        twice = json.dumps(fields)[:-1] + f', {json.dumps(name)}: {{"a": 1}}}}'
        attacked.answers(method, path, twice.encode())
    for place, template in enumerate(templates(fields)):
        for value in VALUES[place % share :: share]:
            attacked.answers(method, path, template.replace(b'"@"', value))


def templates(value: Any) -> Iterator[bytes]:
    """Yield a value as JSON with ``"@"`` in the place of each of its parts."""
    if isinstance(value, dict):
        for name in value:
            yield from (_with(value, name, part) for part in (b'"@"', *templates(value[name])))
    elif isinstance(value, list):
        for place in range(len(value)):
            yield from (_with(value, place, part) for part in (b'"@"', *templates(value[place])))


def _with(value: Any, key: Any, part: bytes) -> bytes:
    changed = value.copy()
    changed[key] = "@here@"
    return json.dumps(changed).encode().replace(b'"@here@"', part)


def test_odd_parameters(attacked: Attacked) -> None:
    needed = {"about": "retry.py", "path": "guide.md"}
    for method, path, operation in operations(attacked.document):
        for parameter in operation.get("parameters", []):
            for value in PARAMETERS:
                name = parameter["name"]
                if parameter["in"] == "path":
                    attacked.answers(method, path.replace(f"{{{name}}}", value), b'{"useful": true}')
                elif method == "get":
                    others = "".join(f"&{one}={known}" for one, known in needed.items() if one != name)
                    attacked.answers(method, f"{path}?{name}={value}{others}")
