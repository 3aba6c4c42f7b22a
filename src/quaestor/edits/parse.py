"""Reading the changes in a model's reply; the text around them is prose and ignored.

Four notations are understood, in any mixture:

- search and replace blocks, the form that we ask for: a path, then ``<<<<<<< SEARCH``, ``=======``,
  ``>>>>>>> REPLACE``, with or without a fence;
- ``*** Add File:``, ``*** Delete File:`` and ``*** Move File: a -> b`` lines, and whole ``*** Begin Patch`` patches
  (the form of coding models);
- unified diffs. Their hunks become search and replace changes, found by their text alone: models count lines badly, so
  line numbers are ignored;
- a path and a fence with the whole file, only if the caller asked for whole files: otherwise such a fence is an
illustration.

Pure. Text that looks like a change and cannot be read becomes a problem with its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from quaestor.edits.plans import Change, Create, Delete, Problem, Proposal, Rename, Replace, Whole

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^`]*)$")
"""A line that opens or closes a fence: its marks, and the text after them."""

_LABEL = re.compile(r"^(?:file|path|filename|file path|file name)\s*:\s*", re.IGNORECASE)
_LEADING = re.compile(r"^(?:#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+)")
_QUOTED = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*|\"([^\"\n]+)\"|'([^'\n]+)'")
_LINES = re.compile(r":\d+(?:-\d+)?$")
# Names of files without a dot that do not look like the word of a sentence: Makefile, LICENSE.
_BARE_NAME = re.compile(r"[A-Z][A-Za-z]*file|[A-Z]{4,}|justfile|makefile")
_IN_INFO = re.compile(r"(?:(?:path|file|filename|title)=)?[\"']?([^\s\"'{}]+)[\"']?$")


def path_before(lines: list[str], at: int, behind: int) -> str:
    """Return the path that the block at ``at`` is about, or nothing; lines before ``behind`` belong to others."""
    place = _above(lines, at, behind)
    if place is not None and (fence := FENCE.match(lines[place])):
        if path := path_in_info(fence[2]):
            return path
        place = _above(lines, place, behind)
    return "" if place is None else path_on(lines[place]) or _path_mentioned(lines[place])


def path_in_info(info: str) -> str:
    """Return the path behind a fence's marks: ``python src/a.py``, ``python:src/a.py``, ``src/a.py``."""
    last = info.strip().rpartition(" ")[2]
    match = _IN_INFO.match(last)
    path = match[1].rpartition(":")[2] if match else ""
    return path if _looks_like_path(path) else ""


def path_on(line: str) -> str:
    """Return the path that a line consists of, or nothing."""
    text = _LEADING.sub("", line.strip()).strip()
    bold = text.removeprefix("**").removesuffix("**").strip()
    text = _LABEL.sub("", bold).strip()
    path = text.removesuffix(":").strip()
    whole = _QUOTED.fullmatch(path)
    if whole:
        return _clean(next(part for part in whole.groups() if part))
    if any(mark in path for mark in '`"*<>|') or not path or " " in path:
        return ""
    return _clean(path) if _looks_like_path(path) or _BARE_NAME.fullmatch(path) else ""


def _path_mentioned(line: str) -> str:
    """Return the one quoted path in a sentence, or nothing."""
    quoted = {_clean(match[1]) for match in re.finditer(r"`([^`\n]+)`", line)}
    paths = [path for path in quoted if _looks_like_path(path)]
    return paths[0] if len(paths) == 1 else ""


def _above(lines: list[str], at: int, behind: int) -> int | None:
    return next((place for place in range(at - 1, behind - 1, -1) if lines[place].strip()), None)


def _looks_like_path(text: str) -> bool:
    return bool(re.search(r"[\w\])][/.][\w\[(@-]|^\.?/?\.\w|^/", text)) and not re.search(
        r"[\s()=;,]{2}|\(\)$|://", text
    )


def _clean(path: str) -> str:
    path = _LINES.sub("", path.strip())
    while path.startswith("./"):
        path = path[2:]
    return path


