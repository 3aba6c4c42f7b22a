"""Finding the relatives of a name or a document: reading the request, and searching for them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from quaestor.chunking.languages import knows_extension
from quaestor.core.documents import Document
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.core.terms import terms_of_word
from quaestor.corpus.document_paths import plain, suggest_paths
from quaestor.corpus.documents_on_disk import DocumentsOnDisk
from quaestor.corpus.fresh_index import FreshIndex
from quaestor.related import KINDS, Related, RelatedKind, Target
from quaestor.related.relative_finder import RelativeFinder
from quaestor.stores import Store

_LINE = re.compile(r"^(.+?):(\d{1,9})(?:[-:]\d+)*$")
_SEPARATORS = re.compile(r"::|->|\\|[.#]")
_LONGEST = 500
_SUGGESTED = 3


def split_place(text: str) -> tuple[str, int | None]:
    """Return a path and the line after it: ``src/a.py:12`` -> src/a.py, 12."""
    match = _LINE.match(text)
    return (match[1], int(match[2])) if match else (text, None)


def looks_like_a_path(text: str) -> bool:
    """Return whether a text is more likely a path than a name."""
    return "/" in text or (knows_extension(text) and not text.endswith("()"))


def read_name(text: str) -> Target:
    """Return a name as a target: ``Client.send``, ``Client::send``, ``send()``."""
    plain = text[:_LONGEST].strip().removesuffix("()").strip()
    # Whatever has no letters to split at is a name as it stands: an operator.
    parts = [part.strip() for part in _SEPARATORS.split(plain)] if re.search(r"\w", plain) else [plain]
    filled = [part for part in parts if part]
    return Target(filled[-1], tuple(filled[:-1])) if filled else Target()


class Relatives:
    """What belongs to names and documents of one index; ``of`` does what ``Corpus.related`` says."""

    def __init__(self, index: FreshIndex, documents: DocumentsOnDisk) -> None:
        self._index = index
        self._documents = documents
        self._relations: tuple[Store, RelativeFinder] | None = None

    def of(self, text: str, kinds: Iterable[RelatedKind] | None, limit: int) -> Related:
        """Return the relatives of the name or document in a text, after bringing the index up to date.

        Raises:
            NotFoundError: the name occurs nowhere; the message suggests similar ones.
        """
        wanted = KINDS if kinds is None else tuple(kinds)

        def find() -> Related:
            relations = self._current()
            return relations.related(self._target(text, relations), wanted, limit)

        related = self._index.find_fresh(find, self._documents_of)
        name = related.target.name
        if name and not related.relatives and not any(related.total.values()) and not self._occurs(name):
            retriever = self._index.retriever
            spelt = [near for one in retriever.spelling(text).unknown for near in one.nearest]
            owner = text.strip().removesuffix("()").removesuffix(name)
            owned = [f"{owner}{near}" for near in spelt if owner and self._is_defined(f"{owner}{near}")]
            near = dict.fromkeys([*owned, *spelt, *(hit.symbol for hit in retriever.search(text, 3) if hit.symbol)])
            raise NotFoundError(f"{text!r} is not a name in this index.{suggest_paths(list(near)[:_SUGGESTED])}")
        if self._index.freshness.fresh:
            return related
        return related.with_freshness(
            {one.path: self._documents.is_current(one.path, one.sha256) for one in related.relatives}
        )

    def _current(self) -> RelativeFinder:
        """Return the finder over the index's present store, which changes when vectors are replaced."""
        store = self._index.store
        if self._relations is None or self._relations[0] is not store:
            self._relations = (store, RelativeFinder(store, self._index.meaning.query_embedder))
        return self._relations[1]

    def _documents_of(self, related: Related) -> list[Document]:
        paths = dict.fromkeys(one.path for one in related.relatives)
        return [document for path in paths if (document := self._index.store.document(path)) is not None]

    def _target(self, text: str, relations: RelativeFinder) -> Target:
        """Return the target that a text names: the document of this path if it exists, else a name."""
        path, line = split_place(text.strip())
        document = self._index.store.document(plain(path))
        if document is None and looks_like_a_path(path):
            document = self._documents.document(path)
        if document is not None:
            return Target(path=document.path) if line is None else relations.target_at(document.path, line)
        target = read_name(text)
        if not target.name:
            raise UsageError(f"{text!r} names nothing. Give a name, a path, or a path with a line after a colon.")
        return target

    def _is_defined(self, name: str) -> bool:
        """Return whether a name is defined within the owner that it is written with."""
        target = read_name(name)
        found = self._current().related(target, ("definitions",), 1).relatives
        return any(f".{one.symbol}".endswith(f".{target}") for one in found)

    def _occurs(self, name: str) -> bool:
        """Return whether a name occurs anywhere in the corpus, in prose and data, too."""
        return bool(self._index.store.lexical(terms_of_word(name)[:1], 1)) if name.isidentifier() else False
