"""Commits from git's log."""

from __future__ import annotations

import re
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
