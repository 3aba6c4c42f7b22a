"""What stands near: importers of a document, tests named after it, definitions of the same file."""

from __future__ import annotations

from collections.abc import Iterator

from quaestor.retrieval.paths import profile_path
from quaestor.retrieval.related.files import IndexedFile, chunk_relative, qualified
from quaestor.retrieval.related.imports import imports_of
from quaestor.retrieval.related.sources import Sources
from quaestor.retrieval.related.values import Relative
from quaestor.stores import FieldBoosts, StoredChunk
from quaestor.terms import terms

_IMPORTING_CHUNKS = 600
_SHOWN_LINES = 60
_BODY = FieldBoosts(1.0, 0.0, 0.0)


def importers(sources: Sources, path: str) -> Iterator[Relative]:
    """Yield the import statements that mean a document, one a file."""
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
    for other in documents:
        profile = profile_path(other)
        if profile.test and _without_test(profile.stem) == stem and other != path:
            yield from (chunk_relative(one, "named alike", "tests") for one in sources.store.chunks_of(other)[:1])


def beside(file: IndexedFile, home: Relative, limit: int) -> Iterator[Relative]:
    """Yield the definitions of the same file that stand nearest to one, in their order."""
    others = [
        one.chunk
        for one in file.chunks
        if one.chunk.symbol and not (one.chunk.span.start_line <= home.start_line <= one.chunk.span.end_line)
    ]
    others.sort(key=lambda chunk: abs(chunk.span.start_line - home.start_line))
    for chunk in sorted(others[:limit], key=lambda chunk: chunk.span.start_line):
        end = min(chunk.span.end_line, chunk.span.start_line + _SHOWN_LINES)
        yield file.relative("neighbours", "same file", chunk.span.start_line, end, qualified(chunk))


def _without_test(stem: str) -> str:
    for mark in ("tests", "test", "spec"):
        stem = stem.removeprefix(mark).removesuffix(mark)
    return stem