_BEGIN_END = re.compile(r"^\*\*\* (?:Begin Patch|End Patch|End of File)\s*$")
# A name goes to the last character that is no blank; looking for its end from its beginning takes the square of blanks.
_NAME = r"(\S(?:.*\S)?)"
_FILE = re.compile(rf"^\*\*\* (Add|Update|Delete) File:\s*{_NAME}")
# Early releases of Python 3.11 (3.11.2) find nothing if a possessive repeat (``*+``) holds a look-ahead. A plain one is
# linear as well, because the arrow can follow no character before its end.
_MOVE = re.compile(rf"^\*\*\* (?:Move|Rename) File:\s*(\S(?:(?!\s(?:->|→|to)\s).)*)\s(?:->|→|to)\s+{_NAME}")
_MOVE_TO = re.compile(rf"^\*\*\* Move to:\s*{_NAME}")
_HUNK = re.compile(r"^@@(?:\s+-\d+(?:,\d+)?\s+\+\d+(?:,\d+)?\s+@@|(.*))")
_OLD = re.compile(r"^--- (\S(?:[^\t]*\S)?)")
_NEW = re.compile(r"^\+\+\+ (\S(?:[^\t]*\S)?)")
_NOTHING = "/dev/null"
_ELISION = "..."

Read = tuple[list[Change], list[Problem], int]


def is_patch_line(line: str) -> bool:
    """Return whether a line belongs to a ``***`` patch."""
    return bool(_BEGIN_END.match(line) or _FILE.match(line) or _MOVE.match(line))


def is_diff_head(lines: list[str], at: int) -> bool:
    """Return whether a unified diff of one file begins at a line."""
    head = lines[at : at + 3]
    return len(head) == 3 and bool(_OLD.match(head[0]) and _NEW.match(head[1]) and head[2].startswith("@@"))


def read_patch(lines: list[str], at: int) -> Read:
    """Read one section of a ``***`` patch; return its changes, its problems, and the line after it."""
    if move := _MOVE.match(lines[at]):
        return [Rename(_bare(move[1]), _bare(move[2]))], [], at + 1
    match = _FILE.match(lines[at])
    if match is None:
        return [], [], at + 1
    path = _bare(match[2])
    if match[1] == "Delete":
        return [Delete(path)], [], at + 1
    if match[1] == "Add":
        return _read_added(lines, at, path)
    move_to = _MOVE_TO.match(lines[at + 1]) if at + 1 < len(lines) else None
    changes, problems, end = _read_hunks(lines, at + (2 if move_to else 1), path)
    if move_to:
        changes.append(Rename(path, _bare(move_to[1])))
    elif not changes and not problems:
        problems.append(Problem(at + 1, f"nothing is to be changed in {path!r}; write at least one hunk"))
    return changes, problems, end


def read_diff(lines: list[str], at: int) -> Read:
    """Read a unified diff of one file; return its changes, its problems, and the line after it."""
    old, new = _OLD.match(lines[at]), _NEW.match(lines[at + 1])
    assert old is not None and new is not None
    before, after = _without_side(old[1], "a/"), _without_side(new[1], "b/")
    changes, problems, end = _read_hunks(lines, at + 2, before if after == _NOTHING else after, add=before == _NOTHING)
    if after == _NOTHING:
        return [Delete(before)], problems, end
    if before not in (after, _NOTHING):
        changes = [_at(change, before) for change in changes]
        changes.append(Rename(before, after))
    return changes, problems, end


def _read_added(lines: list[str], at: int, path: str) -> Read:
    """Read a new file: lines that begin with a plus, or a fence."""
    start = at + 1
    if start < len(lines) and (fence := FENCE.match(lines[start])):
        mark = fence[1]
        for end in range(start + 1, len(lines)):
            closing = FENCE.match(lines[end])
            if closing and not closing[2].strip() and closing[1].startswith(mark):
                return [Create(path, _text_of_lines(lines[start + 1 : end]))], [], end + 1
        return [], [Problem(start + 1, "the fence is not closed; write the file again, to its end")], len(lines)
    end = start
    while end < len(lines) and lines[end].startswith("+"):
        end += 1
    if end == start:
        return [], [Problem(at + 1, f"the text of {path!r} is missing; begin each of its lines with '+'")], end
    return [Create(path, _text_of_lines([line[1:] for line in lines[start:end]]))], [], end


