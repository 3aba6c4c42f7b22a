"""Who last changed each line of a file, and when a text was added and removed, from git's differences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from quaestor.core.light_imports import NamedTuple
from quaestor.history.git import Git
from quaestor.history.log import Commit, clean_name, log


class Line(NamedTuple):
    """A line of a file and its last change.

    Attributes:
        number: the line's number in the newest commit, 1-based.
        commit: the hash of the commit that last changed it.
        author: that commit's author, by the repository's mailmap.
        text: the text of the line.
    """

    number: int
    commit: str
    author: str
    text: str


def blame(git: Git, path: str, first: int = 1, last: int | None = None) -> list[Line]:
    """Return lines of a file, as git names it, in the newest commit; changes of blanks alone do not count."""
    span = f"-L{first},{last or ''}"
    output = git.run("blame", "--line-porcelain", "-w", span, "HEAD", "--", path)
    lines, commit, number, author = [], "", 0, ""
    for raw in output.text.split("\n"):
        if raw.startswith("\t"):
            lines.append(Line(number, commit, author, raw[1:]))
            commit = ""
        elif not commit and len(fields := raw.split(" ")) >= 3 and fields[2].isdecimal():
            commit, number = fields[0], int(fields[2])
        elif raw.startswith("author "):
            author = clean_name(raw.removeprefix("author "))
    return lines


def shares(lines: Sequence[Line]) -> list[tuple[str, int]]:
    """Return each author with the number of lines, without empty ones, that they changed last; most first."""
    counted = Counter(line.author for line in lines if line.text.strip())
    return sorted(counted.items(), key=lambda one: (-one[1], one[0]))


_MOVES = 8
_MOST_LOOKED_AT = 40
_WORD = re.compile(r"[\w$]")


class Origin(NamedTuple):
    """The commit that added a text.

    Attributes:
        commit: the commit.
        path: the file to which it added the text, as git names it.
        moves: the files that held the text since, newest first.
    """

    commit: Commit
    path: str
    moves: tuple[str, ...]


def origin(git: Git, needle: str, path: str, at: str = "HEAD") -> Origin | None:
    """Return the commit that added a text to a file, or to the file that it was moved from.

    Args:
        git: runs git.
        needle: the text, exactly as in the file.
        path: the path of the file, as git names it.
        at: a commit whose file holds the text.
    """
    newest: Origin | None = None
    moves: list[str] = []
    for _ in range(_MOVES):
        oldest = _oldest(git, needle, path, at)
        if oldest is None:
            return newest
        newest = Origin(oldest, path, tuple(moves))
        before = f"{oldest.id}^"
        former = holder(git, needle, before) if oldest.parents else None
        if former is None:
            return newest
        moves.append(path)
        path, at = former, before
    return newest


def _oldest(git: Git, needle: str, path: str, at: str) -> Commit | None:
    """Return the oldest commit that added a text to a file; as whole words, if an early commit did so."""
    touching = log(git, at, paths=(path,), limit=2000, options=(f"-S{needle}",))[::-1]
    whole = (commit for commit in touching[:_MOST_LOOKED_AT] if holder(git, needle, commit.id, path))
    return next(whole, touching[0] if touching else None)


def holder(git: Git, needle: str, revision: str, path: str = "") -> str | None:
    """Return git's path of a file that contains a text in a revision, or None.

    Given a ``path``, only that file is looked at.
    """
    return next(iter(holders(git, needle, revision, path)), None)


def holders(git: Git, needle: str, revision: str, path: str = "") -> list[str]:
    """Return git's paths of the files that contain a text in a revision, as ``holder`` does."""
    arguments = ("grep", "-l", "-z", "-I", "-F", *(("-w",) if _is_bounded(needle) else ()), "--no-textconv")
    output = git.ask(*arguments, "-e", needle, revision, "--", *((path,) if path else git.repository.scope))
    return [name for one in (output or "").split("\0") if (name := one.partition(":")[2])]


def commits_touching(git: Git, needle: str, limit: int = 50) -> list[Commit]:
    """Return the commits of the whole history that changed the number of a text's occurrences, newest first."""
    return log(git, limit=limit, options=(f"-S{needle}",))


def lines_with(needle: str, lines: Sequence[str], sign: str) -> tuple[int, int] | None:
    """Return the lines of a difference around one that adds or removes a text: first and last index from 0, inclusive.

    Args:
        needle: the text.
        lines: the commit's text.
        sign: ``+`` for a line that was added, ``-`` for one that was removed.
    """
    whole = re.compile(rf"(?<!\w){re.escape(needle)}(?!\w)" if _is_bounded(needle) else re.escape(needle))
    at_line = next((at for at, line in enumerate(lines) if line.startswith(sign) and whole.search(line)), None)
    if at_line is None:
        return None
    first = last = at_line
    while first > 0 and at_line - first < 6 and lines[first - 1][:1] in ("+", "-"):
        first -= 1
    while last + 1 < len(lines) and last - at_line < 18 and lines[last + 1][:1] in ("+", "-"):
        last += 1
    return first, last


def _is_bounded(needle: str) -> bool:
    """Return whether a text begins and ends with word characters, so that it can be searched for as whole words."""
    return bool(_WORD.match(needle[0]) and _WORD.match(needle[-1]))
