"""Keeping a store up to date with a folder: scan, plan, refresh, survey; and watching: refresh, wait, refresh again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.core.documents import Document
from quaestor.core.errors import IndexBusyError, IndexReadOnlyError, LimitError, NotFoundError, QuaestorError
from quaestor.embedding import Embedder
from quaestor.embedding.remote import Allowance
from quaestor.files.change_watch import ChangeWatch
from quaestor.files.consistent_read import UNTRUSTED, on_disk, read_snapshot
from quaestor.files.git_folder import head_commit
from quaestor.files.indexing_values import (
    Changes,
    CountTokens,
    FoundFile,
    IngestSettings,
    Plan,
    Progress,
    ProgressState,
    SkippedPath,
    Survey,
    by_reason,
)
from quaestor.files.walk import WalkResult, checked_root, folder_of, walk
from quaestor.files.walk_rules import Decisions
from quaestor.indexing.index_notes import TAKEN_IN_KEY, IntakeNote, pending_documents
from quaestor.stores import Store
from quaestor.stores.shared_store import SharingStore

if TYPE_CHECKING:
    from quaestor.indexing.intake import Intake
    from quaestor.indexing.survey import SurveyResult


__all__ = [
    "Changes",
    "CountTokens",
    "FoundFile",
    "Indexer",
    "IngestSettings",
    "Plan",
    "Progress",
    "ProgressState",
    "SkippedPath",
    "Survey",
    "by_reason",
]

LONGEST_SHARE = 0.1
"""Checks of a watched folder take at most this share of the time, so that a slow file system is checked less often."""

Refresh = Callable[[Progress | None], Changes]

RECIPE_KEY = "ingest.recipe"
"""Metadata key for the recipe: what decides a store's chunks, terms and vectors."""

_BEGUN_KEY = "ingest.begun"
"""Metadata key that marks a first index as incomplete; its value is empty once the index is complete."""

DECISIONS_KEY = "ingest.decisions"
"""Metadata key for the decisions of walks."""


