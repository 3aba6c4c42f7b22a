"""The supported client programs: the paths of their settings files, and the form of an entry.

Data; nothing here is read or written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

NAME = "quaestor"


@dataclass(frozen=True, slots=True)
class Place:
    """The values that decide the path of a settings file.

    Attributes:
        home: the user's home folder.
        platform: as in ``sys.platform``.
        project: the project of project settings; None for the user's own.
        roaming: the folder for programs' settings on Windows.
        variables: environment variables that move programs' settings elsewhere.
    """

    home: Path
    platform: str
    project: Path | None = None
    roaming: Path | None = None
    variables: Mapping[str, str] = field(default_factory=dict)

    def folder(self, variable: str, otherwise: Path) -> Path:
        """Return the folder that a variable names; another where it names none."""
        named = Path(self.variables.get(variable, ""))
        return named if named.is_absolute() else otherwise

    @property
    def dotted(self) -> Path:
        """Where programs that follow the XDG rules keep their settings, on macOS as well."""
        return self.folder("XDG_CONFIG_HOME", self.home / ".config")

    @property
    def config(self) -> Path:
        """Where desktop programs keep their settings."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return self.roaming or self.home / "AppData" / "Roaming"
        return self.dotted


@dataclass(frozen=True, slots=True)
class Client:
    """A program that starts MCP servers.

    Attributes:
        name: on the command line.
        title: for people.
        form: of its settings file.
        path: the keys that lead to the entries of all servers.
        user_file: its file for all projects of a user.
        project_file: its file within one project; None if it has none.
        entry: makes the entry from the command and its arguments.
        works_in_folder: whether it starts servers in its working folder; otherwise the entry names the folder.
        also: other names of its file.
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
    # Unlike other programs, Zed keeps to ~/.config on macOS as well.
    folder = place.config / "Zed" if place.platform == "win32" else place.dotted / "zed"
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
            lambda place: place.dotted / "opencode" / "opencode.json",
            "opencode.json",
            _as_one_list,
            also=("opencode.jsonc",),
        ),
        Client("zed", "Zed", "json", ("context_servers",), _zed_settings, ".zed/settings.json", _plain),
    )
}
