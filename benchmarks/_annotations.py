"""Reads the benchmark's annotations: repositories, queries and targets."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _metrics import Target


@dataclass(frozen=True, slots=True)
class Query:
    """One annotated query; ``targets`` holds primary and secondary ones alike."""

    text: str
    category: str
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository of the benchmark.

    Attributes:
        root: the folder to index, relative to the checkout; empty for all of it.
        revision: the commit the annotations were made at.
    """

    name: str
    language: str
    revision: str
    root: str
    queries: tuple[Query, ...]


def load(folder: Path, only: Collection[str] = ()) -> list[Repository]:
    """Read ``repos.json`` and ``annotations/NAME.json``; ``only`` keeps the named repositories."""
    listed = json.loads((folder / "repos.json").read_text(encoding="utf-8"))
    unknown = set(only) - {entry["name"] for entry in listed}
    if unknown:
        raise SystemExit(f"not in repos.json: {', '.join(sorted(unknown))}")
    return [_repository(folder, entry) for entry in listed if not only or entry["name"] in only]


def _repository(folder: Path, entry: dict[str, Any]) -> Repository:
    path = folder / "annotations" / f"{entry['name']}.json"
    queries = tuple(_query(raw) for raw in json.loads(path.read_text(encoding="utf-8")))
    root = entry.get("benchmark_root") or ""
    return Repository(entry["name"], entry["language"], entry["revision"], root, queries)


def _query(raw: dict[str, Any]) -> Query:
    targets = [*raw.get("relevant", []), *raw.get("secondary", [])]
    return Query(raw["query"], raw["category"], tuple(_target(target) for target in targets))


def _target(raw: str | dict[str, Any]) -> Target:
    if isinstance(raw, str):
        return Target(raw)
    return Target(raw["path"], raw.get("start_line"), raw.get("end_line"))
