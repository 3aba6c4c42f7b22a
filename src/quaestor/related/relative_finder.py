"""Finds the relatives of a name or a document in one store.

Nothing is precomputed: definitions come from the store's table of names, candidates for uses from its lexical index,
similar places from its vectors. Only the few files that matter are parsed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from quaestor.embedding import Embedder
from quaestor.related.imports import imports_of
from quaestor.related.neighbours import FoundRelatives, Sources, definitions_beside, importers, mirrors, outline
from quaestor.related.occurrences import enclosing_names
from quaestor.related.relatives import KINDS, Related, RelatedKind, Relative, Target
from quaestor.related.stored_files import IndexedFile, chunk_relative, load_file
from quaestor.related.uses import (
    UseCandidate,
    UseCandidates,
    UseFinder,
    documents_with_name,
    split_tests,
    that_may_define,
    that_may_use,
)
from quaestor.search.path_roles import profile_path
from quaestor.stores import Store, StoredChunk

_SIMILAR_LETTERS = 4000


class DocumentRelatives:
    """Relatives of a whole document."""

    def __init__(self, sources: Sources, target: Target, limit: int) -> None:
        self._sources = sources
        self._store = sources.store
        self._limit = limit
        self._file = load_file(self._store, target.path or "")
        self._importers: list[Relative] | None = None

    def find(self, kind: RelatedKind) -> FoundRelatives:
        """Return the relatives of one kind."""
        file = self._file
        if file is None:
            return FoundRelatives()
        if kind == "definitions":
            relatives = list(outline(file, kind))
        elif kind == "callers":
            relatives = [one for one in self._documents_importing(file) if not profile_path(one.path).test]
        elif kind == "tests":
            relatives = [
                replace(one, kind="tests") for one in self._documents_importing(file) if profile_path(one.path).test
            ]
            known = {one.path for one in relatives}
            relatives += [one for one in mirrors(self._sources, file.document.path) if one.path not in known]
        else:
            relatives = list(self._neighbours(file))
        return FoundRelatives(relatives, len(relatives))

    def _documents_importing(self, file: IndexedFile) -> list[Relative]:
        if self._importers is None:
            self._importers = list(importers(self._sources, file.document.path))
        return self._importers

    def _neighbours(self, file: IndexedFile) -> Iterator[Relative]:
        _, modules = self._sources.modules()
        path, half = file.document.path, max(1, self._limit // 2)
        seen = {path}
        for one in imports_of(file.text, file.document.language):
            resolved = modules.resolve(one, path)
            if resolved is not None and resolved not in seen and len(seen) <= half:
                seen.add(resolved)
                chunks = self._store.chunks_of(resolved)
                yield from (chunk_relative(chunk, "imported") for chunk in chunks[:1])
        yield from self._sources.similar(file.text[:_SIMILAR_LETTERS], path, seen, half)


_DEFINING_CHUNKS = 200
_DEFINING_FILES = 30


class NameRelatives:
    """Relatives of one name."""

    def __init__(self, sources: Sources, target: Target, limit: int) -> None:
        self._sources = sources
        self._target = target
        self._limit = limit
        self._store = sources.store
        self._confirmer = UseFinder(self._store, target.name, limit, lambda: sources.modules()[1].names)
        self._definitions: list[Relative] | None = None
        self._words: UseCandidates | None = None
        self._candidates: UseCandidates | None = None

    def find(self, kind: RelatedKind) -> FoundRelatives:
        """Return the relatives of one kind."""
        if kind in ("definitions", "neighbours"):
            listed = self.definitions() if kind == "definitions" else list(self._neighbours())[: self._limit]
            return FoundRelatives(listed, len(listed))
        users = self._users()
        code, tests, _ = split_tests(users.listed)
        relatives = self._uses(code if kind == "callers" else tests, kind, users.complete)
        if kind == "tests" and not relatives.relatives:
            mirrors = list(self._mirrors())
            return FoundRelatives(mirrors, len(mirrors), relatives.complete, relatives.least)
        return relatives

    def definitions(self) -> list[Relative]:
        """Return the name's definitions; if some fit the target's scope and place, only those."""
        if self._definitions is None:
            self._definitions = self._in_scope_of_target(list(self._all_definitions()))
        return self._definitions

    def _all_definitions(self) -> Iterator[Relative]:
        name = self._target.name
        stored = self._store.get(self._store.defining([name], _DEFINING_CHUNKS)).values()
        exact = [one for one in stored if name == one.chunk.symbol or name in one.chunk.defines]
        by_path: dict[str, list[StoredChunk]] = {}
        for one in exact:
            by_path.setdefault(one.document.path, []).append(one)
        if not by_path:
            # What is defined within a function is in no table.
            by_path = {path: [] for path in that_may_define(self._word_candidates(), name)}
        paths = sorted(by_path, key=lambda path: (path != self._target.path, profile_path(path).flags, path))
        for path in paths[:_DEFINING_FILES]:
            read = self._confirmer.read(path)
            definitions = [place for place in (read[1] or ()) if place.role == "definition"] if read else []
            if read is None or not definitions:
                yield from (chunk_relative(one, "definition", "definitions") for one in by_path[path])
                continue
            for place in definitions:
                symbol = ".".join(place.symbols)
                yield read[0].relative("definitions", "definition", place.start_line, place.end_line, symbol)

    def _in_scope_of_target(self, relatives: list[Relative]) -> list[Relative]:
        target = self._target
        if target.scope:
            scoped = (_in_scope(relatives, target, count) for count in range(len(target.scope) + 1))
            relatives = next(filter(None, scoped), relatives)
        if target.path is not None:
            there = [one for one in relatives if one.path == target.path]
            line = target.line
            at_line = [one for one in there if line is not None and one.start_line <= line <= one.end_line]
            relatives = at_line or there or relatives
        return relatives

    def _word_candidates(self) -> UseCandidates:
        if self._words is None:
            self._words = documents_with_name(self._store, self._target.name, self._limit)
        return self._words

    def _users(self) -> UseCandidates:
        if self._candidates is None:
            homes = frozenset(one.path for one in self.definitions())
            self._confirmer.homes = homes
            self._candidates = that_may_use(self._word_candidates(), self._target.name, homes)
        return self._candidates

    def _uses(self, candidates: list[UseCandidate], kind: RelatedKind, complete: bool) -> FoundRelatives:
        result = FoundRelatives(complete=complete, least=not complete)
        spare: list[Relative] = []
        for candidate in candidates:
            if len(result.relatives) < self._limit:
                confirmed = self._confirmer.uses(candidate, kind)
                # One file that uses it everywhere leaves room for others.
                most = max(3, self._limit // 3)
                result.relatives += confirmed[:most]
                spare += confirmed[most:]
                result.total += len(confirmed)
            else:
                # Not looked into: as often as the word stands there, at most.
                result.total += candidate.count
                result.complete = False
        result.relatives += spare[: max(0, self._limit - len(result.relatives))]
        # A caller says more than what only names or imports it; files stay in their order.
        order = {"call": 0, "base": 1, "reference": 2, "import": 3, "mention": 4}
        result.relatives.sort(key=lambda one: order.get(one.role, len(order)))
        return result

    def _mirrors(self) -> Iterator[Relative]:
        homes = {one.path for one in self.definitions()}
        for home in sorted(homes)[:3]:
            yield from mirrors(self._sources, home)

    def _neighbours(self) -> Iterator[Relative]:
        definitions = self.definitions()
        if not definitions:
            return
        home = definitions[0]
        half = max(1, self._limit // 2)
        file = load_file(self._store, home.path)
        if file is not None:
            yield from definitions_beside(file, home, half)
        excluded = {one.path for one in definitions}
        yield from self._sources.similar(home.text, home.symbol, excluded, half)
        _, _, prose = split_tests(self._word_candidates().listed)
        # A text without headings is as likely a list of words as prose.
        sections = [one.chunks[0] for one in prose if one.chunks[0].document.chunker == "headings"]
        yield from (chunk_relative(one, "mention") for one in sections[:2])


def _in_scope(relatives: list[Relative], target: Target, count: int) -> list[Relative]:
    """Return the definitions in a scope of which the first ``count`` names are a module's: ``shop.desk.Desk``."""
    module, ending = target.scope[:count], ".".join((*target.scope[count:], target.name))
    fit = (one for one in relatives if f".{one.symbol}".endswith(f".{ending}"))
    return [one for one in fit if not module or _in_module(one, module)]


