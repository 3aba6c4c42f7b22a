"""Stored results of a run: each index with its cost, and the answer to each question.

Answers are in an append-only file.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from quaestor.assemble import erase_trial_index, ingest_settings, open_trial_index
from quaestor.assemble.estimate import survey_and_estimate
from quaestor.core.config import Settings
from quaestor.core.documents import Document, Hit
from quaestor.corpus import Corpus
from quaestor.embedding import Embedder
from quaestor.embedding.remote import Allowance, RemoteEmbedder
from quaestor.evaluation.datasets.dataset import Unit
from quaestor.evaluation.metrics import Location, Question, each_document_once
from quaestor.indexing.indexer import Progress

_RECORD = "built.json"
DECISIVE = ("chunking", "convert", "core", "corpus", "embedding", "files", "indexing", "search", "stores")
"""The packages that decide which chunks, terms and vectors an index holds, and what a search finds."""

_SHOWN = 5
_EXCERPT = 240


@dataclass(frozen=True, slots=True)
class BuiltIndex:
    """An index that was built, and its cost.

    Attributes:
        state: a text that identifies the corpus's content and this program's version.
        embedder: the embedder's own name.
        seconds: the time of a whole build on this machine; None if a remote embedder's earlier work was reused.
        bytes: its size on disk.
        documents: the number of documents.
        chunks: the number of chunks.
        source_bytes: the size of the documents in bytes.
        price: the most that its vectors cost, in the prices' currency; None if unknown.
    """

    state: str
    embedder: str
    seconds: float | None
    bytes: int
    documents: int
    chunks: int
    source_bytes: int
    price: float | None


def index_key(root: Path, embedder: Embedder, settings: Settings) -> str:
    """Return the name of the folder of an index: the same corpus, embedder and way of cutting have the same one."""
    ingest = ingest_settings(settings, root)
    text = repr((str(root.resolve()), embedder.name, ingest.recipe(), ingest.rules(), ingest.pages))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def build_index(
    root: Path,
    folder: Path,
    embedder: Embedder,
    settings: Settings,
    progress: Progress | None = None,
    allowance: Allowance | None = None,
) -> BuiltIndex:
    """Return the index of the present corpus with its cost; build it if it is missing.

    An outdated or unfinished index is built from nothing, so that its time is that of a whole build; but paid vectors
    of a remote embedder are kept.

    Args:
        root: the corpus.
        folder: the folder of the index.
        embedder: the embedder of the index.
        settings: the settings of indexing.
        progress: called during indexing, as for any index.
        allowance: what a remote embedder may cost; None allows what a refresh may cost.

    Raises:
        BudgetError: the allowance does not cover it.
        UpstreamError: the embedder's server failed.
    """
    if (known := unchanged_index(root, folder, embedder, settings)) is not None:
        return known
    (folder / _RECORD).unlink(missing_ok=True)
    remote = isinstance(embedder, RemoteEmbedder)
    if not remote:
        erase_trial_index(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with open_trial_index(root, folder, embedder, settings) as corpus:
        whole = not corpus.store.generation()
        started = time.perf_counter()
        changes = corpus.refresh(progress=progress, allowance=allowance if remote else None)
        seconds = time.perf_counter() - started
        if changes.failure is not None:
            raise changes.failure
        price = _price(root, settings) if remote else 0.0
        record = _record(corpus, seconds if whole else None, price)
    _write_record(folder, record)
    return record


def _write_record(folder: Path, record: BuiltIndex) -> None:
    new = folder / f"{_RECORD}.new"
    new.write_text(json.dumps(asdict(record)), "utf-8")
    new.replace(folder / _RECORD)


def _price(root: Path, settings: Settings) -> float | None:
    """Return the price of a whole index, including vectors paid for before."""
    cost = survey_and_estimate(root, settings, rebuild=True)[1].cost
    return None if cost is None else cost / 1_000_000


def _record(corpus: Corpus, seconds: float | None, price: float | None) -> BuiltIndex:
    stats = corpus.stats()
    state = state_of(corpus.store.documents().values())
    return BuiltIndex(
        state, stats.embedder, seconds, stats.index_bytes, stats.documents, stats.chunks, stats.bytes, price
    )


def unchanged_index(root: Path, folder: Path, embedder: Embedder, settings: Settings) -> BuiltIndex | None:
    """Return the record of a finished index whose corpus has not changed since; None if there is no such index."""
    try:
        record = BuiltIndex(**json.loads((folder / _RECORD).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
    with open_trial_index(root, folder, embedder, settings) as corpus:
        plan = corpus.indexer.plan()
        same = not (plan.added or plan.changed or plan.removed or corpus.indexer.count_pending())
        return record if same and state_of(corpus.store.documents().values()) == record.state else None


def state_of(documents: Iterable[Document]) -> str:
    """Return a text that identifies a corpus's state and the version of the code that indexes and searches it."""
    digest = hashlib.blake2b(_version().encode(), digest_size=16)
    for document in sorted(documents, key=lambda document: document.path):
        digest.update(f"{document.path}\0{document.sha256}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@cache
def _version() -> str:
    """Return a hash of the code that indexes and searches, because a checkout changes between releases."""
    home = Path(__file__).parents[1]
    digest = hashlib.blake2b(digest_size=16)
    for name in DECISIVE:
        for file in sorted(file for kind in ("py", "json", "txt") for file in (home / name).rglob(f"*.{kind}")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class ShownHit:
    """One hit for display.

    Attributes:
        location: its place.
        symbol: its definition or heading; may be empty.
        text: its beginning.
    """

    location: Location
    symbol: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of one search.

    Attributes:
        locations: every hit, best first.
        shown: the first few hits or documents, for display.
        seconds: time taken.
    """

    locations: tuple[Location, ...]
    shown: tuple[ShownHit, ...]
    seconds: float

    @classmethod
    def of(cls, hits: Iterable[Hit], prefix: str, seconds: float) -> Answer:
        """Return a search's answer, with the questions' ``prefix`` before each path."""
        shown = [ShownHit(_location(hit, prefix), hit.symbol or "", _excerpt(hit.text)) for hit in hits]
        locations = tuple(one.location for one in shown)
        kept = {*locations[:_SHOWN], *each_document_once(locations)[:_SHOWN]}
        return cls(locations, tuple(one for one in shown if one.location in kept), seconds)

    def first(self, unit: Unit) -> list[ShownHit]:
        """Return the first few results, whether these are chunks or documents."""
        locations = self.locations if unit == "chunks" else each_document_once(self.locations)
        shown = {one.location: one for one in self.shown}
        return [shown[location] for location in locations[:_SHOWN] if location in shown]


class Answers:
    """The answers of one way of searching one index.

    Args:
        path: the file; a half-written line, whose writer was killed, is ignored.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = dict(_read(path))

    def of(self, questions: Iterable[Question]) -> Mapping[str, Answer]:
        """Return the stored answers to these questions, by id."""
        return {one.id: self._known[one.id, one.text] for one in questions if (one.id, one.text) in self._known}

    @contextmanager
    def open_for_adding(self) -> Iterator[BinaryIO]:
        """Open the file for ``add``."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b") as file:
            if file.tell() and not _ends_a_line(self._path):
                file.write(b"\n")
            yield file

    def add(self, file: BinaryIO, question: Question, answer: Answer) -> None:
        """Store one answer; it is written before the next question is asked."""
        places = {location: place for place, location in reversed(list(enumerate(answer.locations)))}
        shown = [{"at": places[one.location], "symbol": one.symbol, "text": one.text} for one in answer.shown]
        line = {
            "id": question.id,
            "query": question.text,
            "seconds": answer.seconds,
            "hits": answer.locations,
            "shown": shown,
        }
        file.write(json.dumps(line).encode("ascii") + b"\n")
        file.flush()
        self._known[question.id, question.text] = answer


def _location(hit: Hit, prefix: str) -> Location:
    return (f"{prefix}/{hit.path}" if prefix else hit.path, hit.start_line, hit.end_line)


def _excerpt(text: str) -> str:
    return text.strip("\r\n")[:_EXCERPT]


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"


def _read(path: Path) -> Iterator[tuple[tuple[str, str], Answer]]:
    if not path.is_file():
        return
    with path.open("rb") as file:
        for line in file:
            try:
                raw = json.loads(line)
                yield (str(raw["id"]), str(raw["query"])), _answer(raw)
            except (ValueError, LookupError, TypeError):
                continue  # cut off when its writer was killed


def _answer(raw: Mapping[str, Any]) -> Answer:
    locations = tuple((str(path), int(start), int(end)) for path, start, end in raw["hits"])
    shown = tuple(ShownHit(locations[one["at"]], str(one["symbol"]), str(one["text"])) for one in raw["shown"])
    return Answer(locations, shown, float(raw["seconds"]))
