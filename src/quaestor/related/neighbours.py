"""Neighbours of a document: its importers, tests named after it, definitions of the same file.

``Sources`` holds what the searches for relatives need: one store, one embedder, and the documents by import name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from quaestor.chunking.definitions import Definition, definitions
from quaestor.core.documents import Document
from quaestor.core.terms import terms
from quaestor.embedding import Embedder
from quaestor.related.imports import Modules, imports_of
from quaestor.related.relatives import RelatedKind, Relative
from quaestor.related.stored_files import LARGE, IndexedFile, chunk_relative, modules_of
from quaestor.search.path_roles import profile_path
from quaestor.stores import FieldBoosts, Store, StoredChunk

_SIMILAR = 40

_IMPORTING_CHUNKS = 600
_IMPORT_WORDS = ("import", "require", "include", "use")
_SHOWN_LINES = 60
_LEADING = ("#", "//", "/*", "*", "--", "@", "'''", '"""')
_BODY = FieldBoosts(1.0, 0.0, 0.0)


@dataclass(slots=True)  # mutable: filled while relatives are found
class FoundRelatives:
    """Relatives of one kind.

    Attributes:
        relatives: the relatives to list.
        total: the number of all relatives.
        complete: whether the total is exact.
        least: whether the total is a lower bound, because the name occurs in more documents than were looked at.
    """

    relatives: list[Relative] = field(default_factory=list)
    total: int = 0
    complete: bool = True
    least: bool = False


class Sources:
    """One store with its embedder.

    Attributes:
        store: the store to search.
    """

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self.store = store
        self._embedder = embedder
        self._documents: tuple[int, dict[str, Document], Modules] | None = None

    def modules(self) -> tuple[dict[str, Document], Modules]:
        """Return all documents by import name; cached while the store does not change."""
        generation = self.store.generation()
        if self._documents is None or self._documents[0] != generation:
            documents = dict(self.store.documents())
            self._documents = generation, documents, modules_of(self.store, documents)
        return self._documents[1], self._documents[2]

    def similar(self, text: str, symbol: str | None, excluded: Collection[str], limit: int) -> Iterator[Relative]:
        """Yield the chunks nearest in meaning, one per document, without the documents in ``excluded``."""
        vector = self._embedder.encode([f"{symbol or ''}\n{text}"])[0]
        if not vector.any():
            return
        nearest = [identifier for identifier, _ in self.store.dense(vector, _SIMILAR)]
        seen = set(excluded)
        for stored in self.store.get(nearest).values():
            if stored.document.path not in seen and limit > 0:
                seen.add(stored.document.path)
                limit -= 1
                yield chunk_relative(stored, "similar")


def importers(sources: Sources, path: str) -> Iterator[Relative]:
    """Yield the import statements that mean a document, one per file."""
    documents, modules = sources.modules()
    folder, _, name = path.rpartition("/")
    words = {name.split(".")[0], folder.rpartition("/")[2]}
    wanted = [word for word in words if word and not word.startswith("__")]
    store = sources.store
    chunks: dict[int, StoredChunk] = {}
    for word in wanted:
        term = terms(word)[:1]
        if term:
            scored = store.lexical(term, _IMPORTING_CHUNKS, None, _BODY)
            chunks.update(store.get(identifier for identifier, _ in scored))
            if len(scored) == _IMPORTING_CHUNKS:
                # Its name is a word that stands everywhere, as that of a project whose only file it is.
                for statement in map(terms, _IMPORT_WORDS):
                    chunks.update(store.get(store.holding([*term, *statement], _IMPORTING_CHUNKS)))
    seen = {path}
    for stored in sorted(chunks.values(), key=lambda one: (one.document.path, one.position)):
        importer = stored.document
        if importer.path in seen or importer.path not in documents:
            continue
        for one in imports_of(stored.chunk.text, importer.language):
            if modules.resolve(one, importer.path) == path:
                seen.add(importer.path)
                line = stored.chunk.span.start_line + one.line - 1
                text = stored.chunk.text.split("\n")[one.line - 1].removesuffix("\r")
                yield Relative(
                    "callers", "import", importer.path, line, line, text, None, importer.language, importer.sha256
                )
                break


def mirrors(sources: Sources, path: str) -> Iterator[Relative]:
    """Yield the beginnings of test files that are named after a document."""
    documents, _ = sources.modules()
    stem = profile_path(path).stem
    if not stem or profile_path(path).test:
        return
    language = documents[path].language if path in documents else None
    for other, document in documents.items():
        # A fixture of the same name is in another language as a rule.
        if document.language != language or other == path:
            continue
        profile = profile_path(other)
        if profile.test and _without_test(profile.stem) == stem:
            yield from (chunk_relative(one, "named alike", "tests") for one in sources.store.chunks_of(other)[:1])


def definitions_beside(file: IndexedFile, home: Relative, limit: int) -> Iterator[Relative]:
    """Yield the nearest definitions of the same file, in their order."""
    # All of a large file is not read for the sake of two neighbours.
    defined = _definitions_in(file) if len(file.text) <= LARGE else []
    spans = {(one.span.start_line, one.span.end_line): one for one in defined}
    chunks = {} if spans else {(one.start_line, one.end_line): one for one in by_chunks(file, "neighbours")}
    outside = [(start, end) for start, end in spans or chunks if end < home.start_line or start > home.end_line]
    for lines in sorted(sorted(outside, key=lambda lines: abs(lines[0] - home.start_line))[:limit]):
        relative = _of_definition(spans[lines], file, "neighbours") if spans else chunks[lines]
        yield replace(relative, role="same file")


def outline(file: IndexedFile, kind: RelatedKind) -> Iterator[Relative]:
    """Yield a document's definitions in order, or its sections if it is not parsable code."""
    definitions = _definitions_in(file)
    if not definitions:
        yield from by_chunks(file, kind)
    yield from (_of_definition(one, file, kind) for one in definitions)


def _definitions_in(file: IndexedFile) -> list[Definition]:
    return definitions(file.text.encode("utf-8", "surrogatepass"), file.document.language)


def _of_definition(definition: Definition, file: IndexedFile, kind: RelatedKind) -> Relative:
    start = _line_of(definition, file.lines)
    end = min(definition.span.end_line, start + _SHOWN_LINES - 1)
    return file.relative(kind, "definition", start, end, ".".join((*definition.scope, definition.name)))


def by_chunks(file: IndexedFile, kind: RelatedKind) -> Iterator[Relative]:
    """Yield a document's chunks that define something or have a heading, in order."""
    return (chunk_relative(one, "definition", kind) for one in file.chunks if one.chunk.symbol)


def _line_of(definition: Definition, lines: Sequence[str]) -> int:
    """Return the line that names a definition: comments and decorators come before it."""
    span = definition.span
    for number in range(span.start_line, span.end_line + 1):
        line = lines[number - 1].lstrip()
        if definition.name in line and not line.startswith(_LEADING):
            return number
    return span.start_line


def _without_test(stem: str) -> str:
    for mark in ("tests", "test", "spec"):
        stem = stem.removeprefix(mark).removesuffix(mark)
    return stem
