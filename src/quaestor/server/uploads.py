"""A user's uploaded or pasted documents: files in a folder of that user, which is a corpus like any other.

File names are not trusted: a document is stored directly in the folder, under a name of letters, digits and a few other
characters. It is refused if the index would leave it out, because a document that nobody can find is worse than an
error.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from quaestor.assemble import ingest_settings
from quaestor.convert import ConversionError, convert_file
from quaestor.core.config import Settings
from quaestor.core.errors import LimitError, NotFoundError, UsageError
from quaestor.files.deny import WIDE_MARKS, deny_content, largest
from quaestor.files.walk_rules import left_out
from quaestor.server.upload_stores import UploadedFile, UploadStore, upload_store_for

_ODD = re.compile(r"[^\w .()+,@-]|[\r\n\t]")
_LONGEST_NAME = 120
_MOST = 2_000
_MOST_BYTES = 200_000_000
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class DocumentRefusedError(UsageError):
    """The upload is not a document that can be indexed."""

    def __init__(self, message: str, *, status: int = 400, code: str = "usage") -> None:
        super().__init__(message)
        self.http_status = status
        self.code = code


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A stored document.

    Attributes:
        id: its id, derived from the user and the name.
        name: its file name, which is its path in the corpus.
        size: its size in bytes.
        changed: when it was stored, in ISO 8601 and UTC.
    """

    id: str
    name: str
    size: int
    changed: str


class Documents:
    """One user's documents.

    Args:
        settings: name the data folder and the limit of a file's size.
        user: the user's id; empty on a server without users.
        store: stores the documents; None to choose it by the settings.

    Attributes:
        folder: the folder of the files, or of the copies that ``sync`` makes; created with the first document.
    """

    def __init__(self, settings: Settings, user: str, store: UploadStore | None = None) -> None:
        self._settings = settings
        self._user = user
        self._store = store or upload_store_for(settings, user)
        self.folder = self._store.folder

    def list(self) -> list[StoredDocument]:
        """Return all documents, newest first."""
        return sorted(map(self._stored_file, self._store.all()), key=lambda one: (one.changed, one.name), reverse=True)

    def sync(self) -> None:
        """Bring the folder up to date, if another server may have changed the documents."""
        self._store.sync()

    def add(self, name: str, data: bytes) -> StoredDocument:
        """Store a document under the given name, or a similar one if that is taken.

        Raises:
            DocumentRefusedError: it is empty, too large or not text, or files of its name are never indexed.
            LimitError: the user's documents are too many or too large together, or the disk is full.
        """
        name = stored_name(name)
        self._check(name, data)
        try:
            return self._stored_file(
                self._store.add(_similar_names(name), data, lambda there: _check_room(there, len(data)))
            )
        except OSError as error:
            raise LimitError(f"{name!r} cannot be stored ({error.strerror or error}). Try again later.") from error

    def remove(self, document: str) -> StoredDocument:
        """Remove a document by its id and return it.

        Raises:
            NotFoundError: the user has no such document.
        """
        document_of_id = next((one for one in self.list() if one.id == document), None)
        if document_of_id is None:
            raise NotFoundError(f"You have no document {document!r}.")
        self._store.remove(document_of_id.name)
        return document_of_id

    # --- within -----------------------------------------------------------------------------------------------

    def _stored_file(self, file: UploadedFile) -> StoredDocument:
        changed = datetime.fromtimestamp(file.changed / 1e6, UTC).isoformat(timespec="seconds")
        return StoredDocument(id_of(self._user, file.name), file.name, file.size, changed)

    def _check(self, name: str, data: bytes) -> None:
        reason = left_out(self.folder, name, ingest_settings(self._settings))
        if reason == "binary":
            raise _not_text(name)
        if reason is not None:
            raise DocumentRefusedError(
                f"{name!r} was refused: files of this name are never indexed ({reason}). Give it another name."
            )
        most = largest(name, self._settings.max_file_bytes)
        if len(data) > most:
            raise DocumentRefusedError(
                f"{name!r} has {len(data):,} bytes; {most:,} are allowed. Split it.", status=413, code="too_large"
            )
        if not data.strip():
            raise DocumentRefusedError(f"{name!r} is empty. Give a document with text.")
        denied = deny_content(data)
        if denied == "secret":
            raise DocumentRefusedError(f"{name!r} was refused: it holds a private key.")
        if not _is_converted(name, data) and (denied is not None or not is_text(data)):
            raise _not_text(name)


def _check_room(there: Sequence[UploadedFile], size: int) -> None:
    used_bytes = sum(one.size for one in there)
    if len(there) >= _MOST or used_bytes + size > _MOST_BYTES:
        raise LimitError(
            f"You have {len(there):,} documents of {used_bytes:,} bytes; {_MOST:,} of {_MOST_BYTES:,} are allowed."
            " Delete some first."
        )


def _similar_names(name: str) -> Iterator[str]:
    """Yield a name, then numbered variants of it, more than the documents that a user may have."""
    yield name
    stem, dot, suffix = name.rpartition(".")
    yield from (f"{stem}-{number}{dot}{suffix}" for number in range(2, _MOST + 2))


def stored_name(name: str) -> str:
    """Return the file name under which a document is stored: without folders, and never hidden.

    A name without an extension gets that of Markdown, because plain text is valid Markdown.
    """
    name = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode("utf-8"))
    name = " ".join(_ODD.sub("-", re.split(r"[/\\]", name)[-1]).split()).strip(". -")
    stem, dot, suffix = name.rpartition(".")
    if not dot or not stem.strip(". -") or len(suffix) > 10 or " " in suffix:
        stem, suffix = name or "document", "md"
    shortened = stem.encode()[: _LONGEST_NAME - len(suffix.encode()) - 1].decode(errors="ignore").rstrip(". -")
    return f"{shortened or 'document'}.{suffix}"


def id_of(user: str, name: str) -> str:
    """Return the id of a user's document by its file name; unique across users."""
    return hashlib.sha256(f"{user}/{name}".encode("utf-8", "surrogateescape")).hexdigest()[:16]


def is_text(data: bytes) -> bool:
    """Return whether bytes are text: UTF-8, UTF-16 or UTF-32 with a byte order mark, or a single-byte encoding."""
    if data.startswith(WIDE_MARKS):
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return not _CONTROL.search(data)
    return b"\0" not in data


def _is_converted(name: str, data: bytes) -> bool:
    """Return whether a file is of a format that the index converts to text, such as PDF.

    Raises:
        DocumentRefusedError: it is of such a format, but cannot be converted.
    """
    try:
        converted = convert_file(data, name)
    except ConversionError as error:
        raise _unreadable(name, f"{error.reason}: {error.detail}" if error.detail else error.reason) from error
    except Exception as error:  # libraries that read these formats raise errors of many types
        raise _unreadable(name, type(error).__name__) from error
    if converted is not None and not converted.text.strip():
        raise _unreadable(name, "it holds no text, or only pictures of it")
    return converted is not None


def _unreadable(name: str, reason: str) -> DocumentRefusedError:
    return DocumentRefusedError(
        f"{name!r} cannot be converted to text ({reason}). Convert it yourself first.",
        status=415,
        code="unsupported_media_type",
    )


def _not_text(name: str) -> DocumentRefusedError:
    return DocumentRefusedError(
        f"{name!r} is not text, nor in a format that is converted here. Convert it to text first.",
        status=415,
        code="unsupported_media_type",
    )
