"""All results of an evaluation, in the form from which tables, files and reports are made.

Configurations are compared question by question: how much, how sure, and where.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from quaestor.evaluation.datasets import DataSet
from quaestor.evaluation.grid import Step, steps
from quaestor.evaluation.metric_scores import MAIN, ScoredConfiguration, measures, metric_name, score
from quaestor.evaluation.metrics import Question
from quaestor.evaluation.run import Outcome
from quaestor.evaluation.statistics import Difference, Estimate, difference, estimate, holm
from quaestor.evaluation.stored_run import Answer

SURE = 0.05
"""The p-value below which a difference counts as more than chance."""

_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_LEAST_DIFFERENCE = 1e-9


@dataclass(frozen=True, slots=True)
class Row:
    """One configuration in a table.

    Attributes:
        name: its short name, a letter or two.
        scored: its scores and costs.
        means: mean of every metric over all questions.
        by_category: the main metric's mean in each named category.
    """

    name: str
    scored: ScoredConfiguration
    means: Mapping[str, Estimate]
    by_category: Mapping[str, Estimate]


@dataclass(frozen=True)
class Results:
    """The results of an evaluation.

    Attributes:
        data_set: the data set.
        rows: the configurations, in the given order.
        comparisons: the comparisons of configurations that differ in one thing.
        problems: sentences about the entries that were left out.
        cutoffs: the k of each recall@k.
        machine: the machine on which times were measured.
        date: the date of the results, ISO 8601 in UTC.
    """

    data_set: DataSet
    rows: tuple[Row, ...]
    comparisons: tuple[Comparison, ...]
    problems: tuple[str, ...]
    cutoffs: tuple[int, ...]
    machine: str
    date: str

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of all metrics."""
        return tuple(self.rows[0].means) if self.rows else ()

    @property
    def question_count(self) -> int:
        """The number of questions that every configuration was asked."""
        return len(self.rows[0].scored.questions) if self.rows else 0

    @cached_property
    def categories(self) -> Mapping[str, int]:
        """The number of questions in each category that has a name."""
        counts: dict[str, int] = {}
        for question in self.rows[0].scored.questions if self.rows else ():
            if question.category:
                counts[question.category] = counts.get(question.category, 0) + 1
        return dict(sorted(counts.items()))

    @cached_property
    def best(self) -> Row:
        """The configuration with the greatest mean of the main metric; the first of several."""
        return max(self.rows, key=lambda row: row.means[MAIN].mean)

    @cached_property
    def rivals(self) -> tuple[Row, ...]:
        """The configurations that do not differ significantly from the best one."""
        others = [row for row in self.rows if row is not self.best]
        best = self.best.scored.values[MAIN]
        chances = holm([difference(row.scored.values[MAIN], best).p for row in others])
        return tuple(row for row, chance in zip(others, chances, strict=True) if chance >= SURE)

    @property
    def verdict(self) -> str:
        """A sentence on which configuration is best, and how sure that is."""
        best, value = self.best, self.best.means[MAIN]
        name = f"{best.name} ({best.scored.configuration})"
        worth = f"{metric_name(MAIN)} of {value.mean:.3f}, between {value.low:.3f} and {value.high:.3f}"
        if len(self.rows) == 1:
            return f"{name} has an {worth}."
        if not self.rivals:
            return f"{name} has the highest {worth}; every other one is worse by more than chance."
        if len(self.rivals) == len(self.rows) - 1:
            return f"{name} has the highest {worth}; but none of the others differs from it by more than chance."
        names = ", ".join(row.name for row in self.rivals)
        return f"{name} has the highest {worth}; {names} may be as good: chance explains the difference."

    def row_of(self, scored: object) -> Row:
        """Return the row of a configuration."""
        return next(row for row in self.rows if row.scored.configuration == scored)


