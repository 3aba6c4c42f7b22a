"""A user's uploaded or pasted documents: files in a folder of that user, which is a corpus like any other.

Names are not trusted. A document is stored directly in the folder under letters, digits and a few marks, and is refused
if the index would leave it out: a document that nobody can find is worse than an error. A ``Shelf`` stores the files;
``FolderShelf`` is the one on disk.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from quaestor.assemble import ingest_settings, shared_tables
from quaestor.convert import ConversionError, convert_file
from quaestor.core.config import Settings, data_home
from quaestor.core.errors import LimitError, NotFoundError, UsageError
from quaestor.core.private_folders import make_private
from quaestor.files.deny import deny_content, largest
from quaestor.files.walk_rules import left_out

_ODD = re.compile(r"[^\w .()+,@-]|[\r\n\t]")
_LONGEST_NAME = 120
_MOST = 2_000
_MOST_BYTES = 200_000_000
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LOCAL = "local"

_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class DocumentRefusedError(UsageError):
    """The upload is not a document that can be indexed."""

    def __init__(self, message: str, *, status: int = 400, code: str = "usage") -> None:
        super().__init__(message)
        self.http_status = status
        self.code = code


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored document.

    Attributes:
        id: derived from the user and the name.
        name: its file name, which is its path in the corpus.
        size: bytes.
        changed: when it was stored, ISO 8601 in UTC.
    """

    id: str
    name: str
    size: int
    changed: str


def shelf_for(settings: Settings, user: str) -> Shelf:
    """Return the shelf of a user's documents: in the data folder, or in PostgreSQL with a copy there.

    Raises:
        QuaestorError: the server cannot be reached or used.
    """
    home = data_home(settings).resolve() / "documents"
    folder, incoming = home / (user or _LOCAL), home / ".incoming"
    tables = shared_tables(settings)
    if tables is None:
        return FolderShelf(folder, incoming)
    from quaestor.server.shared_uploads import SharedShelf  # noqa: PLC0415 - only with the extra

    return SharedShelf(tables, user, folder, incoming)


class Documents:
    """One user's documents.

    Args:
        settings: name the data folder and the limit of a file's size.
        user: the user's id; empty on a machine without users.
        shelf: stores them; None chooses by the settings.

    Attributes:
        folder: of the files, or of the copies made by ``bring``; made with the first document.
    """

    def __init__(self, settings: Settings, user: str, shelf: Shelf | None = None) -> None:
        self._settings = settings
        self._user = user
        self._shelf = shelf or shelf_for(settings, user)
        self.folder = self._shelf.folder

    def list(self) -> list[Stored]:
        """Return all of them, the newest first."""
        return sorted(map(self._stored_file, self._shelf.all()), key=lambda one: (one.changed, one.name), reverse=True)

    def bring(self) -> None:
        """Bring the folder up to date, if another server may have changed the documents."""
        self._shelf.bring()

    def add(self, name: str, data: bytes) -> Stored:
        """Store a text under a name that is like the one given and not taken yet.

        Raises:
            DocumentRefusedError: it is empty, too large, no text, or of a name that is never indexed.
            LimitError: the user has too many, or too much, already.
        """
        name = stored_name(name)
        self._check(name, data)
        try:
            return self._stored_file(
                self._shelf.add(_similar_names(name), data, lambda there: _check_room(there, len(data)))
            )
        except OSError as error:
            raise LimitError(
                f"{name!r} cannot be stored ({error.strerror or error}); nothing was kept of it. Try again later."
            ) from error

    def remove(self, document: str) -> Stored:
        """Remove a document by its id and return it.

        Raises:
            NotFoundError: there is none.
        """
        found = next((one for one in self.list() if one.id == document), None)
        if found is None:
            raise NotFoundError(f"There is no document {document!r} of yours.")
        self._shelf.remove(found.name)
        return found

    # --- within -----------------------------------------------------------------------------------------------

    def _stored_file(self, lying: FileOnShelf) -> Stored:
        changed = datetime.fromtimestamp(lying.changed / 1e6, UTC).isoformat(timespec="seconds")
        return Stored(id_of(self._user, lying.name), lying.name, lying.size, changed)

    def _check(self, name: str, data: bytes) -> None:
        reason = left_out(self.folder, name, ingest_settings(self._settings))
        if reason == "binary":
            raise _not_text(name)
        if reason is not None:
            raise DocumentRefusedError(
                f"{name!r} is not taken: files of this name are never indexed ({reason}). Give it another name."
            )
        most = largest(name, self._settings.max_file_bytes)
        if len(data) > most:
            raise DocumentRefusedError(
                f"{name!r} has {len(data):,} bytes; {most:,} are allowed. Split it.", status=413, code="too_large"
            )
        if not data.strip():
            raise DocumentRefusedError(f"{name!r} is empty; there is nothing in it to find.")
        denied = deny_content(data)
        if denied == "secret":
            raise DocumentRefusedError(f"{name!r} is not taken: it holds a private key.")
        if not _is_converted(name, data) and (denied is not None or not is_text(data)):
            raise _not_text(name)


def _check_room(there: Sequence[FileOnShelf], size: int) -> None:
    taken = sum(one.size for one in there)
    if len(there) >= _MOST or taken + size > _MOST_BYTES:
        raise LimitError(
            f"You have {len(there):,} documents of {taken:,} bytes; {_MOST:,} of {_MOST_BYTES:,} are allowed."
            " Delete some first."
        )


def _similar_names(name: str) -> Iterator[str]:
    """Yield a name, and others like it: more than there can be documents."""
    yield name
    stem, dot, suffix = name.rpartition(".")
    yield from (f"{stem}-{number}{dot}{suffix}" for number in range(2, _MOST + 2))


