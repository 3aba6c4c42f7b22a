"""Tunes a corpus's embedder, and measures the search before and after."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from quaestor.core.config import Settings
from quaestor.corpus import Corpus
from quaestor.embedding.static import StaticEmbedder
from quaestor.embedding.tuned_embedder import TunedRows
from quaestor.evaluation.metrics import CUTOFF, Question
from quaestor.evaluation.statistics import Difference, Estimate, difference, estimate
from quaestor.tuning.tuning_bench import PARTS, Bench, Clock, Half, Progress, TuningGround, ground_of

Documents = Literal["new", "learned"]
DOCUMENTS: tuple[Documents, ...] = ("new", "learned")

_SEARCHES = 8  # for each question, about


@dataclass(frozen=True, slots=True)
class Values:
    """NDCG@10 of one question with three embedders.

    Attributes:
        before: the value with the bundled embedder.
        new: the value with an embedder that was tuned on other documents.
        learned: the value with an embedder that was tuned on the question's document too, without the question.
    """

    before: float
    new: float
    learned: float


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """One question with its scores.

    Attributes:
        question: the question.
        whole: the scores of the whole search.
        dense: the scores of vectors alone.
    """

    question: Question
    whole: Values
    dense: Values


@dataclass(frozen=True, slots=True)
class TuningResult:
    """The result of tuning.

    Attributes:
        questions: every question that was asked, with its scores.
        trusts: the best factor of the dense retriever in the ranker, for each half.
        trust: the lower of these factors.
        replaced: the tuned rows.
        pairs: the number of training pairs.
        documents: the number of documents from which pairs and questions were made.
        sampled: the number of further documents of a large corpus, which were not used.
        prose: whether most documents are prose.
        seconds: the time taken.
    """

    questions: tuple[ScoredQuestion, ...]
    trusts: tuple[float, ...]
    trust: float
    replaced: TunedRows
    pairs: int
    documents: int
    sampled: int
    prose: bool
    seconds: float

    @property
    def better(self) -> bool:
        """Whether to keep the tuned embedder: it helps with new and learned documents; in code, significantly."""
        new, learned = (_gain([one.whole for one in self.questions], documents) for documents in DOCUMENTS)
        certain = self.prose or new.low > 0
        return self.vectors_gain and new.mean > 0 and learned.mean > 0 and certain

    @property
    def vectors_gain(self) -> bool:
        """Whether vectors alone answer new documents better, beyond chance."""
        return _gain([one.dense for one in self.questions], "new").low > 0


def _gain(values: Sequence[Values], documents: Documents) -> Estimate:
    """Return the mean gain of NDCG@10 over the questions, with its interval."""
    return difference([one.before for one in values], [getattr(one, documents) for one in values]).estimate


def tune(
    corpus: Corpus,
    settings: Settings,
    *,
    most: int = 600,
    seed: int = 0,
    seconds: float = 120.0,
    progress: Progress = lambda done, total, doing: None,
) -> TuningResult:
    """Tune the bundled embedder to a corpus; the corpus and its index are not changed.

    Args:
        corpus: the up-to-date corpus, indexed with the bundled embedder or one tuned from it.
        settings: the settings with which it was indexed.
        most: the most questions to ask.
        seed: the seed of all random choices; the same corpus, seed and number of questions give the same embedder.
        seconds: time limit.
        progress: called as the work goes on.

    Raises:
        UsageError: the corpus is too small.
        LimitError: the time limit was too short.
    """
    clock = Clock(seconds, progress)
    clock.set_step("making questions")
    with (
        tempfile.TemporaryDirectory(prefix="quaestor-tune-") as place,
        ground_of(corpus, settings, Path(place), most=most, seed=seed) as ground,
    ):
        return _tune(ground, seed, clock)


def _tune(ground: TuningGround, seed: int, clock: Clock) -> TuningResult:
    bench = Bench(ground, seed, clock)
    clock.total = _SEARCHES * len(ground.questions)
    clock.set_step("asking before")
    before = bench.answers(StaticEmbedder.bundled())
    halves: list[Half] = []
    trusts: list[float] = []
    for part in range(PARTS):
        clock.set_step(f"new documents, half {part + 1} of {PARTS}")
        halves.append(Half(bench, part))
        trusts.append(halves[-1].trust())
    # Vectors are trusted in each half as the other one has it best.
    new = halves[0].answers(trusts[1]) | halves[1].answers(trusts[0])
    clock.set_step("learned documents")
    trust, everything = min(trusts), range(PARTS)
    after = bench.answers(bench.tuned_rows(bench.pairs(everything, ground.taught)).embedder(), trust)
    clock.set_step("learning the questions, too")
    pairs = bench.pairs(everything, (*ground.questions, *ground.taught))
    rows = bench.tuned_rows(pairs)
    scored = (
        ScoredQuestion(question, *map(Values, before[question.id], new[question.id], after[question.id]))
        for question in ground.questions
    )
    sizes = (len(pairs), len(ground.texts), ground.sampled)
    return TuningResult(tuple(scored), tuple(trusts), trust, rows, *sizes, ground.prose, clock.finish())


METRIC = f"ndcg@{CUTOFF}"


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of some questions.

    Attributes:
        documents: ``learned`` or ``new``; see ``tuning``.
        what: ``whole`` for the whole search, ``dense`` for vectors alone.
        kind: the kind of questions; ``all`` for every kind.
        questions: the number of questions.
        before: the value with the bundled embedder.
        after: the value with the tuned one.
        gain: the mean of the differences, question by question.
    """

    documents: str
    what: str
    kind: str
    questions: int
    before: Estimate
    after: Estimate
    gain: Difference


def rows_of(tuned: TuningResult) -> list[Row]:
    """Return a row for each measure: learned and new documents; the whole search, in all and by kind; vectors alone."""
    kinds = sorted({one.question.category for one in tuned.questions})
    return [
        row
        for documents in ("learned", "new")
        for row in (
            _row(documents, "whole", "all", tuned.questions),
            *(
                _row(documents, "whole", kind, [a for a in tuned.questions if a.question.category == kind])
                for kind in kinds
            ),
            _row(documents, "dense", "all", tuned.questions),
        )
    ]


def figures_object(tuned: TuningResult) -> dict[str, object]:
    """Return the figures as JSON values."""
    return {
        "metric": METRIC,
        "questions": len(tuned.questions),
        "documents": tuned.documents,
        "sampled_out": tuned.sampled,
        "prose": tuned.prose,
        "pairs": tuned.pairs,
        "trust": tuned.trust,
        "trusts": list(tuned.trusts),
        "seconds": round(tuned.seconds, 1),
        "better": tuned.better,
        "rows": [_round_figures(asdict(row)) for row in rows_of(tuned)],
    }


def _row(documents: str, what: str, kind: str, scored: Sequence[ScoredQuestion]) -> Row:
    values: list[Values] = [getattr(one, what) for one in scored]
    before, after = [one.before for one in values], [getattr(one, documents) for one in values]
    return Row(documents, what, kind, len(scored), estimate(before), estimate(after), difference(before, after))


def _round_figures(value: object) -> object:
    if isinstance(value, dict):
        return {name: _round_figures(part) for name, part in value.items()}
    return round(value, 4) if isinstance(value, float) else value
