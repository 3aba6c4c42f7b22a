"""What the store contract runs on: every way to open a store, and documents made for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from quaestor.core.documents import Chunk, Document, Span
from quaestor.core.terms import key_of
from quaestor.stores import ChunkTerms, Store, Where, Writer
from quaestor.stores.embedded import THRESHOLDS, Thresholds
from quaestor.stores.embedded.packing import pack
from quaestor.stores.embedded.store import EmbeddedStore
from quaestor.stores.postgres import THRESHOLDS as POSTGRES_SIZES
from quaestor.stores.postgres import Thresholds as PostgresSizes
from quaestor.stores.postgres.connection import Database
from quaestor.stores.postgres.postgres_store import PostgresStore

DIMENSIONS = 8

Open = Callable[[Path], Store]


ON_DISK = Thresholds(overlaid=0)
"""Every change is written into the derived files."""


def open_embedded(folder: Path, sizes: Thresholds = THRESHOLDS) -> EmbeddedStore:
    """Open the embedded store; as it is, few chunks are searched in memory."""
    return EmbeddedStore.open(folder, embedder="test", dimensions=DIMENSIONS, create=True, sizes=sizes)


class PostgresFactory:
    """Opens corpora of one database, each named after the folder that an embedded store would lie in.

    Attributes:
        address: of the database; a fixture puts it here before anything is opened.
    """

    address = ""

    def __init__(self, *, sizes: PostgresSizes = POSTGRES_SIZES, cached: bool = False) -> None:
        self._sizes = sizes
        self._cached = cached

    def __call__(self, folder: Path) -> PostgresStore:
        store = PostgresStore.open(
            Database.open(self.address),
            str(folder),
            embedder="test",
            dimensions=DIMENSIONS,
            create=True,
            cache=folder / "cache" if self._cached else None,
            sizes=self._sizes,
        )
        store.settle()
        return store


@dataclass(frozen=True)
class Entry:
    """A document with everything that is stored of it."""

    document: Document
    chunks: tuple[Chunk, ...]
    vectors: NDArray[np.float32]
    terms: tuple[ChunkTerms, ...]
    keys: tuple[bytes, ...]

    def put(self, writer: Writer) -> None:
        writer.put(pack(self.document, self.chunks, self.vectors, self.terms, self.keys))


def keyed(terms: Sequence[str]) -> bytes:
    """Return the keys of terms as they are."""
    return b"".join(key_of(term).to_bytes(8, "little") for term in terms)


def vector_of(text: str) -> NDArray[np.float32]:
    """Return a unit vector that depends on ``text`` only; zeros for an empty one."""
    if not text:
        return np.zeros(DIMENSIONS, dtype=np.float32)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[: DIMENSIONS * 2]
    vector = np.frombuffer(digest, dtype=np.uint16).astype(np.float32) - 32768.0
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def entry(path: str, texts: Sequence[str], language: str = "python", **fields: str) -> Entry:
    """Return a document of one chunk a text; its words are body terms; it defines the first, in any case it is in."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
    document = Document(path, digest, sum(map(len, texts)), 7, language, **fields)  # type: ignore[arg-type]
    chunks = tuple(_chunk(number, text) for number, text in enumerate(texts))
    return Entry(
        document,
        chunks,
        np.array([vector_of(text) for text in texts], dtype=np.float32).reshape(len(texts), DIMENSIONS),
        tuple(ChunkTerms(*map(keyed, (text.split(), path.split("/"), text.split()[:1]))) for text in texts),
        tuple(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts),
    )


def _chunk(number: int, text: str) -> Chunk:
    words = text.split()
    span = Span(number * 100, number * 100 + len(text), number + 1, number + 1)
    symbol = words[0] if words else None
    defined = tuple(dict.fromkeys(word for word in words if word.lower() == words[0].lower()))
    return Chunk(span, text, symbol, "function", ("Outer",), defined)


# Each store, with what lets small tests reach all of it.
FACTORIES: dict[str, Open] = {
    "embedded, in memory": open_embedded,
    "embedded, mixed": partial(open_embedded, sizes=Thresholds(overlaid=3)),
    "embedded, on disk": partial(open_embedded, sizes=ON_DISK),
    "postgres": PostgresFactory(),
    "postgres, in segments": PostgresFactory(
        sizes=PostgresSizes(written=2, overlaid=2, gathered=3, worn=1), cached=True
    ),
    "postgres, by an index": PostgresFactory(sizes=PostgresSizes(exact=-1)),
}


LONG = ("postgres, in segments", "postgres, by an index")


def each_store(*, long: Sequence[str] = LONG) -> list[object]:
    """Return the stores' names; those that take long on a server are left to `make postgres`."""
    return [pytest.param(name, marks=pytest.mark.postgres) if name in long else name for name in FACTORIES]


def factory_of(request: pytest.FixtureRequest, name: str) -> Open:
    """Return how a store is opened; the server of those in PostgreSQL is started."""
    if name.startswith("postgres"):
        PostgresFactory.address = request.getfixturevalue("postgres_address")
    return FACTORIES[name]


def put(store: Store, *entries: Entry) -> None:
    with store.writing() as writer:
        for one in entries:
            one.put(writer)


def texts(store: Store, ids: list[int]) -> list[str]:
    found = store.get(ids)
    return [found[chunk].chunk.text for chunk in ids]


def lexical_texts(store: Store, terms: list[str], k: int = 10, where: Where | None = None) -> list[str]:
    return texts(store, [chunk for chunk, _ in store.lexical(terms, k, where)])


WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
