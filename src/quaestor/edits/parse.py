"""Reading the changes in a model's reply; the text around them is prose and ignored.

Four notations are understood, in any mixture:

- search and replace blocks, the form that we ask for: a path, then ``<<<<<<< SEARCH``, ``=======``,
  ``>>>>>>> REPLACE``, with or without a fence;
- ``*** Add File:``, ``*** Delete File:`` and ``*** Move File: a -> b`` lines, and whole ``*** Begin Patch`` patches
  (`patches.py`);
- unified diffs, whose line numbers are ignored (`patches.py`);
- a path and a fence with the whole file, only if the caller asked for whole files: otherwise such a fence is an
illustration.

Pure. Text that looks like a change and cannot be read becomes a problem with its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from quaestor.edits.patches import (
    FENCE,
    is_diff_head,
    is_patch_line,
    path_before,
    path_in_info,
    path_on,
    read_diff,
    read_patch,
)
from quaestor.edits.plans import Change, Create, Problem, Proposal, Replace, Whole


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
    end = _closing(lines, at, length)
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


def _closing(lines: list[str], at: int, length: int) -> int | None:
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
    marks = [(place, found) for place, line in enumerate(body) if (found := _DIVIDER.match(line))]
    fitting = [place for place, found in marks if len(found[1]) == length] or [place for place, _ in marks]
    return tuple((_joined(body[:place]), _joined(body[place + 1 :])) for place in fitting)


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
