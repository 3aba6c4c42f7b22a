"""Estimating the cost of indexing a source before anything is written or paid for."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.accounts.prices import Quote
from quaestor.assemble.embedders_by_name import (
    IndexEmbedder,
    RemoteModel,
    index_embedder,
    make_embedder,
    remote_model,
    resolve_auto,
)
from quaestor.assemble.source_paths import ingest_settings
from quaestor.assemble.stores_by_name import open_store
from quaestor.core.config import Settings
from quaestor.embedding import Embedder
from quaestor.embedding.remote import SlowEmbedder
from quaestor.embedding.requests_and_replies import RequestLimits
from quaestor.files.indexing_values import FoundFile, IngestSettings, Survey
from quaestor.files.walk import WalkResult, checked_root, folder_of, walk
from quaestor.indexing.batches import POOL_BYTES, in_batches
from quaestor.indexing.indexer import Indexer
from quaestor.indexing.intake import Intake, usable_cores
from quaestor.indexing.survey import Surveyor, SurveyResult
from quaestor.llm.tokens import Tokenizer, tokenizer_for
from quaestor.stores import Store
from quaestor.stores.embedded.store import EmbeddedStore

if TYPE_CHECKING:
    from quaestor.corpus import Corpus

REQUEST_SECONDS = 1.0
"""Seconds assumed for a request to an endpoint; none is sent to measure it."""

REQUESTS_AT_ONCE = 4
_SAMPLE_BYTES = 400_000
_SLOW_SAMPLE_BYTES = 40_000
_SAMPLE_FILES = 200
_KEYS_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated cost of embedding.

    Attributes:
        embedder: the name of the embedder.
        remote: whether it is behind an endpoint.
        tokenizer: counts the tokens.
        exact: whether it is the embedder's own encoding; else the numbers are upper bounds.
        texts: the number of texts to embed; equal ones count once.
        tokens: the number of tokens of these texts.
        known: the number of texts that are already embedded.
        new: whether the source has no index by this embedder yet.
        quote: the price of a million tokens; None if they are free.
        cost: the cost of the tokens, in millionths of the currency's unit; None if no price is known.
        seconds: the estimated time.
        basis: how the time was estimated, as text.
    """

    embedder: str
    remote: bool
    tokenizer: str
    exact: bool
    texts: int
    tokens: int
    known: int
    new: bool
    quote: Quote | None
    cost: int | None
    seconds: float
    basis: str


def survey_and_estimate(
    root: Path, settings: Settings, *, rebuild: bool = False, index: Corpus | None = None
) -> tuple[Survey, Estimate]:
    """Return a survey of a source and the estimated cost of embedding it; write nothing and contact nobody.

    Args:
        root: the folder or file.
        settings: the settings of the embedder, its price, and indexing.
        rebuild: whether to ignore the present index.
        index: an up-to-date index of the source: counts are read from it, and no file is read.

    Raises:
        NotFoundError: ``root`` does not exist.
        UsageError: there is no embedder of that name.
    """
    place = checked_root(root)
    ingest = ingest_settings(settings, place)
    recorded = index_embedder(place, settings)
    remote = remote_model(settings, recorded)
    tokenizer = tokenizer_for(settings.model or "gpt-4o") if remote is None else remote.tokenizer
    embedder = None if remote is None else remote.name
    if index is not None:
        read = index.survey(tokenizer.count, embedder)
    else:
        read = Surveyor(str(folder_of(place)), ingest, tokenizer.count, embedder).read(walk(place, ingest))
    if remote is None:
        return read.survey, _local(place, settings, ingest, read, recorded, tokenizer)
    current = _current(remote, recorded, rebuild=rebuild)
    known = _known_keys(place, settings, current, read.texts)
    return read.survey, _remote(remote, read.texts, known, new=current is None)


def estimate_update(root: Path, settings: Settings, *, rebuild: bool = False) -> Estimate | None:
    """Return the estimated cost of bringing an index up to date, or None if the embedder is local.

    Only changed files, and those with waiting texts, are read.

    Raises:
        as ``survey_and_estimate``.
    """
    place = checked_root(root)
    recorded = index_embedder(place, settings)
    remote = remote_model(settings, recorded)
    if remote is None:
        return None
    ingest = ingest_settings(settings, place)
    current = _current(remote, recorded, rebuild=rebuild)
    if current is None:
        walk_result = walk(place, ingest)
    else:
        with _open_store(place, settings, current) as store:
            walk_result = Indexer(place, store, make_embedder(settings, recorded), ingest).awaiting_files()
    texts = Surveyor(str(folder_of(place)), ingest, remote.tokenizer.count, remote.name).read(walk_result).texts
    return _remote(remote, texts, _known_keys(place, settings, current, texts), new=current is None)


