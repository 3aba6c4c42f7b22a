"""From a file on disk to a packed document: read, hash, cut, find terms, embed.

Runs in the caller's process or in a worker's; knows neither stores nor other files. Whatever is wrong with a
file, the outcome is a ``SkippedPath`` with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from operator import attrgetter
from posixpath import basename, splitext
from typing import Any, NamedTuple

import numpy as np

from quaestor.chunking import cut
from quaestor.chunking.chunk_settings import CutDocument
from quaestor.chunking.languages import PROSE, says_generated, why_not_parse
from quaestor.convert import ConversionError, ConvertedDocument, convert_file, is_converted
from quaestor.core.bylines import author_line, date_of_path, iso_date
from quaestor.core.documents import Chunk, Document, Span, text_of_chunks
from quaestor.core.terms import term_keys
from quaestor.embedding import Embedder, Vectors
from quaestor.files.consistent_read import UNTRUSTED, NotRegularError, Snapshot, on_disk, read_snapshot
from quaestor.files.deny import deny_content, largest, suffix_of
from quaestor.files.indexing_values import IngestSettings, SkippedPath
from quaestor.stores import ChunkTerms, KeptBytes, Pack, PackedDocument
from quaestor.stores.shared_store import keep

# People hardly ever search for generated text, and each megabyte of it makes a thousand chunks.
_LOW_VALUE_SHARE = 4
_WRITTEN_FROM_SOURCES = frozenset({"rd", "roff"})
# More words than are looked up one by one, so that the whole vocabulary is loaded.
_COMMON = "and as break case class const continue def do else end false for from func function if import in int is let"
_COMMON += " module new none not null or package private public return self static string struct this true type void"
_KEY_BYTES = 16
_SPEAKING = 3  # folders


class Task(NamedTuple):
    """A file to be read.

    Attributes:
        path: the document's path.
        known_sha256: hash of the indexed bytes; None for a new file.
    """

    path: str
    known_sha256: str | None = None


class CutFile(NamedTuple):
    """A document whose texts are still to be embedded.

    Attributes:
        document: the document.
        steady: whether the file did not change while it was read.
        chunks: its chunks.
        terms: the chunks' lexical terms.
        keys: the keys of the chunks' vectors.
        texts: the texts to embed.
        kept: the bytes that its citations quote, for a store that keeps them.
    """

    document: Document
    steady: bool
    chunks: tuple[Chunk, ...]
    terms: Sequence[ChunkTerms]
    keys: Sequence[bytes]
    texts: Sequence[str]
    kept: KeptBytes | None = None

    @property
    def path(self) -> str:
        """The document's path."""
        return self.document.path

    def __reduce__(self) -> tuple[Callable[..., CutFile], tuple[object, ...]]:
        """Pickle as tuples: thousands of small objects would take five times as long."""
        chunks = [(_span(chunk), *_rest(chunk)) for chunk in self.chunks]
        terms = [(one.body, one.path, one.symbol) for one in self.terms]
        return _unpack_prepared, (self.document, self.steady, chunks, terms, self.keys, self.texts, self.kept)


_span = attrgetter("span.start", "span.end", "span.start_line", "span.end_line")
_rest = attrgetter("text", "symbol", "kind", "scope", "defines")


def _unpack_prepared(
    document: Document,
    steady: bool,
    chunks: Sequence[Any],
    terms: Sequence[tuple[bytes, bytes, bytes]],
    *rest: Any,
) -> CutFile:
    """Unpickle a document that another process prepared."""
    whole = tuple(Chunk(Span(*span), *others) for span, *others in chunks)
    return CutFile(document, steady, whole, [ChunkTerms(*fields) for fields in terms], *rest)


class ReadyDocument(NamedTuple):
    """A document that is ready for the store.

    Attributes:
        packed: the document with its chunks, their terms and vectors.
        steady: whether the file did not change while it was read.
    """

    packed: PackedDocument
    steady: bool

    @property
    def path(self) -> str:
        """The document's path."""
        return self.packed.document.path


