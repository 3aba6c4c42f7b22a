"""The bench on which embedders are tuned and tested: questions made from the corpus, and a copy without their answers.

A trial searches a corpus with another embedder than its index has, in memory, with the same code as any search. The
best factor for the dense retriever is measured here, too, and tuning ends when the time is up.
"""

from __future__ import annotations

import random
import time
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from quaestor.assemble import open_trial_index
from quaestor.core.config import Settings
from quaestor.core.errors import LimitError, UsageError
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.embedding import Embedder
from quaestor.embedding.static import StaticEmbedder
from quaestor.embedding.tuned_embedder import TunedRows
from quaestor.evaluation.made_questions import SourceText, make_questions, texts_of
from quaestor.evaluation.metrics import CUTOFF, Question, covers, ndcg
from quaestor.evaluation.statistics import difference
from quaestor.files.walk import folder_of
from quaestor.indexing.pending_vectors import texts_of as embedded_texts
from quaestor.search.ranker import Ranker, with_dense_factor
from quaestor.search.retriever import Mode
from quaestor.stores import ScoredChunks, Store, Where
from quaestor.tuning.learn_rows import FEWEST_PAIRS, as_asked, learn_rows, pairs_of, rows_to_keep, sample
from quaestor.tuning.training_pairs import Kind, Pair

_KINDS: Mapping[str, Kind] = {
    "docstring": "doc",
    "heading": "heading",
    "sentence": "sentence",
    "link": "heading",
    "commit": "commit",
}


class Chunks:
    """The chunks of a corpus with their texts and vectors.

    Attributes:
        ids: the identifiers of all chunks, shape ``(n,)``.
        texts: the text that is embedded for each chunk.
        bundled: the chunks' vectors by the bundled embedder, shape ``(n, dimensions)``.
    """

    def __init__(self, corpus: Corpus) -> None:
        ids: list[int] = []
        self.texts: list[str] = []
        self._places: list[tuple[str, int, int]] = []
        self._documents: dict[str, range] = {}
        for path, document in corpus.store.documents().items():
            stored = corpus.store.chunks_of(path)
            self._documents[path] = range(len(ids), len(ids) + len(stored))
            ids += [one.id for one in stored]
            self.texts += embedded_texts(document, [one.chunk for one in stored], corpus.indexer.settings)
            self._places += [(path, one.chunk.span.start_line, one.chunk.span.end_line) for one in stored]
        self.ids = np.array(ids, np.int64)
        self.bundled = StaticEmbedder.bundled().encode(self.texts)

    def answer(self, question: Question) -> Pair | None:
        """Return a question paired with the chunk that answers it; of several, the most similar one."""
        covering = [
            number
            for target in question.targets
            for number in self._documents.get(target.path, ())
            if covers(self._places[number], target)
        ]
        if not covering:
            return None
        likeness = self.bundled[covering] @ StaticEmbedder.bundled().encode([question.text])[0]
        chosen = covering[int(np.argmax(likeness))]
        return Pair(_KINDS[question.category], question.text, self.texts[chosen], self._places[chosen][0], "")


class Trial:
    """A corpus searched with an embedder that its index does not have.

    Args:
        corpus: the corpus.
        chunks: the corpus's chunks.
        embedder: the embedder whose vectors are searched.
        project: the name of the corpus.
    """

    def __init__(self, corpus: Corpus, chunks: Chunks, embedder: Embedder, project: str) -> None:
        vectors = chunks.bundled if embedder is StaticEmbedder.bundled() else embedder.encode(chunks.texts)
        store = cast(Store, _OverlaidStore(corpus.store, chunks.ids, vectors))
        # The copy's own retriever with other vectors: what it works out of chunks is worked out once for all trials.
        self._retriever = copy(corpus.retriever)
        self._retriever.store, self._retriever.embedder = store, embedder
        self._retriever.project = project
        # The words that are asked for were taken out of the copy: before and after, vectors alone can tell.
        self._retriever.finds_strange = True

    def ask(
        self,
        questions: Sequence[Question],
        tick: Callable[[], None],
        *,
        trust: float = 1.0,
        mode: Mode = "ranked",
    ) -> list[float]:
        """Return NDCG@10 of each question.

        Args:
            questions: the questions.
            tick: named after each question; an exception from it ends the work.
            trust: the factor of the dense retriever in the ranker.
            mode: the whole search, or one retriever alone.
        """
        self._retriever.ranker = with_dense_factor(Ranker.bundled(), trust)
        values = []
        for question in questions:
            hits = self._retriever.search(question.text, CUTOFF, mode=mode)
            values.append(ndcg([(hit.path, hit.start_line, hit.end_line) for hit in hits], question.targets))
            tick()
        return values


