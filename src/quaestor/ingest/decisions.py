"""What earlier walks decided, kept with the index so that the next one need not decide again.

A decision by pattern holds while no ignore file above it has changed; a decision by content holds while the
file's size and stamp are the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Self

from quaestor.ingest.deny import Reason

_VERSION = 1

Stamp = tuple[int, int]
"""A file's size and stamp (see ``reading``); (-1, 0) for a file that does not exist."""

NO_FILE: Stamp = (-1, 0)


@dataclass(slots=True)
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

    rules: str = ""
    outer: dict[str, Stamp] = field(default_factory=dict)
    sources: dict[str, dict[str, Stamp]] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    ignored: set[str] = field(default_factory=set)
    tracked: dict[str, Stamp] = field(default_factory=dict)
    rescued: set[str] = field(default_factory=set)
    refused: dict[str, tuple[Reason, str, Stamp]] = field(default_factory=dict)

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
        return cls(
            rules=data["rules"],
            outer=_stamps(data["outer"]),
            sources={folder: _stamps(files) for folder, files in data["sources"].items()},
            folders=set(data["folders"]),
            ignored=set(data["ignored"]),
            tracked=_stamps(data["tracked"]),
            rescued=set(data["rescued"]),
            refused={
                path: (reason, detail, (size, time)) for path, (reason, detail, (size, time)) in data["refused"].items()
            },
        )


def _stamps(data: dict[str, list[int]]) -> dict[str, Stamp]:
    return {name: (size, time) for name, (size, time) in data.items()}
