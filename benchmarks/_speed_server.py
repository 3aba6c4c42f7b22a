"""Runs what ``speed.py`` times, one JSON object a line, in the Python environment of the system that is timed.

It is started with the name of a system: ``quaestor``, or ``semble:PATH`` with a model2vec folder in place of semble's
own model. Every time is measured here, around the call into the system, so that neither the pipe nor Python's start
counts.
"""

# ruff: noqa: PLC0415 - each system is imported in its own environment only

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol


class Timed(Protocol):
    """What is timed of a system; the index lies where the environment says."""

    def index(self, root: Path) -> dict[str, Any]: ...

    def open(self, root: Path) -> None: ...

    def search(self, query: str) -> None: ...

    def check(self) -> None: ...

    def refresh(self) -> None: ...


class Quaestor:
    """Quaestor through its public interface. A search always checks what changed."""

    def __init__(self) -> None:
        import quaestor

        self._quaestor = quaestor

    def index(self, root: Path) -> dict[str, Any]:
        self._index = self._quaestor.Index.build(root)
        stats = self._index.stats()
        return {"files": stats.documents, "chunks": stats.chunks, "bytes": stats.bytes, "disk": stats.index_bytes}

    def open(self, root: Path) -> None:
        self._index = self._quaestor.Index.open(root)

    def search(self, query: str) -> None:
        self._index.search(query, k=10)

    def check(self) -> None:
        """Nothing to do: the search checks."""

    def refresh(self) -> None:
        self._index.refresh()


class Semble:
    """semble through its public interface. Its index in memory does not check; its commands do, by ``from_path``."""

    def __init__(self, model: str) -> None:
        from semble import SembleIndex
        from semble.cache import get_validated_cache, save_index_to_cache
        from semble.types import ContentType

        self._model = model
        self._class, self._save = SembleIndex, save_index_to_cache
        self._validate, self._content = get_validated_cache, (ContentType.CODE,)

    def index(self, root: Path) -> dict[str, Any]:
        self.open(root)
        stats = self._index.stats
        return {"files": stats.indexed_files, "chunks": stats.total_chunks}

    def open(self, root: Path) -> None:
        self._root = str(root)
        self._index = self._class.from_path(self._root, model_path=self._model)
        self._save(self._index, self._root)

    def search(self, query: str) -> None:
        self._index.search(query, top_k=10)

    def check(self) -> None:
        self._validate(self._root, self._model, self._content)

    def refresh(self) -> None:
        self.open(Path(self._root))


def answer(system: Timed, request: dict[str, Any]) -> dict[str, Any]:
    """Carry out one request and say how long it took."""
    kind, root = request["do"], Path(request.get("root", "."))
    if kind == "search":
        return {"seconds": timed_searches(system, request["queries"], check=request["check"])}
    done: dict[str, Any] = {}
    started = time.perf_counter()
    if kind == "index":
        done = system.index(root)
    elif kind == "open":
        system.open(root)
    else:
        system.refresh()
    return {"seconds": time.perf_counter() - started, **done}


def timed_searches(system: Timed, queries: Sequence[str], *, check: bool) -> list[float]:
    """Return the seconds of each search, with the system's own check for changes where it is not part of it."""
    times = []
    for query in queries:
        started = time.perf_counter()
        if check:
            system.check()
        system.search(query)
        times.append(time.perf_counter() - started)
    return times


def main() -> None:
    # Libraries print to stdout; the answers keep the real one for themselves.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    name, _, model = sys.argv[1].partition(":")
    system: Timed = Semble(model) if name == "semble" else Quaestor()
    for line in sys.stdin:
        answers.write(json.dumps(answer(system, json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
