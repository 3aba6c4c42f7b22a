"""An index in a folder of its own, apart from the one that the settings name: for trying things out."""

from __future__ import annotations

from pathlib import Path

from quaestor.assemble.embedders import refresh_cost
from quaestor.assemble.places import ingest_settings
from quaestor.config import Settings
from quaestor.corpus import Corpus
from quaestor.embedding import Embedder
from quaestor.ingest.indexer import Indexer
from quaestor.retrieval.ranker import Ranker
from quaestor.stores.embedded import EmbeddedStore


def index_apart(root: Path, folder: Path, embedder: Embedder, settings: Settings) -> Corpus:
    """Open an index of a folder, or begin one; nothing is taken in yet.

    Args:
        root: what is indexed.
        folder: where the index lies.
        embedder: what turns its chunks and queries into vectors.
        settings: what ingest reads of them.

    Raises:
        NotFoundError: the root does not exist.
        IndexUnusableError: the index is corrupt, newer, or made with another embedder.
        UsageError: there is no such chunker.
    """
    made = EmbeddedStore.made_with(folder)
    # A remote embedder would have to be asked.
    dimensions = made[1] if made is not None and made[0] == embedder.name else embedder.dimensions
    store = EmbeddedStore.open(folder, embedder=embedder.name, dimensions=dimensions, create=True)
    try:
        indexer = Indexer(root, store, embedder, ingest_settings(settings, root))
    except BaseException:
        store.close()
        raise
    return Corpus(
        root,
        store,
        embedder,
        indexer,
        Ranker.bundled(),
        refresh_seconds=settings.refresh_seconds,
        refresh_cost=refresh_cost(settings, embedder),
    )


def erase_apart(folder: Path) -> None:
    """Delete the index in a folder."""
    EmbeddedStore.erase(folder)
