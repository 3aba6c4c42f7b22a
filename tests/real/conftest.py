"""The real servers as fixtures; a test that uses one is skipped where it cannot run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from real_servers import RealServer, llama_server, python_with, started, tiny_model

from servers.threads import free_port

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
def transformers_serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """The server of transformers, with a window of 1,024 tokens."""
    python = python_with("transformers.cli.serve")
    folder = tmp_path_factory.mktemp("transformers")
    model = copytree(tiny_model(), folder / "tiny", ignore=ignore_patterns("*.gguf"))
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    (model / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 1024}), encoding="utf-8")
    port = free_port()
    command = [python.parent / "transformers", "serve", model, "--device", "cpu"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    with started("transformers serve", command, port, folder, str(model)) as server:
        yield server


@pytest.fixture(scope="session")
def llama_cpp_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """The server of llama-cpp-python, with a window of 1,024 tokens."""
    port, folder = free_port(), tmp_path_factory.mktemp("llama_cpp")
    command = [python_with("llama_cpp.server"), "-m", "llama_cpp.server", "--model", tiny_model() / "tiny.gguf"]
    command += ["--model_alias", "tiny", "--n_ctx", "1024", "--n_threads", "1"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    with started("llama-cpp-python", command, port, folder) as server:
        yield server


@pytest.fixture(scope="session")
def tokenizer_file() -> Path:
    """The tiny model's own tokenizer.json."""
    return tiny_model() / "tokenizer.json"
