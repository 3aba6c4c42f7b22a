"""Tuning a corpus's embedder, and finding out whether it helped.

Two things are measured, with the same questions. What is asked stands in no text that is learned from.

*New documents*: documents are dealt into four parts. For each part an embedder is tuned on two others, how far it is
trusted is chosen on the third, and the questions about the part itself are put to it: nothing of a document that is
asked about was trained on or chosen by.

*Learned documents*: the embedder that may be kept is tuned on all documents, as those are that will be searched, and
trusted as most of the parts chose.

It is kept if it answers better in both, beyond chance. The second alone is not enough: docs/tune.md has a corpus where
it is better and people's questions are answered worse.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median_low

from quaestor.config import Settings
from quaestor.corpus import Corpus
from quaestor.embedding.static import StaticEmbedder
from quaestor.embedding.tuned import Replaced
from quaestor.errors import LimitError, UsageError
from quaestor.evaluation.metrics import Question
from quaestor.evaluation.statistics import difference
from quaestor.training.pairs import Pair
from quaestor.training.tune.ground import PARTS, Ground, ground_of, part_of
from quaestor.training.tune.learning import FEWEST_PAIRS, as_asked, learned, pairs_of, replaced
from quaestor.training.tune.trial import Chunks, Trial

STRENGTH = 1.0
"""How far rows go from the bundled ones to the learned ones."""
TRUSTS = (1.0, 1.5, 2.0)
"""How many times the ranker may count the dense retriever."""
_SEARCHES = 8  # for each question, about

Progress = Callable[[int, int, str], None]
"""Called with how many questions are asked, of about how many, and what is being done."""


@dataclass(frozen=True, slots=True)
class Values:
    """NDCG@10 of one question, in three ways.

    Attributes:
        before: with the bundled embedder.
        new: with one that was tuned on other documents.
        learned: with the one that may be kept, which was tuned on the question's document too, without the question.
    """

    before: float
    new: float
    learned: float


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with what came of it.

    Attributes:
        question: what was asked.
        whole: of the whole search.
        dense: of vectors alone.
    """

    question: Question
    whole: Values
    dense: Values


@dataclass(frozen=True, slots=True)
class Tuned:
    """What tuning came to.

    Attributes:
        asked: every question.
        trusts: how many times the ranker counted the dense retriever, for each part.
        trust: as most of the parts chose it.
        replaced: the rows that may be kept.
        pairs: that they were tuned on.
        documents: that pairs and questions were made of.
        sampled: further documents, which a large corpus is not tuned on.
        seconds: that it took.
    """

    asked: tuple[Asked, ...]
    trusts: tuple[float, ...]
    trust: float
    replaced: Replaced
    pairs: int
    documents: int
    sampled: int
    seconds: float

    @property
    def better(self) -> bool:
        """Whether it is to be kept: it answers better, beyond chance, about new documents and about learned ones."""
        before = [one.whole.before for one in self.asked]
        after = ([getattr(one.whole, documents) for one in self.asked] for documents in ("new", "learned"))
        return all(difference(before, values).estimate.low > 0 for values in after)


def tune(
    corpus: Corpus,
    settings: Settings,
    *,
    each: int = 200,
    seed: int = 0,
    seconds: float = 300.0,
    progress: Progress = lambda done, total, doing: None,
) -> Tuned:
    """Tune the bundled embedder to a corpus; the corpus and its index are left as they are.

    Args:
        corpus: up to date, and of the bundled embedder or one tuned from it.
        settings: how it was indexed.
        each: at most so many questions of every kind.
        seed: of all chance; the same corpus, seed and number of questions give the same embedder.
        seconds: give up after so many.
        progress: called as the work goes on.

    Raises:
        UsageError: the corpus is too small.
        LimitError: there was not enough time.
    """
    clock = Clock(seconds, progress)
    clock.doing("making questions")
    with (
        tempfile.TemporaryDirectory(prefix="quaestor-tune-") as place,
        ground_of(corpus, settings, Path(place), each=each, seed=seed) as ground,
    ):
        return _tune(ground, seed, clock)


