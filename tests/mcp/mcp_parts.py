"""Shared by the tests of the MCP server."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from mcp import Client

Connect = Callable[..., Client]
"""Takes the arguments of ``quaestor mcp`` and returns a client of it."""

CLIENT = {"name": "an agent", "version": "1"}


_PASSAGE = re.compile(r'<passage n="\d+" from="([^"]+):\d+(?:-\d+)?"')


def paths_of(text: str) -> list[str]:
    """Return the paths of the passages that a tool's text shows, in order."""
    return _PASSAGE.findall(text)


def opening(version: str) -> dict[str, Any]:
    """Return the request that opens a session in a version."""
    if version in HANDSHAKE_PROTOCOL_VERSIONS:
        params = {"protocolVersion": version, "capabilities": {"roots": {"listChanged": True}}, "clientInfo": CLIENT}
        return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    return {"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {"_meta": envelope(version)}}


def envelope(version: str) -> dict[str, Any]:
    said = {"protocolVersion": version, "clientInfo": CLIENT, "clientCapabilities": {"elicitation": {}}}
    return {f"io.modelcontextprotocol/{key}": value for key, value in said.items()}


def asking_for_tools(version: str) -> dict[str, Any]:
    request: dict[str, Any] = {"jsonrpc": "2.0", "id": "a", "method": "tools/list"}
    if version in MODERN_PROTOCOL_VERSIONS:
        request["params"] = {"_meta": envelope(version)}
    return request
