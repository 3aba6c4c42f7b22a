"""The systems that a benchmark compares, behind one protocol: Quaestor here, peers in a subprocess."""

# ruff: noqa: PLC0415 - peers can be compared where quaestor is not installed

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from _metrics import Location

SERVER = Path(__file__).with_name("_peer_server.py")
MODES = ("lexical", "dense", "fusion", "ranked")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search returned, best first, and the seconds it took inside the system."""

    hits: list[Location]
    seconds: float


@dataclass(frozen=True, slots=True)
class Indexed:
    """What indexing one folder came to; ``chunks`` is None where the system does not say."""

    seconds: float
    chunks: int | None


class System(Protocol):
    """Anything that can index a folder and search it; paths are relative to that folder."""

    name: str

    def index(self, root: Path) -> Indexed: ...

    def search(self, query: str, k: int) -> Answer: ...

    def close(self) -> None: ...


class Quaestor:
    """Quaestor through its public interface, in one of its modes. Its modes share each folder's index.

    Args:
        mode: how hits are scored.
        embedder: what makes the vectors: empty for the bundled embedder, or ``onnx:FOLDER``.
    """

    _built: ClassVar[dict[str, tuple[Path, Any, Indexed]]] = {}

    def __init__(self, mode: str = "ranked", embedder: str = "") -> None:
        if mode not in MODES:
            raise SystemExit(f"quaestor's modes are {', '.join(MODES)}, not {mode}")
        parts = ["quaestor", *([mode] if mode != "ranked" else []), *([_shown(embedder)] if embedder else [])]
        self.name = ":".join(parts)
        self._mode = mode
        self._embedder = embedder

    def index(self, root: Path) -> Indexed:
        from quaestor import Index

        built = Quaestor._built.get(self._embedder)
        if built is None or built[0] != root:
            started = time.perf_counter()
            index = Index.build(root, settings=self._settings())
            built = Quaestor._built[self._embedder] = (root, index, Indexed(time.perf_counter() - started, None))
        self._index = built[1]
        return built[2]

    def _settings(self) -> Any:
        """The settings of one embedder, whose indexes lie apart from those of others; None: as they are."""
        if not self._embedder:
            return None
        from quaestor.core.config import data_home, load_configuration

        settings = load_configuration({"embedder": self._embedder}).settings
        return settings._replace(home=str(data_home(settings) / _shown(self._embedder)))

    def search(self, query: str, k: int) -> Answer:
        started = time.perf_counter()
        hits = self._index.search(query, k=k, mode=self._mode)
        seconds = time.perf_counter() - started
        return Answer([(hit.path, hit.start_line, hit.end_line) for hit in hits], seconds)

    def close(self) -> None:
        Quaestor._built.pop(self._embedder, None)


class PeerProcess:
    """A peer in its own Python environment, asked over a pipe."""

    def __init__(self, name: str, python: str, settings: dict[str, Any]) -> None:
        self.name = _shown(name)
        command = [python, "-u", str(SERVER), name, json.dumps(settings)]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def index(self, root: Path) -> Indexed:
        done = self._ask({"index": str(root)})
        return Indexed(done["seconds"], done["chunks"])

    def search(self, query: str, k: int) -> Answer:
        done = self._ask({"search": query, "k": k})
        return Answer([(path, start, end) for path, start, end in done["hits"]], done["seconds"])

    def close(self) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait(timeout=30)

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the peer has no pipes")
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended with {self._process.wait()}; see its message above")
        answer: dict[str, Any] = json.loads(line)
        return answer


def make(name: str, python: str, settings: dict[str, Any]) -> System:
    """The system of that name: ``quaestor[:MODE][:onnx:FOLDER]``, ``bm25``, ``minilm`` or ``semble:PATH``."""
    kind, _, argument = name.partition(":")
    if kind == "quaestor":
        return quaestor(argument)
    return PeerProcess(name, python, settings)


def quaestor(argument: str) -> Quaestor:
    """Quaestor as ``[MODE][:onnx:FOLDER]`` says."""
    mode, named, folder = argument.partition("onnx:")
    return Quaestor(mode.rstrip(":") or "ranked", f"{named}{folder}")


def _shown(name: str) -> str:
    """``semble:/some/where/model`` as ``semble:model``: saved results name no folder of the machine."""
    kind, _, argument = name.partition(":")
    return f"{kind}:{Path(argument).name}" if argument else kind


def keep_indexes_apart() -> tempfile.TemporaryDirectory[str]:
    """Send Quaestor's indexes to a fresh folder, so that nothing old is reused or left behind."""
    folder = tempfile.TemporaryDirectory(prefix="quaestor-benchmark-")
    os.environ["QUAESTOR_HOME"] = folder.name
    return folder
