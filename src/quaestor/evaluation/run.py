"""Running an evaluation: asking every question of every configuration, unless its answer is stored.

Everything is stored in one folder below the data folder, so that a second run continues: ``indexes`` (one for each
corpus, embedder and chunker, with what it cost), ``answers`` (a file of lines for each index and way of searching) and
``copies`` (corpora that are not files). The cost of paid embedders is estimated before anything is sent.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from quaestor.assemble import TUNED, TrialVectors, open_trial_index, trial_of
from quaestor.assemble.embedders_by_name import remote_model
from quaestor.assemble.estimate import Estimate, estimate_queries, survey_and_estimate
from quaestor.core.config import Settings
from quaestor.core.errors import ConflictError
from quaestor.corpus import Corpus
from quaestor.embedding.remote import Allowance
from quaestor.evaluation.datasets import DataSet, Part
from quaestor.evaluation.grid import Configuration
from quaestor.evaluation.metrics import Question
from quaestor.evaluation.stored_run import Answer, Answers, BuiltIndex, build_index, index_key, unchanged_index
from quaestor.indexing.indexer import Progress
from quaestor.search.ranker import with_dense_factor
from quaestor.search.retriever import Retriever
from quaestor.stores.embedded.lock import WriteLock


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of an evaluation.

    Attributes:
        folder: its path.
    """

    folder: Path

    @property
    def indexes(self) -> Path:
        """One folder for each index."""
        return self.folder / "indexes"

    @property
    def answers(self) -> Path:
        """One file for each index and way of searching."""
        return self.folder / "answers"

    @property
    def copies(self) -> Path:
        """Corpora that are not files, as files."""
        return self.folder / "copies"

    @property
    def reports(self) -> Path:
        """The default folder of reports."""
        return self.folder / "reports"


