"""Reading a git folder without running git: ignore rules, tracked files, commit, project name."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from struct import Struct

from quaestor.history.git_boundary import GitBoundary, config_values, read_small

_LARGEST_CONFIG = 1 << 20
_LARGEST_POINTER = 1 << 12


def repository_root(folder: Path) -> Path | None:
    """Return the nearest folder at or above ``folder`` that contains a ``.git``, or None."""
    for candidate in (folder, *folder.parents):
        if os.path.lexists(candidate / ".git"):
            return candidate
    return None


def exclude_file(repository: Path) -> Path:
    """Return the path of a repository's ``info/exclude``, which may not exist; follows worktrees' ``.git`` files."""
    return common_folder(git_folder(repository / ".git")) / "info" / "exclude"


def common_folder(folder: Path) -> Path:
    """Return the folder that worktrees share; without worktrees it is the git folder itself."""
    common = _pointer(folder / "commondir")
    return folder / common if common else folder


def deciding_files(repository: Path | None) -> list[Path]:
    """Return the configuration files that name git's own ignore files, whether or not they exist."""
    home = os.environ.get("HOME") or os.environ.get("USERPROFILE")
    files = list(_user_configs(os.environ, home))
    return files if repository is None else [*files, git_folder(repository / ".git") / "commondir"]


def git_folder(dot_git: Path) -> Path:
    """Return the git folder of a ``.git``, which in a worktree or submodule is a file that names it."""
    if not dot_git.is_file():
        return dot_git
    pointer = _pointer(dot_git)
    return dot_git.parent / pointer.removeprefix("gitdir:").strip() if pointer.startswith("gitdir:") else dot_git


def _pointer(path: Path) -> str:
    text = read_small(path, _LARGEST_POINTER).decode("utf-8", "surrogateescape").strip()
    return "" if "\0" in text else text  # no path contains a NUL


def user_ignore_file(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the path of the user's ignore file for all repositories, which may not exist; None without a home."""
    home = environment.get("HOME") or environment.get("USERPROFILE")
    configured = None
    for config in _user_configs(environment, home):
        configured = _excludes_file(read_small(config, _LARGEST_CONFIG)) or configured
    if configured is not None:
        return _expand(configured, home)
    folder = environment.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else None)
    return Path(folder) / "git" / "ignore" if folder else None


def _user_configs(environment: Mapping[str, str], home: str | None) -> Iterator[Path]:
    """Yield the user's git configuration files; the last one has priority."""
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
    values = config_values(config.decode("utf-8", "replace"))
    return next((value for *at, value in reversed([*values]) if at == ["core", "excludesfile"]), None)


def _expand(path: str, home: str | None) -> Path | None:
    if not path:
        return None
    if path.startswith("~/"):
        return Path(home) / path[2:] if home else None
    return Path(path)


_LARGEST_HEAD = 1 << 12
_LARGEST_PACKED = 1 << 24
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCH = re.compile(r"refs/[^\s\0]+")


class _OwnFiles:
    """Reads the files of a repository's git folder that belong to it; others count as empty."""

    def __init__(self, repository: Path, within: Sequence[str]) -> None:
        self._own_folder = git_folder(repository / ".git")
        self._common = common_folder(self._own_folder)
        self._boundary = GitBoundary(repository, self._own_folder, self._common, within)

    def head(self) -> str:
        return self._read(self._own_folder / "HEAD", _LARGEST_HEAD).decode("ascii", "replace")

    def common(self, name: str, limit: int) -> bytes:
        return self._read(self._common / name, limit)

    def _read(self, path: Path, limit: int) -> bytes:
        is_readable = self._boundary.foreign is None and self._boundary.encloses(path)
        return read_small(path, limit) if is_readable else b""


def head_commit(folder: Path, within: Sequence[str] = ()) -> str:
    """Return the hash of the commit that is checked out around a folder, or "" if it cannot be read.

    Args:
        folder: any folder.
        within: folders elsewhere to which the repository's git folder may lead, also in the functions below.
    """
    repository = repository_root(folder)
    if repository is None:
        return ""
    files = _OwnFiles(repository, within)
    head = files.head()
    name = head.removeprefix("ref:").strip()
    if not head.startswith("ref:"):
        return _commit(head)
    if not _BRANCH.fullmatch(name) or ".." in name:
        return ""
    return _commit(files.common(name, _LARGEST_HEAD).decode("ascii", "replace")) or _packed_commit(
        files.common("packed-refs", _LARGEST_PACKED).decode("ascii", "replace"), name
    )


