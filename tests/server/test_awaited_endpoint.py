"""Waiting until an endpoint listens, without sending it a request."""

from __future__ import annotations

import socket

import pytest

from quaestor.llm.endpoints.failures import is_listening
from quaestor.server.http.served_from_settings import AwaitedEndpoint


def test_an_endpoint_that_came_stays() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    endpoint = AwaitedEndpoint(f"http://127.0.0.1:{port}/v1")
    assert not endpoint.has_listened()
    with socket.create_server(("127.0.0.1", port)):
        assert endpoint.has_listened()
    assert endpoint.has_listened(), "from now on its failures are failures"


def test_an_address_that_is_silent_is_not_tried_again_at_once() -> None:
    seconds = [0.0]

    def clock() -> float:
        return seconds[0]

    tried: list[float] = []

    def silent(base_url: str, patience: float) -> bool:
        tried.append(seconds[0])
        seconds[0] += patience
        return False

    endpoint = AwaitedEndpoint("http://192.0.2.1/v1", clock, silent)
    assert not any([endpoint.has_listened(), endpoint.has_listened()])
    assert len(tried) == 1
    seconds[0] += 10
    assert not endpoint.has_listened()
    assert len(tried) == 2


@pytest.mark.parametrize(
    "address", ["", "http://", "http://127.0.0.1:99999/v1", "http://[::1", "nonsense", "http://\x00/"]
)
def test_what_is_no_address_listens_nowhere(address: str) -> None:
    assert not is_listening(address)
