"""A trial index in a folder of its own, apart from the one that the settings name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quaestor.assemble.embedders_by_name import IndexEmbedder, make_embedder, refresh_cost
from quaestor.assemble.source_paths import index_folder, ingest_settings
from quaestor.assemble.stores_by_name import open_store, recorded_embedder
from quaestor.assemble.tuned_index import tuning_of
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.core.wording import command
from quaestor.corpus import Corpus
from quaestor.embedding import Embedder
from quaestor.embedding.tuning_names import is_tuned
from quaestor.indexing.indexer import Indexer
from quaestor.search.ranker import Ranker
from quaestor.stores.embedded.store import EmbeddedStore

TUNED = "tuned"
"""The name under which an embedder that a corpus's own index was tuned to is tried."""


def open_trial_index(root: Path, folder: Path, embedder: Embedder, settings: Settings) -> Corpus:
    """Open or begin an index of a folder; nothing is indexed yet.

    Args:
        root: the source.
        folder: the folder of the index.
        embedder: embeds its chunks and queries.
        settings: the settings of indexing.

    Raises:
        NotFoundError: the root does not exist.
        IndexUnusableError: the index is corrupt, newer, or made with another embedder.
        UsageError: the setting ``chunker`` has an unknown value.
    """
    recorded = EmbeddedStore.recorded_embedder(folder)
    # A remote embedder would have to be asked.
    dimensions = recorded[1] if recorded is not None and recorded[0] == embedder.name else embedder.dimensions
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


@dataclass(frozen=True, slots=True)
class TrialVectors:
    """An embedder to be tried, and how far the ranker trusts it.

    Attributes:
        embedder: the embedder.
        trust: the factor of the dense retriever in the ranker.
    """

    embedder: Embedder
    trust: float = 1.0


def trial_of(root: Path, settings: Settings) -> TrialVectors:
    """Return the embedder that the settings name, to be tried on a corpus.

    Args:
        root: the corpus.
        settings: name the embedder; ``tuned`` means the one that the corpus's own index was tuned to.

    Raises:
        UsageError: there is no embedder of that name, or the index of the corpus is not tuned.
    """
    if settings.embedder != TUNED:
        return TrialVectors(make_embedder(settings, source=str(root)))
    folder = index_folder(root, settings)
    recorded = recorded_embedder(root, settings)
    if recorded is None or not is_tuned(recorded[0]):
        raise UsageError(f"The index of {str(root)!r} is not tuned. Run {command('tune', root)} first.")
    embedder = make_embedder(settings._replace(embedder="auto"), IndexEmbedder(*recorded), folder=folder)
    store = open_store(root, settings, embedder.name, recorded[1], create=False)
    try:
        return TrialVectors(embedder, tuning_of(store).trust)
    finally:
        store.close()


def erase_trial_index(folder: Path) -> None:
    """Delete the index in a folder."""
    EmbeddedStore.erase(folder)
