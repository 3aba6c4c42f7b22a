"""Putting our entry into a client's settings file, and taking it back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from quaestor.errors import NotFoundError, UsageError
from quaestor.serving.agents import jsonc, toml
from quaestor.serving.agents.clients import NAME, Client, Place

_BACKUP = ".quaestor-backup"


@dataclass(frozen=True, slots=True)
class Change:
    """What is done to a settings file.

    Attributes:
        path: of the file.
        before: its text; None if it did not exist.
        after: its text afterwards.
        backup: where ``before`` is kept; None if there is nothing to keep.
    """

    path: Path
    before: str | None
    after: str
    backup: Path | None

    @property
    def changed(self) -> bool:
        """Whether there is anything to do."""
        return (self.before or "") != self.after

    def diff(self) -> str:
        """Return a unified diff of the file."""
        name = str(self.path)
        lines = unified_diff(
            (self.before or "").splitlines(keepends=True), self.after.splitlines(keepends=True), name, name
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def install(client: Client, place: Place, command: str, arguments: Sequence[str], *, write: bool = True) -> Change:
    """Tell a client how to start Quaestor; an entry that is there already is brought up to date.

    Args:
        client: the program.
        place: whose settings.
        command: what it starts.
        arguments: of the command.
        write: False to find out what would be done.

    Raises:
        UsageError: the file is not what the client reads, or the client has no settings for a project.
        ForbiddenError: the file cannot be read or written.
    """
    entry = client.entry(command, arguments)

    def edit(text: str) -> str:
        if client.form == "toml":
            return toml.with_table(text, (*client.path, NAME), entry)
        return jsonc.with_member(text, (*client.path, NAME), entry)

    def expect(settings: dict[str, Any]) -> None:
        for key in client.path:
            settings = settings.setdefault(key, {})
        settings[NAME] = entry

    return _changed(client, place, edit, expect, write=write)


def uninstall(client: Client, place: Place, *, write: bool = True) -> Change:
    """Take our entry back from a client's settings.

    Raises:
        NotFoundError: there is no such file.
        UsageError: the file is not what the client reads.
        ForbiddenError: the file cannot be read or written.
    """
    path = _file(client, place)
    if not path.exists():
        raise NotFoundError(f"{client.title} has no settings in {str(path)!r}; there is nothing to take back.")

    def edit(text: str) -> str:
        remove = toml.without_table if client.form == "toml" else jsonc.without_member
        return remove(text, (*client.path, NAME))

    def expect(settings: dict[str, Any]) -> None:
        inner: Any = settings
        for key in client.path:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            inner.pop(NAME, None)
            # A TOML table without values may go with its last table.
            if client.form == "toml" and not inner and len(client.path) == 1:
                settings.pop(client.path[0])

    return _changed(client, place, edit, expect, write=write)


def _file(client: Client, place: Place) -> Path:
    path = client.file(place)
    if path is None:
        raise UsageError(f"{client.title} has no settings for a single project; leave out --project.")
    # Settings are often kept elsewhere and linked to: what is written is the file itself.
    return path.resolve() if path.is_symlink() else path


def _changed(
    client: Client, place: Place, edit: Callable[[str], str], expect: Callable[[dict[str, Any]], None], *, write: bool
) -> Change:
    path = _file(client, place)
    loads = toml.loads if client.form == "toml" else jsonc.loads
    before = _read(path)
    try:
        expected = deepcopy(loads(before or ""))
        after = edit(before or "")
        expect(expected)
        if loads(after) != expected:
            raise ValueError("it is written in a form that cannot be edited safely")
    except (ValueError, AttributeError, TypeError) as error:
        raise UsageError(
            f"{str(path)!r} was left as it is: {error}. Mend it, or add the entry by hand (--dry-run prints it)."
        ) from error
    change = Change(path, before, after, path.with_name(path.name + _BACKUP) if before is not None else None)
    if write and change.changed:
        _write(change)
    return change


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"{str(path)!r} cannot be read ({reason}). Mend it, then try again.") from error


def _write(change: Change) -> None:
    """Put the new text in the place of the old one at a stroke, with the old one kept beside it."""
    path = change.path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if change.before is not None and change.backup is not None:
            _replace(change.backup, change.before, like=path)
        _replace(path, change.after, like=path)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written ({error.strerror}). It was left as it is.") from error


def _replace(path: Path, text: str, *, like: Path) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            new.chmod(like.stat().st_mode & 0o7777)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
