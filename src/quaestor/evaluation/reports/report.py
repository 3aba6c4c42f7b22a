"""The report for people, one page that needs nothing else, and the results for programs.

It shows the questions with the largest differences between two configurations, and the worst of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from textwrap import dedent

from quaestor.evaluation.datasets import DataSet
from quaestor.evaluation.grid import Configuration
from quaestor.evaluation.metric_scores import MAIN, Costs, metric_name
from quaestor.evaluation.metrics import Question, Target, covers
from quaestor.evaluation.reports.html_report import Lane, Markup, Point, against_cost, lanes, page, tag
from quaestor.evaluation.results import SURE, Comparison, Contrast, Results, Row
from quaestor.evaluation.statistics import Estimate
from quaestor.evaluation.stored_run import Answer, ShownHit

_STYLE = Path(__file__).with_name("report.css")
_PLOTTED = 12
_MAIN = metric_name(MAIN)

_TARGETS = 3
_WORST = 8


def report(results: Results) -> str:
    """Return the page."""
    name = results.data_set.name
    return page(
        f"{name}: how well it is searched",
        _STYLE.read_text("utf-8"),
        tag("main", _head(results), *_sections(results)),
    )


def _sections(results: Results) -> Iterator[Markup]:
    yield _section("Configurations", _table(results), _reading_note(results))
    if len(results.rows) > 1:
        yield _section("Quality against cost", tag("div", *_against_costs(results), class_="plots"), _of_costs(results))
    if len(results.categories) > 1:
        yield _section("Quality by category", _by_category(results))
    if results.comparisons:
        yield _section("Differences", *_differences(results))
    yield _section("Questions, side by side", *_questions(results))


def _head(results: Results) -> Markup:
    counted = f"{results.question_count:,} questions, {len(results.rows)} configurations"
    problems = tag("ul", *(tag("li", one) for one in results.problems), class_="problems") if results.problems else None
    return tag(
        "header",
        tag("h1", results.data_set.name),
        tag("p", f"{counted} · {results.date.replace('T', ' ').replace('+00:00', ' UTC')}", class_="quiet"),
        tag("p", tag("strong", results.verdict)),
        *(tag("p", sentence) for sentence in results.data_set.about),
        problems,
    )


def _section(title: str, *children: Markup) -> Markup:
    return tag("section", tag("h2", title), *children)


def _table(results: Results) -> Markup:
    metrics = [metric_name(metric).replace(f"{_MAIN} by", "by") for metric in results.metrics]
    head = ["", "embedder", "chunker", "search", *metrics, "index, chunks", "query p50, p95"]
    priced = any(row.scored.costs.price != 0 for row in results.rows)
    rows = [_cells(results, row, priced=priced) for row in results.rows]
    return _scrolling_table([*head, "price"] if priced else head, rows, first_number=4)


def _cells(results: Results, row: Row, *, priced: bool) -> list[Markup | str]:
    costs = row.scored.costs
    price = [] if not priced else ["not known" if costs.price is None else f"{costs.price:.4f}"]
    return [
        tag("strong", row.name),
        *values_of(row.scored.configuration),
        *(_interval(row.means[metric]) for metric in results.metrics),
        _with_small(
            "–" if costs.index_seconds is None else _seconds(costs.index_seconds),
            f"{_bytes(costs.index_bytes)}, {costs.chunks:,} × {_bytes(costs.chunk_bytes)}",
        ),
        _with_small(_seconds(costs.query_p50), _seconds(costs.query_p95)),
        *price,
    ]


def _scrolling_table(head: list[str], rows: list[list[Markup | str]], first_number: int) -> Markup:
    columns = [
        tag("th", cell, scope="col", class_="number" if at >= first_number else None) for at, cell in enumerate(head)
    ]
    lines = [
        tag("tr", *(tag("td", cell, class_="number" if at >= first_number else None) for at, cell in enumerate(row)))
        for row in rows
    ]
    table = tag("table", tag("thead", tag("tr", *columns)), tag("tbody", *lines))
    return tag("div", table, class_="scroll", tabindex=0, role="region", aria_label="table")


def _interval(value: Estimate) -> Markup:
    return _with_small(f"{value.mean:.3f}", f"{value.low:.3f}–{value.high:.3f}")


def _with_small(large: str, small: str) -> Markup:
    return tag("span", f"{large} ", tag("small", small))


def _reading_note(results: Results) -> Markup:
    longer = (
        " A longer chunk covers a place more easily and takes more of a model's window: mind the sizes where chunkers "
        "differ."
    )
    unit = "a chunk" if results.data_set.unit == "chunks" else "a document, which counts once"
    return tag(
        "p",
        f"A result is {unit}. NDCG@10 tells how high the right results stand among the first ten, recall@k which share "
        "of them is among the first k, MRR@10 how high the first right one stands; all from 0 to 1. Small numbers are "
        "the 95% interval, by bootstrap over the questions: what another choice of such questions would give."
        + (longer if results.data_set.unit == "chunks" else ""),
        class_="quiet",
    )


def _against_costs(results: Results) -> Iterator[Markup]:
    kinds: list[tuple[str, Callable[[Costs], float | None], Callable[[float], str]]] = [
        ("Median time of a search", lambda costs: costs.query_p50, _seconds),
        ("Time to index", lambda costs: costs.index_seconds, _seconds),
        ("Size of the index", lambda costs: costs.index_bytes, _bytes),
        ("Price of the index", lambda costs: costs.price, lambda price: f"{price:.4g}"),
    ]
    for number, (title, cost_of, written) in enumerate(kinds):
        costs = [cost_of(row.scored.costs) for row in results.rows]
        known = [cost for cost in costs if cost is not None]
        if len(known) == len(costs) and any(known):
            points = [_point(results, row, cost) for row, cost in zip(results.rows, known, strict=True)]
            yield against_cost(f"cost-{number}", title, _MAIN, points, written)


def _of_costs(results: Results) -> Markup:
    return tag(
        "p",
        f"Upwards: {_MAIN} with its interval. Times are those of this machine ({results.machine}), of a "
        "search, the median over all questions after a warm-up, of the fifty best chunks, without looking for changed "
        "files; of an index, building it from nothing.",
        class_="quiet",
    )


def _point(results: Results, row: Row, cost: float = 0.0) -> Point:
    return Point(row.name, results.rows.index(row), row.means[MAIN], f"{row.name} ({row.scored.configuration})", cost)


def _by_category(results: Results) -> Markup:
    shown = sorted(results.rows, key=lambda row: -row.means[MAIN].mean)[:_PLOTTED]
    shown = [row for row in results.rows if row in shown]
    groups = [
        (
            f"{category} ({count} questions)",
            [_category_lane(results, row, category) for row in shown],
        )
        for category, count in results.categories.items()
    ]
    return lanes("category", f"{_MAIN} in each category, with intervals", groups)


def _category_lane(results: Results, row: Row, category: str) -> Lane:
    value = row.by_category[category]
    name = f"{row.name} ({row.scored.configuration}), {category}"
    point = Point(row.name, results.rows.index(row), value, name)
    return Lane(_distinct_values(results, row), point, f"{value.mean:.3f}")


def _distinct_values(results: Results, row: Row) -> str:
    """Return the values of a configuration that not all configurations share."""
    columns = list(zip(*(values_of(one.scored.configuration) for one in results.rows), strict=True))
    own = values_of(row.scored.configuration)
    different = [value for value, column in zip(own, columns, strict=True) if len(set(column)) > 1]
    return " · ".join(different) or str(row.scored.configuration)


def _differences(results: Results) -> Iterator[Markup]:
    groups = [
        (
            f"{what}, by {_MAIN}",
            [_difference_lane(results, one) for one in results.comparisons if one.step.what == what],
        )
        for what in dict.fromkeys(one.step.what for one in results.comparisons)
    ]
    yield lanes("difference", "What changing one thing does, with intervals", groups, zero=True)
    count = len(results.comparisons)
    adjusted = f", adjusted for {count} comparisons (Holm)" if count > 1 else ""
    yield tag(
        "p",
        f"Each compares the same {results.question_count:,} questions. p is the probability of so large a difference "
        f"if both were alike, by a paired randomisation test{adjusted}. Above {SURE}, a difference may be chance.",
        class_="quiet",
    )


def _difference_lane(results: Results, one: Comparison) -> Lane:
    before, after = results.row_of(one.step.before), results.row_of(one.step.after)
    value = one.difference.estimate
    sure = one.adjusted < SURE
    names = f"{before.name} → {after.name}"
    label = f"{names}: {getattr(one.step.before, one.step.what)} → {getattr(one.step.after, one.step.what)}"
    number = results.rows.index(after) if sure else -1
    chance = f"p {one.adjusted:.4f}" if one.adjusted >= 0.0001 else "p < 0.0001"
    point = Point("", number, value, label)
    return Lane(label, point, f"{_with_sign(value.mean)} · {chance}{'' if sure else ' · may be chance'}")


def _questions(results: Results) -> Iterator[Markup]:
    shown = [one for one in results.comparisons if one.contrasts][:_PLOTTED]
    if shown:
        yield tag(
            "p", "For each change, the questions that gain and lose most, with the first hits of both.", class_="quiet"
        )
    for one in shown:
        yield _answered_most_unlike(results, one)
    table = _worst(results, results.best)
    if table is not None:
        yield table


def _with_sign(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def _seconds(value: float) -> str:
    if value >= 60:
        return f"{value / 60:.3g} min"
    return f"{value:.3g} s" if value >= 1 else f"{value * 1000:.3g} ms" if value else "0"


def _bytes(value: float) -> str:
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"


def _answered_most_unlike(results: Results, comparison: Comparison) -> Markup:
    """Return the questions that two configurations answer most differently, in an element that can be opened."""
    before, after = results.row_of(comparison.step.before), results.row_of(comparison.step.after)
    what = comparison.step.what
    summary = (
        f"{what}: {getattr(comparison.step.before, what)} ({before.name}) → "
        f"{getattr(comparison.step.after, what)} ({after.name})"
    )
    count = f" {comparison.better} better, {comparison.worse} worse"
    data = results.data_set
    return tag(
        "details",
        tag("summary", tag("strong", summary), tag("span", count, class_="quiet")),
        *(_contrast(one, before, after, data) for one in comparison.contrasts),
    )


def _worst(results: Results, row: Row) -> Markup | None:
    """Return the questions that a configuration answers worst; None if it answers all of them well."""
    own = row.scored
    values = own.values[MAIN]
    order = sorted((number for number, value in enumerate(values) if value < 1), key=values.__getitem__)[:_WORST]
    if not order:
        return None
    data = results.data_set
    return tag(
        "details",
        tag(
            "summary",
            tag("strong", f"What {row.name} finds worst"),
            tag("span", f" {len(order)} questions", class_="quiet"),
        ),
        *(
            tag(
                "article",
                _question_markup(own.questions[number], data),
                tag(
                    "div",
                    _column(row.name, values[number], own.answers[number], own.questions[number], data),
                    class_="sides",
                ),
            )
            for number in order
        ),
    )


def _contrast(one: Contrast, before: Row, after: Row, data: DataSet) -> Markup:
    return tag(
        "article",
        _question_markup(one.question, data),
        tag(
            "div",
            _column(before.name, one.value_before, one.before, one.question, data),
            _column(after.name, one.value_after, one.after, one.question, data),
            class_="sides",
        ),
    )


def _question_markup(question: Question, data: DataSet) -> Markup:
    places = [_place(target, data) for target in question.targets[:_TARGETS]]
    more = len(question.targets) - _TARGETS
    answers = ", ".join(places) + (f" and {more} more" if more > 0 else "")
    category = f"{question.category} · " if question.category else ""
    return Markup(tag("h4", question.text) + tag("p", f"{category}answer: ", tag("code", answers), class_="quiet"))


def _column(name: str, value: float, answer: Answer, question: Question, data: DataSet) -> Markup:
    hits = [_hit(hit, question, data) for hit in answer.first(data.unit)]
    return tag(
        "section",
        tag("h5", f"{name}: {value:.3f}"),
        tag("ol", *hits) if hits else tag("p", "Nothing was found.", class_="quiet"),
    )


def _hit(hit: ShownHit, question: Question, data: DataSet) -> Markup:
    right = any(covers(hit.location, target) for target in question.targets)
    path, start, end = hit.location
    name = data.name_of(path)
    place = name if data.unit == "documents" else f"{name}:{start}–{end}"
    return tag(
        "li",
        tag("code", place),
        tag("span", " ✓ right", class_="right") if right else None,
        tag("span", f" {hit.symbol}", class_="quiet") if hit.symbol else None,
        tag("pre", dedent(hit.text)),
        class_="hit right" if right else "hit",
    )


def _place(target: Target, data: DataSet) -> str:
    name = data.name_of(target.path)
    return name if target.start_line is None else f"{name}:{target.start_line}–{target.end_line}"


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
            "questions": results.question_count,
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
