"""Finds the relatives of a name or a document in one store.

Nothing is precomputed: definitions come from the store's table of names, candidates for uses from its lexical index,
similar places from its vectors. Only the few files that matter are parsed. Neighbours of a document are its importers,
the tests named after it, and the definitions of the same file; ``Sources`` holds what the searches need: one store, one
embedder, and the documents by import name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from quaestor.chunking.definitions import Definition, definitions
from quaestor.core.documents import Document
from quaestor.core.terms import terms
from quaestor.embedding import Embedder
from quaestor.related import KINDS, Related, RelatedKind, Relative, Target
from quaestor.related.imports import Modules, imports_of
from quaestor.related.occurrences import enclosing_names
from quaestor.related.stored_files import LARGE, IndexedFile, chunk_relative, load_file, modules_of
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
from quaestor.stores import FieldBoosts, Store, StoredChunk

_SIMILAR = 40
_IMPORTING_CHUNKS = 600
_IMPORT_WORDS = ("import", "require", "include", "use")
_SHOWN_LINES = 60
_LEADING = ("#", "//", "/*", "*", "--", "@", "'''", '"""')
_BODY = FieldBoosts(1.0, 0.0, 0.0)
_SIMILAR_LETTERS = 4000


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
            # What is defined within a function is in no table, and neither is a field of most languages.
            by_path = {path: [] for path in that_may_define(self._word_candidates(), name)}
        owners = self._owners() if by_path and self._target.scope else set[str]()
        by_path = {**{path: [] for path in owners}, **by_path}
        first = {self._target.path, *owners}
        paths = sorted(by_path, key=lambda path: (path not in first, profile_path(path).flags, path))
        for path in paths[:_DEFINING_FILES]:
            read = self._confirmer.read(path)
            definitions = [place for place in (read[1] or ()) if place.role == "definition"] if read else []
            if read is None or not definitions:
                yield from (chunk_relative(one, "definition", "definitions") for one in by_path[path])
                continue
            for place in definitions:
                symbol = ".".join(place.symbols)
                yield read[0].relative("definitions", "definition", place.start_line, place.end_line, symbol)

    def _owners(self) -> set[str]:
        """Return the documents that define what the target's name is qualified by, where the name stands."""
        owner = self._target.scope[-1]
        stored = self._store.get(self._store.defining([owner], _DEFINING_CHUNKS)).values()
        defining = {one.document.path for one in stored if owner == one.chunk.symbol or owner in one.chunk.defines}
        return defining & {one.path for one in self._word_candidates().listed}

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
