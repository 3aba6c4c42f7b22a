"""Reading a corpus's documents as they are on disk now, and its commits and tags like documents.

A search finds indexed text; this module reads the files themselves. A converted document is read as the Markdown that
the index keeps as its chunks. Searches import this module, so git is imported only when history is asked for.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.convert import ConversionError, convert_file, is_converted
from quaestor.core.documents import Document, text_of_chunks
from quaestor.core.errors import ForbiddenError, NotFoundError, UsageError
from quaestor.core.wording import amount
from quaestor.corpus.document_paths import Folder, make_tree, parents, plain, suggest_path
from quaestor.corpus.fresh_index import FreshIndex
from quaestor.corpus.line_excerpts import excerpt
from quaestor.files.consistent_read import Snapshot, on_disk, read_snapshot
from quaestor.files.git_folder import common_folder, git_folder, repository_root
from quaestor.files.walk import folder_of
from quaestor.files.walk_rules import left_out
from quaestor.stores import Store
from quaestor.stores.shared_store import SharingStore

if TYPE_CHECKING:
    from quaestor.corpus.line_excerpts import Excerpt
    from quaestor.files.indexing_values import IngestSettings
    from quaestor.history.git import Repository


_KINDS = ("commit ", "tag ")
LANGUAGE = "diff"


class DocumentsOnDisk:
    """The documents of an index: read, listed and found by their paths."""

    def __init__(self, index: FreshIndex) -> None:
        self._index = index

    def read(self, path: str) -> bytes | None:
        """Return a document's present text, or None if it cannot be read; as ``Corpus.read``."""
        if is_object(path) and self._index.store.document(path) is None:
            return self._object(path)
        document = self._document_at(path)
        snapshot = self._snapshot(path)
        return None if snapshot is None else self._text(document, snapshot)

    def read_source(self, path: str) -> bytes | None:
        """Return a document's bytes as they are on disk now; otherwise as ``read``."""
        self._document_at(path)
        snapshot = self._snapshot(path)
        return snapshot.data if snapshot is not None and _is_file(snapshot) else None

    def _document_at(self, path: str) -> Document:
        """Return the document of exactly this path; raises as ``read``."""
        document = self._index.store.document(path)
        if document is None:
            raise NotFoundError(f"{path!r} is not in this index. Give a path as a search shows it.")
        return document

    def _text(self, document: Document, snapshot: Snapshot) -> bytes | None:
        """Return the text that a document's lines and spans refer to: its bytes, or their Markdown."""
        path = document.path
        if not is_converted(document):
            return snapshot.data
        if not _is_file(snapshot):
            return snapshot.data
        if document.sha256 == snapshot.sha256:
            return _text_of(self._index.store, path)
        try:
            converted = convert_file(snapshot.data, path)
        except ConversionError:
            return None
        return snapshot.data if converted is None else converted.text.encode("utf-8", "replace")

    def _snapshot(self, path: str) -> Snapshot | None:
        """Return the present bytes of a document's file, or, without files, those that the index keeps.

        Raises:
            ForbiddenError: the path now leads out of the root.
        """
        if not self._index.has_files():
            return self._read_indexed(path)
        root = folder_of(self._index.root)
        place = Path(on_disk(str(root), path))
        try:
            folder = place.parent.resolve()
            # The root is a real path, unless a link has been put in its place since.
            if not (folder.is_relative_to(root) or folder.is_relative_to(root.resolve())):
                raise ForbiddenError(f"{path!r} leads out of {str(root)!r} and is not read.")
            # What was just looked at may be a link by now: none is followed below the root.
            return read_snapshot(str(place), root=str(root))
        except OSError:
            return None

    def _read_indexed(self, path: str) -> Snapshot | None:
        """Return a document's bytes, or the text that was made of them, as the index keeps them.

        If an earlier version indexed it, it is read from its chunks, which hold everything but blanks.
        """
        store = self._index.store
        document = store.document(path)
        if document is None:
            return None
        data = store.bytes_of(path) if isinstance(store, SharingStore) else None
        data = _text_of(store, path) if data is None else data
        return Snapshot(data, document.sha256, document.stamp, steady=True)

    def read_lines(self, path: str, start_line: int = 1, end_line: int | None = None) -> Excerpt:
        """Return lines of a document as they are now, in an index brought up to date; as ``Corpus.read_lines``."""
        document, data, sha256 = self._object_read(path) or self._document_read(path)
        if start_line < 1 or (end_line is not None and end_line < start_line):
            raise UsageError(f"There are no lines {start_line} to {end_line}; lines count from 1, the first one first.")
        lines = excerpt(document, data, sha256, start_line, end_line)
        if start_line > max(lines.total_lines, 1):
            raise UsageError(f"{path!r} has {lines.total_lines} lines; {start_line} is beyond its end.")
        return lines

    def _document_read(self, path: str) -> tuple[Document, bytes, str]:
        """Return a document with its text and the hash of its file as they are now; raises as ``read_lines``."""
        document = self._index.find_fresh(lambda: self.document(path), lambda document: [document])
        snapshot = self._snapshot(document.path)
        data = None if snapshot is None else self._text(document, snapshot)
        if snapshot is None or data is None:
            raise NotFoundError(f"{path!r} is no longer there, or cannot be read. Search again.")
        return document, data, snapshot.sha256

    def _object_read(self, path: str) -> tuple[Document, bytes, str] | None:
        """Return a commit or tag as a document with its text; None if the path names neither."""
        if not is_object(path) or self._index.store.document(path) is not None:
            return None
        data = self._object(path)
        if data is None:
            raise NotFoundError(
                f"There is no {path!r} in the history here. Give a commit as `quaestor history` shows it."
            )
        document = object_document(path, data.decode())
        return document, data, document.sha256

    def _object(self, path: str) -> bytes | None:
        """Return the text of a commit or tag, or None."""
        repository = self.repository()
        return None if repository is None else _read_object(repository, path)

    def repository(self) -> Repository | None:
        """Return the repository around the root, limited to the root and to indexable files, or None."""
        return _repository_of(self._index.root, self._index.indexer.settings)

    def tree(self, folder: str = "", depth: int = 2) -> Folder:
        """Return the documents as a tree of folders, in an index brought up to date; as ``Corpus.tree``."""
        self._index.try_refresh()
        paths = self._index.store.documents()
        folder_tree = make_tree(paths, plain(folder), depth)
        if folder_tree is not None:
            return folder_tree
        if plain(folder) in paths:
            raise NotFoundError(f"{folder!r} is a document, not a folder. Read it.")
        folders = {parent for path in paths for parent in parents(path)}
        raise NotFoundError(f"{folder!r} is not a folder of this index.{suggest_path(folder, folders)}")

    def document(self, path: str) -> Document:
        """Return a document by its path; as ``Corpus.document``."""
        stored = self._index.store.document(path) or self._index.store.document(plain(path))
        if stored is not None:
            return stored
        paths = self._index.store.documents()
        count = sum(one.startswith(f"{plain(path)}/") for one in paths)
        if count:
            raise NotFoundError(f"{path!r} is a folder with {amount(count, 'document')}. Give the path of one of them.")
        raise NotFoundError(f"{path!r} is not in this index.{suggest_path(path, paths)}")

    def is_current(self, path: str, sha256: str) -> bool:
        """Return whether the file of a document still has this hash."""
        try:
            snapshot = self._snapshot(path)
        except ForbiddenError:
            return False
        return snapshot is not None and snapshot.sha256 == sha256