@dataclass(slots=True)  # mutable: grows line by line
class _Hunk:
    line: int
    anchors: list[str] = field(default_factory=list)
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    def take(self, line: str) -> None:
        """Add a line of the hunk to the search text, to the replacement, or to both."""
        if not line.startswith("+"):
            self.old.append(line[1:])
        if not line.startswith("-"):
            self.new.append(line[1:])


def _read_hunks(lines: list[str], at: int, path: str, *, add: bool = False) -> Read:
    hunks: list[_Hunk] = []
    while at < len(lines):
        line = lines[at]
        if header := _HUNK.match(line):
            anchor = (header[1] or "").strip().removesuffix("@@").strip()
            if hunks and not hunks[-1].old and not hunks[-1].new:
                hunks[-1].anchors.append(anchor)
            else:
                hunks.append(_Hunk(at, [anchor] if anchor else []))
        elif line[:1] in ("+", "-", " ") and not is_diff_head(lines, at):
            if not hunks:
                hunks.append(_Hunk(at))
            hunks[-1].take(line)
        elif not line and hunks and (written := _written_behind(lines, at)) is not None:
            for _ in range(at, written):
                hunks[-1].take(" ")
            at = written
            continue
        elif not line.startswith("\\"):
            break
        at += 1
    changes: list[Change] = []
    problems: list[Problem] = []
    for hunk in hunks:
        change = _change(hunk, path, add=add)
        if isinstance(change, Problem):
            problems.append(change)
        else:
            changes.append(change)
    return changes, problems, at


def _written_behind(lines: list[str], at: int) -> int | None:
    """Return the line at which the hunk continues after blank lines, which then are lines of the file, or None."""
    written = next((place for place in range(at, len(lines)) if lines[place]), None)
    if written is None or lines[written][0] not in "+- " or _OLD.match(lines[written]):
        return None
    return written


def _change(hunk: _Hunk, path: str, *, add: bool) -> Change | Problem:
    if add:
        return Create(path, _text_of_lines(hunk.new))
    anchors = [anchor for anchor in hunk.anchors if anchor]
    if not hunk.old and not anchors:
        return Problem(
            hunk.line + 1, f"nothing says where these lines go in {path!r}; add lines that stand around them"
        )
    if not hunk.old:
        return Replace(path, _text_of_lines(anchors[-1:]), _text_of_lines([anchors[-1], *hunk.new]))
    before = [line for anchor in anchors for line in (anchor, _ELISION)]
    return Replace(path, _text_of_lines([*before, *hunk.old]), _text_of_lines([*before, *hunk.new]))


def _at(change: Change, path: str) -> Change:
    return Replace(path, change.search, change.replace) if isinstance(change, Replace) else change


def _without_side(path: str, side: str) -> str:
    return _bare(path.removeprefix(side))


def _bare(path: str) -> str:
    return path.strip("`\"' ")


def _text_of_lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def read_whole_files(lines: list[str]) -> tuple[list[Change], list[Problem]]:
    """Return the whole files in a reply, and the problems."""
    changes: list[Change] = []
    problems: list[Problem] = []
    at = 0
    while at < len(lines):
        if is_patch_line(lines[at]):
            more, wrong, at = read_patch(lines, at)
            changes += more
            problems += wrong
            continue
        fence = FENCE.match(lines[at])
        if fence is None:
            at += 1
            continue
        path = path_in_info(fence[2]) or _path_above(lines, at)
        end = _end_of_fence(lines, at, fence)
        if end is None:
            problems.append(Problem(at + 1, "the fence is not closed; write the file again, to its end"))
            break
        if path:
            changes.append(Whole(path, "".join(f"{line}\n" for line in lines[at + 1 : end])))
        elif changes and not fence[2].strip():
            message = (
                "a fence without a path follows a file; if the file's text holds fences, use a longer one around it"
            )
            problems.append(Problem(at + 1, message))
        at = end + 1
    return changes, problems


def _path_above(lines: list[str], at: int) -> str:
    above = next((line for line in reversed(lines[:at]) if line.strip()), "")
    return path_on(above)


