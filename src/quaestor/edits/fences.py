"""Reading whole files out of a reply: a path alone on its line, then a fence that holds the file's text.

Only for models that cannot write search and replace blocks. A fence inside the text must not end it early, for half
a file would then replace the whole: where that cannot be ruled out, it is a problem.
"""

from __future__ import annotations

import re

from quaestor.edits.changes import Change, Problem, Whole
from quaestor.edits.mentions import FENCE, path_in_info, path_on
from quaestor.edits.patches import is_patch_line, read_patch


def read_whole_files(lines: list[str]) -> tuple[list[Change], list[Problem]]:
    """Return the files that a reply gives in full, with what could not be read."""
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
