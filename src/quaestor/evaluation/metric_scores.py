"""Scores answers: every metric of every question of a configuration, and what the configuration costs."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from quaestor.evaluation.datasets.dataset import Unit
from quaestor.evaluation.grid import Configuration
from quaestor.evaluation.metrics import Location, Question, Target, each_document_once, ndcg, recall, reciprocal_rank
from quaestor.evaluation.run import Cell
from quaestor.evaluation.stored_run import Answer

MAIN = "ndcg@10"
"""The metric that configurations are compared by."""

Measure = Callable[[Sequence[Location], Sequence[Target]], float]


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of a configuration on this machine.

    Attributes:
        index_seconds: the seconds in which the indexes of all parts are built from nothing; None if unknown.
        index_bytes: their size on disk.
        documents: number of documents.
        chunks: number of chunks.
        chunk_bytes: mean size of a chunk.
        query_p50: median seconds of a search.
        query_p95: 95th percentile of a search's seconds.
        price: the price of embedding the corpora, in the prices' currency; None if unknown.
    """

    index_seconds: float | None
    index_bytes: int
    documents: int
    chunks: int
    chunk_bytes: float
    query_p50: float
    query_p95: float
    price: float | None = None


@dataclass(frozen=True, slots=True)
class ScoredConfiguration:
    """One configuration on a whole data set.

    Attributes:
        configuration: the configuration.
        questions: the questions in the data set's order.
        answers: the answers to the questions, in the same order.
        values: the values of every metric, one for each question in the same order.
        costs: its costs.
    """

    configuration: Configuration
    questions: tuple[Question, ...]
    answers: tuple[Answer, ...]
    values: Mapping[str, tuple[float, ...]]
    costs: Costs

    def within(self, category: str) -> Mapping[str, list[float]]:
        """Return the values of the questions of one category."""
        chosen = [number for number, question in enumerate(self.questions) if question.category == category]
        return {name: [values[number] for number in chosen] for name, values in self.values.items()}


def metric_name(metric: str) -> str:
    """Return a metric's name as people write it: ``NDCG@10``, ``recall@10``, ``MRR@10``."""
    return metric.replace("ndcg", "NDCG").replace("mrr", "MRR")


def measures(unit: Unit, cutoffs: Iterable[int]) -> Mapping[str, Measure]:
    """Return every metric by its name.

    Args:
        unit: whether a result is a chunk, or a document that counts once.
        cutoffs: the values of k for recall@k.
    """
    recalls = {f"recall@{k}": partial(recall, k=k) for k in dict.fromkeys(cutoffs)}
    scores: dict[str, Measure] = {MAIN: ndcg, **recalls, "mrr@10": reciprocal_rank}
    if unit == "documents":
        return MappingProxyType({name: _by_document(measure) for name, measure in scores.items()})
    return MappingProxyType({**scores, f"{MAIN} by document": _by_document(ndcg)})


def _by_document(measure: Measure) -> Measure:
    return lambda results, targets: measure(each_document_once(results), targets)


def score(cells: Sequence[Cell], used: Mapping[str, Measure]) -> tuple[ScoredConfiguration, ...]:
    """Return every configuration's values on all parts together, in the order in which they were run."""
    grouped: dict[Configuration, list[Cell]] = {}
    for cell in cells:
        grouped.setdefault(cell.configuration, []).append(cell)
    return tuple(_score_configuration(configuration, own, used) for configuration, own in grouped.items())


def _score_configuration(
    configuration: Configuration, cells: Sequence[Cell], used: Mapping[str, Measure]
) -> ScoredConfiguration:
    answered = [(question, cell.answers[question.id]) for cell in cells for question in cell.part.questions]
    values = {
        name: tuple(measure(answer.locations, question.targets) for question, answer in answered)
        for name, measure in used.items()
    }
    questions, answers = zip(*answered, strict=True)
    return ScoredConfiguration(configuration, questions, answers, values, _costs(cells, answers))


def _costs(cells: Sequence[Cell], answers: Sequence[Answer]) -> Costs:
    seconds = sorted(answer.seconds for answer in answers)
    indexes = [cell.built for cell in cells]
    return Costs(
        index_seconds=_sum([one.seconds for one in indexes]),
        index_bytes=sum(one.bytes for one in indexes),
        documents=sum(one.documents for one in indexes),
        chunks=sum(one.chunks for one in indexes),
        chunk_bytes=sum(one.source_bytes for one in indexes) / max(1, sum(one.chunks for one in indexes)),
        query_p50=statistics.median(seconds),
        query_p95=seconds[min(len(seconds) - 1, round(0.95 * len(seconds)))],
        price=_sum([one.price for one in indexes]),
    )


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
