"""Commits and tags as texts with lines, so that they can be cited, read and checked as documents are.

A commit's text is its head, its message, the files that it changed and how. It is made of the object alone, which never
changes, so that quotes of it stay valid. Files that are never indexed, private keys and e-mail addresses are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quaestor.core.light_imports import NamedTuple
from quaestor.history.git import Git
from quaestor.history.log import Commit, clean_message, commit_of
from quaestor.history.versions import tag_text, tags

_PLACE = re.compile(r"(?:commit (?P<commit>[0-9a-f]{7,64})|tag (?P<tag>\S[^\x00-\x1f\x7f]{0,200}))")
_FORMAT = "%H%x00%aN%x00%as%x00%P%x00%B%x00"
_LARGEST = 2 << 20
_LONGEST_LINE = 2000
_MOST_FILES = 200
_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY")
_LEFT_OUT = "(what changed in this file is not shown)"


class CommitText(NamedTuple):
    """A commit as a text.

    Attributes:
        commit: its metadata.
        text: all lines, each with a line feed.
        head_lines: the number of lines before the differences.
        files: the changed paths, as the corpus names them.
    """

    commit: Commit
    text: str
    head_lines: int
    files: tuple[str, ...]


def commit_path(commit: str) -> str:
    """Return the path by which a commit is cited."""
    return f"commit {commit[:10]}"


def is_object(path: str) -> bool:
    """Return whether a path names a commit or a tag."""
    return _PLACE.fullmatch(path) is not None


def object_text(git: Git, path: str) -> str | None:
    """Return the text of the commit or tag that a path names; None if it does not exist."""
    match = _PLACE.fullmatch(path)
    if match is None:
        return None
    if match["tag"]:
        return next((tag_text(tag) for tag in tags(git) if tag.name == match["tag"]), None)
    commit = commit_text(git, match["commit"])
    return None if commit is None else commit.text


def commit_text(git: Git, commit: str) -> CommitText | None:
    """Return a commit as a text; None if there is no such commit in the part that is read."""
    arguments = ["show", f"--format={_FORMAT}", "--patch", "--diff-merges=first-parent", "--find-renames"]
    arguments += ["--no-ext-diff", "--no-textconv", "--no-color", "--no-show-signature", "--submodule=short"]
    arguments += ["--src-prefix=a/", "--dst-prefix=b/", "--end-of-options", f"{commit}^{{commit}}", "--"]
    output = git.run(*arguments, *git.repository.scope, most=_LARGEST)
    head = output.text.split("\0", 5)
    if len(head) < 6:
        return _without_changes(git, commit)
    # A tag or branch may be called like another commit's hash.
    if not head[0].startswith(commit):
        return None
    parts = list(_parts(git, head[5]))
    if git.repository.prefix and not parts:
        return None
    return _join_text(commit_of(*head[:5]), parts, whole=len(output.data) < _LARGEST)


def _without_changes(git: Git, commit: str) -> CommitText | None:
    """Return a commit without its changes, which a partial clone may lack."""
    arguments = ("show", "-s", f"--format={_FORMAT}", "--no-show-signature", "--end-of-options")
    head = git.run(*arguments, f"{commit}^{{commit}}", "--").text.split("\0", 5)
    return _join_text(commit_of(*head[:5]), [], whole=False) if len(head) >= 6 and not git.repository.prefix else None


class _Part(NamedTuple):
    path: str
    added: int
    removed: int
    lines: tuple[str, ...]


def _parts(git: Git, patch: str) -> Iterator[_Part]:
    """Yield the changes of each file that is in the part that is read."""
    for part in re.split(r"^(?=diff --git )", patch, flags=re.MULTILINE):
        lines = part.rstrip("\n").split("\n")
        if not lines[0].startswith("diff --git "):
            continue
        path = git.repository.outer(_path(lines))
        if path is None:
            continue
        body = [line[:_LONGEST_LINE] for line in lines if not line.startswith("index ")]
        if not git.repository.shows(path) or _KEY.search(part):
            body = [body[0], _LEFT_OUT]
        yield _Part(path, _count(body, "+"), _count(body, "-"), tuple(body))


def _count(lines: list[str], sign: str) -> int:
    return sum(line.startswith(sign) and not line.startswith(sign * 3) for line in lines)


def _path(lines: list[str]) -> str:
    """Return the path that a file has after a change, or had before it was removed."""
    names = {}
    for raw in lines[1:]:
        if raw.startswith("@@"):
            break
        # A tab ends a name with blanks; one in a name stands in quotes.
        line = raw.rstrip("\t")
        for key in ("+++ b/", "--- a/", '+++ "b/', '--- "a/', "rename to ", "copy to "):
            if line.startswith(key):
                quoted = line.endswith('"') and '"' in key
                names[key[:3]] = _unquote(line[len(key) : -1]) if quoted else line[len(key) :]
    if path := names.get("+++") or names.get("ren") or names.get("cop") or names.get("---"):
        return path
    # A change of mode or of binary content alone: both paths are the same, and of the same length.
    both = lines[0].removeprefix("diff --git ")
    half = both[len(both) // 2 + 1 :]
    return _unquote(half[3:-1]) if half.startswith('"b/') else half.removeprefix("b/")


def _unquote(name: str) -> str:
    """Return a name that git quoted, because it contains quotes, backslashes or control characters."""
    plain = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}

    def character(match: re.Match[str]) -> str:
        sign = match[1]
        return chr(int(sign, 8)) if len(sign) == 3 else plain.get(sign, sign)

    return re.sub(r"\\([0-7]{3}|.)", character, name)


def _join_text(commit: Commit, parts: list[_Part], *, whole: bool) -> CommitText:
    head = [f"commit {commit.id}", f"Author: {commit.author}", f"Date: {commit.date}", "", commit.subject]
    head += ["", *commit.body.split("\n")] if commit.body else []
    if parts:
        head += [
            "",
            "Files:",
            *(f" {_one_line(part.path)} +{part.added} -{part.removed}" for part in parts[:_MOST_FILES]),
        ]
        head += [f" and {len(parts) - _MOST_FILES} more"] if len(parts) > _MOST_FILES else []
    lines = [*head, "", *(clean_message_line(line) for part in parts for line in part.lines)]
    if not whole:
        lines.append("(cut: the commit is larger, or not all of it is here)")
    return CommitText(commit, "\n".join(lines).rstrip("\n") + "\n", len(head), tuple(part.path for part in parts))


def clean_message_line(line: str) -> str:
    """Return a line without characters that control a terminal."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "\ufffd", line.rstrip("\r"))


def _one_line(path: str) -> str:
    return " ".join(clean_message(path).split("\n"))
