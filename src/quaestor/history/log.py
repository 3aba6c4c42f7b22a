"""Commits from git's log, who last changed each line of a file, and when a text was added and removed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from quaestor.core.light_imports import NamedTuple
from quaestor.history.git import Git

_FIELDS = ("%H", "%aN", "%as", "%P", "%B")
# Of a run of blanks only the first, and of an address only the first @, is tried: anybody writes messages.
_ADDRESS = re.compile(r"(?<!\s)\s*<[^<>\s@]+(?:@| at )[^<>\s]+>|\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
# Control characters but tabs and line ends, and what turns the direction of writing.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_LONGEST_NAME = 100
_LONGEST_SUBJECT = 300
_LONGEST_MESSAGE = 20_000
_MOST_AUTHORS_BYTES = 64 << 20
# A number that an answer can do without.
_COUNT_SECONDS = 1.0

_MOVES = 8
_MOST_LOOKED_AT = 40
_WORD = re.compile(r"[\w$]")


class Commit(NamedTuple):
    """One commit, without its changes.

    Attributes:
        id: the whole hash, lower-case hex.
        author: the author's name by the repository's mailmap, never an address.
        date: the day of writing in ISO 8601.
        subject: the first paragraph of the message in one line.
        body: the rest of the message.
        parents: the number of its parents: 0 for a first commit, 2 for a merge.
    """

    id: str
    author: str
    date: str
    subject: str
    body: str
    parents: int

    @property
    def short(self) -> str:
        """The short hash that is shown."""
        return self.id[:10]


class Author(NamedTuple):
    """An author's share of a history.

    Attributes:
        name: the name by the repository's mailmap.
        commits: the number of commits.
        first: the day of the oldest commit in ISO 8601.
        newest: the hash of the newest commit.
    """

    name: str
    commits: int
    first: str
    newest: str


def log(  # noqa: PLR0913 - one argument a limit
    git: Git,
    *revisions: str,
    paths: Sequence[str] = (),
    limit: int = 20,
    since: str = "",
    until: str = "",
    words: Sequence[str] = (),
    by: str = "",
    scoped: bool = True,
    options: Sequence[str] = (),
) -> list[Commit]:
    """Return commits, newest first.

    Args:
        git: runs git.
        revisions: commits and ranges of them; ``HEAD`` by default.
        paths: the paths as git names them; by default the repository's readable part.
        limit: the most commits to return.
        since: the first day in ISO 8601.
        until: the last day in ISO 8601.
        words: words that must all occur in the message.
        by: the author.
        scoped: whether to pass paths; an option for lines of a file excludes them.
        options: further options of ``git log``.
    """
    arguments = ["log", "-z", f"--format={'%x00'.join(_FIELDS)}", f"-n{limit}", "--no-show-signature", "--no-color"]
    arguments += period(since, until)
    arguments += ["--fixed-strings", "--regexp-ignore-case", "--all-match"] if words or by else []
    arguments += [f"--grep={word}" for word in words] + ([f"--author={by}"] if by else [])
    arguments += [*options, "--end-of-options", *(revisions or ("HEAD",))]
    arguments += ["--", *(paths or git.repository.scope)] if scoped else []
    return read_commits(git.run(*arguments).data)


def read_commits(data: bytes) -> list[Commit]:
    """Return the commits that git printed; a commit that is cut off is left out."""
    fields = data.decode("utf-8", "replace").split("\0")
    commits = []
    for at in range(0, len(fields) - len(_FIELDS), len(_FIELDS)):
        identity, author, date, parents, message = fields[at : at + len(_FIELDS)]
        commits.append(commit_of(identity.strip(), author, date, parents, message))
    return commits


def commit_of(identity: str, author: str, date: str, parents: str, message: str) -> Commit:
    """Parse a commit from git's output, without addresses and control characters."""
    cleaned = clean_message(message[:_LONGEST_MESSAGE]).strip("\n")
    head, _, body = cleaned.partition("\n\n")
    subject = " ".join(head.split())[:_LONGEST_SUBJECT] or "(no message)"
    return Commit(identity, clean_name(author), date, subject, body.strip("\n"), len(parents.split()))


def clean_name(name: str) -> str:
    """Return a name on one line; if it is an e-mail address, the part before the @."""
    name = " ".join(_CONTROL.sub("", name[: 4 * _LONGEST_NAME]).replace("<", "").replace(">", "").split())
    return name.partition("@")[0][:_LONGEST_NAME] or "unknown"


def clean_message(message: str) -> str:
    """Return a message without addresses and control characters."""
    lines = message.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(_ADDRESS.sub("", _CONTROL.sub("", line)).rstrip() for line in lines)


def period(since: str, until: str) -> list[str]:
    """Return git's options for a time from one day to another, both included."""
    limits = [f"--since={since}T00:00:00"] if since else []
    return limits + ([f"--until={until}T23:59:59"] if until else [])


def count(git: Git, revisions: str, since: str = "", until: str = "") -> int | None:
    """Return the number of commits; None if counting took too long."""
    limits = (*period(since, until), "--end-of-options", revisions, "--", *git.repository.scope)
    output = git.ask("rev-list", "--count", *limits, seconds=_COUNT_SECONDS)
    return int(output) if output and output.strip().isdigit() else None


def authors(
    git: Git, revisions: str = "HEAD", paths: Sequence[str] = (), since: str = "", until: str = ""
) -> list[Author]:
    """Return the authors of commits, those with most commits first."""
    arguments = ["log", "--format=%aN%x00%as%x00%H", "--no-show-signature", *period(since, until)]
    arguments += ["--end-of-options", revisions, "--", *(paths or git.repository.scope)]
    by_name: dict[str, list[tuple[str, str]]] = {}
    for line in git.run(*arguments, most=_MOST_AUTHORS_BYTES).text.split("\n"):
        name, _, dated = line.partition("\0")
        date, mark, commit = dated.partition("\0")
        if mark:
            by_name.setdefault(clean_name(name), []).append((date, commit))
    each_author = [Author(name, len(each), min(each)[0], each[0][1]) for name, each in by_name.items()]
    return sorted(each_author, key=lambda one: (-one.commits, one.name))


Presence = Literal["file", "folder", "none"]


def presence(git: Git, path: str, revision: str = "HEAD") -> Presence:
    """Return whether a path, as git names it, is a file, a folder or missing in a revision."""
    kind = git.ask("cat-file", "-t", f"{revision}:{path.rstrip('/')}")
    return {"blob\n": "file", "tree\n": "folder"}.get(kind or "", "none")  # type: ignore[return-value]


def file_lines(git: Git, path: str, revision: str = "HEAD") -> list[str]:
    """Return the lines of a file, as git names it, in a revision; none if it is not there."""
    output = git.ask("cat-file", "blob", f"{revision}:{path}")
    return output.split("\n") if output else []


def is_empty(git: Git) -> bool:
    """Return whether no commit touches the part that is read."""
    output = git.ask("log", "-n1", "--format=%H", "HEAD", "--", *git.repository.scope)
    return not (output or "").strip()


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
    changed = (f"-S{needle}",)
    touching = log(git, at, paths=(path,), limit=2000, options=changed)[::-1]
    if not touching:  # to a file that a merge moved, no commit added it
        touching, path = log(git, at, limit=2000, options=changed)[::-1], ""
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
