"""Paths of a corpus's documents: as a tree of folders, and suggestions for a path that does not exist. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from posixpath import basename

_LONGEST = 300
_LIKE = 0.6


def near_paths(path: str, paths: Iterable[str], most: int = 3) -> list[str]:
    """Return up to ``most`` of ``paths`` that are similar to ``path``, the most similar first.

    Paths with the same end come first, then those with the same name elsewhere, then those with a similar name.
    """
    wanted = re.sub(r"(?::\d+(?:-\d+)?)+$", "", path[:_LONGEST].strip().replace("\\", "/"))
    parts = [part for part in wanted.lower().split("/") if part not in ("", ".", "..")]
    if not parts:
        return []
    all_paths = list(paths)
    same = [one for one in all_paths if basename(one).lower() == parts[-1]]
    if not same:
        # Comparing costs: a name with another first letter is hardly a slip.
        names = {basename(one).lower() for one in all_paths if basename(one)[:1].lower() == parts[-1][0]}
        alike = get_close_matches(parts[-1], names, n=most, cutoff=_LIKE)
        places = {name: rank for rank, name in enumerate(alike)}
        same = [one for one in all_paths if basename(one).lower() in places]
        return sorted(same, key=lambda one: (places[basename(one).lower()], -_common(parts, one), one))[:most]
    return sorted(same, key=lambda one: (-_common(parts, one), one))[:most]


def _common(parts: list[str], path: str) -> int:
    """Return how many folders two paths share, seen from the end."""
    count = 0
    for mine, other in zip(reversed(parts), reversed(path.lower().split("/")), strict=False):
        if mine != other:
            break
        count += 1
    return count


def plain(path: str) -> str:
    """Return a path in the index's form, without ``./`` and doubled slashes; a path out of the root is unchanged."""
    parts = [part for part in path.strip().split("/") if part not in ("", ".")]
    return path if path.startswith("/") or ".." in parts else "/".join(parts)


def parents(path: str) -> list[str]:
    """Return every folder above a path."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def suggest_path(path: str, paths: Iterable[str]) -> str:
    """Return the end of an error about a missing path: which of ``paths`` may be meant."""
    return suggest_paths(near_paths(path, paths))


def suggest_paths(near: list[str]) -> str:
    """Return the end of a not-found message: suggestions."""
    if not near:
        return " Give a path as a search shows it."
    return f" Did you mean {' or '.join(map(repr, near))}?"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that contains documents.

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
    """Return a folder with ``depth`` levels of subfolders, or None if it contains no document.

    Args:
        paths: the paths of all documents.
        folder: the folder to begin with; empty for the root.
        depth: the number of levels; 0 for only the number of documents.
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
