"""Requests to our own API as two users, and reading its streams."""

from __future__ import annotations

from typing import Any

import httpx
from served import Running

from quaestor.accounts.users import User
from servers.event_streams import events


def client(url: str, token: str = "") -> httpx.Client:
    """Return a client, of somebody with a token or of nobody."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=url, headers=headers, timeout=600, verify=False)


def joined(server: Running, name: str) -> tuple[User, httpx.Client]:
    """Return a new user of a server, and the user's client."""
    user, token = server.served.users.add(name)
    return user, client(server.url, token)


def begin(api: httpx.Client, **start: Any) -> str:
    """Begin a session and return its id."""
    answer = api.post("/api/sessions", json=start)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def turn(api: httpx.Client, session: str, question: str | None = None) -> list[tuple[str, Any]]:
    """Ask a question, or the last one again, and return all events."""
    body = {"resume": True} if question is None else {"question": question}
    with api.stream("POST", f"/api/sessions/{session}/turns", json=body) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        return list(events(answer.iter_lines()))


def of(found: list[tuple[str, Any]], name: str) -> list[Any]:
    """Return the objects of all events of a name."""
    return [data for known, data in found if known == name]