def _is_file(snapshot: Snapshot) -> bool:
    """Return whether these are a file's own bytes: an index keeps the text of a converted document instead."""
    return sha256(snapshot.data).hexdigest() == snapshot.sha256


def _text_of(store: Store, path: str) -> bytes:
    return text_of_chunks(stored.chunk for stored in store.chunks_of(path))


def is_object(path: str) -> bool:
    """Return whether a path names a commit or a tag and no file."""
    if not path.startswith(_KINDS):
        return False
    from quaestor.history import history_json as objects  # noqa: PLC0415 - see above

    return objects.is_object(path)


def object_document(path: str, text: str, title: str | None = None, author: str = "", date: str = "") -> Document:
    """Return a commit or tag as a document."""
    from hashlib import sha256  # noqa: PLC0415 - see above

    data = text.encode()
    return Document(
        path, sha256(data).hexdigest(), len(data), 0, LANGUAGE, title=title, author=author or None, date=date or None
    )


def _read_object(repository: Repository, path: str) -> bytes | None:
    """Return the text of a commit or tag, or None if it or git is missing."""
    from quaestor.history.git import Git, NoHistoryError  # noqa: PLC0415 - see above
    from quaestor.history.history_json import object_text  # noqa: PLC0415

    try:
        with Git(repository) as git:
            text = object_text(git, path)
    except NoHistoryError:
        return None
    return None if text is None else text.encode()


def _repository_of(root: Path, settings: IngestSettings) -> Repository | None:
    """Return the repository around a source, limited to the source and to indexable files, or None."""
    folder = root if root.is_dir() else root.parent
    top = repository_root(folder)
    if top is None:
        return None
    from quaestor.history.git import Repository  # noqa: PLC0415 - see above

    inside = root.relative_to(top).as_posix()
    prefix = "" if inside == "." else inside + "/" * root.is_dir()
    own = git_folder(top / ".git")

    @lru_cache(maxsize=4096)
    def shows(path: str) -> bool:
        return ".." not in path.split("/") and left_out(folder, path, settings) is None

    return Repository(own, common_folder(own), prefix, shows, top, settings.git_within)