def stored_name(name: str) -> str:
    """Return the file name under which a document is stored: always in the folder itself, never hidden.

    A name without an extension gets that of Markdown, which includes plain text.
    """
    name = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode("utf-8"))
    name = " ".join(_ODD.sub("-", re.split(r"[/\\]", name)[-1]).split()).strip(". -")
    stem, dot, suffix = name.rpartition(".")
    if not dot or not stem.strip(". -") or len(suffix) > 10 or " " in suffix:
        stem, suffix = name or "document", "md"
    kept = stem.encode()[: _LONGEST_NAME - len(suffix.encode()) - 1].decode(errors="ignore").rstrip(". -")
    return f"{kept or 'document'}.{suffix}"


def id_of(user: str, name: str) -> str:
    """Return the id of a user's document by its file name; unique across users."""
    return hashlib.sha256(f"{user}/{name}".encode("utf-8", "surrogateescape")).hexdigest()[:16]


def is_text(data: bytes) -> bool:
    """Return whether bytes are a text: in UTF-8, in UTF-16 or UTF-32 with a mark, or in one byte a letter."""
    if data.startswith(_WIDE):
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return not _CONTROL.search(data)
    return b"\0" not in data


def _is_converted(name: str, data: bytes) -> bool:
    """Return whether the index makes a text of a file, as of a PDF.

    Raises:
        DocumentRefusedError: it would, but not of this one.
    """
    try:
        made = convert_file(data, name)
    except ConversionError as error:
        raise _unreadable(name, f"{error.reason}: {error.detail}" if error.detail else error.reason) from error
    except Exception as error:  # readers of other people's formats fail in ways of their own, as when indexing
        raise _unreadable(name, type(error).__name__) from error
    if made is not None and not made.text.strip():
        raise _unreadable(name, "it holds pictures only, or nothing")
    return made is not None


def _unreadable(name: str, said: str) -> DocumentRefusedError:
    return DocumentRefusedError(
        f"{name!r} cannot be turned into text ({said}). Convert it to text first.",
        status=415,
        code="unsupported_media_type",
    )


def _not_text(name: str) -> DocumentRefusedError:
    return DocumentRefusedError(
        f"{name!r} is not text, nor anything that text is made of here. Convert it to text first.",
        status=415,
        code="unsupported_media_type",
    )


class FileOnShelf(NamedTuple):
    """A document on a shelf: its name, its bytes, and when it was put there, in microseconds since the epoch."""

    name: str
    size: int
    changed: int


class Shelf(Protocol):
    """One user's documents by their names."""

    @property
    def folder(self) -> Path:
        """The folder of the files or their copies; made with the first document."""

    def all(self) -> list[FileOnShelf]:
        """Return all of them, in any order."""

    def add(self, names: Iterable[str], data: bytes, check: Callable[[list[FileOnShelf]], None]) -> FileOnShelf:
        """Store a document atomically, under the first free name.

        Args:
            names: to choose from.
            data: its bytes.
            check: called with the stored documents, while no other upload runs; an exception from it cancels.

        Raises:
            OSError: the disk is full.
        """

    def remove(self, name: str) -> None:
        """Remove one, if it is there."""

    def bring(self) -> None:
        """Bring the folder up to date with the shelf."""


class FolderShelf:
    """A ``Shelf`` that is its folder.

    Args:
        folder: of the user's own.
        incoming: a folder of the same disk, where files are written before they are there.
    """

    # Two uploads at once would find the same room, and no link tells names apart on disks that know none.
    _adding = threading.Lock()

    def __init__(self, folder: Path, incoming: Path) -> None:
        self.folder = folder
        self._incoming = incoming

    def all(self) -> list[FileOnShelf]:
        """Return all of them, in any order."""
        return files_in(self.folder)

    def add(self, names: Iterable[str], data: bytes, check: Callable[[list[FileOnShelf]], None]) -> FileOnShelf:
        """Write a file elsewhere, and move it to where no other is."""
        with self._adding:
            check(self.all())
            make_private(self.folder)
            with temporary_file(self._incoming, data) as place:
                free = (name for name in names if not os.path.lexists(self.folder / name))
                name = next(one for one in free if _move_if_free(place, self.folder / one))
        return _file_on_shelf(self.folder / name)

    def remove(self, name: str) -> None:
        """Remove one, if it is there."""
        (self.folder / name).unlink(missing_ok=True)

    def bring(self) -> None:
        """Do nothing: the folder itself is the shelf."""


def files_in(folder: Path) -> list[FileOnShelf]:
    """Return the files of a folder; there need be none."""
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return []
    return [_file_on_shelf(Path(entry.path)) for entry in entries if entry.is_file(follow_symlinks=False)]


def _file_on_shelf(path: Path) -> FileOnShelf:
    found = path.lstat()
    return FileOnShelf(path.name, found.st_size, found.st_mtime_ns // 1000)


@contextmanager
def temporary_file(folder: Path, data: bytes) -> Iterator[Path]:
    """Give a temporary file with some bytes that only this user can read; it is removed afterwards."""
    make_private(folder)
    place = folder / secrets.token_hex(8)
    try:
        with os.fdopen(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(data)
        yield place
    finally:
        place.unlink(missing_ok=True)


def _move_if_free(place: Path, target: Path) -> bool:
    """Give a file another place, unless that was taken meanwhile; return whether it has it."""
    try:
        # Unlike a move, this never takes the place of a file that another process has just put there.
        os.link(place, target)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        place.replace(target)
    return True
