"""What tests of the MCP server share."""

from __future__ import annotations

from collections.abc import Callable

from mcp import Client

Connect = Callable[..., Client]
"""Takes the arguments of ``quaestor mcp`` and returns a client of it."""