def results_of(data_set: DataSet, outcome: Outcome, cutoffs: Sequence[int]) -> Results:
    """Return the results of a run."""
    scored = score(outcome.cells, measures(data_set.unit, cutoffs))
    return Results(
        data_set,
        tuple(_row(_name(number), one) for number, one in enumerate(scored)),
        _compare(scored),
        (*data_set.problems, *outcome.problems, *_too_small(outcome, max(cutoffs))),
        tuple(cutoffs),
        _machine(),
        datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _row(name: str, scored: ScoredConfiguration) -> Row:
    categories = sorted({question.category for question in scored.questions} - {""})
    return Row(
        name,
        scored,
        {metric: estimate(values) for metric, values in scored.values.items()},
        {category: estimate(scored.within(category)[MAIN]) for category in categories},
    )


def _name(number: int) -> str:
    letters = len(_NAMES)
    return _NAMES[number] if number < letters else _name(number // letters - 1) + _NAMES[number % letters]


def _too_small(outcome: Outcome, cutoff: int) -> tuple[str, ...]:
    """Return a sentence for each corpus that has hardly more documents than a metric looks at."""
    small: dict[str, int] = {}
    for cell in outcome.cells:
        if cell.built.chunks <= max(cutoff, 10):
            small.setdefault(cell.part.name, cell.built.chunks)
    return tuple(
        f"{name!r} has {chunks} chunks, no more than a search shows: its recall tells nothing, its order little."
        for name, chunks in small.items()
    )


def _machine() -> str:
    cores = os.cpu_count() or 1
    return f"{platform.system()} {platform.machine()}, {cores} cores, Python {platform.python_version()}"


@dataclass(frozen=True, slots=True)
class Contrast:
    """One question that two configurations answer differently.

    Attributes:
        question: the question.
        before: the first one's answer.
        after: the second one's answer.
        value_before: the first answer's main metric.
        value_after: the second answer's main metric.
    """

    question: Question
    before: Answer
    after: Answer
    value_before: float
    value_after: float

    @property
    def gap(self) -> float:
        """How much better the second one is."""
        return self.value_after - self.value_before


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two configurations that differ in one thing.

    Attributes:
        step: which two configurations they are, and in what they differ.
        difference: the second's mean of the main metric minus the first's, with its interval and probability.
        adjusted: the probability, adjusted for the number of comparisons.
        better: questions that the second answers better.
        worse: questions that it answers worse.
        contrasts: the questions that differ most, those that gain first.
    """

    step: Step
    difference: Difference
    adjusted: float
    better: int
    worse: int
    contrasts: tuple[Contrast, ...]


def _compare(scored: Sequence[ScoredConfiguration], shown: int = 4) -> tuple[Comparison, ...]:
    """Return a comparison for every pair of configurations that differ in one thing; see ``steps``.

    Args:
        scored: the scores of all configurations on the same questions.
        shown: the number of contrasts to keep in each direction.
    """
    by_configuration = {one.configuration: one for one in scored}
    pairs = list(steps(list(by_configuration)))
    differences = [_pair(by_configuration[step.before], by_configuration[step.after]) for step in pairs]
    adjusted = holm([one.p for one in differences])
    return tuple(
        _comparison(step, one, chance, by_configuration[step.before], by_configuration[step.after], shown)
        for step, one, chance in zip(pairs, differences, adjusted, strict=True)
    )


def _pair(before: ScoredConfiguration, after: ScoredConfiguration) -> Difference:
    return difference(before.values[MAIN], after.values[MAIN])


def _comparison(
    step: Step,
    difference: Difference,
    adjusted: float,
    before: ScoredConfiguration,
    after: ScoredConfiguration,
    shown: int,
) -> Comparison:
    all_of_them = [
        Contrast(*each)
        for each in zip(
            before.questions, before.answers, after.answers, before.values[MAIN], after.values[MAIN], strict=True
        )
    ]
    unlike = sorted((one for one in all_of_them if abs(one.gap) > _LEAST_DIFFERENCE), key=lambda one: -one.gap)
    better = [one for one in unlike if one.gap > 0]
    worse = [one for one in reversed(unlike) if one.gap < 0]
    return Comparison(step, difference, adjusted, len(better), len(worse), tuple(better[:shown] + worse[:shown]))