def _packed_commit(refs: str, name: str) -> str:
    """Return the commit of a branch in ``packed-refs``."""
    lines = (line.split(" ") for line in refs.splitlines())
    return next((_commit(parts[0]) for parts in lines if len(parts) == 2 and parts[1] == name), "")


def _commit(text: str) -> str:
    return text.strip() if _COMMIT.fullmatch(text.strip()) else ""


_LONGEST_URL = 2000


def origin_url(repository: Path, within: Sequence[str] = ()) -> str:
    """Return the address of the remote ``origin`` by a repository's own configuration, or ""."""
    config = _OwnFiles(repository, within).common("config", _LARGEST_CONFIG).decode("utf-8", "replace")
    url = next((value for *at, value in config_values(config) if at == ['remote "origin"', "url"]), "")
    return url if len(url) <= _LONGEST_URL else ""


def project_name(root: Path, within: Sequence[str] = ()) -> str:
    """Return the last part of the repository's origin, else its folder's name; "" outside repositories.

    The configuration is read as text; nothing in it is followed or run.
    """
    repository = repository_root(root if root.is_dir() else root.parent)
    if repository is None:
        return ""
    url = origin_url(repository, within)
    name = re.split(r"[/:\\]", url.rstrip("/\\"))[-1].removesuffix(".git") if url else repository.name
    return name if re.search(r"\w", name) else ""


_LARGEST_INDEX = 1 << 28
_HEADER = Struct(">4sII")
_FLAGS = Struct(">H")
_FIXED = 60
"""Bytes of an index entry before its flags: times, device, inode, mode, owner, size and hash (SHA-1)."""

_EXTENDED = 0x4000
_LONGEST_OFFSET = 10
"""The most bytes of a variable-width number of 64 bits."""


def index_file(repository: Path) -> Path:
    """Return the path of the index of a repository's work tree, which may not exist."""
    return git_folder(repository / ".git") / "index"


class TrackedFiles:
    """The files that a repository tracks; read when first asked for.

    Args:
        repository: the folder that contains ``.git``.
        inside: the path of the walk's root within the repository, empty or ending with ``/``.
        prefix: the path of the repository within the walk's root, empty or ending with ``/``.
    """

    def __init__(self, repository: Path, inside: str = "", prefix: str = "") -> None:
        self.prefix = prefix
        self.file = index_file(repository)
        self._inside = inside
        self._names: list[bytes] | None = None

    def has(self, path: str, *, folder: bool) -> bool:
        """Return whether a file is tracked, or a folder contains one; ``path`` is relative to the walk's root."""
        if self._names is None:
            self._names = sorted(tracked_names(read_small(self.file, _LARGEST_INDEX)))
        name = f"{self._inside}{path[len(self.prefix) :]}".encode("utf-8", "surrogateescape")
        if folder:
            name += b"/"
        # The folders are not stored: those of one long path would take quadratic space.
        at = bisect_left(self._names, name)
        at_place = self._names[at] if at < len(self._names) else b""
        return at_place.startswith(name) if folder else at_place == name


def tracked_names(index: bytes) -> Iterator[bytes]:
    """Yield the paths in an index of version 2, 3 or 4; of a damaged one, the paths before the damage.

    Their total size is limited to that of an index, because in version 4 each can repeat the whole path before it.
    """
    if len(index) < _HEADER.size:
        return
    mark, version, count = _HEADER.unpack_from(index)
    if mark != b"DIRC" or version not in (2, 3, 4):
        return
    at, name, room = _HEADER.size, b"", _LARGEST_INDEX
    for _ in range(count):
        start = at
        at += _FIXED
        if at + _FLAGS.size > len(index):
            return
        (flags,) = _FLAGS.unpack_from(index, at)
        at += _FLAGS.size + (2 if flags & _EXTENDED else 0)
        common = b""
        if version == 4:
            cut, at = _offset(index, at)
            common = name[: max(len(name) - cut, 0)]
        end = index.find(b"\0", at)
        if end < 0:
            return
        room -= len(common) + end - at
        if room < 0:
            return
        name = common + index[at:end]
        yield name
        # Versions 2 and 3 pad an entry with one to eight NULs.
        at = end + 1 if version == 4 else start + ((end - start) // 8 + 1) * 8


def _offset(index: bytes, at: int) -> tuple[int, int]:
    """Return git's variable-width number at an offset, and the offset after it."""
    value = -1
    for byte in index[at : at + _LONGEST_OFFSET]:
        at += 1
        value = ((value + 1) << 7) | (byte & 0x7F)
        if not byte & 0x80:
            break
    return max(value, 0), at
