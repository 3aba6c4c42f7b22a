"""Every route that the OpenAPI document publishes, with requests made from that document, right ones and wrong ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from served import Running, serving, write

from scripted_server import ScriptedServer

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
CALM = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("schema")
    with (
        ScriptedServer(["It rests for eighteen hours [1]."]) as upstream,
        serving(write(folder / "kitchen"), home=folder / "home", model="tiny", base_url=upstream.base_url) as running,
    ):
        yield running


def operations(server: Running) -> list[APIOperation]:
    """Return every operation of the published document."""
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    return [result.ok() for result in schema.get_all_operations()]


def try_all(server: Running, examples: int, *, derandomize: bool) -> None:
    """Send requests of each operation, right and wrong, and look at each answer."""
    found = operations(server)
    assert {"/v1/chat/completions", "/v1/embeddings", "/v1/models", "/api/search", "/metrics"} <= {
        operation.path for operation in found
    }
    for operation in found:
        for mode in GenerationMode:

            @given(case=operation.as_strategy(generation_mode=mode))
            @settings(max_examples=examples, deadline=None, derandomize=derandomize, suppress_health_check=CALM)
            def answered(case: schemathesis.Case) -> None:
                if case.path.startswith("/v1/") and isinstance(case.body, dict) and "model" in case.body:
                    # Chance finds no name of a corpus.
                    case.body["model"] = "quaestor"
                case.call_and_validate(checks=CHECKS)

            # Some take nothing that could be wrong.
            with suppress(Unsatisfiable):
                answered()


def test_no_answer_is_a_surprise(server: Running) -> None:
    try_all(server, 2, derandomize=True)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_answer_is_a_surprise_for_long(server: Running) -> None:
    try_all(server, 400, derandomize=False)
