"""Comparing configurations question by question: how much, how sure, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.evaluation.grid import Step, steps
from quaestor.evaluation.metric_scores import MAIN, Scored
from quaestor.evaluation.metrics import Question
from quaestor.evaluation.running import Answer
from quaestor.evaluation.statistics import Difference, difference, holm

_LEAST_DIFFERENCE = 1e-9


@dataclass(frozen=True, slots=True)
class Contrast:
    """One question that two configurations answer unlike.

    Attributes:
        question: what was asked.
        before: what the first one found.
        after: what the second one found.
        value_before: what that is worth, by the main metric.
        value_after: what that is worth.
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
        step: from which to which.
        difference: how much the second is above the first, by the main metric, with its interval and probability.
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


def compare(scored: Sequence[Scored], shown: int = 4) -> tuple[Comparison, ...]:
    """Return a comparison for every pair of configurations that differ in one thing; see ``steps``.

    Args:
        scored: what all were worth on the same questions.
        shown: contrasts to keep of either direction.
    """
    by_configuration = {one.configuration: one for one in scored}
    pairs = list(steps(list(by_configuration)))
    found = [_pair(by_configuration[step.before], by_configuration[step.after]) for step in pairs]
    adjusted = holm([one.p for one in found])
    return tuple(
        _comparison(step, one, chance, by_configuration[step.before], by_configuration[step.after], shown)
        for step, one, chance in zip(pairs, found, adjusted, strict=True)
    )


def _pair(before: Scored, after: Scored) -> Difference:
    return difference(before.values[MAIN], after.values[MAIN])


def _comparison(
    step: Step, found: Difference, adjusted: float, before: Scored, after: Scored, shown: int
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
    return Comparison(step, found, adjusted, len(better), len(worse), tuple(better[:shown] + worse[:shown]))
