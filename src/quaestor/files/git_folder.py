"""Where git keeps its own ignore rules: found by reading, never by running git.

A hostile repository's configuration can make git execute commands; reading a few small files cannot.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

_LARGEST_CONFIG = 1 << 20
_LARGEST_POINTER = 1 << 12


def repository_root(folder: Path) -> Path | None:
    """Return the nearest folder at or above ``folder`` that holds a ``.git``, or None."""
    for candidate in (folder, *folder.parents):
        if os.path.lexists(candidate / ".git"):
            return candidate
    return None


def exclude_file(repository: Path) -> Path:
    """Return the repository's ``info/exclude``, which need not exist; follows worktrees' ``.git`` files."""
    return common_folder(git_folder(repository / ".git")) / "info" / "exclude"


def common_folder(folder: Path) -> Path:
    """Return the folder that holds what a git folder shares with other worktrees; mostly the same."""
    common = _pointer(folder / "commondir")
    return folder / common if common else folder


def deciding_files(repository: Path | None) -> list[Path]:
    """Return the files that say where git's own ignore files lie, whether or not they exist."""
    home = os.environ.get("HOME") or os.environ.get("USERPROFILE")
    files = list(_user_configs(os.environ, home))
    return files if repository is None else [*files, git_folder(repository / ".git") / "commondir"]


def git_folder(dot_git: Path) -> Path:
    """Return the folder that a ``.git`` stands for; in a worktree or submodule it is a file naming it."""
    if not dot_git.is_file():
        return dot_git
    pointer = _pointer(dot_git)
    return dot_git.parent / pointer.removeprefix("gitdir:").strip() if pointer.startswith("gitdir:") else dot_git


def _pointer(path: Path) -> str:
    said = read_small(path, _LARGEST_POINTER).decode("utf-8", "surrogateescape").strip()
    return "" if "\0" in said else said  # no path has one


def user_ignore_file(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the user's own ignore file for all repositories, which need not exist; None without a home."""
    home = environment.get("HOME") or environment.get("USERPROFILE")
    configured = None
    for config in _user_configs(environment, home):
        configured = _excludes_file(read_small(config, _LARGEST_CONFIG)) or configured
    if configured is not None:
        return _expand(configured, home)
    folder = environment.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else None)
    return Path(folder) / "git" / "ignore" if folder else None


def _user_configs(environment: Mapping[str, str], home: str | None) -> Iterator[Path]:
    """Yield the user's git configuration files, the one that wins last."""
    if chosen := environment.get("GIT_CONFIG_GLOBAL"):
        yield Path(chosen)
        return
    folder = environment.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else None)
    if folder:
        yield Path(folder) / "git" / "config"
    if home:
        yield Path(home) / ".gitconfig"


def _excludes_file(config: bytes) -> str | None:
    """Return the last ``core.excludesFile`` of a git configuration."""
    section, found = "", None
    for line in config.decode("utf-8", "replace").splitlines():
        line = line.strip()
        if line.startswith("["):
            section, _, line = line[1:].partition("]")
            section, line = section.strip().lower(), line.strip()
        key, equals, value = line.partition("=")
        if section == "core" and equals and key.strip().lower() == "excludesfile":
            found = _unquote(value.strip())
    return found


def _unquote(value: str) -> str:
    if value.startswith('"'):
        return value[1:].partition('"')[0].replace("\\\\", "\\")
    for mark in (" #", " ;"):
        value = value.partition(mark)[0]
    return value.rstrip()


def _expand(path: str, home: str | None) -> Path | None:
    if not path:
        return None
    if path.startswith("~/"):
        return Path(home) / path[2:] if home else None
    return Path(path)


def read_small(path: Path, limit: int) -> bytes:
    """Return the first ``limit`` bytes of a regular file; empty if it does not exist or cannot be read."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(limit)
    except (OSError, ValueError):
        return b""