class UnchangedFile(NamedTuple):
    """A file whose bytes are the indexed ones.

    Attributes:
        path: the document's path.
        size: its size in bytes.
        stamp: its new stamp.
    """

    path: str
    size: int
    stamp: int


class RefusedFile(NamedTuple):
    """A file that is left out because of its content, or because it cannot be read.

    Attributes:
        skipped: the path and the reason.
        size: its size in bytes; -1 if the decision must not be stored.
        stamp: the file's stamp.
    """

    skipped: SkippedPath
    size: int = -1
    stamp: int = 0

    @property
    def path(self) -> str:
        """The file's path."""
        return self.skipped.path


class ReadFile(NamedTuple):
    """A file that was read.

    Attributes:
        path: the document's path.
        snapshot: its bytes.
    """

    path: str
    snapshot: Snapshot


class LoadedFile(NamedTuple):
    """A file that was read and cut.

    Attributes:
        snapshot: its bytes.
        parts: its chunks.
    """

    snapshot: Snapshot
    parts: CutDocument


Outcome = CutFile | ReadyDocument | UnchangedFile | RefusedFile


class Preparer(NamedTuple):
    """Turns tasks into outcomes.

    Attributes:
        root: the folder that paths are relative to.
        settings: sizes and limits.
        embedder_name: part of the vectors' keys.
        embedder: embeds the texts; if None, the caller does.
        pack: packs an embedded document for the store.
        keeps: whether the store keeps documents' bytes.
    """

    root: str
    settings: IngestSettings
    embedder_name: str
    pack: Pack
    embedder: Embedder | None = None
    keeps: bool = False

    def warm_up(self) -> None:
        """Load what most files need, so that forks of this process share it."""
        cut(b"def sample(): pass\n", "sample.py")
        if self.embedder is not None:
            self.embedder.encode([_COMMON])

    def prepare(self, tasks: Sequence[Task]) -> list[Outcome]:
        """Return one outcome for each task, in order; all texts are embedded at once."""
        return self.prepare_opened(self.read(tasks))

    def read(self, tasks: Sequence[Task]) -> list[ReadFile | UnchangedFile | RefusedFile]:
        """Return the changed files with their bytes, and the outcomes of all others."""
        return [_read(self.root, task, self.settings) for task in tasks]

    def prepare_opened(self, files: Sequence[ReadFile | UnchangedFile | RefusedFile]) -> list[Outcome]:
        """Do what ``prepare`` does, for files that were already read; this does not need the folder."""
        outcomes: list[Outcome] = [self._prepare(one) if isinstance(one, ReadFile) else one for one in files]
        embedder = self.embedder
        if embedder is None:
            return outcomes
        return ready(outcomes, self.pack, lambda _keys, texts: encode(embedder, texts))

    def _prepare(self, file: ReadFile) -> CutFile | RefusedFile:
        loaded = _load(file, self.settings)
        if not isinstance(loaded, LoadedFile):
            return loaded
        snapshot, parts = loaded.snapshot, loaded.parts
        shown = file.path if self.settings.embed_path else None
        texts = [embedded_text(chunk, shown, parts.title) for chunk in parts.chunks]
        document = document_of(file.path, snapshot, parts)
        return CutFile(
            document,
            snapshot.steady,
            parts.chunks,
            chunk_terms(parts.chunks, file.path, parts.title),
            vector_keys(self.embedder_name, texts),
            texts,
            keep(quotable(document, snapshot.data, parts.chunks)) if self.keeps else None,
        )


def load(root: str, task: Task, settings: IngestSettings) -> LoadedFile | UnchangedFile | RefusedFile:
    """Return a file's bytes and chunks, or the reason why it has none."""
    file = _read(root, task, settings)
    return _load(file, settings) if isinstance(file, ReadFile) else file


