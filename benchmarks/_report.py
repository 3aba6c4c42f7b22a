"""Writes scored queries as one printed table and one JSON document."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

LABEL = 22
COMMIT = 11
COLUMN = 14


@dataclass(frozen=True, slots=True)
class Scored:
    """One query on one system.

    Attributes:
        raw: NDCG@10 of the ten best chunks.
        by_file: NDCG@10 when each file counts once.
        seconds: one warm search of ten.
    """

    system: str
    repository: str
    language: str
    category: str
    query: str
    raw: float
    by_file: float
    seconds: float


Group = Callable[[Scored], str]
Row = tuple[str, str, Sequence[str]]
"""A label, a number of queries or a commit, and a cell for each system."""

GROUPS: dict[str, Group] = {
    "category": lambda score: score.category,
    "language": lambda score: score.language,
    "repository": lambda score: score.repository,
}


def mean_scores(scores: Sequence[Scored]) -> dict[str, int | float]:
    """Means over queries, and ``*_macro`` ones over repositories; query times in milliseconds."""
    times = sorted(score.seconds * 1000 for score in scores)
    per_repository = [list(part) for part in split(scores, GROUPS["repository"]).values()]
    means = {
        "raw": _mean([score.raw for score in scores]),
        "by_file": _mean([score.by_file for score in scores]),
        "raw_macro": _mean([_mean([score.raw for score in part]) for part in per_repository]),
        "by_file_macro": _mean([_mean([score.by_file for score in part]) for part in per_repository]),
        "query_p50_ms": statistics.median(times),
        "query_p95_ms": times[min(len(times) - 1, round(0.95 * len(times)))],
    }
    return {"queries": len(scores), **{name: round(value, 4) for name, value in means.items()}}


def split(scores: Sequence[Scored], group: Group) -> dict[str, list[Scored]]:
    """The scores of each group, groups in alphabetical order."""
    parts: dict[str, list[Scored]] = {}
    for score in scores:
        parts.setdefault(group(score), []).append(score)
    return dict(sorted(parts.items()))


def summary(scores: Sequence[Scored]) -> dict[str, Any]:
    """For each system, in the order asked for: all queries, and each category, language and repository."""
    systems = dict.fromkeys(score.system for score in scores)
    return {
        system: {
            "all": mean_scores(own),
            **{
                name: {label: mean_scores(part) for label, part in split(own, group).items()}
                for name, group in GROUPS.items()
            },
        }
        for system, own in ((name, [score for score in scores if score.system == name]) for name in systems)
    }


def table(report: dict[str, Any]) -> str:
    """One text table of a saved report: a row for each group, for each system ``raw / by file``."""
    widths = [max(COLUMN, len(system)) for system in report["systems"]]
    return "\n".join(_line(row, widths) for row in _rows(report))


def _line(row: Row, widths: Sequence[int]) -> str:
    label, second, cells = row
    columns = [f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)]
    return " ".join([f"{label:<{LABEL}}", f"{second:>{COMMIT}}", *columns]).rstrip()


def _rows(report: dict[str, Any]) -> Iterator[Row]:
    systems = report["systems"]
    everything = [summed["all"] for summed in systems.values()]
    yield "NDCG@10  raw / by file", "queries", list(systems)
    yield "all, mean of queries", str(everything[0]["queries"]), [_pair(cell) for cell in everything]
    yield "all, mean of repos", str(len(report["commits"])), [_pair(cell, "_macro") for cell in everything]
    for name in GROUPS:
        yield from _group_rows(name, report)
    seconds = [report["costs"][system]["index_seconds"] for system in systems]
    yield "index, seconds", "", [f"{value:.1f}" for value in seconds]
    yield "query p50 / p95, ms", "", [_times(cell) for cell in everything]


def _group_rows(name: str, report: dict[str, Any]) -> Iterator[Row]:
    groups = [summed[name] for summed in report["systems"].values()]
    yield name, "commit" if name == "repository" else "queries", [""] * len(groups)
    for label in groups[0]:
        cells = [group[label] for group in groups]
        second = _commit(report["commits"][label]) if name == "repository" else str(cells[0]["queries"])
        yield f"  {label}", second, [_pair(cell) for cell in cells]


def _commit(entry: dict[str, Any]) -> str:
    """Ten digits, and ``*`` where it is not the commit that was annotated."""
    return str(entry["commit"][:10]) + "*" * (not entry["pinned"])


def _pair(cell: dict[str, float], suffix: str = "") -> str:
    return f"{cell['raw' + suffix]:.3f} / {cell['by_file' + suffix]:.3f}"


def _times(cell: dict[str, float]) -> str:
    return f"{cell['query_p50_ms']:.1f} / {cell['query_p95_ms']:.1f}"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