class Indexer:
    """Indexes the documents of a folder or a file into a store, and keeps them up to date.

    Args:
        root: the folder or file.
        store: stores the documents; opened for the same embedder.
        embedder: turns texts into vectors.
        settings: which files are indexed, and how they are cut.

    Raises:
        NotFoundError: ``root`` does not exist.
        UsageError: ``root`` is neither a folder nor a file.
    """

    def __init__(self, root: Path, store: Store, embedder: Embedder, settings: IngestSettings | None = None) -> None:
        self.root = checked_root(root)
        self.settings = settings or IngestSettings()
        self._folder = str(folder_of(self.root))
        self._store = store
        self._embedder = embedder
        self._scanner = Scanner(self.root, store, self.settings)
        self._settled: WalkResult | None = None  # the last walk's result, if nothing was left to be done

    def plan(self) -> Plan:
        """Return what a refresh would do; only files with a changed size or stamp are read."""
        walk_result = self._scanner.scan()
        known = self._scanner.documents()
        if self._recipe_changed():
            unchanged = known.keys() - set(walk_result.removed) - {file.path for file in walk_result.suspects}
            again = tuple(FoundFile(path, known[path].size) for path in sorted(unchanged))
            return Plan(
                tuple(walk_result.added),
                (*walk_result.suspects, *again),
                (),
                tuple(walk_result.removed),
                0,
                tuple(walk_result.skipped),
            )
        same = {file.path for file in walk_result.suspects if self._has_hash(file, known[file.path].sha256)}
        return Plan(
            added=tuple(walk_result.added),
            changed=tuple(file for file in walk_result.suspects if file.path not in same),
            touched=tuple(file for file in walk_result.suspects if file.path in same),
            removed=tuple(walk_result.removed),
            unchanged=walk_result.unchanged,
            skipped=tuple(walk_result.skipped),
        )

    def refresh(
        self,
        progress: Progress | None = None,
        budget_seconds: float | None = None,
        *,
        allowance: Allowance | None = None,
        complete: bool = False,
    ) -> Changes:
        """Update the store and return what changed.

        Args:
            progress: called during the work.
            budget_seconds: begin with the most recently modified files, and start no more after this time; the others
                are in ``Changes.stale``. The first batch is always done. It also limits the wait for another writer.
            allowance: limit of a remote embedder's cost; None allows nothing. Texts beyond it wait.
            complete: also embed texts that wait since an earlier refresh.

        An exception, Ctrl-C included, leaves the last committed transaction.

        Raises:
            IndexBusyError: another process did not finish writing in time.
            IndexReadOnlyError: something changed, and the index may not be written.
            LimitError: the disk is full.
        """
        changes = self._refresh(progress, budget_seconds, allowance, complete=complete, share=budget_seconds is None)
        if changes.elsewhere:
            # Others indexed files as they saw them. This process indexes the few that it sees differently.
            changes = changes.followed_by(self._refresh(progress, None, allowance, complete=complete, share=False))
        if budget_seconds is None and isinstance(self._store, SharingStore) and self._store.unkept_paths():
            from quaestor.indexing.commit import keep_missing  # noqa: PLC0415 - after an upgrade or a copy alone

            keep_missing(self._store, self._folder)
        return changes

    def _refresh(
        self,
        progress: Progress | None,
        budget_seconds: float | None,
        allowance: Allowance | None,
        *,
        complete: bool,
        share: bool,
    ) -> Changes:
        """Refresh once; ``share`` lets other processes do a part of the work."""
        started = time.monotonic()
        deadline = None if budget_seconds is None else started + budget_seconds
        walk_result = self._scanner.scan()
        # The result is the same object as long as neither the files nor the store change.
        anew = walk_result is not self._settled and self._follow_recipe()
        if anew:
            walk_result = self._scanner.scan()
        if complete:
            walk_result = self._with_pending(walk_result)
        if walk_result.added or walk_result.suspects or walk_result.removed:
            intake = self._intake(allowance, complete=complete)
            if budget_seconds is not None:
                intake.committer.patience = budget_seconds
            changes = self._index_files(walk_result, intake, progress, deadline, share=share)
            return changes._replace(seconds=time.monotonic() - started, anew=anew)
        if walk_result is not self._settled and self._remember(walk_result):
            self._settled = walk_result
        seconds = time.monotonic() - started
        return Changes(unchanged=walk_result.unchanged, skipped=tuple(walk_result.skipped), seconds=seconds)

    def distrust(self) -> None:
        """Check every file at the next refresh, whatever the kernel reports."""
        self._scanner.distrust()

    def survey(
        self, skipped: Iterable[SkippedPath], count_tokens: CountTokens | None = None, embedder: str | None = None
    ) -> SurveyResult:
        """Count the indexed documents; no file is read.

        Args:
            skipped: files that the last refresh left out.
            count_tokens: counts a text's tokens for an estimate of cost.
            embedder: name of the embedder whose vector keys are wanted, or None.
        """
        from quaestor.indexing.survey import Surveyor  # noqa: PLC0415 - can cut files, which takes long to import

        return Surveyor(self._folder, self.settings, count_tokens, embedder).look_up(self._store, skipped)

    def awaiting_files(self) -> WalkResult:
        """Return the files that a complete refresh would read, all as added; only ignore files are read."""
        recipe = self._recipe_changed()
        walk_result = self._with_pending(self._scanner.scan())
        if recipe:
            return walk(self.root, self.settings)
        walk_result.added, walk_result.suspects = [*walk_result.added, *walk_result.suspects], []
        return walk_result

    @property
    def is_complete(self) -> bool:
        """Whether the first index was completed: not if it was never made, or was interrupted."""
        return self._store.metadata(RECIPE_KEY) is not None and not self._store.metadata(_BEGUN_KEY)

    def documents(self) -> int:
        """Return how many documents there are, as of the last refresh."""
        return len(self._scanner.documents())

    def count_pending(self) -> int:
        """Return how many documents wait for vectors, as of the last refresh."""
        return len(pending_documents(self._scanner.documents().values()))

    def _with_pending(self, walk_result: WalkResult) -> WalkResult:
        """Return a walk's result, with waiting documents among the suspects."""
        decided = {*walk_result.removed, *(file.path for file in walk_result.suspects)}
        waiting = [
            FoundFile(one.path, one.size)
            for one in pending_documents(self._scanner.documents().values())
            if one.path not in decided
        ]
        walk_result = walk_result.copy()
        walk_result.suspects = [*walk_result.suspects, *waiting]
        walk_result.unchanged -= len(waiting)
        return walk_result

    def _intake(self, allowance: Allowance | None, *, complete: bool) -> Intake:
        # The modules that cut, embed and write take longer to import than most searches take, and are seldom needed.
        from quaestor.indexing.intake import Intake  # noqa: PLC0415

        known = self._scanner.documents()
        intake = Intake(self._folder, self._store, self._embedder, self.settings, known, allowance, complete=complete)
        if self._store.metadata(RECIPE_KEY) is None:
            # Written with the first documents, so that a crash leaves an index that is known to be incomplete.
            intake.committer.opening = {RECIPE_KEY: self.settings.recipe(), _BEGUN_KEY: "yes"}
        return intake

    def _index_files(
        self, walk_result: WalkResult, intake: Intake, progress: Progress | None, deadline: float | None, *, share: bool
    ) -> Changes:
        stale, elsewhere = list[str](), list[str]()
        if share and isinstance(self._store, SharingStore):
            elsewhere = intake.take_shared(walk_result, progress, self._store)
        else:
            stale = intake.take(walk_result, progress, deadline)
        done = intake.committer
        walk_result.decisions.refused.update(
            (one.skipped.path, (one.skipped.reason, one.skipped.detail, (one.size, one.stamp)))
            for one in done.tally.refused
            if one.size >= 0
        )
        taken_in = {TAKEN_IN_KEY: IntakeNote.now(self._commit()).to_text()} if self._is_shared else {}
        done.commit({**self._metadata(walk_result, whole=not stale), **taken_in})
        self._scanner.follow(done.transactions, done.written, walk_result.decisions)
        changes = done.tally.changes(walk_result.unchanged, walk_result.skipped, stale)
        return intake.with_embedding_report(changes)._replace(elsewhere=len(elsewhere))

    def _remember(self, walk_result: WalkResult) -> bool:
        """Store the walk's decisions if they changed without a changed file; not while another process writes."""
        metadata = self._metadata(walk_result)
        if not metadata:
            return True
        try:
            with self._store.writing(timeout=0) as writer:
                for key, value in metadata.items():
                    writer.set_metadata(key, value)
        except (IndexBusyError, IndexReadOnlyError):
            return False
        self._scanner.follow(1, {}, walk_result.decisions)
        return True

    def _has_hash(self, file: FoundFile, sha256: str) -> bool:
        try:
            return read_snapshot(on_disk(self._folder, file.path), root=self._folder).sha256 == sha256
        except OSError:
            return False

    def _recipe_changed(self) -> bool:
        return bool(self._scanner.documents()) and self._store.metadata(RECIPE_KEY) != self.settings.recipe()

    def _follow_recipe(self) -> bool:
        """Mark every document as out of date if the recipe has changed; return whether it has.

        This is one transaction, after which each document is indexed again as if its bytes had changed. So a crash
        leaves no outdated document that looks current.
        """
        if not self._recipe_changed():
            return False
        with self._store.writing() as writer:
            if self._store.metadata(RECIPE_KEY) == self.settings.recipe():
                return True  # another process was faster, and may have indexed some again already
            for document in self._scanner.documents().values():
                writer.touch(document._replace(sha256="", stamp=UNTRUSTED))
            writer.set_metadata(RECIPE_KEY, self.settings.recipe())
        return True

    def _metadata(self, walk_result: WalkResult, *, whole: bool = True) -> dict[str, str]:
        """Return the metadata that has changed.

        Args:
            walk_result: the walk's result.
            whole: whether all of it was indexed.
        """
        changed = {}
        if walk_result.decisions != self._scanner.decisions:
            changed[DECISIONS_KEY] = walk_result.decisions.to_text()
        recipe = self._store.metadata(RECIPE_KEY)
        if recipe != self.settings.recipe():
            changed[RECIPE_KEY] = self.settings.recipe()
        if whole and (recipe is None or self._store.metadata(_BEGUN_KEY)):
            changed[_BEGUN_KEY] = ""
        if self._is_shared and IntakeNote.of(self._store).commit != (commit := self._commit()):
            changed[TAKEN_IN_KEY] = IntakeNote.now(commit).to_text()
        return changed

    def _commit(self) -> str:
        return head_commit(Path(self._folder), self.settings.git_within)

    @property
    def _is_shared(self) -> bool:
        return isinstance(self._store, SharingStore)


