"""What a model proposes: changes to files, as it wrote them. Nothing here has looked at a file yet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Replace:
    """Put one text in the place of another.

    Attributes:
        path: of the file, relative to the root, with ``/``.
        search: whole lines that the file holds, each ended by a line feed.
        replace: the lines to stand there instead; empty to delete them.
        readings: the other (search, replace) pairs that the block can be read as, where its text holds a line
            that looks like the divider.
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
        line: where in the reply, from 1.
        message: what is wrong with it and how it is to be written.
    """

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """All that one reply proposes, in its order.

    Attributes:
        changes: what could be read.
        problems: what could not. A proposal with problems is never applied, for half of a change is another change.
    """

    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes or self.problems)
