"""Lists the supported client programs, and adds our entry to a program's settings file or removes it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path
from typing import Any, Literal

from quaestor.core.config import read_toml
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.install import settings_edit as jsonc
from quaestor.install import settings_edit as toml

NAME = "quaestor"


@dataclass(frozen=True, slots=True)
class Place:
    """The values that decide the path of a settings file.

    Attributes:
        home: the user's home folder.
        platform: the operating system, as in ``sys.platform``.
        project: the project's folder for settings of one project; None for the user's own settings.
        roaming: the folder of programs' settings on Windows (``APPDATA``).
        variables: environment variables that may name other folders for programs' settings.
    """

    home: Path
    platform: str
    project: Path | None = None
    roaming: Path | None = None
    variables: Mapping[str, str] = field(default_factory=dict)

    def folder(self, variable: str, otherwise: Path) -> Path:
        """Return the absolute path that an environment variable holds; else ``otherwise``."""
        variable_folder = Path(self.variables.get(variable, ""))
        return variable_folder if variable_folder.is_absolute() else otherwise

    @property
    def xdg_folder(self) -> Path:
        """The folder of settings for programs that follow the XDG rules, on macOS too."""
        return self.folder("XDG_CONFIG_HOME", self.home / ".config")

    @property
    def config(self) -> Path:
        """The folder of settings for desktop programs."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return self.roaming or self.home / "AppData" / "Roaming"
        return self.xdg_folder


@dataclass(frozen=True, slots=True)
class Client:
    """A program that starts MCP servers.

    Attributes:
        name: its name on the command line.
        title: its name for people.
        form: the format of its settings file.
        path: the keys that lead to the entries of all servers, from the outermost.
        user_file: returns the path of its settings for all of a user's projects.
        project_file: the path of a project's settings within the project; None if it has none.
        entry: makes the entry from the command and its arguments.
        works_in_folder: whether it starts servers in the project's folder; otherwise the entry names the folder.
        also: other file names that it reads.
    """

    name: str
    title: str
    form: Literal["json", "toml"]
    path: tuple[str, ...]
    user_file: Callable[[Place], Path]
    project_file: str | None
    entry: Callable[[str, Sequence[str]], dict[str, object]]
    works_in_folder: bool = True
    also: tuple[str, ...] = ()

    def file(self, place: Place) -> Path | None:
        """Return the settings file; None if this program has none for a single project."""
        if place.project is None:
            return self.user_file(place)
        return place.project / self.project_file if self.project_file else None


def _plain(command: str, arguments: Sequence[str]) -> dict[str, object]:
    return {"command": command, "args": list(arguments)}


def _with_type(command: str, arguments: Sequence[str]) -> dict[str, object]:
    return {"type": "stdio", **_plain(command, arguments)}


def _as_one_list(command: str, arguments: Sequence[str]) -> dict[str, object]:
    return {"type": "local", "command": [command, *arguments], "enabled": True}


def _zed_settings(place: Place) -> Path:
    # Unlike other desktop programs, Zed uses ~/.config on macOS too.
    folder = place.config / "Zed" if place.platform == "win32" else place.xdg_folder / "zed"
    return folder / "settings.json"


CLIENTS: dict[str, Client] = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "Claude Code",
            "json",
            ("mcpServers",),
            lambda place: place.folder("CLAUDE_CONFIG_DIR", place.home) / ".claude.json",
            ".mcp.json",
            _with_type,
        ),
        Client(
            "claude-desktop",
            "Claude Desktop",
            "json",
            ("mcpServers",),
            lambda place: place.config / "Claude" / "claude_desktop_config.json",
            None,
            _plain,
            works_in_folder=False,
        ),
        Client(
            "cursor",
            "Cursor",
            "json",
            ("mcpServers",),
            lambda place: place.home / ".cursor" / "mcp.json",
            ".cursor/mcp.json",
            _plain,
        ),
        Client(
            "vscode",
            "Visual Studio Code",
            "json",
            ("servers",),
            lambda place: place.config / "Code" / "User" / "mcp.json",
            ".vscode/mcp.json",
            _with_type,
        ),
        Client(
            "codex",
            "Codex",
            "toml",
            ("mcp_servers",),
            lambda place: place.folder("CODEX_HOME", place.home / ".codex") / "config.toml",
            ".codex/config.toml",
            _plain,
        ),
        Client(
            "gemini",
            "Gemini CLI",
            "json",
            ("mcpServers",),
            lambda place: place.home / ".gemini" / "settings.json",
            ".gemini/settings.json",
            _plain,
        ),
        Client(
            "opencode",
            "opencode",
            "json",
            ("mcp",),
            lambda place: place.xdg_folder / "opencode" / "opencode.json",
            "opencode.json",
            _as_one_list,
            also=("opencode.jsonc",),
        ),
        Client("zed", "Zed", "json", ("context_servers",), _zed_settings, ".zed/settings.json", _plain),
    )
}


