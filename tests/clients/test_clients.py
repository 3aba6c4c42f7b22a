"""Each client, each feature that it has: it passes, or it is refused with the reason. See `make clients`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from client_programs import CELL, Client, Result, all_clients
from clients_served import CITED, LISTED, RAIN, clients_server
from served import Running

ENVIRONMENT = Path(os.environ.get("QUAESTOR_CLIENTS", ".clients")).resolve()
CLIENTS = all_clients(ENVIRONMENT)
CASES = [(client, feature) for client in CLIENTS for feature in client.features]

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(not ENVIRONMENT.is_dir(), reason=f"there is no {ENVIRONMENT}; `make clients` makes it"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with clients_server(tmp_path_factory.mktemp("clients")) as found:
        yield found


@pytest.fixture(scope="module")
def results(server: Running, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Client], dict[str, Result]]:
    """Asks a client for all of its features, once: some take seconds to start."""

    @cache
    def of(name: str) -> dict[str, Result]:
        [client] = [one for one in CLIENTS if one.name == name]
        return client.ask(client.features, f"{server.url}/v1", tmp_path_factory.mktemp("client"))

    return lambda client: of(client.name)


def test_what_a_client_asks_for_comes(
    server: Running,
    results: Callable[[Client], dict[str, Result]],
    case: tuple[Client, str],
    record_property: Callable[[str, Any], None],
) -> None:
    client, feature = case
    found = results(client)[feature]
    assert "failed" not in found, found
    record_property(CELL, (client.name, feature, judged(feature, found, server)))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    names = [f"{client.name}-{feature}" for client, feature in CASES]
    metafunc.parametrize("case", CASES, ids=names)


def judged(feature: str, found: Result, server: Running) -> str:
    """Return how a feature went, for the table; fails where it is neither right nor refused with the reason."""
    match feature:
        case "image":
            assert "'image_url' is not supported; only 'text' is" in found["refused"], found
            return "refused: only text is supported"
        case "unknown":
            assert "There is no model 'cellar' here. Use one of 'quaestor'." in found["refused"], found
            return "refused: no such model here"
        case "chat" | "streaming":
            assert found["text"] == CITED and found.get("pieces", 2) > 1, found
        case "responses" | "responses_streamed" | "completion":
            assert found["text"] == CITED + LISTED and found.get("pieces", 2) > 1, found
        case "tools":
            assert (found["called"], found["text"]) == ({"city": "Graz"}, RAIN), found
        case "form":
            assert found["data"] == {"tries": 3}, found
        case "embeddings":
            assert found["vectors"] == [server.served.corpora.get().embedder.dimensions] * 2, found
        case "models":
            assert "quaestor" in found["names"], found
        case "sources":
            assert found["paths"] == ["retry.py"], found
        case "edit":
            assert found["edited"] == "MAX_ATTEMPTS = 4\n", found
    return "passes"
