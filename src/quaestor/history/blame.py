"""Who last changed each line of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from quaestor.core.light_imports import NamedTuple
from quaestor.history.git import Git
from quaestor.history.log import clean_name


class Line(NamedTuple):
    """A line and who last changed it.

    Attributes:
        number: 1-based, in the newest commit.
        commit: the hash.
        author: by the repository's mailmap.
        text: the line.
    """

    number: int
    commit: str
    author: str
    text: str


def blame(git: Git, path: str, first: int = 1, last: int | None = None) -> list[Line]:
    """Return lines of a file, as git names it, in the newest commit; changes of blanks alone do not count."""
    span = f"-L{first},{last or ''}"
    found = git.run("blame", "--line-porcelain", "-w", span, "HEAD", "--", path)
    lines, commit, number, author = [], "", 0, ""
    for raw in found.text.split("\n"):
        if raw.startswith("\t"):
            lines.append(Line(number, commit, author, raw[1:]))
            commit = ""
        elif not commit and len(fields := raw.split(" ")) >= 3 and fields[2].isdecimal():
            commit, number = fields[0], int(fields[2])
        elif raw.startswith("author "):
            author = clean_name(raw.removeprefix("author "))
    return lines


def shares(lines: Sequence[Line]) -> list[tuple[str, int]]:
    """Return who last changed how many lines that are not empty, most first."""
    counted = Counter(line.author for line in lines if line.text.strip())
    return sorted(counted.items(), key=lambda one: (-one[1], one[0]))
