"""Whether documents are still what was indexed: by size and time first, by hash where that proves nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from quaestor.core.passages import Document
from quaestor.files.consistent_read import UNTRUSTED, read_snapshot, stamp_of
from quaestor.files.file_names import on_disk

State = Literal["fresh", "changed", "missing"]
"""``fresh``: the bytes on disk are the indexed ones. ``missing``: no such file, or it cannot be read."""


def check(root: Path, documents: Iterable[Document]) -> Mapping[str, State]:
    """Return each document's state by path.

    Args:
        root: the folder that paths are relative to.
        documents: as they are in the index; usually those of a few hits. Each is looked at once.
    """
    place = str(root)
    return {path: check_one(place, document) for path, document in {d.path: d for d in documents}.items()}


def check_one(root: str, document: Document) -> State:
    """Return one document's state; reads the file only if its size or stamp prove nothing."""
    place = on_disk(root, document.path)
    try:
        state = os.lstat(place)
        if not stat.S_ISREG(state.st_mode):
            return "missing"
        if state.st_size != document.size:
            return "changed"
        if document.stamp != UNTRUSTED and document.stamp == stamp_of(state):
            return "fresh"
        return "fresh" if read_snapshot(place, document.size, root=root).sha256 == document.sha256 else "changed"
    except OSError:
        return "missing"