_BACKUP = ".quaestor-backup"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a settings file.

    Attributes:
        path: the file's path.
        before: its text before the change; None if it did not exist.
        after: its text after the change; None if it is removed.
        backup: the path of the copy of ``before``; None if none is kept.
    """

    path: Path
    before: str | None
    after: str | None
    backup: Path | None

    @property
    def changes_text(self) -> bool:
        """Whether the file's text differs."""
        return self.before != self.after

    def diff(self) -> str:
        """Return the change as a unified diff."""
        name = str(self.path)
        before, after = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = unified_diff(before, after, name, name)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def install(client: Client, place: Place, command: str, arguments: Sequence[str], *, write: bool = True) -> Change:
    """Add an entry that tells a client how to start Quaestor, or update it.

    Args:
        client: the program that shall start Quaestor.
        place: decides which settings file is changed.
        command: the command that starts Quaestor.
        arguments: the command's arguments.
        write: whether to write the file; False only returns the change.

    Raises:
        UsageError: the file is not in the client's format or cannot be read or written, or the client has no settings
            for a single project.
    """
    entry = client.entry(command, arguments)

    def edit(text: str) -> str:
        return _with_entry(client, text, entry)

    def expect(settings: dict[str, Any]) -> None:
        for key in client.path:
            settings = settings.setdefault(key, {})
        settings[NAME] = entry

    by_hand = f"add this by hand: {_on_one_line(client, entry)}"
    change = _edit_settings(client, _file(client, place), edit, expect, by_hand)
    if write and change.changes_text:
        _write(change)
    return change


def uninstall(client: Client, place: Place, *, write: bool = True) -> Change:
    """Remove our entry from a client's settings.

    If nothing else has changed since ``install``, the file's former bytes are restored, or the file is removed if there
    was none.

    Raises:
        NotFoundError: the client has no settings file.
        UsageError: the file is not in the client's format or cannot be read or written, or the client has no settings
            for a single project.
    """
    path = _file(client, place)
    if not path.exists():
        raise NotFoundError(f"{client.title} has no settings in {str(path)!r}; there is nothing to remove.")

    def edit(text: str) -> str:
        remove = toml.without_table if client.form == "toml" else jsonc.without_member
        return remove(text, (*client.path, NAME))

    def expect(settings: dict[str, Any]) -> None:
        inner: Any = settings
        for key in client.path:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            inner.pop(NAME, None)
            # An empty TOML table disappears with the last table in it.
            if client.form == "toml" and not inner and len(client.path) == 1:
                settings.pop(client.path[0])

    change = _edit_settings(client, path, edit, expect, f"remove {NAME!r} by hand")
    former, backup = _former(client, path, change.before or ""), _backup(path)
    if former.known:
        change = Change(path, change.before, former.text, None)
    if write and change.changes_text:
        _write(change)
        if former.known:
            backup.unlink(missing_ok=True)
    return change


@dataclass(frozen=True, slots=True)
class _FormerText:
    """A settings file's text before our entry was added, if ``known``; None if the file did not exist."""

    known: bool
    text: str | None = None


def _former(client: Client, path: Path, text: str) -> _FormerText:
    """Return the text before our entry, if adding the entry to it, or to no file, gives exactly the present text."""
    backup = _backup(path)
    former = _read_settings(backup)
    entry = _entry(client, text)
    if entry is None or (former is not None and _entry(client, former) is not None):
        return _FormerText(known=False)
    try:
        return _FormerText(_with_entry(client, former or "", entry) == text, former)
    except ValueError:
        return _FormerText(known=False)


def _with_entry(client: Client, text: str, entry: Mapping[str, object]) -> str:
    edit = toml.with_table if client.form == "toml" else jsonc.with_member
    return edit(text, (*client.path, NAME), entry)


def _on_one_line(client: Client, entry: Mapping[str, object]) -> str:
    """Return our entry in the format of the client's file, on one line."""
    if client.form == "json":
        return json.dumps({client.path[0]: {NAME: entry}}, ensure_ascii=False)
    values = ", ".join(f"{key} = {json.dumps(value)}" for key, value in entry.items())
    return f"{'.'.join((*client.path, NAME))} = {{ {values} }}"


def _entry(client: Client, text: str) -> dict[str, object] | None:
    """Return our entry in a text; None if there is none or the text cannot be parsed."""
    try:
        value: Any = _loads(client)(text)
    except ValueError:
        return None
    for key in (*client.path, NAME):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def _loads(client: Client) -> Callable[[str], Any]:
    return read_toml if client.form == "toml" else jsonc.loads


def _backup(path: Path) -> Path:
    return path.with_name(path.name + _BACKUP)


def _file(client: Client, place: Place) -> Path:
    path = client.file(place)
    if path is None:
        raise UsageError(f"{client.title} has no settings for a single project; leave out --project.")
    others = (path.with_name(name) for name in client.also)
    path = path if path.exists() else next((other for other in others if other.exists()), path)
    # The file may be a symlink, for example to a repository of settings: write the file, not the link.
    return path.resolve() if path.is_symlink() else path


def _edit_settings(
    client: Client, path: Path, edit: Callable[[str], str], expect: Callable[[dict[str, Any]], None], by_hand: str
) -> Change:
    loads = _loads(client)
    before = _read_settings(path)
    try:
        expected = deepcopy(loads(before or ""))
        after = edit(before or "")
        expect(expected)
        if loads(after) != expected:
            raise ValueError("it cannot be edited safely in the form in which it is written")
    except (ValueError, AttributeError, TypeError) as error:
        raise UsageError(f"{str(path)!r} was not changed: {error}. Fix it, or {by_hand}") from error
    if before is None and not after:
        return Change(path, None, None, None)
    return Change(path, before, after, _backup(path) if before is not None else None)


def _read_settings(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"{str(path)!r} cannot be read ({reason}). Fix it, then try again.") from error


def _write(change: Change) -> None:
    """Replace the old text by the new one atomically, and keep the old one as a backup."""
    path = change.path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if change.before is not None and change.backup is not None:
            _replace(change.backup, change.before, like=path)
        if change.after is None:
            path.unlink()
        else:
            _replace(path, change.after, like=path)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written ({error.strerror}). It was not changed.") from error


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