def _read(root: str, task: Task, settings: IngestSettings) -> ReadFile | UnchangedFile | RefusedFile:
    """Return a file's bytes, or the reason why they cannot be read."""
    limit = largest(basename(task.path), settings.max_file_bytes)
    try:
        snapshot = read_snapshot(on_disk(root, task.path), limit, root=root)
    except OSError as error:
        return RefusedFile(_unreadable(task.path, error))
    if snapshot.sha256 == task.known_sha256:
        return UnchangedFile(task.path, len(snapshot.data), snapshot.stamp)
    return ReadFile(task.path, snapshot)


def _load(file: ReadFile, settings: IngestSettings) -> LoadedFile | RefusedFile:
    """Return the chunks of a file that was read, or the reason why it is left out."""
    path, snapshot = file
    limit = largest(basename(path), settings.max_file_bytes)
    size = len(snapshot.data) if snapshot.stamp != UNTRUSTED else -1
    parts = _cut(path, snapshot.data, limit, settings)
    if isinstance(parts, CutDocument):
        return LoadedFile(snapshot, parts)
    return RefusedFile(parts, size, snapshot.stamp)


def _cut(path: str, data: bytes, limit: int, settings: IngestSettings) -> CutDocument | SkippedPath:
    """Return the chunks of a file's bytes or of their Markdown, or the reason why it is left out."""
    try:
        converted = convert_file(data, path) if len(data) <= limit else None
        if converted is not None:
            return _cut_converted(converted, path, settings)
        if skipped := _refuse(path, data, limit, settings):
            return skipped
        parts = cut(data, path, settings.chunks)
        return parts if settings.pages or parts.url is None else parts._replace(url=None)
    except ConversionError as error:
        return SkippedPath(path, error.reason, error.detail)
    except Exception as error:
        return SkippedPath(path, "failed", f"{type(error).__name__}: {error}")


def _cut_converted(converted: ConvertedDocument, path: str, settings: IngestSettings) -> CutDocument:
    """Return the chunks of the Markdown that a file was converted to."""
    parts = cut(converted.text.encode("utf-8", "replace"), "converted.md", settings.chunks, paged=converted.paged)
    note = f"converted from {suffix_of(path)}"
    return parts._replace(
        title=converted.title or parts.title,
        author=author_line(converted.author or "") or parts.author,
        date=iso_date(converted.date or "") or parts.date,
        note=f"{note}; {converted.note}" if converted.note else note,
    )


def _refuse(path: str, data: bytes, limit: int, settings: IngestSettings) -> SkippedPath | None:
    if suffix_of(path) in ("jsonl", "ndjson"):
        limit = settings.max_file_bytes  # only prose may be larger
    if len(data) > limit:
        return SkippedPath(path, "too large", f"the limit is {limit:,} bytes")
    if reason := deny_content(data):
        return SkippedPath(path, reason)
    share = limit // _LOW_VALUE_SHARE
    if len(data) > share and (kind := why_not_parse(data, path)):
        return SkippedPath(path, "too large", f"{kind}: {len(data):,} bytes, the limit for such is {share:,}")
    return None


def quotable(document: Document, data: bytes, chunks: Sequence[Chunk]) -> bytes:
    """Return the bytes that a document's citations quote: its file's, or those of its converted text."""
    return text_of_chunks(chunks) if is_converted(document) else data


def document_of(path: str, snapshot: Snapshot, parts: CutDocument) -> Document:
    """Return the document of a file that was read and cut."""
    note = parts.note
    if note is None and parts.chunker == "lines":
        note = why_not_parse(snapshot.data, path)
    # A guide that a program wrote may be all that there is; a manual page has a source.
    guide = (parts.language in PROSE and parts.language not in _WRITTEN_FROM_SOURCES) or parts.language == "html"
    if note is None and not guide and says_generated(snapshot.data):
        note = "generated"
    return Document(
        path=path,
        sha256=snapshot.sha256,
        size=len(snapshot.data),
        stamp=snapshot.stamp,
        language=parts.language,
        encoding=parts.encoding,
        title=parts.title,
        url=parts.url,
        author=parts.author,
        # A file's times say when it was copied or checked out, not when it was written.
        date=parts.date or (date_of_path(path) if parts.language in PROSE else None),
        chunker=parts.chunker,
        note=note,
    )


