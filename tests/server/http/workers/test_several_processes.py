"""Several processes that serve as one: what one of them does, the others know."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from served import write
from worker_parts import CITED, PER_MINUTE, QUESTION, Serving, asked, begin, searchable, serving, states_of_turns, until

from quaestor.accounts import FILE
from quaestor.accounts.users import Users
from scripted_server import ScriptedServer
from servers.event_streams import events


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory, model: ScriptedServer) -> Iterator[Serving]:
    """A server of two workers, with users, shared by the tests of this file."""
    folder = tmp_path_factory.mktemp("workers")
    settings = {"QUAESTOR_MODEL": "tiny", "QUAESTOR_BASE_URL": model.base_url}
    with serving(write(folder / "kitchen"), folder / "home", **settings) as server:
        for worker in (1, 2):
            with server.client(worker) as api:
                until(lambda: searchable(api))
        yield server


@pytest.fixture
def pair(two: Serving) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """Two clients of a new user, one of each worker."""
    token = two.join()
    with two.client(1, token) as one, two.client(2, token) as other:
        yield one, other


def counted(api: httpx.Client, route: str) -> int:
    """Return how often a route was asked for, as a worker tells it."""
    found = re.search(rf'quaestor_requests_total\{{.*route="{route}".*\}} (\d+)', api.get("/metrics").text)
    return 0 if found is None else int(found[1])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process is copied")
def test_both_are_copies_of_the_one_that_watches(two: Serving) -> None:
    """They share what it imported; but no database that it opened, nor the other's pipes."""

    def files(pid: int) -> list[str]:
        return [str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir()]

    commands = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in (two.process.pid, *two.pids().values())]
    assert len(commands) == 3 and len(set(commands)) == 1
    one, other = map(files, two.pids().values())
    assert not [name for name in files(two.process.pid) if "sqlite" in name or name.endswith(".db")]
    assert not {name for name in one if name.startswith("pipe:")} & {name for name in other if name.startswith("pipe:")}
    assert len([name for name in one if "quaestor-serve-" in name and name.endswith("shared.sqlite")]) == 1


def test_both_answer(pair: tuple[httpx.Client, httpx.Client]) -> None:
    for api in pair:
        [hit, *_] = api.post("/api/search", json={"query": QUESTION}).json()["hits"]
        assert hit["path"] == "guide.md"


def test_a_turn_is_refused_while_the_other_runs_one(
    pair: tuple[httpx.Client, httpx.Client], model: ScriptedServer
) -> None:
    """And the other follows it from its beginning, and stops it."""
    one, other = pair
    session = begin(one)
    model.hung_up.clear()
    with one.stream("POST", f"/api/sessions/{session}/turns", json={"question": "and for ever?"}) as answer:
        found = events(answer.iter_lines())
        assert next(data for name, data in found if name == "text")
        for body in ({"question": "second?"}, {"resume": True}):
            refused = other.post(f"/api/sessions/{session}/turns", json=body)
            assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conflict")
        assert other.delete(f"/api/sessions/{session}").status_code == 409
        assert other.get(f"/api/sessions/{session}").json()["running"] is True
    running = f"/api/sessions/{session}/turns/running"
    with other.stream("GET", running) as answer:
        followed = events(answer.iter_lines())
        assert next(followed)[0] == "searching"
        assert next(data for name, data in followed if name == "text")
        assert one.delete(running).status_code == 204
        assert all(name == "text" for name, _ in followed)
    assert model.hung_up.wait(600)
    until(lambda: not other.get(f"/api/sessions/{session}").json()["running"])
    assert states_of_turns(other, session) == ["cancelled"]
    assert asked(other, session, question=QUESTION)[-1][1]["answer"] == CITED


def test_a_session_goes_on_through_the_other(pair: tuple[httpx.Client, httpx.Client], model: ScriptedServer) -> None:
    one, other = pair
    session = begin(one)
    asked(one, session, question=QUESTION)
    asked(other, session, question="and where?")
    assert CITED in [message["content"] for message in model.requests[-1].messages]
    assert states_of_turns(one, session) == ["done", "done"]


def test_the_rate_is_that_of_both_together(pair: tuple[httpx.Client, httpx.Client]) -> None:
    began = time.monotonic()
    statuses = [api.get("/api/corpora").status_code for _ in range(PER_MINUTE // 6) for api in pair]
    passed = 2 + statuses.count(200)  # each client was asked for something before
    assert set(statuses) <= {200, 429}
    assert passed <= PER_MINUTE / 6 + (time.monotonic() - began) * PER_MINUTE / 60 + 2


def test_either_tells_what_both_counted(two: Serving, pair: tuple[httpx.Client, httpx.Client]) -> None:
    one, other = pair
    before = counted(one, "/api/usage")
    for api, times in ((one, 2), (other, 3)):
        for _ in range(times):
            assert api.get("/api/usage").status_code == 200
    # A worker counts a request once its answer is on the wire, so the client can be a moment ahead of the count.
    with two.client(2, two.join()) as third:
        for worker in (one, other, third):
            until(lambda api=worker: counted(api, "/api/usage") >= before + 5)
            assert counted(worker, "/api/usage") == before + 5


def test_a_revoked_token_is_refused_by_both(two: Serving) -> None:
    users = Users.open(two.home / FILE)
    user, token = users.add("leaving")
    with two.client(1, token) as one, two.client(2, token) as other:
        assert [api.get("/api/corpora").status_code for api in (one, other)] == [200, 200]
        users.revoke(user.name)
        assert [api.get("/api/corpora").status_code for api in (one, other)] == [401, 401]


def test_documents_given_to_one_are_found_by_the_other(pair: tuple[httpx.Client, httpx.Client]) -> None:
    one, other = pair
    text = {"name": "bridge.md", "text": "# Bridges\n\nThe viaduct of Garabit is painted red.\n"}
    assert one.post("/api/documents", json=text).status_code == 201
    query = {"query": "colour of the viaduct", "corpus": "my-documents"}

    def found() -> bool:
        answer = other.post("/api/search", json=query)
        return answer.status_code == 200 and bool(answer.json()["hits"])

    until(found)


def test_a_worker_that_is_killed_is_replaced(two: Serving, pair: tuple[httpx.Client, httpx.Client]) -> None:
    """What it had on record stays, what it claimed is free, and what it counted stays counted."""
    one, other = pair
    earlier = counted(one, "/api/sessions")
    session = begin(other)
    until(lambda: counted(one, "/api/sessions") > earlier)  # a moment after the client has its answer
    before, killed = counted(one, "/api/sessions"), two.pids()[2]
    with other.stream("POST", f"/api/sessions/{session}/turns", json={"question": "and for ever?"}) as answer:
        found = events(answer.iter_lines())
        assert next(data for name, data in found if name == "text")
        os.kill(killed, signal.SIGKILL)
        with pytest.raises(httpx.TransportError):
            list(found)
    until(lambda: not one.get(f"/api/sessions/{session}").json()["running"])
    assert states_of_turns(one, session) == ["unfinished"]
    assert asked(one, session, question=QUESTION)[-1][1]["answer"] == CITED
    assert counted(one, "/api/sessions") == before
    ended = [entry for entry in two.entries() if entry["event"] == "worker ended"]
    assert [(entry["worker"], entry["ending"]) for entry in ended] == [(2, -signal.SIGKILL)]
    with two.client(2, two.join()) as again:
        assert states_of_turns(one, session) == ["unfinished", "done"]
        # A server counts a request a moment longer than its client waits for it.
        until(lambda: "quaestor_requests_in_flight 1.0\n" in again.get("/metrics").text)
        assert two.pids()[2] != killed