class Scanner:
    """Compares a root with a store, and caches the store's documents between calls.

    Attributes:
        decisions: those of earlier walks, from the store.
    """

    def __init__(self, root: Path, store: Store, settings: IngestSettings) -> None:
        self._root = root
        self._store = store
        self._settings = settings
        self._generation = -1
        self._documents: dict[str, Document] = {}
        self._quiet = ChangeWatch(root)
        self._turns = threading.RLock()
        self.decisions = Decisions()

    def documents(self) -> Mapping[str, Document]:
        """Return the store's documents by path; they are read again only after a commit of any process."""
        with self._turns:
            self._read_store()
            return self._documents

    def scan(self) -> WalkResult:
        """Compare sizes and stamps with the store's; only ignore files are read.

        The root is walked; from the third call on only after a change, if the kernel reports changes.
        """
        with self._turns:
            self._read_store()
            return self._quiet.look(self._walk, self.decisions)

    def distrust(self) -> None:
        """Walk at the next scan, whatever the kernel reports."""
        with self._turns:
            self._quiet.forget()

    def follow(self, transactions: int, written: Mapping[str, Document | None], decisions: Decisions) -> None:
        """Update the cached documents after commits without reading them back, unless another process also committed.

        Args:
            transactions: number of commits since the last scan.
            written: documents by path, None for those removed.
            decisions: the walks' decisions as stored now.
        """
        with self._turns:
            if self._store.generation() != self._generation + transactions:
                return
            self._generation += transactions
            self.decisions = decisions
            for path, document in written.items():
                if document is None:
                    self._documents.pop(path, None)
                else:
                    self._documents[path] = document

    def _walk(self) -> WalkResult:
        try:
            now = checked_root(self._root)
        except NotFoundError:
            gone = f"{self._root.name!r} is no longer there: it was moved, renamed or deleted."
            raise NotFoundError(f"{gone} Put it back, or ask about something else.") from None
        if now != self._root:
            # A process that may write beside the folder could replace it by another one.
            raise NotFoundError(f"{str(self._root)!r} is now a link to {str(now)!r}. Name that folder if you mean it.")
        return walk(self._root, self._settings, self._documents, self.decisions)

    def _read_store(self) -> None:
        generation = self._store.generation()
        if generation == self._generation:
            return
        self._documents = dict(self._store.documents())
        self.decisions = Decisions.from_text(self._store.metadata(DECISIONS_KEY))
        self._generation = generation
        self._quiet.forget()  # another process wrote, so the documents that the walk was compared with have changed


