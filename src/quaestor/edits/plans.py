"""Values of edits: a model's proposal as it wrote it, and a plan with every byte of the files, or the refusals.

Nothing here reads a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal[
    "unreadable reply",
    "bad path",
    "outside",
    "forbidden",
    "link",
    "not a file",
    "missing",
    "exists",
    "read-only",
    "too large",
    "not text",
    "not found",
    "ambiguous",
    "conflict",
    "elided",
    "encoding",
    "syntax",
    "no change",
    "twice",
]
"""Why a change is refused.

``not found`` and ``ambiguous``: its search text occurs nowhere, or in several places. ``conflict``: it misquotes the
lines that it changes, or their indentation is unclear. ``elided``: it leaves out lines that would have to be written.
``twice``: two changes want the same file.
"""

How = Literal["exact", "whitespace", "elided", "fuzzy", "whole"]
"""How well a change fits its file: ``whole`` replaces the file."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Replace one text by another.

    Attributes:
        path: of the file, relative to the root, with ``/``.
        search: whole lines of the file, each with a line feed.
        replace: the new lines; empty to delete.
        readings: other (search, replace) pairs, if the block holds several lines that look like the divider.
    """

    path: str
    search: str
    replace: str
    readings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Whole:
    """Give a file this text, whether it exists or not."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Create:
    """Make a file that does not exist yet."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove a file."""

    path: str


@dataclass(frozen=True, slots=True)
class Rename:
    """Give a file another path, at which nothing is yet."""

    path: str
    to: str


Change = Replace | Whole | Create | Delete | Rename


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of a reply that looks like a change and cannot be read as one.

    Attributes:
        line: of the reply, from 1.
        message: the problem, and the correct form.
    """

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """All that one reply proposes, in its order.

    Attributes:
        changes: those that could be read.
        problems: those that could not. A proposal with problems is never applied, for half of a change is another
            change.
    """

    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes or self.problems)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A change that will not be made.

    Attributes:
        path: of its file.
        kind: why.
        message: the same in words, with what to do next.
        lines: first lines of the places that come into question, from 1.
    """

    path: str
    kind: Kind
    message: str
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FileChange:
    """One path before and after. A renamed file is one path that goes and one that comes.

    Attributes:
        path: relative to the root, with ``/``.
        before: the bytes that it was read with; None: it does not exist.
        after: the bytes that it gets; None: it goes.
        mode: permission bits of the file as it was read, or that a new one gets.
        renamed_from: the path whose bytes, or most of them, this new one takes over.
        objections: why a person is asked once more: it is ignored, secret, hidden, or is run without being called.
        how: how each of its changes was found to fit.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int = 0o644
    renamed_from: str | None = None
    objections: tuple[str, ...] = ()
    how: tuple[How, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes that a proposal makes to the files as they are now.

    Attributes:
        root: the real path of the folder that all paths are relative to.
        files: sorted by path; empty if anything is refused, for changes are made all or none.
        refusals: in the order of the proposal.
    """

    root: Path
    files: tuple[FileChange, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    @property
    def sensitive(self) -> tuple[FileChange, ...]:
        """The files that need a second consent."""
        return tuple(file for file in self.files if file.objections)
