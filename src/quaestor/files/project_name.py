"""What people call the project that a folder belongs to."""

from __future__ import annotations

import re
from pathlib import Path

from quaestor.files.git_folder import git_folder, read_small, repository_root

_LARGEST_CONFIG = 1 << 20
_ORIGIN = re.compile(r'^\s*\[remote "origin"\]\s*$(?P<body>.*?)(?=^\s*\[|\Z)', re.MULTILINE | re.DOTALL)
_URL = re.compile(r"^\s*url\s*=\s*(\S+)", re.MULTILINE)


def project_name(root: Path) -> str:
    """Return the last part of the repository's origin, else its folder's name; empty outside of repositories.

    The configuration is read as text; nothing in it is followed or run.
    """
    repository = repository_root(root if root.is_dir() else root.parent)
    if repository is None:
        return ""
    text = read_small(git_folder(repository / ".git") / "config", _LARGEST_CONFIG).decode("utf-8", "replace")
    origin = _ORIGIN.search(text)
    url = _URL.search(origin["body"]) if origin else None
    name = re.split(r"[/:\\]", url[1].rstrip("/\\"))[-1].removesuffix(".git") if url else repository.name
    return name if re.search(r"\w", name) else ""
