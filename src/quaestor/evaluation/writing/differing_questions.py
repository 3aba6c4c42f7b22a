"""The questions that two configurations answer most unlike, side by side; and those that one answers worst."""

from __future__ import annotations

from textwrap import dedent

from quaestor.evaluation.comparison import Comparison, Contrast
from quaestor.evaluation.datasets import DataSet
from quaestor.evaluation.metric_scores import MAIN
from quaestor.evaluation.metrics import Question, Target, covers
from quaestor.evaluation.results import Results, Row
from quaestor.evaluation.running import Answer, Found
from quaestor.evaluation.writing.html_report import Markup, tag

_TARGETS = 3
_WORST = 8


def differing(results: Results, comparison: Comparison) -> Markup:
    """Return the questions that two configurations answer most unlike, as a part that opens."""
    before, after = results.row_of(comparison.step.before), results.row_of(comparison.step.after)
    what = comparison.step.what
    summary = (
        f"{what}: {getattr(comparison.step.before, what)} ({before.name}) → "
        f"{getattr(comparison.step.after, what)} ({after.name})"
    )
    count = f" {comparison.better} better, {comparison.worse} worse"
    asked = results.data_set
    return tag(
        "details",
        tag("summary", tag("strong", summary), tag("span", count, class_="quiet")),
        *(_contrast(one, before, after, asked) for one in comparison.contrasts),
    )


def worst(results: Results, row: Row) -> Markup | None:
    """Return the questions that a configuration answers worst, or nothing where it answers all of them well."""
    own = row.scored
    values = own.values[MAIN]
    order = sorted((number for number, value in enumerate(values) if value < 1), key=values.__getitem__)[:_WORST]
    if not order:
        return None
    asked = results.data_set
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
                _question_markup(own.questions[number], asked),
                tag(
                    "div",
                    _column(row.name, values[number], own.answers[number], own.questions[number], asked),
                    class_="sides",
                ),
            )
            for number in order
        ),
    )


def _contrast(one: Contrast, before: Row, after: Row, asked: DataSet) -> Markup:
    return tag(
        "article",
        _question_markup(one.question, asked),
        tag(
            "div",
            _column(before.name, one.value_before, one.before, one.question, asked),
            _column(after.name, one.value_after, one.after, one.question, asked),
            class_="sides",
        ),
    )


def _question_markup(question: Question, asked: DataSet) -> Markup:
    places = [_place(target, asked) for target in question.targets[:_TARGETS]]
    more = len(question.targets) - _TARGETS
    answers = ", ".join(places) + (f" and {more} more" if more > 0 else "")
    category = f"{question.category} · " if question.category else ""
    return Markup(tag("h4", question.text) + tag("p", f"{category}answer: ", tag("code", answers), class_="quiet"))


def _column(name: str, value: float, answer: Answer, question: Question, asked: DataSet) -> Markup:
    hits = [_hit(found, question, asked) for found in answer.first(asked.unit)]
    return tag(
        "section",
        tag("h5", f"{name}: {value:.3f}"),
        tag("ol", *hits) if hits else tag("p", "Nothing was found.", class_="quiet"),
    )


def _hit(found: Found, question: Question, asked: DataSet) -> Markup:
    right = any(covers(found.location, target) for target in question.targets)
    path, start, end = found.location
    name = asked.name_of(path)
    place = name if asked.unit == "documents" else f"{name}:{start}–{end}"
    return tag(
        "li",
        tag("code", place),
        tag("span", " ✓ right", class_="right") if right else None,
        tag("span", f" {found.symbol}", class_="quiet") if found.symbol else None,
        tag("pre", dedent(found.text)),
        class_="hit right" if right else "hit",
    )


def _place(target: Target, asked: DataSet) -> str:
    name = asked.name_of(target.path)
    return name if target.start_line is None else f"{name}:{target.start_line}–{target.end_line}"