class _OverlaidStore:
    """A store whose vectors are replaced by others in memory."""

    def __init__(self, store: Store, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        self._store = store
        self._ids = ids
        self._vectors = vectors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def dense(self, vector: NDArray[np.float32], k: int, where: Where | None = None) -> ScoredChunks:
        scores = self._vectors @ vector
        # Only what can be among the best is sorted: a large corpus has many times more.
        least = np.partition(scores, -k)[-k] if k < len(scores) else -np.inf
        near = np.flatnonzero(scores >= least)
        best = near[np.argsort(-scores[near], kind="stable")][:k]
        best = best[self._vectors[best].any(axis=1)]
        return ScoredChunks(self._ids[best], scores[best])


STRENGTH = 0.7
"""How far rows move from the bundled ones to the learned ones, chosen on made questions (docs/tune.md)."""
TRUSTS = (1.0, 2.0, 4.0)
"""How many times the ranker may count the dense retriever."""

Answers = dict[str, tuple[float, float]]
"""NDCG@10 of the whole search and of vectors alone for each question, by its id."""

Progress = Callable[[int, int, str], None]
"""Called with the number of questions asked, their estimated total, and the present step."""

PARTS = 2
"""The number of parts of the documents: one is learned from while the other is asked about, and the other way round."""
FEWEST_QUESTIONS = 80
"""With fewer, a gain by tuning cannot be distinguished from chance."""
_MOST_CHARACTERS = 10_000_000  # of the sample that a large corpus is tuned on: some 15,000 chunks


class Bench:
    """The pairs and questions on which every embedder is tuned and tested."""

    def __init__(self, ground: TuningGround, seed: int, clock: Clock) -> None:
        self.ground = ground
        self.clock = clock
        self._seed = seed
        self._chunks = Chunks(ground.copy)
        without = {as_asked(question.text) for question in ground.questions}
        self._pairs = pairs_of(ground.texts.values(), seed, without)

    def pairs(self, parts: Container[int], taught: Iterable[Question]) -> Sequence[Pair]:
        """Return the pairs of the documents of some parts, and the pairs in ``taught`` about these documents.

        Raises:
            UsageError: they are too few to tune with.
        """
        pairs = [pair for pair in self._pairs if part_of(pair.path) in parts]
        answers = (self._chunks.answer(question) for question in taught if part_of(question.targets[0].path) in parts)
        pairs += filter(None, answers)
        if len(pairs) < FEWEST_PAIRS:
            count = sum(part_of(path) in parts for path in self.ground.texts)
            raise UsageError(
                f"{str(self.ground.root)!r} is too small to tune: {amount(count, 'document')} of it can teach "
                f"{amount(len(pairs), 'pair')} of a question and its answer, and {FEWEST_PAIRS} are needed. "
                "Nothing was changed."
            )
        return sample(pairs, self._seed)

    def tuned_rows(self, pairs: Sequence[Pair]) -> TunedRows:
        """Return rows that were tuned on pairs."""
        return rows_to_keep(*learn_rows(pairs, self._seed, self.clock.look), STRENGTH)

    def trial(self, embedder: StaticEmbedder) -> Trial:
        """Return the copy searched with an embedder."""
        return Trial(self.ground.copy, self._chunks, embedder, self.ground.project)

    def answers(self, embedder: StaticEmbedder, trust: float = 1.0) -> Answers:
        """Return the scores of all questions."""
        trial, questions = self.trial(embedder), self.ground.questions
        whole = trial.ask(questions, self.clock.tick, trust=trust)
        return by_question(questions, whole, trial.ask(questions, self.clock.tick, mode="dense"))


class Half:
    """The questions about one part of the documents, asked of an embedder that was tuned on the other part.

    Args:
        bench: holds the questions and pairs.
        part: the documents that the questions are about.
    """

    def __init__(self, bench: Bench, part: int) -> None:
        self._questions = bench.ground.questions_of(part)
        self._tick = bench.clock.tick
        taught = (*bench.ground.questions, *bench.ground.taught)
        self._trial = bench.trial(bench.tuned_rows(bench.pairs(set(range(PARTS)) - {part}, taught)).embedder())
        self._whole: dict[float, list[float]] = {}

    def trust(self) -> float:
        """Return the best factor of the dense retriever; a factor above 1 only if it is significantly better."""
        trust = TRUSTS[0]
        for more in TRUSTS[1:]:
            if difference(self._scores_with_trust(trust), self._scores_with_trust(more)).estimate.low <= 0:
                break
            trust = more
        return trust

    def answers(self, trust: float) -> Answers:
        """Return the scores of the questions for a given trust in vectors."""
        dense = self._trial.ask(self._questions, self._tick, mode="dense")
        return by_question(self._questions, self._scores_with_trust(trust), dense)

    def _scores_with_trust(self, trust: float) -> list[float]:
        if trust not in self._whole:
            self._whole[trust] = self._trial.ask(self._questions, self._tick, trust=trust)
        return self._whole[trust]


def by_question(questions: Sequence[Question], whole: Sequence[float], dense: Sequence[float]) -> Answers:
    """Return the scores of each question."""
    return {one.id: values for one, values in zip(questions, zip(whole, dense, strict=True), strict=True)}


class Clock:
    """Counts questions, reports progress, and ends the work when the time is up."""

    def __init__(self, seconds: float, progress: Progress) -> None:
        self._started = time.monotonic()
        self._seconds = seconds
        self._progress = progress
        self._doing = ""
        self._done = 0
        self.total = 1

    def set_step(self, what: str) -> None:
        """Set the present step."""
        self._doing = what
        self._progress(self._done, self.total, what)

    def tick(self) -> None:
        """Count a question, and end the work if the time is up."""
        self._done += 1
        self.look()
        self._progress(min(self._done, self.total - 1), self.total, self._doing)

    def look(self) -> None:
        """End the work if the time is up.

        Raises:
            LimitError: the time is up.
        """
        if time.monotonic() - self._started > self._seconds:
            raise LimitError(
                f"Tuning was not done within {self._seconds:g} seconds, and nothing was changed. Give it more with "
                "--seconds, or less to do with --questions."
            )

    def finish(self) -> float:
        """Report completion, and return the seconds taken."""
        self._progress(self.total, self.total, "done")
        return time.monotonic() - self._started


@dataclass(frozen=True, slots=True)
class TuningGround:
    """A copy of a corpus, or of a sample of it, with questions about it.

    Attributes:
        copy: the copy's index, with the bundled embedder.
        texts: the copy's documents by path, without the questions.
        questions: the questions, each about documents of one part only.
        taught: further questions, for training only.
        sampled: the number of documents of the corpus that are not in the copy.
        prose: whether most documents of the corpus are prose.
        root: the root of the corpus itself.
        project: the corpus's name; the copy's folder has another one.
    """

    copy: Corpus
    texts: Mapping[str, SourceText]
    questions: tuple[Question, ...]
    taught: tuple[Question, ...]
    sampled: int
    prose: bool
    root: Path
    project: str

    def questions_of(self, part: int) -> list[Question]:
        """Return the questions about the documents of a part."""
        return [question for question in self.questions if part_of(question.targets[0].path) == part]


def part_of(path: str) -> int:
    """Return the part to which a document belongs, by its path alone."""
    return zlib.crc32(path.encode("utf-8", "surrogatepass")) % PARTS


@contextmanager
def ground_of(corpus: Corpus, settings: Settings, place: Path, *, most: int, seed: int) -> Iterator[TuningGround]:
    """Make questions from a corpus, and yield them with a copy of it, which is deleted at the end of the block.

    Args:
        corpus: the up-to-date corpus.
        settings: the settings with which it was indexed.
        place: an empty folder for the copy and its index.
        most: the most questions to ask.
        seed: the seed of random choices.

    Raises:
        UsageError: too few questions can be made from it.
    """
    root = folder_of(corpus.root)
    whole = texts_of(corpus)
    texts = _sample(whole, seed)
    question_set = make_questions(texts, corpus.repository(), each=2 * most, seed=seed)
    questions, taught = _split_questions(
        [question for question in question_set.questions if _has_one_part(question)], most
    )
    if len(questions) < FEWEST_QUESTIONS:
        raise UsageError(
            f"{str(root)!r} is too small to tune: {amount(len(texts), 'document')} gave "
            f"{amount(len(questions), 'question')} to test with, and {FEWEST_QUESTIONS} are needed. "
            "Nothing was changed."
        )
    question_set.lay_out(place / "copy")
    with open_trial_index(place / "copy", place / "index", StaticEmbedder.bundled(), settings) as copy:
        copy.refresh()
        sampled, project = len(whole) - len(texts), corpus.retriever.project
        yield TuningGround(copy, texts_of(copy), questions, taught, sampled, corpus.is_prose(), root, project)


def _split_questions(questions: Sequence[Question], most: int) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    """Return the questions to ask, evenly from all kinds, and the remaining ones."""
    earlier: Counter[str] = Counter()
    places: dict[str, int] = {}
    for question in questions:
        places[question.id] = earlier[question.category]
        earlier[question.category] += 1
    in_turn = sorted(questions, key=lambda question: places[question.id])
    return tuple(in_turn[:most]), tuple(in_turn[most:])


def _has_one_part(question: Question) -> bool:
    return len({part_of(target.path) for target in question.targets}) == 1


def _sample(texts: Mapping[str, SourceText], seed: int) -> dict[str, SourceText]:
    """Return all documents, or a random sample of a large corpus."""
    remaining, chosen = _MOST_CHARACTERS, set()
    for path in _shuffle(sorted(texts), seed):
        remaining -= sum(map(len, texts[path].lines)) + len(texts[path].lines)
        if remaining < 0:
            break
        chosen.add(path)
    return {path: text for path, text in texts.items() if path in chosen}


def _shuffle(paths: Sequence[str], seed: int) -> list[str]:
    return random.Random(seed).sample(paths, len(paths))
