"""Two `quaestor serve` that know of each other only by a PostgreSQL: sessions, users, limits, uploads are one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from served import write
from worker_parts import CITED, QUESTION, Serving, asked, begin, searchable, serving, states_of_turns, until

from postgres_server import PostgresServer
from quaestor.assemble import make_users
from quaestor.core.config import Settings
from scripted_server import ScriptedServer
from servers.event_streams import events
from shared_state import copied_database

PER_MINUTE, BURST = 6, 10
COMMAND = (sys.executable, "-m", "quaestor")


@pytest.fixture(scope="module")
def uri(server_with_tables: PostgresServer) -> Iterator[str]:
    with copied_database(server_with_tables) as found:
        yield found


@pytest.fixture(scope="module")
def settings(uri: str, model: ScriptedServer) -> dict[str, str]:
    return {"QUAESTOR_STORE": uri, "QUAESTOR_MODEL": "tiny", "QUAESTOR_BASE_URL": model.base_url}


@pytest.fixture(scope="module")
def join(uri: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[str, str]]:
    """Adds a user as an administrator does, from a third machine; returns the name and the token."""
    home = tmp_path_factory.mktemp("administrator")
    numbers = iter(range(1000))

    def added() -> tuple[str, str]:
        name = f"user{next(numbers)}"
        with closing(make_users(Settings(store=uri, home=str(home)))) as users:
            return name, users.add(name)[1]

    return added


def run(settings: dict[str, str], home: Path, *arguments: str) -> str:
    environment = {**os.environ, **settings, "QUAESTOR_HOME": str(home)}
    return subprocess.run([*COMMAND, *arguments], env=environment, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def start(settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Serving]]:
    """Starts a server with a data folder of its own."""
    folder = write(tmp_path_factory.mktemp("corpus") / "kitchen")
    with ExitStack() as stack:

        def started(**further: str) -> Serving:
            home = tmp_path_factory.mktemp("machine")
            server = stack.enter_context(serving(folder, home, workers=1, **settings, **further))
            until(lambda: _ready(server))
            return server

        yield started


def _ready(server: Serving) -> bool:
    try:
        with httpx.Client(base_url=server.url, verify=False, timeout=600) as api:
            return searchable(api)
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def two(join: Callable[[], tuple[str, str]], start: Callable[..., Serving]) -> tuple[Serving, Serving]:
    # Without any users, whoever is on the machine is let in.
    join()
    return start(), start()


@pytest.fixture(scope="module")
def limited(join: Callable[[], tuple[str, str]], start: Callable[..., Serving]) -> tuple[Serving, Serving]:
    """Two servers that let a user have little: each alone would let it be had again."""
    join()
    window = {"QUAESTOR_WINDOW": "2000", "QUAESTOR_RESERVE": "500"}
    limits = {"QUAESTOR_LIMIT_DAY_TOKENS": "3000", "QUAESTOR_REQUESTS_PER_MINUTE": str(PER_MINUTE)}
    return start(**window, **limits), start(**window, **limits)


@pytest.fixture
def pair(two: tuple[Serving, Serving], join: Callable[[], tuple[str, str]]) -> Iterator[tuple[httpx.Client, ...]]:
    """Clients of a new user, one of each server."""
    _, token = join()
    with ExitStack() as stack:
        yield tuple(stack.enter_context(client(server, token)) for server in two)


def client(server: Serving, token: str) -> httpx.Client:
    headers = {"authorization": f"Bearer {token}"}
    return httpx.Client(base_url=server.url, headers=headers, timeout=600, verify=False)


def test_a_session_begun_on_one_goes_on_at_the_other(
    pair: tuple[httpx.Client, httpx.Client], model: ScriptedServer
) -> None:
    one, other = pair
    session = begin(one)
    asked(one, session, question=QUESTION)
    asked(other, session, question="and where?")
    assert CITED in [message["content"] for message in model.requests[-1].messages]
    assert states_of_turns(one, session) == ["done", "done"]
    assert other.patch(f"/api/sessions/{session}", json={"title": "Dough"}).status_code == 200
    [line] = one.get("/api/sessions").json()["sessions"]
    assert (line["id"], line["title"], line["turns"]) == (session, "Dough", 2)
    exports = [api.get(f"/api/sessions/{session}/export").text for api in pair]
    assert exports[0] == exports[1]
    assert "eighteen hours" in exports[0]
    assert one.delete(f"/api/sessions/{session}").status_code == 204
    assert other.get(f"/api/sessions/{session}").status_code == 404


def test_a_session_is_its_owners_on_every_server(
    two: tuple[Serving, Serving], pair: tuple[httpx.Client, httpx.Client], join: Callable[[], tuple[str, str]]
) -> None:
    session = begin(pair[0])
    with client(two[1], join()[1]) as stranger:
        assert stranger.get(f"/api/sessions/{session}").status_code == 404
        assert stranger.get("/api/sessions").json()["sessions"] == []


def test_a_turn_is_refused_while_the_other_runs_one(
    pair: tuple[httpx.Client, httpx.Client], model: ScriptedServer
) -> None:
    one, other = pair
    session = begin(one)
    model.hung_up.clear()
    with one.stream("POST", f"/api/sessions/{session}/turns", json={"question": "and for ever?"}) as answer:
        found = events(answer.iter_lines())
        assert next(data for name, data in found if name == "text")
        refused = other.post(f"/api/sessions/{session}/turns", json={"question": "second?"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conflict")
        assert other.get(f"/api/sessions/{session}").json()["running"] is True
    # Who leaves does not end it; who stops it does, at whichever server.
    assert other.delete(f"/api/sessions/{session}/turns/running").status_code == 204
    assert model.hung_up.wait(600)
    until(lambda: not other.get(f"/api/sessions/{session}").json()["running"])
    assert states_of_turns(other, session) == ["cancelled"]
    assert asked(other, session, question=QUESTION)[-1][1]["answer"] == CITED


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process is copied")
def test_workers_of_one_server_have_connections_of_their_own(
    settings: dict[str, str], server_with_tables: PostgresServer, tmp_path: Path
) -> None:
    """The process that they are copies of, which has asked for the users, has none left."""

    def connections(pid: int) -> set[str]:
        lines = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text("ascii").splitlines()[1:]]
        known = {f"socket:[{line[9]}]" for line in lines if int(line[2].split(":")[1], 16) == server_with_tables.port}
        return known & {str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir()}

    with serving(write(tmp_path / "kitchen"), tmp_path / "home", **settings) as server:
        for worker in (1, 2):
            with server.client(worker) as api:
                until(lambda api=api: searchable(api))
        one, other = map(connections, server.pids().values())
        assert one and other and not one & other
        assert not connections(server.process.pid)


@pytest.mark.slow
def test_the_rate_is_that_of_both_together(
    limited: tuple[Serving, Serving], join: Callable[[], tuple[str, str]]
) -> None:
    _, token = join()
    began = time.monotonic()
    with client(limited[0], token) as one, client(limited[1], token) as other:
        statuses = [api.get("/api/corpora").status_code for _ in range(15) for api in (one, other)]
    assert set(statuses) <= {200, 429}
    assert statuses.count(200) <= BURST + (time.monotonic() - began) * PER_MINUTE / 60 + 2


def test_a_revoked_token_is_refused_by_both(
    two: tuple[Serving, Serving], join: Callable[[], tuple[str, str]], settings: dict[str, str], tmp_path: Path
) -> None:
    name, token = join()
    clients = [openai.OpenAI(base_url=f"{server.url}/v1", api_key=token, max_retries=0) for server in two]
    assert [len(api.models.list().data) > 0 for api in clients] == [True, True]
    run(settings, tmp_path, "users", "revoke", name)
    for api in clients:
        with pytest.raises(openai.AuthenticationError, match="unknown or was revoked"):
            api.models.list()
        api.close()


def test_uploads_given_to_one_are_found_by_the_other_and_gone_for_both(pair: tuple[httpx.Client, httpx.Client]) -> None:
    one, other = pair
    text = {"name": "bridge.md", "text": "# Bridges\n\nThe viaduct of Garabit is painted red.\n"}
    document = one.post("/api/documents", json=text).json()
    again = other.post(
        "/api/documents", json={**text, "text": "# Towers\n\nThe tower of Cordouan is a lighthouse.\n"}
    ).json()
    assert again["name"] == "bridge-2.md"
    listed = [api.get("/api/documents").json()["documents"] for api in pair]
    assert listed[0] == listed[1]
    assert {one["name"] for one in listed[0]} == {"bridge.md", "bridge-2.md"}
    for api, query in ((other, "viaduct of Garabit"), (one, "tower of Cordouan")):
        until(lambda api=api, query=query: found(api, query))
    assert other.delete(f"/api/documents/{document['id']}").status_code == 204
    until(lambda: not found(one, "viaduct of Garabit"))
    assert [len(api.get("/api/documents").json()["documents"]) for api in pair] == [1, 1]


def found(api: httpx.Client, query: str) -> list[Any]:
    """Return what is found; asked so seldom that it is within the rate."""
    time.sleep(0.25)
    answer = api.post("/api/search", json={"query": query, "corpus": "my-documents"})
    return [hit["path"] for hit in answer.json().get("hits", ())]


@pytest.mark.slow
def test_a_limit_spent_on_one_is_refused_on_the_other(
    limited: tuple[Serving, Serving], join: Callable[[], tuple[str, str]], settings: dict[str, str], tmp_path: Path
) -> None:
    """A model is asked through the official client until one server refuses; then the other refuses as well."""
    name, token = join()
    clients = [openai.OpenAI(base_url=f"{server.url}/v1", api_key=token, max_retries=0) for server in limited]
    messages: Any = [{"role": "user", "content": f"{QUESTION} {'Say so, please. ' * 150}"}]
    with pytest.raises(openai.RateLimitError, match="limit_day_tokens"):
        for _ in range(8):
            clients[0].chat.completions.create(model="quaestor", messages=messages)
    with pytest.raises(openai.RateLimitError, match="limit_day_tokens"):
        clients[1].chat.completions.create(model="quaestor", messages=messages)
    rows = json.loads(run(settings, tmp_path, "usage", "--by", "user", "--json"))
    assert name in json.dumps(rows)
    for api in clients:
        api.close()


@pytest.mark.slow
def test_what_a_killed_server_had_under_way_is_whole_and_goes_on_at_the_other(
    start: Callable[..., Serving],
    two: tuple[Serving, Serving],
    join: Callable[[], tuple[str, str]],
    model: ScriptedServer,
) -> None:
    doomed = start()
    _, token = join()
    with client(doomed, token) as one, client(two[0], token) as other:
        session = begin(one)
        asked(one, session, question=QUESTION)
        with one.stream("POST", f"/api/sessions/{session}/turns", json={"question": "and for ever?"}) as answer:
            told = events(answer.iter_lines())
            assert next(data for name, data in told if name == "text")
            doomed.process.send_signal(signal.SIGKILL)
            doomed.process.wait()
            with pytest.raises(httpx.TransportError):
                list(told)
        turns = other.get(f"/api/sessions/{session}").json()["turns"]
        assert [turn["state"] for turn in turns] == ["done", "unfinished"]
        assert turns[0]["answer"] == CITED
        # Its lease ends by itself.
        until(lambda: _is_left(other, session))
        assert asked(other, session, question=QUESTION)[-1][1]["answer"] == CITED
        sent = [message["content"] for message in model.requests[-1].messages]
        assert not any("for ever" in content for content in sent)
        assert states_of_turns(other, session) == ["done", "unfinished", "done"]


def _is_left(api: httpx.Client, session: str) -> bool:
    """Return whether no turn of a session is under way; asked so seldom that it is within the rate."""
    time.sleep(0.5)
    return api.get(f"/api/sessions/{session}").json()["running"] is False
