"""Our replies to a session's first requests are the same as the SDK's, which is called here."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import anyio
import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage
from mcp_parts import CLIENT, asking_for_tools, envelope, opening
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from quaestor.mcp import fast_start as replies
from quaestor.mcp.mcp_tools import ServedTool
from quaestor.mcp.sdk_server import ConnectionTools, make_server
from quaestor.tools import Outcome

TAKES = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
TOOLS = tuple(
    ServedTool(name, name.title(), f"What {name} does.", TAKES, lambda _: Outcome(""), lambda: None)
    for name in ("read", "ask")
)


def answers_of_sdk(*messages: dict[str, Any]) -> list[Any]:
    """Return what our server answers to messages where the SDK alone answers."""

    async def run() -> list[Any]:
        server = make_server(ConnectionTools(lambda _: TOOLS, asking=False))
        to_server, reading = anyio.create_memory_object_stream[SessionMessage | Exception](10)
        writing, from_server = anyio.create_memory_object_stream[SessionMessage](10)
        answers = []
        async with anyio.create_task_group() as tasks, from_server:
            tasks.start_soon(server.run, reading, writing, server.create_initialization_options())
            async with to_server:
                for message in messages:
                    await to_server.send(SessionMessage(types.jsonrpc_message_adapter.validate_python(message)))
                    if "id" in message:
                        answer = await from_server.receive()
                        answers.append(json.loads(answer.message.model_dump_json(by_alias=True, exclude_unset=True)))
        return answers

    return asyncio.run(run())


def read(message: dict[str, Any]) -> replies.Request:
    request = replies.read_request(json.dumps(message).encode())
    assert request is not None
    return request


@pytest.mark.parametrize("version", [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS])
def test_they_are_those_of_the_sdk(version: str) -> None:
    first, second = opening(version), asking_for_tools(version)
    assert replies.version_opened(read(first)) == version
    assert replies.asks_for_tools(read(second), version)
    ours = [replies.answer(read(first), replies.greeting(version))]
    ours.append(replies.answer(read(second), replies.tool_list(version, TOOLS)))
    assert [json.loads(line) for line in ours] == answers_of_sdk(first, second)


CHANGES: list[dict[str, Any]] = [
    {"protocolVersion": "2099-01-01"},
    {"protocolVersion": ["2025-11-25"]},
    {"capabilities": None},
    {"capabilities": {"roots": True}},
    {"clientInfo": {"name": "an agent"}},
    {"clientInfo": "an agent"},
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_not_as_known_is_left_to_the_sdk(change: dict[str, Any]) -> None:
    first = opening("2025-11-25")
    assert replies.version_opened(read({**first, "params": {**first["params"], **change}})) is None


def test_a_session_of_another_version_is_left_to_the_sdk() -> None:
    assert replies.version_opened(read(opening("2099-01-01"))) is None
    assert not replies.asks_for_tools(read(asking_for_tools("2026-07-28")), "2025-11-25")
    assert not replies.asks_for_tools(read(asking_for_tools("2025-11-25")), "2026-07-28")
    assert not replies.asks_for_tools(read({**asking_for_tools("2025-11-25"), "params": {"cursor": "x"}}), "2025-11-25")


@given(
    st.binary() | st.recursive(st.none() | st.booleans() | st.text(), st.lists).map(lambda v: json.dumps(v).encode())
)
def test_no_line_is_too_odd(line: bytes) -> None:
    assert replies.read_request(line) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
requests = st.fixed_dictionaries(
    {
        "jsonrpc": st.just("2.0"),
        "id": json_values,
        "method": st.sampled_from(["initialize", "server/discover", "tools/list", "ping"]),
        "params": st.fixed_dictionaries(
            {},
            optional={
                "protocolVersion": st.sampled_from(["2025-11-25", "2026-07-28"]) | json_values,
                "capabilities": json_values,
                "clientInfo": st.just(CLIENT) | json_values,
                "_meta": st.just(envelope("2026-07-28")) | json_values,
            },
        )
        | json_values,
    }
)


@given(requests)
def test_odd_requests_are_left_to_the_sdk(message: dict[str, Any]) -> None:
    request = replies.read_request(json.dumps(message).encode())
    if request is None:
        return
    assert isinstance(request.id, int | str)
    version = replies.version_opened(request)
    assert version is None or version in (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)


@given(json_values)
def test_folders_of_any_answer(result: object) -> None:
    number = json.loads(replies.folders_request())["id"]
    named = replies.folders_answer({"jsonrpc": "2.0", "id": number, "result": result})
    assert named is not None
    assert all(isinstance(uri, str) for uri in named)
    assert replies.folders_answer({"jsonrpc": "2.0", "id": 1, "result": result}) is None
