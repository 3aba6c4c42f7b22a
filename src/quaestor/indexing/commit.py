"""Collecting outcomes and writing them to a store, in transactions of limited size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quaestor.convert import is_converted
from quaestor.core.documents import Document, text_of_chunks
from quaestor.core.errors import NotFoundError
from quaestor.files.consistent_read import on_disk, read_snapshot
from quaestor.files.indexing_values import Changes, SkippedPath
from quaestor.indexing.batches import COMMIT_CHUNKS, COMMIT_SHARE, FIRST_COMMIT_CHUNKS, LAST_COMMIT_CHUNKS
from quaestor.indexing.prepare import Outcome, ReadyDocument, RefusedFile, UnchangedFile
from quaestor.stores import LOCK_SECONDS, Store, Writer
from quaestor.stores.shared_store import SharedWork, SharingStore, keep

_KEPT_AT_ONCE = 200


def keep_missing(store: Store, folder: str) -> int:
    """Add missing bytes of documents to a store, from the files that are still as they were indexed.

    Args:
        store: a store that keeps documents' bytes and lacks some, because it is of an earlier version or a copy.
        folder: the files' folder.

    Returns:
        The number of documents whose bytes are still missing.
    """
    if not isinstance(store, SharingStore):
        return 0
    documents = store.documents()
    lacking = [documents[path] for path in sorted(store.unkept_paths()) if path in documents]
    for start in range(0, len(lacking), _KEPT_AT_ONCE):
        contents = {document: _quotable(store, folder, document) for document in lacking[start : start + _KEPT_AT_ONCE]}
        store.add_bytes({document: keep(data) for document, data in contents.items() if data is not None})
    return len(store.unkept_paths())


def _quotable(store: Store, folder: str, document: Document) -> bytes | None:
    """Return the bytes that citations of an indexed document quote, or None if its file has changed."""
    if is_converted(document):
        return text_of_chunks(stored.chunk for stored in store.chunks_of(document.path))
    try:
        snapshot = read_snapshot(on_disk(folder, document.path), root=folder)
    except OSError:
        return None
    return snapshot.data if snapshot.sha256 == document.sha256 else None


class Tally:
    """Counts what has been done so far.

    Attributes:
        added: new paths.
        changed: paths with new bytes.
        touched: paths with only a new stamp.
        removed: paths of removed documents.
        refused: files that were left out after they were read.
        unsteady: paths that changed while they were read.
        chunks: the number of chunks written.
        bytes: the size of the documents written.
    """

    def __init__(self) -> None:
        self.added: list[str] = []
        self.changed: list[str] = []
        self.touched: list[str] = []
        self.removed: list[str] = []
        self.refused: list[RefusedFile] = []
        self.unsteady: list[str] = []
        self.chunks = 0
        self.bytes = 0

    def changes(self, unchanged: int, skipped: Iterable[SkippedPath], stale: Iterable[str]) -> Changes:
        """Return the report."""
        return Changes(
            added=tuple(self.added),
            changed=tuple(self.changed),
            touched=tuple(self.touched),
            removed=tuple(self.removed),
            unchanged=unchanged,
            skipped=(*skipped, *(refused.skipped for refused in self.refused)),
            stale=(*self.unsteady, *stale),
            chunks=self.chunks,
            bytes=self.bytes,
        )


class Committer:
    """Writes outcomes to a store in batches.

    Each transaction takes the writer's lock only while it writes.

    Attributes:
        tally: what has been done so far.
        opening: the metadata that the first transaction stores.
        to_come: the number of outcomes still to come, if that is known.
        patience: the seconds to wait for another process that writes.
        transactions: the number of transactions made.
        written: the documents added or changed, by path; None for removed ones.
        work: the list from which files are leased, if several processes share the work.
        finished: paths of leased files whose outcomes are committed.
    """

    def __init__(self, store: Store, known: Mapping[str, Document]) -> None:
        self._store = store
        self._known = known
        self._waiting: list[ReadyDocument] = []
        self._waiting_chunks = 0
        self._touches: list[Document] = []
        self._removals: list[str] = []
        self.tally = Tally()
        self.opening: Mapping[str, str] = {}
        self.to_come = 0
        self.patience = LOCK_SECONDS
        self.transactions = 0
        self.written: dict[str, Document | None] = {}
        self.work: SharedWork | None = None
        self.finished: set[str] = set()
        self._leased: list[str] = []

    @property
    def chunks(self) -> int:
        """The number of chunks that were written or wait to be written."""
        return self.tally.chunks + self._waiting_chunks

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Add outcomes with ready documents; write if enough have come."""
        for outcome in outcomes:
            self.to_come -= 1
            if self.work is not None:
                self._leased.append(outcome.path)
            if isinstance(outcome, ReadyDocument):
                self._waiting.append(outcome)
                self._waiting_chunks += outcome.packed.chunks
            elif isinstance(outcome, UnchangedFile):
                self._note_stamp(outcome)
            elif isinstance(outcome, RefusedFile):
                self._note_refusal(outcome)
        usual = min(COMMIT_CHUNKS, max(FIRST_COMMIT_CHUNKS, COMMIT_SHARE * self.tally.chunks))
        early = self._waiting_chunks >= LAST_COMMIT_CHUNKS and 0 < self.to_come <= len(self._waiting)
        if early or self._waiting_chunks >= usual:
            self.commit()

    def remove(self, paths: Iterable[str]) -> None:
        """Remove documents in the next transaction."""
        self._removals.extend(paths)

    def commit(self, metadata: Mapping[str, str] | None = None) -> None:
        """Write the collected outcomes and ``metadata`` in one transaction; do nothing if there are none."""
        if not (self._waiting or self._touches or self._removals or self._leased or metadata):
            return
        with self._store.writing(timeout=self.patience) as writer:
            self._finish_leased(writer)
            self._write(writer)
            for key, value in {**self.opening, **(metadata or {})}.items():
                writer.set_metadata(key, value)
        self.opening = {}
        self.transactions += 1
        self._count()

    def _note_stamp(self, outcome: UnchangedFile) -> None:
        document = self._known[outcome.path]._replace(size=outcome.size, stamp=outcome.stamp)
        if document != self._known[outcome.path]:
            self._touches.append(document)

    def _note_refusal(self, outcome: RefusedFile) -> None:
        self.tally.refused.append(outcome)
        if outcome.skipped.path in self._known:
            self._removals.append(outcome.skipped.path)

    def _finish_leased(self, writer: Writer) -> None:
        """Remove finished items from the shared work, and discard documents that another process has taken over."""
        if self.work is None or not self._leased:
            return
        own = self.work.finish(writer, self._leased)
        lost = set(self._leased) - set(own)
        self.finished.update(own)
        self._leased = []
        if lost:
            self._waiting = [done for done in self._waiting if done.path not in lost]
            self._waiting_chunks = sum(done.packed.chunks for done in self._waiting)
            self._touches = [document for document in self._touches if document.path not in lost]

    def _write(self, writer: Writer) -> None:
        for path in self._removals:
            writer.remove(path)
        for done in self._waiting:
            writer.put(done.packed)
        for document in self._touches:
            try:
                writer.touch(document)
            except NotFoundError:
                continue  # another process removed it; the next scan will handle it

    def _count(self) -> None:
        tally = self.tally
        self.written.update(dict.fromkeys(self._removals))
        self.written.update({done.path: done.packed.document for done in self._waiting})
        self.written.update({document.path: document for document in self._touches})
        for done in self._waiting:
            (tally.changed if done.path in self._known else tally.added).append(done.path)
            tally.bytes += done.packed.document.size
            if not done.steady:
                tally.unsteady.append(done.path)
        tally.chunks += self._waiting_chunks
        tally.touched += [document.path for document in self._touches]
        tally.removed += self._removals
        self._waiting, self._waiting_chunks = [], 0
        self._touches, self._removals = [], []
