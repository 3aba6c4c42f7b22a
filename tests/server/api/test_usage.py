"""What the server's users use of models: recorded for each, shown to each, limited beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import Running, get, post, serving, write

from quaestor.accounts.ledger import Ledger
from quaestor.assemble import make_users
from quaestor.core.config import Settings
from scripted_server import StartServer

QUESTION = "how long does the dough rest?"
MESSAGES = [{"role": "user", "content": QUESTION}]


class Caller:
    """A user with a token."""

    def __init__(self, server: Running, home: Path, name: str) -> None:
        user, token = make_users(Settings(home=str(home))).add(name)
        self.id = user.id
        self._url = server.url
        self._headers = {"authorization": f"Bearer {token}"}

    def get(self, path: str) -> httpx.Response:
        return get(f"{self._url}{path}", headers=self._headers, timeout=600)

    def ask(self) -> httpx.Response:
        return self._post("/api/ask", {"question": QUESTION})

    def chat(self, *, stream: bool = False) -> httpx.Response:
        return self._post("/v1/chat/completions", {"model": "quaestor", "messages": MESSAGES, "stream": stream})

    def begin(self) -> str:
        """Ask in a session, and return its name."""
        session = str(self._post("/api/sessions", {"corpus": "kitchen"}).json()["id"])
        assert "event: done" in self._post(f"/api/sessions/{session}/turns", {"question": QUESTION}).text
        return session

    def _post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        return post(f"{self._url}{path}", json=body, headers=self._headers, timeout=600)


@pytest.fixture
def upstream(scripted_server: StartServer) -> Any:
    return scripted_server(["Eighteen hours."])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def limited(upstream: Any, tmp_path: Path, home: Path) -> Iterator[Running]:
    with serving(
        write(tmp_path / "kitchen"),
        home=home,
        model="tiny",
        base_url=upstream.base_url,
        limit_day_tokens=9000,
        prompt_price=2.0,
    ) as server:
        yield server


def test_each_sees_what_is_theirs(limited: Running, home: Path, upstream: Any) -> None:
    anna, ben = Caller(limited, home, "anna"), Caller(limited, home, "ben")
    assert anna.ask().status_code == 200
    assert anna.chat().status_code == 200
    sent = sum(request.prompt_tokens for request in upstream.requests)
    used = anna.get("/api/usage").json()
    assert used["currency"] == "USD"
    assert used["today"] == used["month"]
    assert (used["today"]["requests"], used["today"]["prompt_tokens"]) == (2, sent)
    assert used["today"]["cost"] == pytest.approx(sent * 2 / 1e6)
    limit = used["limits"]["limit_day_tokens"]
    assert limit["used"] == sent + used["today"]["completion_tokens"]
    assert limit["left"] == 9000 - limit["used"]
    session = anna.begin()
    with Ledger.open(home / "accounts.sqlite")._database.reading() as connection:
        assert connection is not None
        rows = connection.execute("select user, session, source, kind, length(request) > 0 from requests").fetchall()
    kitchen = str(limited.served.corpora.get("kitchen").root)
    assert rows == [(anna.id, one, kitchen, "serve", 1) for one in ("", "", session)]
    other = ben.get("/api/usage").json()
    assert other["today"]["requests"] == other["limits"]["limit_day_tokens"]["used"] == 0


def test_a_limit_is_an_answer_with_429(limited: Running, home: Path, upstream: Any) -> None:
    anna, ben = Caller(limited, home, "anna"), Caller(limited, home, "ben")
    while (refused := anna.ask()).status_code == 200:
        pass
    sent = len(upstream.requests)
    assert refused.status_code == 429
    assert refused.json()["error"]["code"] == "budget"
    assert "limit of 9,000 tokens a day for each user" in refused.json()["error"]["message"]
    assert 0 < int(refused.headers["retry-after"]) <= 86_400
    refused = anna.chat()
    assert (refused.status_code, refused.json()["error"]["type"]) == (429, "rate_limit_error")
    assert '"code":"budget"' in anna.chat(stream=True).text.replace(": ", ":")
    assert len(upstream.requests) == sent, "nothing was sent"
    assert ben.ask().status_code == 200


def test_who_asks_too_often_is_told_when_to_come_back(tmp_path: Path, home: Path) -> None:
    with serving(write(tmp_path / "kitchen"), home=home, requests_per_minute=6) as server:
        local = [get(f"{server.url}/api/usage").status_code for _ in range(30)]
        assert set(local) == {200}, "nobody else is kept waiting by the one user of a machine"
        anna, ben = Caller(server, home, "anna"), Caller(server, home, "ben")
        while (refused := anna.get("/api/usage")).status_code == 200:
            pass
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "limit")
        assert 0 < int(refused.headers["retry-after"]) <= 10
        assert anna.ask().status_code == 429
        assert ben.get("/api/usage").status_code == 200