def watch(
    refresh: Refresh,
    interval: float = 1.0,
    *,
    progress: Progress | None = None,
    report_failure: Callable[[QuaestorError], None],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Changes]:
    """Refresh repeatedly; yield the first result, and then every one with changes.

    Polling needs no rights and no daemon. If the kernel reports no change, a refresh costs next to nothing; without its
    reports, checking 5,000 files takes some ten milliseconds.

    Args:
        refresh: usually ``Indexer.refresh``.
        interval: seconds between the end of one refresh and the beginning of the next.
        progress: passed on to every refresh.
        report_failure: called with the reason if a refresh failed (another process writes, the disk is full), before it
            is tried again.
        clock: monotonic seconds.
        sleep: waits for some seconds; an exception from it ends the watch.

    Never ends by itself; Ctrl-C, or closing the generator, ends it between two transactions.
    """
    first = True
    while True:
        started = clock()
        try:
            changes = refresh(progress)
        except (IndexBusyError, IndexReadOnlyError, LimitError) as error:
            report_failure(error)
            sleep(interval)
            continue
        took = clock() - started
        if first or changes.any:
            yield changes
        # The time of a refresh with changes says nothing about the next one.
        pause = interval if changes.any else max(interval, took / LONGEST_SHARE)
        first = False
        sleep(pause)
