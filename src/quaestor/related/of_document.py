"""Relatives of a whole document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from quaestor.related.imports import imports_of
from quaestor.related.neighbours import importers, mirrors, outline
from quaestor.related.relation_inputs import Found, Sources
from quaestor.related.relatives import RelatedKind, Relative, Target
from quaestor.related.stored_files import IndexedFile, chunk_relative, load_file
from quaestor.search.path_roles import profile_path

_SIMILAR_LETTERS = 4000


class OfDocument:
    """Relatives of a whole document."""

    def __init__(self, sources: Sources, target: Target, limit: int) -> None:
        self._sources = sources
        self._store = sources.store
        self._limit = limit
        self._file = load_file(self._store, target.path or "")
        self._importers: list[Relative] | None = None

    def find(self, kind: RelatedKind) -> Found:
        """Return the relatives of one kind."""
        file = self._file
        if file is None:
            return Found()
        if kind == "definitions":
            found = list(outline(file, kind))
        elif kind == "callers":
            found = [one for one in self._importing(file) if not profile_path(one.path).test]
        elif kind == "tests":
            found = [replace(one, kind="tests") for one in self._importing(file) if profile_path(one.path).test]
            known = {one.path for one in found}
            found += [one for one in mirrors(self._sources, file.document.path) if one.path not in known]
        else:
            found = list(self._neighbours(file))
        return Found(found, len(found))

    def _importing(self, file: IndexedFile) -> list[Relative]:
        if self._importers is None:
            self._importers = list(importers(self._sources, file.document.path))
        return self._importers

    def _neighbours(self, file: IndexedFile) -> Iterator[Relative]:
        _, modules = self._sources.modules()
        path, half = file.document.path, max(1, self._limit // 2)
        seen = {path}
        for one in imports_of(file.text, file.document.language):
            found = modules.resolve(one, path)
            if found is not None and found not in seen and len(seen) <= half:
                seen.add(found)
                chunks = self._store.chunks_of(found)
                yield from (chunk_relative(chunk, "imported") for chunk in chunks[:1])
        yield from self._sources.similar(file.text[:_SIMILAR_LETTERS], path, seen, half)
