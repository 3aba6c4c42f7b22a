"""What earlier walks decided, kept with the index so that the next one need not decide again.

A decision by pattern holds while no ignore file above it has changed; a decision by content holds while the
file's size and stamp are the same.
"""

from __future__ import annotations

import json
from typing import Any, Self

from quaestor.files.deny import Reason

_VERSION = 1

Stamp = tuple[int, int]
"""A file's size and stamp (see ``reading``); (-1, 0) for a file that does not exist."""

NO_FILE: Stamp = (-1, 0)


class Decisions:
    """The remembered part of a walk. Paths are as the file system gives them.

    Attributes:
        rules: digest of the settings.
        outer: ignore files outside the root that apply inside it.
        sources: per folder (``""`` is the root, others end with ``/``), its ignore files.
        folders: folders that were entered.
        ignored: entries that a pattern left out; folders end with ``/``.
        tracked: per repository (``""`` is the root's), its index.
        rescued: files that are indexed only because they are tracked.
        refused: files that were left out for what is in them: reason, detail, and the stamp that they hold
            for.
    """

    __slots__ = ("folders", "ignored", "outer", "refused", "rescued", "rules", "sources", "tracked")

    def __init__(self, rules: str = "") -> None:
        self.rules = rules
        self.outer: dict[str, Stamp] = {}
        self.sources: dict[str, dict[str, Stamp]] = {}
        self.folders: set[str] = set()
        self.ignored: set[str] = set()
        self.tracked: dict[str, Stamp] = {}
        self.rescued: set[str] = set()
        self.refused: dict[str, tuple[Reason, str, Stamp]] = {}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Decisions):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def to_text(self) -> str:
        """Return the decisions as JSON in ASCII."""
        return json.dumps(
            {
                "version": _VERSION,
                "rules": self.rules,
                "outer": self.outer,
                "sources": self.sources,
                "folders": sorted(self.folders),
                "ignored": sorted(self.ignored),
                "tracked": self.tracked,
                "rescued": sorted(self.rescued),
                "refused": self.refused,
            },
            separators=(",", ":"),
        )

    @classmethod
    def from_text(cls, text: str | None) -> Self:
        """Return remembered decisions; empty ones where the text is missing or not understood."""
        try:
            return cls._read(json.loads(text or ""))
        except (ValueError, KeyError, TypeError, AttributeError):
            return cls()

    @classmethod
    def _read(cls, data: dict[str, Any]) -> Self:
        if data["version"] != _VERSION:
            return cls()
        read = cls(data["rules"])
        read.outer = _stamps(data["outer"])
        read.sources = {folder: _stamps(files) for folder, files in data["sources"].items()}
        read.folders = set(data["folders"])
        read.ignored = set(data["ignored"])
        read.tracked = _stamps(data["tracked"])
        read.rescued = set(data["rescued"])
        read.refused = {
            path: (reason, detail, (size, time)) for path, (reason, detail, (size, time)) in data["refused"].items()
        }
        return read


def _stamps(data: dict[str, list[int]]) -> dict[str, Stamp]:
    return {name: (size, time) for name, (size, time) in data.items()}
