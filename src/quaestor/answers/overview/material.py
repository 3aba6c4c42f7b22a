"""The material of an overview: the documents of a folder as they are in the index, each read at most once."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Document
from quaestor.core.terms import terms
from quaestor.related.imports import Modules
from quaestor.related.stored_files import IndexedFile, load_file, modules_of
from quaestor.search.background_documents import CHANGELOG, TRANSLATION, is_generated
from quaestor.search.path_roles import PathProfile, profile_path
from quaestor.stores import FieldBoosts, Store, StoredChunk

_OWN = ("", CHANGELOG)
_LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?")
_LONGEST_CODE = 8
DOCUMENTATION = frozenset({"doc", "docs", "documentation"})
"""Names of folders of documentation."""
_FEWEST_COPIES = 3
_BODY = FieldBoosts(1.0, 0.0, 0.0)
# A file that an overview reads is read for its beginning or for a few lines; a larger one is left alone.
_LARGEST = 600_000
_LONGEST_LINE = 2_000
"""The most characters of a line that are read, because some patterns take quadratic time."""
_DATA = frozenset(
    """cabal caddyfile css csv gettext go-module ini json jupyter less properties scss solution text toml xml
    yaml""".split()
)

_TEMPLATES = frozenset({"html", "erb"})
"""Languages of pages, with or without code within."""


class Material:
    """The documents of a folder, and their texts.

    Args:
        store: the index.
        folder: the folder whose documents these are; empty for all.

    Attributes:
        store: the index.
        folder: the folder as it was given.
        documents: the documents in the folder, by path.
    """

    def __init__(self, store: Store, folder: str = "") -> None:
        prefix = f"{folder}/" if folder else ""
        self.store = store
        self.folder = folder
        self.all = store.documents()
        self.documents: Mapping[str, Document] = {
            path: self.all[path] for path in sorted(self.all) if path.startswith(prefix) or path == folder
        }
        self._profiles: dict[str, PathProfile] = {}
        self._files: dict[str, IndexedFile | None] = {}

    def read(self, path: str) -> IndexedFile | None:
        """Return a document with its text; None if it is missing, too large, or nothing of it is indexed."""
        if path not in self._files:
            document = self.all.get(path)
            fits = document is not None and document.size <= _LARGEST
            self._files[path] = load_file(self.store, path) if fits else None
        return self._files[path]

    def lines(self, path: str) -> list[str]:
        """Return the beginnings of a document's lines; empty where ``read`` returns None."""
        file = self.read(path)
        return [] if file is None else [line[:_LONGEST_LINE].removesuffix("\r") for line in file.lines]

    def chunks_with(self, words: Iterable[str], most: int) -> Iterator[StoredChunk]:
        """Yield up to ``most`` chunks of these documents in which any of some words stands."""
        wanted = list(dict.fromkeys(term for word in words for term in terms(word)))
        scored = self.store.lexical(wanted, most, None, _BODY) if wanted else ()
        for stored in self.store.get(identifier for identifier, _ in scored).values():
            if stored.document.path in self.documents:
                yield stored

    def profile(self, path: str) -> PathProfile:
        """Return a path's profile, kept here because the cache of ``profile_path`` is smaller than large corpora."""
        known = self._profiles.get(path)
        if known is None:
            known = profile_path(path)
            if any(path.startswith(f"{folder}/") for folder in self._translation_folders):
                known = known._replace(background=TRANSLATION)
            if not known.prose and not known.data and not DOCUMENTATION.isdisjoint(path.lower().split("/")[:-1]):
                known = known._replace(example=True)  # code in a manual shows how something is used
            self._profiles[path] = known
        return known

    @cached_property
    def _translation_folders(self) -> frozenset[str]:
        """Folders named like a language whose documents mostly exist one level up or in English, too: ``docs/be``."""
        count_by_folder, above = Counter[str](), Counter[str]()
        for path in (path for path, one in self.all.items() if one.language in PROSE):
            parts = path.split("/")
            for at, part in enumerate(parts[:-1]):
                if len(part) <= _LONGEST_CODE and _LANGUAGE_CODE.fullmatch(part):
                    folder = "/".join(parts[: at + 1])
                    count_by_folder[folder] += 1
                    beside = ([], ["en"]) if part != "en" else ()
                    above[folder] += any("/".join([*parts[:at], *one, *parts[at + 1 :]]) in self.all for one in beside)
        return frozenset(
            one for one, count in count_by_folder.items() if above[one] >= _FEWEST_COPIES and 2 * above[one] >= count
        )

    def stands_behind(self, path: str) -> bool:
        """Return whether a file is another project's, generated, a translation or a licence."""
        return self.profile(path).background not in _OWN

    @cached_property
    def folders(self) -> frozenset[str]:
        """All folders that hold documents, directly or in subfolders."""
        folders: set[str] = set()
        for path in self.all:
            folder = parent_of(path)
            while folder and folder not in folders:
                folders.add(folder)
                folder = parent_of(folder)
        return frozenset(folders)

    @cached_property
    def places(self) -> Mapping[str, Sequence[str]]:
        """All folders and documents by their last names, in lower case."""
        places: dict[str, list[str]] = {}
        for path in (*self.folders, *self.documents):
            places.setdefault(path.rpartition("/")[2].lower(), []).append(path)
        return places

    @cached_property
    def stems(self) -> Mapping[str, Sequence[str]]:
        """All documents by their names without endings, in lower case."""
        stems: dict[str, list[str]] = {}
        for path in self.documents:
            stems.setdefault(path.rpartition("/")[2].partition(".")[0].lower(), []).append(path)
        return stems

    @cached_property
    def modules(self) -> Modules:
        """What the documents are imported as."""
        return modules_of(self.store, self.all)

    @cached_property
    def is_code(self) -> bool:
        """Whether these are a program's files and not mainly prose: code is a fifth of the files or half the bytes."""
        documents = self.documents
        own = [one for path, one in documents.items() if not self.profile(path).test]
        # A folder of tests holds nothing else.
        own = own if any(map(is_code, own)) or any(map(_is_prose, own)) else [*documents.values()]
        code, prose = ([one.size for one in own if kind(one)] for kind in (is_code, _is_prose))
        if not code and sum(one.language == "yaml" for one in own) >= 4 * len(prose):
            return bool(documents)  # roles and playbooks beside a README
        # Files that are neither, such as configuration, are shown as those of a program are.
        return bool(code or (documents and not prose)) and (4 * len(code) >= len(prose) or sum(code) >= sum(prose))

    @cached_property
    def has_program(self) -> bool:
        """Whether at least an eighth of the code, by its bytes, is neither tests nor examples."""
        own = total = 0
        for path, document in self.documents.items():
            if is_code(document):
                profile = self.profile(path)
                total += document.size
                own += 0 if profile.test or profile.example else document.size
        return own > 0 and 8 * own >= total

    def paths_named(self, name: str, deepest: int = 99) -> list[str]:
        """Return the paths of documents whose name, in lower case, is this; the shallowest first, no vendored ones."""
        return [path for path in self._by_name.get(name, ()) if depth_in(path, self.folder) <= deepest]

    def beside(self, folder: str) -> list[str]:
        """Return the paths of the documents that lie directly in a folder, by name."""
        return self._by_folder.get(folder, [])

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        paths: dict[str, list[str]] = {}
        for path in sorted(self.all):
            paths.setdefault(parent_of(path), []).append(path)
        return paths

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        paths: dict[str, list[str]] = {}
        for path in sorted(self.documents, key=lambda one: (one.count("/"), one)):
            if not self.stands_behind(path):
                paths.setdefault(path.rpartition("/")[2].lower(), []).append(path)
        return paths


def depth_in(path: str, folder: str) -> int:
    """Return the number of folders between a folder and a path in it."""
    return path.count("/") - (folder.count("/") + 1 if folder else 0)


def is_code(document: Document) -> bool:
    """Return whether a document is source code, by its language."""
    return document.language not in PROSE and document.language not in _DATA and document.language not in _TEMPLATES


def _is_prose(document: Document) -> bool:
    return document.language in PROSE or document.language == "html"


def parent_of(path: str) -> str:
    """Return the folder that a path lies in, empty for the root."""
    return path.rpartition("/")[0]


def weight_of(document: Document, profile: PathProfile, *, code: bool) -> float:
    """Return a document's weight in the size of a folder; tests, data and prose count less if there is code."""
    size = math.sqrt(min(document.size, 100_000))
    if profile.background or is_generated(document.note):
        return 0.02 * size
    return size * _part_of(profile, document, code=code)


def _part_of(profile: PathProfile, document: Document, *, code: bool) -> float:
    if profile.test or profile.example:
        return 0.15
    if profile.declaration:
        return 0.3
    if document.language in PROSE:
        return 0.2 if code else 1.0
    return 1.0 if is_code(document) else 0.05