def _end_of_fence(lines: list[str], at: int, opening: re.Match[str]) -> int | None:
    """Return the line that closes a fence; fences inside it that name a language are closed before."""
    mark, depth = opening[1], 0
    for place in range(at + 1, len(lines)):
        fence = FENCE.match(lines[place])
        if fence is None or fence[1][0] != mark[0] or len(fence[1]) < len(mark):
            continue
        if fence[2].strip():
            depth += 1
        elif depth:
            depth -= 1
        else:
            return place
    return None


_OPENING = re.compile(r"^([ \t]*)(<{5,12}) ?SEARCH>?\s*$")
_CLOSING = re.compile(r"^[ \t]*(>{5,12}) ?REPLACE\s*$")
_DIVIDER = re.compile(r"^[ \t]*(={5,12})\s*$")


@dataclass(slots=True)  # mutable: grows while a reply is read
class _Reply:
    lines: list[str]
    changes: list[Change] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    path: str = ""
    behind: int = 0

    def problem(self, at: int, message: str) -> None:
        self.problems.append(Problem(at + 1, message))


def parse(reply: str, *, whole: bool = False) -> Proposal:
    """Return the proposal of a reply.

    Args:
        reply: the model's words.
        whole: whether a path followed by a fence gives a file its whole text.
    """
    reading = _Reply(reply.replace("\r\n", "\n").split("\n"))
    if whole and not any(_OPENING.match(line) for line in reading.lines):
        changes, problems = read_whole_files(reading.lines)
        reading.changes += changes
        reading.problems += problems
    else:
        _read(reading)
    return Proposal(tuple(reading.changes), tuple(reading.problems))


def _read(reading: _Reply) -> None:
    lines, at = reading.lines, 0
    while at < len(lines):
        line = lines[at]
        if opening := _OPENING.match(line):
            at = _read_block(reading, at, opening)
        elif is_patch_line(line):
            changes, problems, at = read_patch(lines, at)
            reading.changes += changes
            reading.problems += problems
        elif is_diff_head(lines, at):
            changes, problems, at = read_diff(lines, at)
            reading.changes += changes
            reading.problems += problems
        else:
            if _CLOSING.match(line):
                reading.problem(at, f"{line.strip()!r} closes no block; use longer marks around text that holds marks")
            at += 1
            continue
        reading.behind = at


def _read_block(reading: _Reply, at: int, opening: re.Match[str]) -> int:
    """Read the block that opens at ``at``; return the line after it."""
    lines, length = reading.lines, len(opening[2])
    end = _end_of_block(lines, at, length)
    if end is None:
        reading.problem(at, "the block is not closed by a line '>>>>>>> REPLACE'; write it again, to its end")
        return len(lines)
    path = path_before(lines, at, reading.behind) or reading.path
    if not path:
        reading.problem(at, "no path stands before the block; write the file's path on the line above it")
        return end + 1
    reading.path = path
    indent = opening[1]
    body = [line.removeprefix(indent) for line in lines[at + 1 : end]]
    readings = _readings(body, length)
    if not readings:
        reading.problem(at, "the block has no line '=======' between what to search for and what to put there")
    elif readings[0][1].split("\n")[-2:-1] == ["=" * length]:
        reading.problem(at, "the block has a second '=======' before its end; leave it out, or use longer marks")
    elif len(readings) == 1 and not readings[0][0].strip():
        reading.changes.append(Create(path, readings[0][1]))
    else:
        reading.changes.append(Replace(path, *readings[0], readings[1:]))
    return end + 1


def _end_of_block(lines: list[str], at: int, length: int) -> int | None:
    """Return where the block that opens at ``at`` is closed; blocks inside its text are closed before."""
    depth = 0
    for place in range(at, len(lines)):
        if (inner := _OPENING.match(lines[place])) and len(inner[2]) == length:
            depth += 1
        elif (closing := _CLOSING.match(lines[place])) and len(closing[1]) == length:
            depth -= 1
            if depth == 0:
                return place
    return None


def _readings(body: list[str], length: int) -> tuple[tuple[str, str], ...]:
    """Return every (search, replace) that the dividers of a block allow, the first divider first."""
    marks = [(place, match) for place, line in enumerate(body) if (match := _DIVIDER.match(line))]
    fitting = [place for place, match in marks if len(match[1]) == length] or [place for place, _ in marks]
    return tuple((_text_of_lines(body[:place]), _text_of_lines(body[place + 1 :])) for place in fitting)
