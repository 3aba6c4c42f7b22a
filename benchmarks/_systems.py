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
from typing import Any, Protocol

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
    """Quaestor through its public interface, in one of its modes. Its modes share each folder's index."""

    _built: tuple[Path, Any, Indexed] | None = None

    def __init__(self, mode: str = "ranked") -> None:
        if mode not in MODES:
            raise SystemExit(f"quaestor's modes are {', '.join(MODES)}, not {mode}")
        self.name = "quaestor" if mode == "ranked" else f"quaestor:{mode}"
        self._mode = mode

    def index(self, root: Path) -> Indexed:
        from quaestor import Index

        if Quaestor._built is None or Quaestor._built[0] != root:
            started = time.perf_counter()
            index = Index.build(root)
            Quaestor._built = (root, index, Indexed(time.perf_counter() - started, None))
        self._index = Quaestor._built[1]
        return Quaestor._built[2]

    def search(self, query: str, k: int) -> Answer:
        started = time.perf_counter()
        hits = self._index.search(query, k=k, mode=self._mode)
        seconds = time.perf_counter() - started
        return Answer([(hit.path, hit.start_line, hit.end_line) for hit in hits], seconds)

    def close(self) -> None:
        Quaestor._built = None


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
    """The system of that name: ``quaestor[:MODE]``, ``bm25``, ``minilm`` or ``semble:PATH``."""
    kind, _, argument = name.partition(":")
    if kind == "quaestor":
        return Quaestor(argument or "ranked")
    return PeerProcess(name, python, settings)


def _shown(name: str) -> str:
    """``semble:/some/where/model`` as ``semble:model``: saved results name no folder of the machine."""
    kind, _, argument = name.partition(":")
    return f"{kind}:{Path(argument).name}" if argument else kind


def keep_indexes_apart() -> tempfile.TemporaryDirectory[str]:
    """Send Quaestor's indexes to a fresh folder, so that nothing old is reused or left behind."""
    folder = tempfile.TemporaryDirectory(prefix="quaestor-benchmark-")
    os.environ["QUAESTOR_HOME"] = folder.name
    return folder