def _tune(ground: Ground, seed: int, clock: Clock) -> Tuned:
    bench = Bench(ground, Chunks(ground.copy), seed, clock)
    clock.total = _SEARCHES * len(ground.questions)
    clock.doing("asking before")
    before = bench.both(StaticEmbedder.bundled(), ground.questions)
    trusts: list[float] = []
    new: dict[str, tuple[float, float]] = {}
    for part in range(PARTS):
        clock.doing(f"new documents, part {part + 1} of {PARTS}")
        checked = (part + 1) % PARTS
        pairs = bench.pairs(set(range(PARTS)) - {part, checked}, (*ground.questions, *ground.taught))
        embedder = bench.fitted(pairs).embedder()
        trusts.append(_trust(bench.trial(embedder), ground.questions_of(checked), clock))
        new |= bench.both(embedder, ground.questions_of(part), trusts[-1])
    clock.doing("learned documents")
    trust = median_low(trusts)
    pairs = bench.pairs(range(PARTS), ground.taught)
    kept = bench.fitted(pairs)
    after = bench.both(kept.embedder(), ground.questions, trust)
    asked = (
        Asked(question, *map(Values, before[question.id], new[question.id], after[question.id]))
        for question in ground.questions
    )
    documents = len(ground.texts)
    return Tuned(tuple(asked), tuple(trusts), trust, kept, len(pairs), documents, ground.sampled, clock.finish())


@dataclass(frozen=True, slots=True)
class Bench:
    """What every embedder is tuned and asked on."""

    ground: Ground
    chunks: Chunks
    seed: int
    clock: Clock

    def pairs(self, parts: Container[int], taught: Iterable[Question]) -> list[Pair]:
        """Return the pairs of the documents of some parts, and those of ``taught`` that are about these."""
        texts = [text for path, text in self.ground.texts.items() if part_of(path) in parts]
        pairs = pairs_of(texts, self.seed, {as_asked(question.text) for question in self.ground.questions})
        bundled = StaticEmbedder.bundled()
        answers = (
            self.chunks.answer(question, bundled) for question in taught if part_of(question.targets[0].path) in parts
        )
        pairs += filter(None, answers)
        if len(pairs) < FEWEST_PAIRS:
            raise UsageError(
                f"{str(self.ground.root)!r} is too small to tune: {len(texts)} of its documents give {len(pairs)} "
                f"pairs of a question and its answer to learn from, and {FEWEST_PAIRS} are needed. Nothing was changed."
            )
        return pairs

    def fitted(self, pairs: Sequence[Pair]) -> Replaced:
        """Return rows that were tuned on pairs."""
        return replaced(*learned(pairs, self.seed, self.clock.look), STRENGTH)

    def trial(self, embedder: StaticEmbedder) -> Trial:
        """Return the copy searched with an embedder."""
        return Trial(self.ground.copy, self.chunks, embedder, self.ground.project)

    def both(
        self, embedder: StaticEmbedder, questions: Sequence[Question], trust: float = 1.0
    ) -> dict[str, tuple[float, float]]:
        """Return NDCG@10 of the whole search and of vectors alone for each question, by its id."""
        trial = self.trial(embedder)
        whole = trial.ask(questions, self.clock.tick, trust=trust)
        dense = trial.ask(questions, self.clock.tick, mode="dense")
        return {one.id: values for one, values in zip(questions, zip(whole, dense, strict=True), strict=True)}


def _trust(trial: Trial, questions: Sequence[Question], clock: Clock) -> float:
    """Return how far the dense retriever is best trusted, by questions.

    It is trusted more only where that is better beyond chance.
    """
    trust, best = TRUSTS[0], trial.ask(questions, clock.tick)
    for more in TRUSTS[1:]:
        values = trial.ask(questions, clock.tick, trust=more)
        if difference(best, values).estimate.low <= 0:
            break
        trust, best = more, values
    return trust


class Clock:
    """Counts questions, tells of them, and ends the work when the time is up."""

    def __init__(self, seconds: float, progress: Progress) -> None:
        self._started = time.monotonic()
        self._seconds = seconds
        self._progress = progress
        self._doing = ""
        self._done = 0
        self.total = 1

    def doing(self, what: str) -> None:
        """Say what is being done from here on."""
        self._doing = what
        self._progress(self._done, self.total, what)

    def tick(self) -> None:
        """Count a question, and look."""
        self._done += 1
        self.look()
        self._progress(min(self._done, self.total - 1), self.total, self._doing)

    def look(self) -> None:
        """End the work if the time is up.

        Raises:
            LimitError: it is.
        """
        if time.monotonic() - self._started > self._seconds:
            raise LimitError(
                f"Tuning was not done within {self._seconds:g} seconds, and nothing was changed. Give it more with "
                "--seconds, or less to do with --questions."
            )

    def finish(self) -> float:
        """Say that all is done, and return the seconds that it took."""
        self._progress(self.total, self.total, "done")
        return time.monotonic() - self._started
