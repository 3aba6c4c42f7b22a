"""The results for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from quaestor.evaluation.grid import Configuration
from quaestor.evaluation.metric_scores import MAIN
from quaestor.evaluation.results import Comparison, Results, Row
from quaestor.evaluation.statistics import Estimate

_DIGITS = 4


def results_object(results: Results, written: Mapping[str, Path]) -> dict[str, object]:
    """Return the results as JSON.

    Args:
        results: the results.
        written: the files of the results, by kind.
    """
    data_set = results.data_set
    return {
        "data_set": {
            "name": data_set.name,
            "layout": data_set.layout,
            "unit": data_set.unit,
            "questions": results.asked,
            "categories": dict(results.categories),
            "corpora": list(dict.fromkeys(part.name for part in data_set.parts)),
            "about": list(data_set.about),
        },
        "metric": MAIN,
        "best": {"name": results.best.name, "may_be_as_good": [row.name for row in results.rivals]},
        "configurations": [_row_object(row) for row in results.rows],
        "comparisons": [_comparison_object(results, one) for one in results.comparisons],
        "problems": list(results.problems),
        "machine": results.machine,
        "date": results.date,
        "files": {what: str(path) for what, path in written.items()},
    }


def _row_object(row: Row) -> dict[str, object]:
    return {
        "name": row.name,
        **asdict(row.scored.configuration),
        "metrics": {name: _estimate(value) for name, value in row.means.items()},
        "categories": {name: _estimate(value) for name, value in row.by_category.items()},
        "costs": asdict(row.scored.costs),
    }


def _comparison_object(results: Results, one: Comparison) -> dict[str, object]:
    return {
        "before": results.row_of(one.step.before).name,
        "after": results.row_of(one.step.after).name,
        "differ_in": one.step.what,
        "difference": _estimate(one.difference.estimate),
        "p": round(one.difference.p, 5),
        "p_adjusted": round(one.adjusted, 5),
        "better": one.better,
        "worse": one.worse,
    }


def _estimate(value: Estimate) -> dict[str, float]:
    return {name: round(number, _DIGITS) for name, number in asdict(value).items()}


def values_of(configuration: Configuration) -> tuple[str, str, str]:
    """Return the values of a configuration as table cells."""
    return configuration.embedder, configuration.chunker, configuration.search
