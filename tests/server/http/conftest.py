"""The official client of OpenAI, opened and closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import openai
import pytest
from served import Running


@pytest.fixture
def open_client() -> Iterator[Callable[[Running], openai.OpenAI]]:
    opened: list[openai.OpenAI] = []

    def start(server: Running) -> openai.OpenAI:
        opened.append(openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0))
        return opened[-1]

    yield start
    for client in opened:
        client.close()
