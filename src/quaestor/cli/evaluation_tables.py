"""Printing what an evaluation found."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import click

from quaestor.cli.output import echo, one_line, print_table, size, style
from quaestor.core.wording import amount
from quaestor.evaluation.metric_scores import MAIN, shown
from quaestor.evaluation.results import SURE, Results, Row
from quaestor.evaluation.statistics import Estimate

_WIDEST = 110


def print_results(results: Results, written: Mapping[str, Path]) -> None:
    """Print the configurations, what their differences are worth, and where the report lies."""
    data_set = results.data_set
    echo(style(one_line(data_set.name), bold=True) + f": {amount(results.asked, 'question')}")
    for sentence in data_set.about:
        _print_wrapped(sentence)
    echo()
    _print_rows(results)
    if results.comparisons:
        echo()
        _print_comparisons(results)
    echo()
    _print_wrapped(results.verdict)
    _print_wrapped(f"Brackets hold 95% intervals. Times are of this machine ({results.machine}).")
    echo(f"Report: {one_line(str(written['report']))}")


def _print_wrapped(text: str) -> None:
    echo(click.wrap_text(one_line(text), width=min(shutil.get_terminal_size().columns, _WIDEST)))


def _print_rows(results: Results) -> None:
    head = ["", "embedder", "chunker", "search", *map(shown, results.metrics), "index", "size", "chunks", "query p50"]
    print_table(head, [_cells(results, row) for row in results.rows], range(4, len(head)))


def _cells(results: Results, row: Row) -> list[str]:
    own, costs = row.scored.configuration, row.scored.costs
    means = [_interval(row.means[MAIN]), *(f"{row.means[name].mean:.3f}" for name in results.metrics[1:])]
    chunks = f"{costs.chunks:,} × {size(round(costs.chunk_bytes))}"
    seconds = "–" if costs.index_seconds is None else f"{costs.index_seconds:.1f} s"
    spent = [seconds, size(costs.index_bytes), chunks, f"{costs.query_p50 * 1000:.1f} ms"]
    return [row.name, own.embedder, own.chunker, own.search, *means, *spent]


def _print_comparisons(results: Results) -> None:
    head = ["", "differ in", "difference", "p", "better", "worse", ""]
    lines = []
    for one in results.comparisons:
        names = f"{results.row_of(one.step.before).name} → {results.row_of(one.step.after).name}"
        sure = "" if one.adjusted < SURE else "may be chance"
        found = [_interval(one.difference.estimate, sign="+"), f"{one.adjusted:.4f}"]
        lines.append([names, one.step.what, *found, str(one.better), str(one.worse), sure])
    print_table(head, lines, range(2, 6))


def _interval(value: Estimate, sign: str = "") -> str:
    return f"{value.mean:{sign}.3f} [{value.low:{sign}.3f}, {value.high:{sign}.3f}]"
