"""The pure parts of the client."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.messages import ToolCall
from quaestor.llm.endpoints.client import RetryPolicy, read_retry_after
from quaestor.llm.endpoints.failures import Endpoint, RefusedError, shown_url
from quaestor.llm.models.reply import ToolCallAssembler
from quaestor.llm.models.reply_stream import StopCutter


@given(st.text("ab|>", max_size=40), st.lists(st.text("ab|>", min_size=1, max_size=4), max_size=3), st.data())
def test_stop_cutter_equals_cutting_the_whole(text: str, stops: list[str], data: st.DataObject) -> None:
    cutter = StopCutter(stops)
    shown, at = "", 0
    while at < len(text) and cutter.stop_met is None:
        size = data.draw(st.integers(1, 5))
        shown += cutter.feed(text[at : at + size])
        at += size
    fed = text[:at]
    shown += cutter.flush() if cutter.stop_met is None else ""
    ends = [fed.index(stop) for stop in stops if stop in fed]
    assert shown == (fed[: min(ends)] if ends else fed)
    assert (cutter.stop_met is not None) is bool(ends)


@given(st.text("ab|>", max_size=40))
def test_stop_cutter_holds_back_no_more_than_it_must(text: str) -> None:
    cutter = StopCutter(["|>"])
    shown = "".join(map(cutter.feed, text))
    assert cutter.stop_met is not None or text.removeprefix(shown) in ("", "|")


def delta(index: Any = None, id: Any = None, name: Any = None, arguments: Any = None) -> SimpleNamespace:
    return SimpleNamespace(index=index, id=id, function=SimpleNamespace(name=name, arguments=arguments))


@pytest.mark.parametrize(
    ("deltas", "calls"),
    [
        (
            [[delta(0, "a", "f", "")], [delta(0, None, None, '{"x"')], [delta(0, None, None, ":1}")]],
            [("a", "f", '{"x":1}')],
        ),
        ([[delta(0, "a", "f", "{}")], [delta(0, "b", "g", "{}")]], [("a", "f", "{}"), ("b", "g", "{}")]),
        ([[delta(0, "a", "f", "{")], [delta(0, "a", "f", "}")]], [("a", "f", "{}")]),
        ([[delta(None, None, "f", {"x": 1})]], [("call00001", "f", '{"x": 1}')]),
        ([[delta(None, "a", "f", "{}"), delta(None, "b", "g", "{}")]], [("a", "f", "{}"), ("b", "g", "{}")]),
        ([[delta(1, "b", "g", "{}")], [delta(0, "a", "f", None)]], [("b", "g", "{}"), ("a", "f", "{}")]),
        ([[delta(0, "a", None, "{}")]], []),
        ([None, 3, [None]], []),
    ],
)
def test_tool_calls(deltas: list[Any], calls: list[tuple[str, str, str]]) -> None:
    assembler = ToolCallAssembler()
    for one in deltas:
        assembler.feed(one)
    assert assembler.calls() == tuple(ToolCall(*call) for call in calls)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers, now=60.0) == seconds


def test_retry_policy() -> None:
    policy = RetryPolicy(retries=2, first=1.0, longest=10.0)
    assert [policy.wait(tried, None) for tried in range(3)] == [1.0, 2.0, None]
    assert policy.wait(0, 9.0) == 9.0
    assert policy.wait(0, 11.0) is None


@given(st.text(max_size=300))
def test_the_key_is_never_in_an_error(detail: str) -> None:
    key = "my-own-key-123"
    endpoint = Endpoint("http://u:p@h/v1", "m", key)
    for status in (307, 400, 401, 404, 429, 500):
        message = str(endpoint.refusal_error(status, f"{detail}{key}{detail}", {}, None))
        assert key not in message
        assert "'http://h/v1'" in message
    assert key not in repr(endpoint)
    assert shown_url("http://u:p@h:8/v1?key=secret#secret") == "http://h:8/v1"


@pytest.mark.parametrize(
    ("said", "message", "details"),
    [
        ({"error": {"message": "no", "param": "stop"}}, "no", {"message": "no", "param": "stop"}),
        ({"error": {"error": {"message": "no"}}}, "no", {"message": "no"}),
        ({"error": "no", "error_type": "x"}, "no", {"error": "no", "error_type": "x"}),
        ({"error": None, "message": "no"}, "no", {"error": None, "message": "no"}),
        ({"message": "no"}, "no", {"message": "no"}),
        ({"detail": "no"}, "no", {"detail": "no"}),
        ({"detail": [{"loc": ["stop"]}]}, '[{"loc": ["stop"]}]', {"detail": [{"loc": ["stop"]}]}),
        ({"error": [{"message": 7}]}, "", {"error": [{"message": 7}]}),
        ("<html>Bad gateway</html>", "<html>Bad gateway</html>", {}),
        (["no"], "", {}),
        (None, "", {}),
    ],
)
def test_refusals_in_the_forms_of_servers(said: object, message: str, details: dict[str, object]) -> None:
    refused = RefusedError(said, status=400)
    assert (refused.message, refused.details) == (message, details)


def test_after_warming_up_a_first_request_imports_no_client() -> None:
    code = (
        "import sys\n"
        "from quaestor.llm.endpoints.client import async_client, warm_up\n"
        "from quaestor.llm.endpoints.failures import Endpoint\n"
        "warm_up()\n"
        "before = set(sys.modules)\n"
        "async_client(Endpoint('http://127.0.0.1:1/v1', 'tiny', ''), 5.0)\n"
        "print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
