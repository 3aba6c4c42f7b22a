"""Documents as a tree of folders. Pure: paths in, folders out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that holds documents.

    Attributes:
        path: relative to the root, without a slash at its end; empty for the root.
        count: documents in it, including its subfolders.
        documents: names of the documents directly in it, sorted.
        folders: its subfolders, sorted by name; empty below the requested depth.
        hidden: number of subfolders that are not listed, because they are deeper than requested.
    """

    path: str
    count: int
    documents: tuple[str, ...] = ()
    folders: tuple[Folder, ...] = ()
    hidden: int = 0

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


def make_tree(paths: Iterable[str], folder: str, depth: int) -> Folder | None:
    """Return a folder with ``depth`` levels of subfolders, or None if it holds no document.

    Args:
        paths: of all documents.
        folder: where to begin; empty for the root.
        depth: 0 gives only the number of documents.
    """
    prefix = f"{folder}/" if folder else ""
    inside = sorted(path[len(prefix) :] for path in paths if path.startswith(prefix))
    return _folder(folder, [path.split("/") for path in inside], depth) if inside else None


def _folder(path: str, inside: list[list[str]], depth: int) -> Folder:
    if depth <= 0:
        return Folder(path, len(inside), hidden=len({parts[0] for parts in inside if len(parts) > 1}))
    below: dict[str, list[list[str]]] = {}
    for parts in inside:
        if len(parts) > 1:
            below.setdefault(parts[0], []).append(parts[1:])
    folders = tuple(_folder(f"{path}/{name}" if path else name, below[name], depth - 1) for name in sorted(below))
    return Folder(path, len(inside), tuple(parts[0] for parts in inside if len(parts) == 1), folders)
