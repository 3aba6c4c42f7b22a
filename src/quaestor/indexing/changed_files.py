"""What changed: the files on disk held against the documents in a store."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from quaestor.core.errors import NotFoundError
from quaestor.core.passages import Document
from quaestor.files.change_watch import ChangeWatch
from quaestor.files.source_settings import IngestSettings
from quaestor.files.walk import Found, checked_root, walk
from quaestor.files.walk_decisions import Decisions
from quaestor.stores import Store

DECISIONS_KEY = "ingest.decisions"
"""The metadata under which a store keeps what walks decided."""


class Scanner:
    """Compares a root with a store, and remembers between calls what the store holds.

    Attributes:
        decisions: what the store remembers of earlier walks.
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
        """Return the store's documents by path; read again only after a commit, by whatever process."""
        with self._turns:
            self._read_store()
            return self._documents

    def scan(self) -> Found:
        """Compare sizes and stamps with the store's; reads no file but ignore files.

        The root is walked, but from the third time on only if something happened in it, where the kernel tells.
        """
        with self._turns:
            self._read_store()
            return self._quiet.look(self._walk, self.decisions)

    def distrust(self) -> None:
        """Walk at the next scan, whatever the kernel tells."""
        with self._turns:
            self._quiet.forget()

    def follow(self, transactions: int, written: Mapping[str, Document | None], decisions: Decisions) -> None:
        """Take over what was just committed, without reading it back, if nobody else committed meanwhile.

        Args:
            transactions: how many were made since the last scan.
            written: documents by path, None for those removed.
            decisions: what the store remembers of walks now.
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

    def _walk(self) -> Found:
        if (now := checked_root(self._root)) != self._root:
            # Whoever may write beside the folder could show another one in its place.
            raise NotFoundError(f"{str(self._root)!r} is a link to {str(now)!r} by now. Name that, if you mean it.")
        return walk(self._root, self._settings, self._documents, self.decisions)

    def _read_store(self) -> None:
        generation = self._store.generation()
        if generation == self._generation:
            return
        self._documents = dict(self._store.documents())
        self.decisions = Decisions.from_text(self._store.metadata(DECISIONS_KEY))
        self._generation = generation
        self._quiet.forget()  # another process wrote: what was found is held against other documents now