def _remote(remote: RemoteModel, texts: Mapping[bytes, int], known: set[bytes], *, new: bool) -> Estimate:
    missing = [tokens for key, tokens in texts.items() if key not in known]
    limits = RequestLimits.of_model(remote.model)
    sent = [tokens if limits.each is None else min(tokens, limits.each) for tokens in missing]
    tokens = sum(sent)
    requests = max(-(-len(sent) // limits.texts), -(-tokens // limits.tokens))
    return _estimate_requests(remote, len(sent), tokens, requests, REQUESTS_AT_ONCE, known=len(known), new=new)


def estimate_queries(remote: RemoteModel, queries: Sequence[str]) -> Estimate:
    """Return the estimated cost of embedding queries, one request after the other."""
    tokens = sum(remote.tokenizer.count(query) for query in queries)
    return _estimate_requests(remote, len(queries), tokens, len(queries), 1)


def _estimate_requests(
    remote: RemoteModel, texts: int, tokens: int, requests: int, at_once: int, *, known: int = 0, new: bool = False
) -> Estimate:
    price = remote.quote.price
    return Estimate(
        embedder=remote.name,
        remote=True,
        tokenizer=remote.tokenizer.name,
        exact=remote.tokenizer.exact,
        texts=texts,
        tokens=tokens,
        known=known,
        new=new,
        quote=remote.quote,
        # Each request is rounded up by itself.
        cost=None if price is None else price.cost(tokens, 0) + (requests if price.prompt else 0),
        seconds=-(-requests // at_once) * REQUEST_SECONDS,
        basis=f"if each of {requests:,} requests takes {REQUEST_SECONDS:g} s, {at_once} at a time",
    )


def _local(
    place: Path,
    settings: Settings,
    ingest: IngestSettings,
    read: SurveyResult,
    recorded: IndexEmbedder | None,
    tokenizer: Tokenizer,
) -> Estimate:
    embedder = make_embedder(settings, recorded)
    seconds, basis = _measure_seconds(str(folder_of(place)), ingest, read.files, embedder)
    return Estimate(
        embedder=resolve_auto(settings, recorded),
        remote=False,
        tokenizer=tokenizer.name,
        exact=tokenizer.exact,
        texts=read.survey.chunks,
        tokens=read.survey.tokens or 0,
        known=0,
        new=recorded is None,
        quote=None,
        cost=0,
        seconds=seconds,
        basis=basis,
    )


def _measure_seconds(
    folder: str, ingest: IngestSettings, files: Sequence[FoundFile], embedder: Embedder
) -> tuple[float, str]:
    """Return the seconds that indexing would take here, and the basis: a sample is indexed in a temporary folder."""
    slow = isinstance(embedder, SlowEmbedder)
    sample = _sample(files, _SLOW_SAMPLE_BYTES if slow else _SAMPLE_BYTES)
    if not sample:
        return 0.0, "there is nothing to index"
    # What is read and set up once is no part of what each file takes.
    _, _, failure = _seconds_to_index(folder, ingest, [min(sample, key=lambda file: file.size)], embedder)
    if failure is None:
        prepared, written, failure = _seconds_to_index(folder, ingest, sample, embedder)
    if failure is not None:
        return 0.0, f"not known: {failure}"
    total, part = (sum(file.size for file in some) or 1 for some in (files, sample))
    cores = min(ingest.workers or usable_cores(), _free_cores()) if total >= POOL_BYTES and not slow else 1.0
    seconds = (prepared / cores + written) * total / part
    where = "here" if slow else "on one core here"
    took = f"{len(sample):,} of its {len(files):,} files took {prepared + written:.2f} s {where}"
    return seconds, f"{took}, of which {cores:.1f} are free" if cores > 1 else took


def _seconds_to_index(
    folder: str, ingest: IngestSettings, files: Sequence[FoundFile], embedder: Embedder
) -> tuple[float, float, BaseException | None]:
    """Index files elsewhere; return the seconds for reading and embedding them, those for writing, and what failed."""
    with tempfile.TemporaryDirectory(prefix="quaestor-") as home:
        store = EmbeddedStore.open(Path(home), embedder=embedder.name, dimensions=embedder.dimensions, create=True)
        try:
            intake = Intake(folder, store, embedder, ingest._replace(workers=1), {})
            started = time.perf_counter()
            intake.take(WalkResult(added=list(files)), None, None)
            prepared = time.perf_counter()
            intake.committer.commit()
            written = time.perf_counter()
            return prepared - started, written - prepared, intake.vectoriser.failure
        finally:
            store.close()


def _free_cores() -> float:
    """Return the number of cores that were idle in the last minute, at least 1."""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1.0, usable_cores() - busy)


def _sample(files: Sequence[FoundFile], size: int) -> list[FoundFile]:
    """Return a sample of a source's files, in their order; the larger a file, the more likely it is in the sample.

    A sample regardless of size could consist of small files only, which would say nothing about the large ones.
    """
    total = sum(file.size for file in files)
    # The mean file at a byte that is chosen at random is as large as this.
    mean = sum(file.size**2 for file in files) / max(total, 1)
    step = max(total / _SAMPLE_FILES, mean * total / size)
    sample, reached, wanted = [], 0.0, min(step, total) / 2
    for file in files:
        reached += file.size
        if reached > wanted:
            sample.append(file)
            wanted += step * (1 + (reached - wanted) // step)
    return sample or list(files[:1])


def _current(remote: RemoteModel, recorded: IndexEmbedder | None, *, rebuild: bool) -> IndexEmbedder | None:
    """Return the embedder of the present index if it is the same, so that the index is updated; else None."""
    return recorded if not rebuild and recorded is not None and recorded.name == remote.name else None


def _known_keys(root: Path, settings: Settings, recorded: IndexEmbedder | None, keys: Iterable[bytes]) -> set[bytes]:
    """Return the keys whose vectors are in the index."""
    if recorded is None:
        return set()
    with _open_store(root, settings, recorded) as store:
        batches = in_batches(((key, 1) for key in keys), _KEYS_AT_ONCE, _KEYS_AT_ONCE)
        return {key for batch in batches for key in store.known_vectors(batch)}


@contextmanager
def _open_store(root: Path, settings: Settings, recorded: IndexEmbedder) -> Iterator[Store]:
    store = open_store(root, settings, *recorded, create=False)
    try:
        yield store
    finally:
        store.close()
