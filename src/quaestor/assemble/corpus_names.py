"""The name under which a database holds the index of a source."""

from __future__ import annotations

import re
import socket
from pathlib import Path

from quaestor.assemble.source_paths import index_folder
from quaestor.core.config import Settings
from quaestor.files.git_folder import common_folder, git_folder, read_small, repository_root

_LARGEST_CONFIG = 1 << 20
_ORIGIN = re.compile(r'^\s*\[remote "origin"\][^\[]*?^\s*url\s*=\s*(\S+)', re.MULTILINE)
# git@host:team/name.git and https://user@host:443/team/name.git are one repository: host/team/name
_REMOTE = re.compile(r"^(?:[a-z+]+://)?(?:[^@/]*@)?([^:/]+)(?::\d+)?[:/]+(.+?)(?:\.git)?/*$", re.IGNORECASE)


def corpus_name(root: Path, settings: Settings) -> str:
    """Return the name under which a database holds the index of a source.

    It is what the setting says; else of a repository with a remote ``origin``, the same on all machines; else one of
    this machine's, which nobody else's folder gets by chance.
    """
    return settings.corpus or _of_repository(root) or f"{socket.gethostname()}:{index_folder(root, settings).name}"


def _of_repository(root: Path) -> str:
    repository = repository_root(root)
    if repository is None:
        return ""
    config = read_small(common_folder(git_folder(repository / ".git")) / "config", _LARGEST_CONFIG)
    found = _ORIGIN.search(config.decode("utf-8", "replace"))
    remote = _REMOTE.match(found[1]) if found else None
    if remote is None:
        return ""
    below = root.relative_to(repository).as_posix()
    return "/".join([remote[1].lower(), remote[2], *([] if below == "." else [below])])
