"""Paths as the index has them, and the ends of errors about those that it has not."""

from __future__ import annotations

from collections.abc import Iterable


def plain(path: str) -> str:
    """Return a path as the index has it: no ``./``, no doubled slashes. What leads elsewhere stays as it is."""
    parts = [part for part in path.strip().split("/") if part not in ("", ".")]
    return path if path.startswith("/") or ".." in parts else "/".join(parts)


def parents(path: str) -> list[str]:
    """Return every folder above a path."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def meant_path(path: str, paths: Iterable[str]) -> str:
    """Return the end of an error about a path that is not there: which of ``paths`` may be meant."""
    from quaestor.corpus.near_paths import near_paths  # noqa: PLC0415 - only for an error

    return meant(near_paths(path, paths))


def meant(near: list[str]) -> str:
    """Return the end of an error about something that is not there: what may be meant."""
    if not near:
        return " Give a path as a search shows it."
    return f" Did you mean {' or '.join(map(repr, near))}?"
