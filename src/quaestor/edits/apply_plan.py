"""Making a plan's changes, all or none, against the exact bytes that it was made from; and taking them back.

New bytes are written beside their files, and every file is checked again, before the first one takes its place by a
rename within a folder that is held open. Whatever stops this, an error or the loss of the process, is followed by
putting back what the journal holds: at once, or by the next edit, undo or ``recover``.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.edits.journal import Entry, Journal, RecordedFile
from quaestor.edits.linkless_folders import Content, Folders, PlaceError
from quaestor.edits.plans import Plan


class ChangedError(UsageError):
    """A file has changed since the edit was planned, or applied.

    Attributes:
        paths: the paths of these files.
    """

    code = "changed"

    def __init__(self, message: str, paths: Sequence[str]) -> None:
        super().__init__(message)
        self.paths = tuple(paths)


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of applying a plan.

    Attributes:
        number: the number of its record in the journal.
        paths: the paths of the files that changed.
    """

    number: int
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Write:
    path: str
    before: bytes | None
    after: bytes | None
    mode: int


def apply(plan: Plan, journal: Journal) -> Applied:
    """Make all changes of a plan, or none.

    Raises:
        UsageError: something in the plan is refused, or there is nothing in it.
        ChangedError: a file has changed since it was read; nothing is done.
        JournalError: another process applies edits to this root.
        OSError: the system refused; nothing is done.
    """
    if plan.refusals or not plan.files:
        reason = plan.refusals[0].message if plan.refusals else "it changes nothing"
        raise UsageError(f"The edit cannot be applied: {reason}.")
    writes = [_Write(file.path, file.before, file.after, file.mode) for file in plan.files]
    with journal.lock():
        _recover(journal)
        applied = _commit(plan.root, writes, journal)
        journal.forget_old()
    return applied


def undo(journal: Journal) -> Applied:
    """Undo the last edit that is not undone yet.

    Raises:
        NotFoundError: there is no edit to undo.
        ChangedError: a file has changed since; nothing is done.
        OSError: the system refused; nothing is done.
    """
    with journal.lock():
        _recover(journal)
        entry = journal.last_to_undo()
        if entry is None:
            raise NotFoundError("There is no edit to undo.")
        root = Path(entry.root)
        with Folders(root) as folders:
            now = [_now(folders, file.path) for file in entry.files]
        changed = [file.path for file, one in zip(entry.files, now, strict=True) if _hash_of(one) != file.after]
        if changed:
            raise _change_error(changed, "since the edit, so it is not undone; what is there is kept")
        writes = [
            _Write(file.path, one.data if one else None, journal.before(entry, at) if file.before else None, file.mode)
            for at, (file, one) in enumerate(zip(entry.files, now, strict=True))
        ]
        applied = _commit(root, writes, journal, undoes=entry.number)
        with Folders(root) as folders:
            for folder in reversed(entry.folders):
                folders.remove_empty(folder)
        return applied


def recover(journal: Journal) -> tuple[str, ...]:
    """Restore the files of an interrupted edit; return the paths of that edit.

    Raises:
        ChangedError: a file is neither as before nor as after; it is left as it is, the others are put back.
    """
    with journal.lock():
        return _recover(journal)


# --- all or none --------------------------------------------------------------------------------------------------


def _commit(root: Path, writes: Sequence[_Write], journal: Journal, undoes: int | None = None) -> Applied:
    with Folders(root) as folders:
        present = _read_as_planned(folders, writes)
        entry = _begin(folders, root, writes, present, journal, undoes)
        try:
            for folder in entry.folders:
                folders.make(folder)
            for write, file, content in zip(writes, entry.files, present, strict=True):
                if write.after is not None:
                    _write_beside(folders, file.temporary, write.after, _mode(write, content, undoes), content)
            folders.sync()
            _read_as_planned(folders, writes)
            for write, file in sorted(zip(writes, entry.files, strict=True), key=lambda pair: pair[0].after is None):
                _put_in_place(folders, write, file.temporary)
            folders.sync()
            journal.end(entry, "done")
        except BaseException:
            _roll_back(journal, entry)
            raise
    return Applied(entry.number, tuple(write.path for write in writes))


def _begin(
    folders: Folders,
    root: Path,
    writes: Sequence[_Write],
    contents: Sequence[Content | None],
    journal: Journal,
    undoes: int | None,
) -> Entry:
    token = secrets.token_hex(6)
    files = tuple(
        RecordedFile(
            write.path,
            _hash(write.before),
            _hash(write.after),
            write.mode if content is None else content.mode,
            _path_beside(write.path, f".quaestor-{token}-{at}.tmp"),
        )
        for at, (write, content) in enumerate(zip(writes, contents, strict=True))
    )
    new = [folder for write in writes if write.after is not None for folder in folders.missing_folders(write.path)]
    new_files = tuple(dict.fromkeys(new))
    return journal.begin(root, files, [write.before for write in writes], new_files, undoes)


