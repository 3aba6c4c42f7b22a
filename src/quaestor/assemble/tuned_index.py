"""Switching an index to an embedder that was tuned to it, and back, in one transaction each.

The tuned rows are in a file beside the index; the index records its embedder in the same transaction as its vectors, so
that a crash at any moment leaves either the old embedder or the new one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from quaestor.assemble.embedders_by_name import IndexEmbedder, make_embedder
from quaestor.assemble.source_paths import index_folder, ingest_settings
from quaestor.assemble.stores_by_name import open_store, recorded_embedder, refuse_shared
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError
from quaestor.core.light_imports import NamedTuple
from quaestor.core.wording import command
from quaestor.embedding.static import StaticEmbedder
from quaestor.embedding.tuning_names import base_of, forget, is_tuned
from quaestor.stores import Store

if TYPE_CHECKING:
    from quaestor.embedding.tuned_embedder import TunedRows

KEY = "tuned"
"""Key of the metadata that holds the result of tuning."""

Progress = Callable[[int, int], None]
"""Called with the number of documents that are done, and of all."""


class IndexTuning(NamedTuple):
    """The tuning of an index.

    Attributes:
        embedder: the name of the tuned embedder; empty if the index is not tuned.
        trust: the factor of the dense retriever in the ranker.
        figures: measurements, as JSON values.
    """

    embedder: str = ""
    trust: float = 1.0
    figures: Mapping[str, Any] = MappingProxyType({})

    def line(self) -> str:
        """Return the result of tuning in one line, or "" if the index is not tuned."""
        if not self.figures:
            return ""
        row = self.figures["rows"][0]
        before, after = row["before"]["mean"], row["after"]["mean"]
        trust = f"; vectors count {self.trust:g} times" if self.trust != 1 else ""
        return f"NDCG@10 {before:.3f} before, {after:.3f} after, on {row['questions']} questions{trust}"


def tuning_of(store: Store) -> IndexTuning:
    """Return the tuning of an index."""
    text = store.metadata(KEY)
    return IndexTuning(**json.loads(text)) if text else IndexTuning()


def _text(tuning: IndexTuning) -> str:
    return json.dumps({**tuning._asdict(), "figures": dict(tuning.figures)})


def checked_tuning(root: Path, settings: Settings) -> IndexTuning:
    """Return the tuning of a source's index after loading its rows; an empty tuning without an index.

    Raises:
        IndexUnusableError: the rows are lost or damaged.
    """
    folder = index_folder(root, settings)
    recorded = recorded_embedder(root, settings)
    if recorded is None or not is_tuned(recorded[0]):
        return IndexTuning()
    make_embedder(settings, IndexEmbedder(*recorded), folder=folder)
    store = open_store(root, settings, *recorded, create=False)
    try:
        return tuning_of(store)
    finally:
        store.close()


def keep_tuned(
    root: Path, settings: Settings, replaced: TunedRows, trust: float, figures: Mapping[str, object], progress: Progress
) -> int:
    """Give an index the tuned embedder, and return the number of its vectors.

    Args:
        root: the real path of the source.
        settings: the settings that name the index, and with which it was made.
        replaced: the tuned rows.
        trust: the factor of the dense retriever in the ranker.
        figures: measurements, to be shown later.
        progress: called during the work.
    """
    from quaestor.embedding import tuned_embedder as tuned  # noqa: PLC0415 - reads the weights

    refuse_shared(settings, "Tuning")
    folder = index_folder(root, settings)
    embedder = tuned.save(replaced, folder)
    tuning = IndexTuning(embedder.name, trust, figures)
    count = _switch(root, settings, embedder.name, _text(tuning), progress)
    forget(folder, but=embedder.name)
    return count


def undo_tuned(root: Path, settings: Settings, progress: Progress) -> int | None:
    """Give an index the bundled embedder back, and return the number of its vectors; None if it is not tuned.

    The tuned rows are not needed for this, so that an index whose file of tuned rows is lost can be repaired.

    Raises:
        IndexUnusableError: there is no index, or it was not made with the bundled embedder.
    """
    folder = index_folder(root, settings)
    recorded = recorded_embedder(root, settings)
    if recorded is None:
        raise IndexUnusableError(f"There is no index of {str(root)!r} yet. Run {command('index', root)}.")
    if not is_tuned(recorded[0]):
        forget(folder)
        return None
    bundled = StaticEmbedder.bundled()
    if base_of(recorded[0]) != bundled.name:
        raise IndexUnusableError(
            f"The index of {str(root)!r} was tuned from {base_of(recorded[0])!r}, which is no longer bundled. "
            f"Run `quaestor index --rebuild {root}`."
        )
    count = _switch(root, settings, bundled.name, "", progress)
    forget(folder)
    return count


def _switch(root: Path, settings: Settings, name: str, tuning: str, progress: Progress) -> int:
    from quaestor.indexing.pending_vectors import reembed  # noqa: PLC0415 - imports what most commands do without

    folder = index_folder(root, settings)
    recorded = recorded_embedder(root, settings)
    if recorded is None:
        raise IndexUnusableError(f"There is no index of {str(root)!r} yet. Run {command('index', root)}.")
    store = open_store(root, settings, *recorded, create=False)
    try:
        embedder = make_embedder(settings, IndexEmbedder(name, recorded[1]), folder=folder)
        return reembed(store, embedder, ingest_settings(settings, root), {KEY: tuning}, progress)
    finally:
        store.close()
