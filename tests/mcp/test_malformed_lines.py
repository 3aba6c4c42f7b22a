"""Lines that are no messages, over a real process: each is refused, and what else was asked is answered to the last."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_parts import asking_for_tools, opening

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
PING = {"jsonrpc": "2.0", "id": "last", "method": "ping"}
MALFORMED: dict[bytes, tuple[int, int | None]] = {
    b"{nonsense": (PARSE_ERROR, None),
    b"\xff\xfe": (PARSE_ERROR, None),
    b"[" * 100_000: (PARSE_ERROR, None),
    b'"text"': (INVALID_REQUEST, None),
    b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]': (INVALID_REQUEST, None),
    b'{"id": 2, "method": "ping"}': (INVALID_REQUEST, 2),
    b'{"jsonrpc": "2.0", "id": 3}': (INVALID_REQUEST, 3),
    b'{"jsonrpc": "2.0", "id": 4, "method": 7}': (INVALID_REQUEST, 4),
}


def said(home: Path, corpus: Path, *messages: dict[str, Any] | bytes) -> list[dict[str, Any]]:
    """Return what ``quaestor mcp`` answers to lines that come at once, with the end of input behind them."""
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in messages]
    done = subprocess.run(
        [sys.executable, "-m", "quaestor", "mcp", str(corpus)],
        input=b"".join(line + b"\n" for line in lines),
        stdout=subprocess.PIPE,
        env={**os.environ, "QUAESTOR_HOME": str(home)},
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    "opened",
    [pytest.param(False, id="before the session", marks=pytest.mark.slow), pytest.param(True, id="in a session")],
)
def test_what_is_no_message_is_refused(opened: bool, repository: Path, tmp_path: Path) -> None:
    answers = said(tmp_path / "home", repository, *([opening("2025-06-18")] if opened else []), *MALFORMED, b"", PING)
    refused = [(one["error"]["code"], one["id"]) for one in answers if "error" in one]
    assert refused == list(MALFORMED.values())
    assert [one["id"] for one in answers if "result" in one] == [*([0] if opened else []), "last"]


def test_what_is_asked_before_the_end_of_input_is_answered(repository: Path, tmp_path: Path) -> None:
    """As by ``quaestor mcp < requests``: the index is made first, which takes longer than to read all lines."""
    search = {"name": "search", "arguments": {"query": "where do we try again after a failure?"}}
    asked = [
        opening("2025-06-18"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        asking_for_tools("2025-06-18"),
        *({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": search} for number in range(1, 4)),
    ]
    answers = {one["id"]: one for one in said(tmp_path / "home", repository, *asked)}
    assert answers.keys() == {0, "a", 1, 2, 3}
    assert "src/retry.py" in answers[3]["result"]["content"][0]["text"]


@pytest.mark.slow
def test_a_call_that_is_called_off_is_not_waited_for(repository: Path, tmp_path: Path) -> None:
    call = {"name": "overview", "arguments": {}}
    answers = said(
        tmp_path / "home",
        repository,
        opening("2025-06-18"),
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
    )
    assert [one["id"] for one in answers] == [0]