def _read_as_planned(folders: Folders, writes: Sequence[_Write]) -> list[Content | None]:
    """Return the files as they are, if they are as they were read.

    Raises:
        ChangedError: one of them is not.
    """
    present = [_now(folders, write.path) for write in writes]
    pairs = zip(writes, present, strict=True)
    changed = [write.path for write, one in pairs if (one.data if one else None) != write.before]
    if changed:
        raise _change_error(changed, "since it was read; nothing was written, make the edit again")
    return present


def _now(folders: Folders, path: str) -> Content | None:
    try:
        return folders.read(path)
    except PlaceError as error:
        raise ChangedError(f"{error}; nothing was written.", [path]) from None


def _put_in_place(folders: Folders, write: _Write, temporary: str) -> None:
    """Put the new bytes in place, unless the file was changed meanwhile."""
    _read_as_planned(folders, [write])
    if not folders.is_unmoved(write.path):
        raise _change_error([write.path], "its folder; nothing was written, make the edit again")
    parent, name = folders.parent(write.path), _name(write.path)
    if write.after is None:
        os.unlink(name, dir_fd=parent)
    elif write.before is None:
        try:
            # Unlike a rename, a link never replaces a file that another process has put there.
            os.link(_name(temporary), name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
        except FileExistsError:
            raise _change_error(
                [write.path], "since it was looked for; nothing was written, make the edit again"
            ) from None
        os.unlink(_name(temporary), dir_fd=parent)
    else:
        os.replace(_name(temporary), name, src_dir_fd=parent, dst_dir_fd=parent)


def _mode(write: _Write, content: Content | None, undoes: int | None) -> int:
    return write.mode if content is None or undoes is not None else content.mode


def _write_beside(folders: Folders, temporary: str, data: bytes, mode: int, like: Content | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(_name(temporary), flags, 0o600, dir_fd=folders.parent(temporary))
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        if like is not None and (like.uid, like.gid) != (os.geteuid(), os.getegid()):
            with suppress(OSError):  # only the superuser gives files away
                os.fchown(descriptor, like.uid, like.gid)
        os.fchmod(descriptor, mode)
        os.fsync(descriptor)


# --- putting back -------------------------------------------------------------------------------------------------


def _recover(journal: Journal) -> tuple[str, ...]:
    touched: list[str] = []
    for entry in journal.entries():
        if entry.state == "prepared":
            _roll_back(journal, entry)
            touched += (file.path for file in entry.files)
    return tuple(touched)


def _roll_back(journal: Journal, entry: Entry) -> None:
    """Put every file of a record back as it was; see ``recover``."""
    odd = []
    with Folders(Path(entry.root)) as folders:
        for at, file in enumerate(entry.files):
            _unlink(folders, file.temporary)
            if not _put_back(folders, journal, entry, at):
                odd.append(file.path)
        for folder in reversed(entry.folders):
            folders.remove_empty(folder)
        folders.sync()
    journal.end(entry, "left" if odd else "rolled back")
    if odd:
        place = str(journal.place_of(entry))
        raise _change_error(
            odd, f"while an edit was under way and is left as it is; its earlier bytes lie in {place!r}"
        )


def _put_back(folders: Folders, journal: Journal, entry: Entry, at: int) -> bool:
    """Put one file back; return False where it is neither as before nor as after."""
    file = entry.files[at]
    try:
        content = folders.read(file.path)
    except PlaceError:
        return False
    now = _hash_of(content)
    if now == file.before:
        return True
    if now != file.after:
        return False
    if file.before is None:
        _unlink(folders, file.path)
        return True
    _write_beside(folders, file.temporary, journal.before(entry, at), file.mode, content)
    parent = folders.parent(file.path)
    os.replace(_name(file.temporary), _name(file.path), src_dir_fd=parent, dst_dir_fd=parent)
    return True


def _unlink(folders: Folders, path: str) -> None:
    with suppress(FileNotFoundError, PlaceError):
        os.unlink(_name(path), dir_fd=folders.parent(path))


def _change_error(paths: Sequence[str], what: str) -> ChangedError:
    names = ", ".join(repr(path) for path in paths)
    return ChangedError(f"Another program has changed {names} {what}.", paths)


def _hash(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _hash_of(content: Content | None) -> str | None:
    return None if content is None else _hash(content.data)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _path_beside(path: str, name: str) -> str:
    folder = path.rpartition("/")[0]
    return f"{folder}/{name}" if folder else name