def _in_module(relative: Relative, scope: tuple[str, ...]) -> bool:
    """Return whether a definition's file is what the scope names: ``quaestor.corpus`` of ``quaestor.corpus.Corpus``."""
    stem = relative.path.rpartition(".")[0].replace("/", ".")
    return f".{stem}".endswith(f".{'.'.join(scope)}")


class RelativeFinder:
    """Finds relatives in one store."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._sources = Sources(store, embedder)

    def target_at(self, path: str, line: int) -> Target:
        """Return the target at a line of a document: the innermost definition, or the whole document."""
        file = load_file(self._sources.store, path)
        symbols = enclosing_names(file.text, file.document.language, line) if file else ()
        return Target(symbols[-1], symbols[:-1], path, line) if symbols else Target(path=path, line=line)

    def related(self, target: Target, kinds: Iterable[RelatedKind] = KINDS, limit: int = 10) -> Related:
        """Return up to ``limit`` relatives of each kind; none if the name occurs nowhere.

        Uses are found by name: types are not resolved.
        """
        wanted = tuple(kinds)
        finder = (
            NameRelatives(self._sources, target, limit)
            if target.name
            else DocumentRelatives(self._sources, target, limit)
        )
        by_kind = {kind: finder.find(kind) for kind in KINDS if kind in wanted}
        return Related(
            target,
            tuple(relative for one in by_kind.values() for relative in one.relatives[:limit]),
            {kind: one.total for kind, one in by_kind.items()},
            all(one.complete for one in by_kind.values()),
            frozenset(kind for kind, one in by_kind.items() if one.least),
        )
