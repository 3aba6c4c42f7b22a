"""Connections are reused, and the address of each was checked when it was opened."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from quaestor.crawl.connections import Connection, FetchError, IdleConnections
from quaestor.crawl.fetch import Fetcher
from servers.site import Answer, SiteServer


def site(path: str, _headers: object) -> Answer | None:
    if path == "/silent":
        return Answer("home", quits=True)
    if path == "/pieces":
        return Answer(iter([b"ho", b"me"]))
    return None if path == "/missing" else Answer("home")


@pytest.fixture
def server() -> Iterator[SiteServer]:
    with SiteServer(site) as running:
        yield running


def fetcher(server: SiteServer, asked: list[str]) -> Fetcher:
    def resolve(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    return Fetcher(5, resolve=resolve, private_hosts=frozenset({server.host}))


def test_requests_to_one_host_share_a_connection(server: SiteServer) -> None:
    asked: list[str] = []
    with closing(fetcher(server, asked)) as one:
        answers = [one.fetch(f"{server.url}{path}") for path in ("/", "/a", "/missing", "/b")]
    assert [(answer.status, answer.body) for answer in answers] == [(200, b"home")] * 2 + [(404, b""), (200, b"home")]
    assert (server.connections, asked) == (1, ["127.0.0.1"])


def test_a_connection_that_was_closed_meanwhile_is_opened_and_judged_anew(server: SiteServer) -> None:
    asked: list[str] = []
    with closing(fetcher(server, asked)) as one:
        assert [one.fetch(f"{server.url}/silent").body for _ in range(3)] == [b"home"] * 3
    assert server.connections == len(asked) == 3


def test_an_answer_that_ends_with_its_connection(server: SiteServer) -> None:
    with closing(fetcher(server, [])) as one:
        assert [one.fetch(f"{server.url}/pieces").body for _ in range(2)] == [b"home"] * 2
    assert server.connections == 2


def test_an_answer_that_is_not_wanted_whole_ends_its_connection(server: SiteServer) -> None:
    with closing(fetcher(server, [])) as one:
        with pytest.raises(FetchError, match="too large"):
            one.fetch(f"{server.url}/", largest=3)
        assert one.fetch(f"{server.url}/").body == b"home"
    assert server.connections == 2


def test_no_connection_is_used_by_two_at_once(server: SiteServer) -> None:
    bodies: list[bytes] = []
    with closing(fetcher(server, [])) as one:

        def fetch_some() -> None:
            bodies.extend(one.fetch(f"{server.url}/{number}").body for number in range(20))

        threads = [threading.Thread(target=fetch_some) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert bodies == [b"home"] * 80
    assert server.connections <= 4


def test_only_so_many_connections_wait_and_only_so_long() -> None:
    class Noted(Connection):
        closed = False

        def close(self) -> None:
            self.closed = True

    made = [Noted("a.example") for _ in range(3)]
    idle = IdleConnections(most=2)
    for connection in made:
        idle.give("http://a.example", connection)
    assert [one.closed for one in made] == [True, False, False]
    assert idle.take("https://a.example") is None
    assert idle.take("http://a.example") is made[2]
    idle.close()
    assert made[1].closed
    stale = IdleConnections(seconds=-1)
    stale.give("http://a.example", made[2])
    assert stale.take("http://a.example") is None
    assert made[2].closed


def test_a_connection_never_connects_by_itself() -> None:
    with pytest.raises(http.client.NotConnected):
        Connection("127.0.0.1", 9).request("GET", "/")
