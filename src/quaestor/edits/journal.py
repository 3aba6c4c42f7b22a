"""The record of applied edits: the files' bytes before each, for undo.

One folder a record, in Quaestor's own data folder, never in the user's. A record is written, and on disk, before the
first file changes; the last thing written is that it is done. So after a crash the record says what to put back.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from quaestor.core.config import make_private
from quaestor.core.errors import UsageError

State = Literal["prepared", "done", "rolled back", "left"]
"""``left``: after a crash, a file was neither as before nor as after, so it was left as it is."""

_KEPT = 100
_ENTRY = "entry.json"


class JournalError(UsageError):
    """The record of edits cannot be read, or another process is writing it."""

    code = "journal"


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """One file of a record.

    Attributes:
        path: relative to the root, with ``/``.
        before: hash of its bytes before, None where it did not exist.
        after: hash of its bytes after, None where it goes.
        mode: permission bits before.
        temporary: path of the file beside it that holds the new bytes until they take its place.
    """

    path: str
    before: str | None
    after: str | None
    mode: int
    temporary: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One record.

    Attributes:
        number: its number, from 1 in order of time.
        root: the folder that paths are relative to.
        state: how far it came.
        at: when, in ISO 8601.
        files: the files of the record.
        folders: made for new files, outermost first.
        undoes: number of the record that this one takes back, None for an edit.
    """

    number: int
    root: str
    state: State
    at: str
    files: tuple[RecordedFile, ...]
    folders: tuple[str, ...] = ()
    undoes: int | None = None


class Journal:
    """The records of one root.

    Args:
        folder: the folder of the records; made when first needed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep every other process from applying or undoing edits of this root.

        Raises:
            JournalError: another process applies or undoes edits.
        """
        try:
            import fcntl  # noqa: PLC0415 - not on every system
        except ImportError:
            raise JournalError("Edits need a system that locks files as Linux does; this one does not.") from None
        self._make_folder()
        with (self.folder / "lock").open("a+b") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise JournalError("another edit of this folder is being applied; run again when it is done") from None
            yield

    def entries(self) -> list[Entry]:
        """Return all records, the oldest first.

        Raises:
            JournalError: one cannot be read.
        """
        return [self._read(number) for number in self._numbers()]

    def last_to_undo(self) -> Entry | None:
        """Return the newest record that was applied and not reverted."""
        done = [entry for entry in self.entries() if entry.state == "done"]
        undone = {entry.undoes for entry in done}
        return next((one for one in reversed(done) if one.undoes is None and one.number not in undone), None)

    def begin(
        self,
        root: Path,
        files: tuple[RecordedFile, ...],
        before: list[bytes | None],
        folders: tuple[str, ...],
        undoes: int | None,
    ) -> Entry:
        """Write a record of the files that are about to change, with their present bytes."""
        number = max(self._numbers(), default=0) + 1
        place = self._place(number)
        shutil.rmtree(place, ignore_errors=True)  # left by a crash before its entry was written
        place.mkdir(mode=0o700)
        for at, data in enumerate(before):
            if data is not None:
                _write(place / f"{at}.before", data)
        entry = Entry(number, str(root), "prepared", datetime.now(UTC).isoformat(), files, folders, undoes)
        self._store(entry)
        _sync_folder(self.folder)
        return entry

    def end(self, entry: Entry, state: State) -> Entry:
        """Write down how a record ended."""
        ended = replace(entry, state=state)
        self._store(ended)
        return ended

    def before(self, entry: Entry, at: int) -> bytes:
        """Return the bytes that a record's file held before.

        Raises:
            JournalError: they cannot be read.
        """
        try:
            return (self._place(entry.number) / f"{at}.before").read_bytes()
        except OSError as error:
            raise self._unreadable(entry.number, error) from error

    def place_of(self, entry: Entry) -> Path:
        """Return the folder of a record."""
        return self._place(entry.number)

    def forget_old(self) -> None:
        """Remove the oldest records but for a hundred."""
        for number in self._numbers()[:-_KEPT]:
            shutil.rmtree(self._place(number), ignore_errors=True)

    def _make_folder(self) -> None:
        """Create the folder if it is missing, and sync its name so that it survives a loss of power."""
        missing = [place for place in (self.folder, *self.folder.parents) if not place.exists()]
        make_private(self.folder)
        for place in missing:
            _sync_folder(place.parent)

    def _numbers(self) -> list[int]:
        try:
            names = [place.name for place in self.folder.iterdir()]
        except FileNotFoundError:
            return []
        return sorted(int(name) for name in names if name.isdigit() and (self.folder / name / _ENTRY).exists())

    def _place(self, number: int) -> Path:
        return self.folder / f"{number:06d}"

    def _read(self, number: int) -> Entry:
        try:
            known = json.loads((self._place(number) / _ENTRY).read_bytes())
            files = tuple(RecordedFile(**file) for file in known.pop("files"))
            return Entry(files=files, folders=tuple(known.pop("folders")), **known)
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise self._unreadable(number, error) from error

    def _unreadable(self, number: int, error: Exception) -> JournalError:
        place = str(self._place(number))
        return JournalError(f"the record of edits in {place!r} cannot be read ({error}); move that folder away")

    def _store(self, entry: Entry) -> None:
        place = self._place(entry.number)
        fresh = place / f"{_ENTRY}.new"
        _write(fresh, json.dumps(asdict(entry)).encode())
        fresh.replace(place / _ENTRY)
        _sync_folder(place)


def _write(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
