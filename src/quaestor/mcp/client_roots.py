"""The folders that a client says it works in, from the addresses that it names them by."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname


def folders_of_uris(uris: Iterable[str]) -> tuple[Path, ...]:
    """Return the folders that ``file:`` addresses name, each once; what names none of this machine is left out."""
    folders = (folder_of_uri(uri) for uri in uris)
    return tuple(dict.fromkeys(folder for folder in folders if folder is not None))


def folder_of_uri(uri: str) -> Path | None:
    """Return the folder that a ``file:`` address names; None if it names none of this machine."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = Path(url2pathname(parts.path))
    return path if path.is_absolute() and path.is_dir() else None
