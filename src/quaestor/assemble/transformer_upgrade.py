"""Upgrading an index to a transformer's vectors, which take minutes, while it answers by the bundled embedder.

All state is on disk. An index needs the upgrade if it was made with the bundled embedder and the settings name a
transformer, or vectors of one were begun; ``upgrade`` makes the missing vectors and then switches the index in one
transaction. One of several processes makes them, and the other processes wait.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.assemble.embedders_by_name import (
    STATIC,
    IndexEmbedder,
    index_embedder,
    names_transformer,
    register_of,
    resolve_auto,
    spec_of,
)
from quaestor.assemble.source_paths import index_folder, ingest_settings
from quaestor.assemble.stores_by_name import open_store
from quaestor.assemble.tuned_index import KEY as TUNED_KEY
from quaestor.core.config import Settings, make_private
from quaestor.corpus.descriptions import VectorProgress
from quaestor.embedding.transformer import PREFIX
from quaestor.embedding.tuning_names import forget as forget_tuned
from quaestor.files.indexing_values import Progress, ProgressState
from quaestor.stores.embedded.lock import WriteLock

if TYPE_CHECKING:
    from quaestor.embedding.transformer.embedder import OnnxEmbedder

_POLL_SECONDS = 0.2
_FOLDER = "coming"


def missing_transformer(settings: Settings, recorded: IndexEmbedder | None) -> str:
    """Return the name of the transformer whose vectors an index still needs, or ""."""
    name = resolve_auto(settings, recorded)
    return name if name.startswith(PREFIX) and (recorded is None or spec_of(recorded.name) == STATIC) else ""


def upgrade_state(root: Path, settings: Settings) -> VectorProgress | None:
    """Return how many vectors of a transformer are made for an index that waits for them; None if it waits for none."""
    folder = index_folder(root, settings)
    if not (names_transformer(settings) or (folder / _FOLDER).exists()):
        return None
    from quaestor.indexing.pending_vectors import pending_progress, place_of  # noqa: PLC0415 - few indexes lack any

    recorded = index_embedder(root, settings)
    wanted = missing_transformer(settings, recorded)
    progress = pending_progress(folder) if recorded is not None and spec_of(recorded.name) == STATIC else None
    if progress is None or (wanted and progress.embedder != wanted):
        return VectorProgress(wanted, 0, 0, False) if wanted else None
    try:
        with WriteLock(place_of(folder)).attempt() as free:
            return VectorProgress(*progress, busy=not free)
    except FileNotFoundError:
        # It was taken in, or thrown away, this very moment.
        return upgrade_state(root, settings)


def upgrade(root: Path, settings: Settings, progress: Progress | None = None) -> int | None:
    """Make the vectors that an index still needs and store them; return their number, or None if it needed none.

    Args:
        root: the real path of a source that has an index.
        settings: the settings that name the transformer; ``auto`` means the one whose vectors were begun.
        progress: called during the work; an exception from it ends the work, and finished vectors are kept.

    Raises:
        UsageError: the transformer cannot be used.
    """
    from quaestor.indexing.pending_vectors import forget, place_of  # noqa: PLC0415 - few indexes lack any

    report = progress or _ignore_progress
    folder = index_folder(root, settings)
    lack = upgrade_state(root, settings)
    if lack is None or (resolve_auto(settings) == STATIC and settings.embedder != "auto"):
        if place_of(folder).exists():
            with WriteLock(place_of(folder)).attempt() as mine:
                if mine:
                    forget(folder)
        return None
    embedder = _transformer(lack.embedder, settings)
    while True:
        make_private(place_of(folder))
        with WriteLock(place_of(folder)).attempt() as mine:
            if mine:
                return _make_vectors(root, settings, embedder, lack.embedder, report)
        now = upgrade_state(root, settings)
        if now is None:
            return lack.total
        report(_state(now.done, now.total))
        time.sleep(_POLL_SECONDS)


def _make_vectors(root: Path, settings: Settings, embedder: OnnxEmbedder, name: str, progress: Progress) -> int:
    """Make the missing vectors and store them in the index; the caller holds the lock on pending vectors."""
    # Few indexes lack any.
    from quaestor.indexing.pending_vectors import PendingVectors, PreparedEmbedder, fill, forget, reembed  # noqa: PLC0415

    folder = index_folder(root, settings)
    recorded = index_embedder(root, settings)
    if recorded is None or spec_of(recorded.name) != STATIC:
        forget(folder)
        return 0
    ingest = ingest_settings(settings, root)
    with PendingVectors.open_or_begin(folder, embedder, name) as pending:
        store = open_store(root, settings, *recorded, create=False)
        try:
            fill(store, embedder, ingest, pending, lambda done, total: progress(_state(done, total)))
            count = reembed(
                store,
                PreparedEmbedder(embedder, pending),
                ingest,
                {TUNED_KEY: ""},
                lambda done, total: progress(ProgressState(done, total, 0, doing="taking in")),
            )
        finally:
            store.close()
    forget_tuned(folder)
    forget(folder)
    return count


def _transformer(name: str, settings: Settings) -> OnnxEmbedder:
    from quaestor.embedding.transformer.embedder import OnnxEmbedder  # noqa: PLC0415 - only for these

    return OnnxEmbedder.of_folder(name.removeprefix(PREFIX), register_of(settings))


def _state(done: int, total: int) -> ProgressState:
    return ProgressState(done, total, 0, doing="embedding")


def _ignore_progress(_state: ProgressState) -> None:
    return None
