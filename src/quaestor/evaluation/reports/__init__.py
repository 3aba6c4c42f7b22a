"""An evaluation's results as files: a page, tables, and an object for programs.

It does not know how the results were obtained. Begin with ``report``; the tables are written here.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from quaestor.evaluation.metric_scores import MAIN
from quaestor.evaluation.reports.report import report, results_object, values_of
from quaestor.evaluation.results import Results, Row
from quaestor.evaluation.statistics import Estimate

__all__ = ["results_object", "write_results"]


_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def configurations_table(results: Results) -> str:
    """Return a CSV table of every configuration: over all questions, then over each category."""
    head = ["name", "embedder", "chunker", "search", "category", "questions"]
    for metric in results.metrics:
        head += [metric, f"{metric} low", f"{metric} high"]
    head += ["index_seconds", "index_bytes", "chunks", "chunk_bytes", "query_p50_ms", "query_p95_ms", "price"]
    return _table(head, (line for row in results.rows for line in _lines(results, row)))


def _lines(results: Results, row: Row) -> Iterator[list[object]]:
    costs = row.scored.costs
    own = [row.name, *values_of(row.scored.configuration)]
    seconds = "" if costs.index_seconds is None else f"{costs.index_seconds:.3f}"
    spent = [seconds, costs.index_bytes, costs.chunks, f"{costs.chunk_bytes:.0f}"]
    spent += [f"{costs.query_p50 * 1000:.3f}", f"{costs.query_p95 * 1000:.3f}"]
    spent += ["" if costs.price is None else costs.price]
    yield [*own, "", results.question_count, *_numbers(row.means.values()), *spent]
    for category, estimate in row.by_category.items():
        yield [*own, category, results.categories[category], *_numbers([estimate])]


def questions_table(results: Results) -> str:
    """Return a CSV table of every question: the main metric of each configuration."""
    head = ["id", "category", "question", *(f"{row.name} {MAIN}" for row in results.rows)]
    questions = results.rows[0].scored.questions if results.rows else ()
    values = [row.scored.values[MAIN] for row in results.rows]
    return _table(
        head,
        (
            [question.id, question.category, question.text, *(f"{own[number]:.4f}" for own in values)]
            for number, question in enumerate(questions)
        ),
    )


def _numbers(estimates: Iterable[Estimate]) -> Iterator[str]:
    for one in estimates:
        yield from (f"{one.mean:.4f}", f"{one.low:.4f}", f"{one.high:.4f}")


def _table(head: list[str], lines: Iterable[list[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_cell(value) for value in line] for line in lines)
    return text.getvalue()


def _cell(value: object) -> str:
    """Return a cell that no spreadsheet takes for a formula, whatever a question says."""
    text = str(value).replace("\0", "\ufffd")
    number = text.removeprefix("-").replace(".", "", 1).isdigit()
    return f"'{text}" if text.startswith(_FORMULAS) and not number else text


def write_results(results: Results, folder: Path) -> Mapping[str, Path]:
    """Write all files into a folder, replacing earlier ones; return them by kind."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {
        "report": folder / "report.html",
        "configurations": folder / "configurations.csv",
        "questions": folder / "questions.csv",
        "results": folder / "results.json",
    }
    contents = {
        "report": report(results),
        "configurations": configurations_table(results),
        "questions": questions_table(results),
        "results": json.dumps(results_object(results, written), indent=1, ensure_ascii=False) + "\n",
    }
    for what, path in written.items():
        path.write_text(contents[what], "utf-8", errors="replace")
    return written
