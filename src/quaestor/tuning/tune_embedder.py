"""Tuning a corpus's embedder, and finding out whether it helped: the figures before and after."""

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
    """NDCG@10 of one question, in three ways.

    Attributes:
        before: with the bundled embedder.
        new: with one that was tuned on other documents.
        learned: with one that was tuned on the question's document too, without the question.
    """

    before: float
    new: float
    learned: float


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """One question with its scores.

    Attributes:
        question: the question.
        whole: score of the whole search.
        dense: score of vectors alone.
    """

    question: Question
    whole: Values
    dense: Values


@dataclass(frozen=True, slots=True)
class TuningResult:
    """The result of tuning.

    Attributes:
        asked: every question.
        trusts: best factor of the dense retriever in the ranker, for each half.
        trust: the least of these.
        replaced: the tuned rows.
        pairs: number of training pairs.
        documents: number of documents that pairs and questions were made from.
        sampled: number of further documents of a large corpus, which were not used.
        prose: whether most documents are prose.
        seconds: time taken.
    """

    asked: tuple[ScoredQuestion, ...]
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
        """Whether to keep the tuned embedder: it helps with new and learned documents, in code for certain."""
        new, learned = (_gain([one.whole for one in self.asked], documents) for documents in DOCUMENTS)
        certain = self.prose or new.low > 0
        return self.vectors_gain and new.mean > 0 and learned.mean > 0 and certain

    @property
    def vectors_gain(self) -> bool:
        """Whether vectors alone answer new documents better, beyond chance."""
        return _gain([one.dense for one in self.asked], "new").low > 0


def _gain(values: Sequence[Values], documents: Documents) -> Estimate:
    """Return by how much questions are answered better than before."""
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
        corpus: up to date, and of the bundled embedder or one tuned from it.
        settings: how it was indexed.
        most: most questions.
        seed: of all random choices; the same corpus, seed and number of questions give the same embedder.
        seconds: time limit.
        progress: called as the work goes on.

    Raises:
        UsageError: the corpus is too small.
        LimitError: there was not enough time.
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
    kept = bench.tuned_rows(pairs)
    scored = (
        ScoredQuestion(question, *map(Values, before[question.id], new[question.id], after[question.id]))
        for question in ground.questions
    )
    sizes = (len(pairs), len(ground.texts), ground.sampled)
    return TuningResult(tuple(scored), tuple(trusts), trust, kept, *sizes, ground.prose, clock.finish())


METRIC = f"ndcg@{CUTOFF}"


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of some questions.

    Attributes:
        documents: ``learned`` or ``new``; see ``tuning``.
        what: ``whole`` search or ``dense`` vectors alone.
        kind: of question; ``all``.
        questions: how many.
        before: with the bundled embedder.
        after: with the tuned one.
        gain: question by question.
    """

    documents: str
    what: str
    kind: str
    questions: int
    before: Estimate
    after: Estimate
    gain: Difference


def rows_of(tuned: TuningResult) -> list[Row]:
    """Return the figures of learned documents and of new ones: the whole search, all and by kind, and vectors alone."""
    kinds = sorted({one.question.category for one in tuned.asked})
    return [
        row
        for documents in ("learned", "new")
        for row in (
            _row(documents, "whole", "all", tuned.asked),
            *(
                _row(documents, "whole", kind, [a for a in tuned.asked if a.question.category == kind])
                for kind in kinds
            ),
            _row(documents, "dense", "all", tuned.asked),
        )
    ]


def figures_object(tuned: TuningResult) -> dict[str, object]:
    """Return the figures as JSON has them."""
    return {
        "metric": METRIC,
        "questions": len(tuned.asked),
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