def ready(
    outcomes: Sequence[Outcome], pack: Pack, embed: Callable[[Sequence[bytes], Sequence[str]], Vectors]
) -> list[Outcome]:
    """Return the outcomes with every document ready; one call with all keys and texts returns the vectors."""
    waiting = [done for done in outcomes if isinstance(done, CutFile)]
    vectors = embed([key for done in waiting for key in done.keys], [text for done in waiting for text in done.texts])
    complete: list[Outcome] = []
    at = 0
    for done in outcomes:
        if isinstance(done, CutFile):
            end = at + len(done.texts)
            complete.append(with_vectors(done, pack, vectors[at:end]))
            at = end
        else:
            complete.append(done)
    return complete


def with_vectors(done: CutFile, pack: Pack, vectors: Vectors) -> ReadyDocument:
    """Return a prepared document with its vectors, ready for the store."""
    packed = pack(done.document, done.chunks, vectors, done.terms, done.keys)
    return ReadyDocument(packed._replace(kept=done.kept), done.steady)


def encode(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return the embedder's vectors; it is not called without texts."""
    return embedder.encode(texts) if texts else np.zeros((0, embedder.dimensions), np.float32)


def _unreadable(path: str, error: OSError) -> SkippedPath:
    if isinstance(error, FileNotFoundError):
        return SkippedPath(path, "vanished")
    if isinstance(error, NotRegularError):
        return SkippedPath(path, "special")
    return SkippedPath(path, "unreadable", error.strerror or type(error).__name__)


# What is embedded of a chunk, and its terms for the lexical index. Changing anything below changes what an index holds:
# raise the recipe's number in ``indexing_values`` with it.


def embedded_text(chunk: Chunk, path: str | None = None, title: str | None = None) -> str:
    """Return the text that is embedded for a chunk: its path, its definitions and its text.

    Args:
        chunk: the chunk.
        path: its document's path, or ""; only the nearest folders are included.
        title: its document's title, included unless the scope begins with it.
    """
    names = list(chunk.scope)
    if chunk.symbol is not None:
        names.append(chunk.symbol)
    if title and title not in names:
        names.insert(0, title)
    return "\n".join(part for part in (path and _last_folders(path), " ".join(names), chunk.text) if part)


def vector_keys(embedder: str, texts: Sequence[str]) -> list[bytes]:
    """Return the key under which each text's vector is stored: a hash of the embedder's name and the text."""
    seed = blake2b(embedder.encode() + b"\0", digest_size=_KEY_BYTES)
    keys = []
    for text in texts:
        digest = seed.copy()
        digest.update(text.encode("utf-8", "surrogatepass"))
        keys.append(digest.digest())
    return keys


def chunk_terms(chunks: Sequence[Chunk], path: str, title: str | None = None) -> list[ChunkTerms]:
    """Return each chunk's lexical terms: those of its text, its names, and its document's name and nearest folders.

    A prose document's title is one of the names, because further down a page nothing else may state its subject.
    """
    of_path = term_keys(_last_folders(splitext(path)[0]))
    return [ChunkTerms(term_keys(chunk.text), of_path, term_keys(" ".join(_names(chunk, title)))) for chunk in chunks]


def _last_folders(path: str) -> str:
    """Return the last parts of a path: folders above them say where a checkout is, not what the file contains."""
    return "/".join(path.split("/")[-1 - _SPEAKING :])


def _names(chunk: Chunk, title: str | None) -> Sequence[str]:
    names = [*chunk.scope, *chunk.defines]
    if chunk.symbol is not None and chunk.symbol not in chunk.defines:
        names.append(chunk.symbol)
    return [title, *names] if title and title not in names else names