@dataclass(frozen=True, slots=True)
class Cell:
    """One configuration on one part of a data set.

    Attributes:
        configuration: the configuration.
        part: the part.
        built: the index and its cost.
        answers: the answers by the question's id.
    """

    configuration: Configuration
    part: Part
    built: BuiltIndex
    answers: Mapping[str, Answer]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run.

    Attributes:
        cells: the cells in the order of parts, then configurations.
        problems: sentences about the parts that were left out.
    """

    cells: tuple[Cell, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Watcher:
    """Callbacks for a run's progress.

    Attributes:
        indexing: called during indexing, as for any index.
        question_done: called with the numbers of questions done and in all, and the configuration.
    """

    indexing: Progress | None = None
    question_done: Callable[[int, int, Configuration], None] = lambda done, total, configuration: None


DEPTH = 50
"""Hits to store for each search: enough for ten documents with several chunks each."""

_WARM_UP = 3
"""The number of searches before those that are timed."""


@dataclass(frozen=True, slots=True)
class _StartedCell:
    """A configuration on a part, with the embedder that it names and the folder of its index."""

    part: Part
    configuration: Configuration
    settings: Settings
    trial: TrialVectors
    folder: Path


class Run:
    """Asks every question of every configuration, unless its answer is stored.

    Args:
        place: the folder of indexes and answers.
        settings_of: returns the settings of a part's corpus, two of which each configuration changes.
        watcher: callbacks for progress.
        allowance: what remote embedders may cost to build indexes; None allows what a refresh may cost.
    """

    def __init__(
        self,
        place: Place,
        settings_of: Callable[[Part], Settings],
        watcher: Watcher | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        self._place = place
        self._settings_of = settings_of
        self._watcher = watcher or Watcher()
        self._allowance = allowance
        self._trials: dict[tuple[str, str], TrialVectors] = {}

    def of(self, data_set: DataSet, configurations: Sequence[Configuration]) -> Outcome:
        """Return the outcome of all configurations.

        Raises:
            ConflictError: another evaluation is running, and the times of both would be wrong.
            UpstreamError: an embedder's server failed; answers so far are kept.
            BudgetError: an embedder could cost more than allowed; answers so far are kept.
        """
        cells: list[Cell] = []
        problems: list[str] = []
        progress = _Count(len(data_set.questions) * len(configurations), self._watcher)
        with _alone(self._place.folder):
            for part in data_set.parts:
                for configuration in configurations:
                    cell = self._cell(part, configuration, progress)
                    if not cell.built.chunks:
                        problems.append(f"{part.name!r} holds nothing that can be indexed, and is left out.")
                        break
                    cells.append(cell)
        return Outcome(tuple(cells), tuple(problems))

    def unasked_questions(self, part: Part, configuration: Configuration) -> list[Question] | None:
        """Return the questions without a stored answer; None if the index is missing or outdated."""
        cell = self._begin_cell(part, configuration)
        built = unchanged_index(part.root, cell.folder, cell.trial.embedder, cell.settings)
        return None if built is None else _missing_questions(part, self._answers(cell, built))

    def _cell(self, part: Part, configuration: Configuration, progress: _Count) -> Cell:
        cell = self._begin_cell(part, configuration)
        folder, embedder, settings = cell.folder, cell.trial.embedder, cell.settings
        built = build_index(part.root, folder, embedder, settings, self._watcher.indexing, self._allowance)
        answers = self._answers(cell, built)
        missing = _missing_questions(part, answers)
        progress.add(len(part.questions) - len(missing), configuration)
        if missing and built.chunks:
            # Opened anew for each way of searching: what one of them has loaded must not speed up the next.
            with open_trial_index(part.root, folder, embedder, settings) as corpus:
                _ask(corpus, cell, missing, answers, progress)
        return Cell(configuration, part, built, answers.of(part.questions))

    def _begin_cell(self, part: Part, configuration: Configuration) -> _StartedCell:
        settings = self._settings_of(part)._replace(embedder=configuration.embedder, chunker=configuration.chunker)
        trial = self._trial(part, settings)
        folder = self._place.indexes / index_key(part.root, trial.embedder, settings)
        return _StartedCell(part, configuration, settings, trial, folder)

    def _answers(self, cell: _StartedCell, built: BuiltIndex) -> Answers:
        return Answers(self._place.answers / f"{_key(cell, built)}.jsonl")

    def _trial(self, part: Part, settings: Settings) -> TrialVectors:
        """Return the embedder of a name: one for the whole run, because some take long to load."""
        key = (settings.embedder, part.name if settings.embedder == TUNED else "")
        if key not in self._trials:
            self._trials[key] = trial_of(part.root, settings)
        return self._trials[key]


class _Count:
    """Counts finished questions and reports progress."""

    def __init__(self, total: int, watcher: Watcher) -> None:
        self._done = 0
        self._total = total
        self._watcher = watcher

    def add(self, number: int, configuration: Configuration) -> None:
        self._done += number
        self._watcher.question_done(self._done, self._total, configuration)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with WriteLock(folder).attempt() as alone:
        if not alone:
            raise ConflictError(
                "Another evaluation is under way, and two at once would spoil each other's times. Wait for it."
            )
        yield


def _ask(corpus: Corpus, cell: _StartedCell, questions: Sequence[Question], answers: Answers, progress: _Count) -> None:
    """Ask some questions, and keep each answer before the next one is asked."""
    retriever, search = _retriever(corpus, cell), cell.configuration.search
    for question in questions[:_WARM_UP]:
        retriever.search(question.text, DEPTH, mode=search)
    with answers.open_for_adding() as file:
        for question in questions:
            started = time.perf_counter()
            hits = retriever.search(question.text, DEPTH, mode=search)
            seconds = time.perf_counter() - started
            if corpus.meaning.outage is not None:
                raise corpus.meaning.outage
            answers.add(file, question, Answer.of(hits, cell.part.prefix, seconds))
            progress.add(1, cell.configuration)


def _retriever(corpus: Corpus, cell: _StartedCell) -> Retriever:
    own, part, trust = corpus.retriever, cell.part, cell.trial.trust
    ranker = own.ranker if trust == 1.0 else with_dense_factor(own.ranker, trust)
    return Retriever(own.store, own.embedder, ranker, own.project if part.project is None else part.project)


def _missing_questions(part: Part, answers: Answers) -> list[Question]:
    known = answers.of(part.questions)
    return [question for question in part.questions if question.id not in known]


def _key(cell: _StartedCell, built: BuiltIndex) -> str:
    """Return the name of a file of answers: one for each state of the corpus and each way of searching."""
    part, search = cell.part, cell.configuration.search
    text = repr((cell.folder.name, built.state, search, part.prefix, part.project, cell.trial.trust, DEPTH))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def estimate(
    run: Run, data_set: DataSet, configurations: Sequence[Configuration], settings_of: Callable[[Part], Settings]
) -> Estimate | None:
    """Return the estimated cost of missing indexes and answers, or None if no embedder is remote.

    For an unfinished index it is the cost of a whole one: an upper bound.

    Args:
        run: the run, which knows the stored indexes and answers.
        data_set: the questions.
        configurations: the configurations to run.
        settings_of: returns the settings of a part's corpus.
    """
    estimates: list[Estimate] = []
    for part in data_set.parts:
        counted: set[tuple[str, str]] = set()
        for one in configurations:
            settings = settings_of(part)._replace(embedder=one.embedder, chunker=one.chunker)
            remote = remote_model(settings)
            if remote is None:
                continue
            missing = run.unasked_questions(part, one)
            if missing is None and (one.embedder, one.chunker) not in counted:
                counted.add((one.embedder, one.chunker))
                estimates.append(survey_and_estimate(part.root, settings, rebuild=True)[1])
            if one.search != "lexical":
                questions = part.questions if missing is None else missing
                estimates.append(
                    estimate_queries(remote, [question.text for question in (*questions[:_WARM_UP], *questions)])
                )
    return _sum_of(estimates) if estimates else None


def _sum_of(estimates: Sequence[Estimate]) -> Estimate:
    """Return several estimates as one; its price is that of the first."""
    costs = [one.cost for one in estimates]
    return replace(
        estimates[0],
        embedder=", ".join(dict.fromkeys(one.embedder for one in estimates)),
        exact=all(one.exact for one in estimates),
        texts=sum(one.texts for one in estimates),
        tokens=sum(one.tokens for one in estimates),
        known=sum(one.known for one in estimates),
        new=True,
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        seconds=sum(one.seconds for one in estimates),
        basis="of all of them together",
    )
