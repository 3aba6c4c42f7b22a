"""The real servers as fixtures; a test that uses one is skipped where it cannot run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from real_servers import RealServer, free_port, llama_server, started, tiny_model

StartLlama = Callable[..., RealServer]


@pytest.fixture(scope="session")
def start_llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartLlama]:
    """Start llama-server with further arguments; one that was started with the same serves again."""
    running: dict[tuple[str, ...], RealServer] = {}
    folder = tmp_path_factory.mktemp("llama")
    with ExitStack() as stack:

        def start(*arguments: str) -> RealServer:
            if arguments not in running:
                port = free_port()
                command = [llama_server(), "-m", tiny_model() / "tiny.gguf", "--alias", "tiny", "-t", "1", "--jinja"]
                command += ["--host", "127.0.0.1", "--port", str(port), *arguments]
                running[arguments] = stack.enter_context(started("llama-server", command, port, folder))
            return running[arguments]

        yield start


@pytest.fixture(scope="session")
def llama(start_llama: StartLlama) -> RealServer:
    """llama-server with a window of 8,192 tokens for each of four requests at a time."""
    return start_llama("-c", "32768", "-np", "4")


@pytest.fixture(scope="session")
def narrow_llama(start_llama: StartLlama) -> RealServer:
    """llama-server with a window of 1,024 tokens for each of four requests at a time."""
    return start_llama("-c", "4096", "-np", "4")


@pytest.fixture(scope="session")
def tokenizer_file() -> Path:
    """The tiny model's own tokenizer.json."""
    return tiny_model() / "tokenizer.json"
