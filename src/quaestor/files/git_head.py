"""The commit that a checkout is at: found by reading, never by running git."""

from __future__ import annotations

import re
from pathlib import Path

from quaestor.files.git_folder import common_folder, git_folder, read_small, repository_root

_LARGEST_HEAD = 1 << 12
_LARGEST_PACKED = 1 << 24
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCH = re.compile(r"refs/[^\s\0]+")


def head_commit(folder: Path) -> str:
    """Return the hash of the commit that is checked out around a folder; empty where there is none that can be read."""
    repository = repository_root(folder)
    if repository is None:
        return ""
    own = git_folder(repository / ".git")
    head = _text(own / "HEAD", _LARGEST_HEAD)
    name = head.removeprefix("ref:").strip()
    if not head.startswith("ref:"):
        return _commit(head)
    if not _BRANCH.fullmatch(name) or ".." in name:
        return ""
    shared = common_folder(own)
    return _commit(_text(shared / name, _LARGEST_HEAD)) or _packed(_text(shared / "packed-refs", _LARGEST_PACKED), name)


def _packed(refs: str, name: str) -> str:
    """Return the commit of a branch that git keeps together with others."""
    lines = (line.split(" ") for line in refs.splitlines())
    return next((_commit(parts[0]) for parts in lines if len(parts) == 2 and parts[1] == name), "")


def _commit(text: str) -> str:
    return text.strip() if _COMMIT.fullmatch(text.strip()) else ""


def _text(path: Path, limit: int) -> str:
    return read_small(path, limit).decode("ascii", "replace")
