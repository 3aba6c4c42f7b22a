"""Showing a plan as one unified diff. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher

from quaestor.edits.file_text import Line, NotTextError, read_text
from quaestor.edits.plans import FileChange, Plan
from quaestor.edits.three_way_merge import same_ends

_SURROUNDING = 3
_NOTHING = "/dev/null"

_Lines = Callable[[bytes], list[Line]]


def diff(plan: Plan) -> str:
    """Return all changes of a plan as one unified diff for people; empty without any."""
    return "".join(_files(plan, _readable))


def patch(plan: Plan) -> bytes:
    """Return the same for ``git apply`` and ``patch``: the files' own bytes, in whatever encodings they are."""
    return "".join(_files(plan, _raw, str.encode)).encode("latin-1")


def _files(plan: Plan, lines: _Lines, encoded: Callable[[str], bytes] | None = None) -> Iterator[str]:
    gone = {file.renamed_from for file in plan.files}
    files = {file.path: file for file in plan.files}
    for file in plan.files:
        if file.after is not None or file.path not in gone:
            yield from _file(file, files.get(file.renamed_from or ""), lines, encoded)


def _file(
    file: FileChange, origin: FileChange | None, lines: _Lines, encoded: Callable[[str], bytes] | None
) -> Iterator[str]:
    old, new = (origin.path if origin else file.path), file.path
    if encoded:
        old, new = encoded(old).decode("latin-1"), encoded(new).decode("latin-1")
    before = origin.before if origin else file.before
    yield f"diff --git a/{old} b/{new}\n"
    if origin:
        yield f"rename from {old}\nrename to {new}\n"
    elif before is None:
        yield f"new file mode 100{file.mode:03o}\n"
    elif file.after is None:
        yield f"deleted file mode 100{file.mode:03o}\n"
    body = list(_hunks(lines(before or b""), lines(file.after or b"")))
    if body:
        yield f"--- {_NOTHING if before is None else f'a/{old}'}\n"
        yield f"+++ {_NOTHING if file.after is None else f'b/{new}'}\n"
        yield from body


def _hunks(before: list[Line], after: list[Line]) -> Iterator[str]:
    head, tail = same_ends(before, after)
    skipped, tail = max(0, head - _SURROUNDING), max(0, tail - _SURROUNDING)
    before, after = before[skipped : len(before) - tail], after[skipped : len(after) - tail]
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(_SURROUNDING):
        first, last = group[0], group[-1]
        old, new = _range(first[1] + skipped, last[2] + skipped), _range(first[3] + skipped, last[4] + skipped)
        yield f"@@ -{old} +{new} @@\n"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (_diff_line(" ", line) for line in before[i1:i2])
                continue
            yield from (_diff_line("-", line) for line in before[i1:i2])
            yield from (_diff_line("+", line) for line in after[j1:j2])


def _readable(data: bytes) -> list[Line]:
    try:
        return list(read_text(data).lines)
    except NotTextError:
        return _raw(data)


def _raw(data: bytes) -> list[Line]:
    parts = data.decode("latin-1").split("\n")
    lines = [Line(part, "\n") for part in parts[:-1]]
    return [*lines, Line(parts[-1], "")] if parts[-1] else lines


def _diff_line(mark: str, line: Line) -> str:
    # A carriage return stays where it is, so that the bytes of the file are found.
    end = line.end if line.end.endswith("\n") else "\n\\ No newline at end of file\n"
    return f"{mark}{line.text}{end}"


def _range(start: int, stop: int) -> str:
    """Return a range of lines in the form of unified diffs: empty ones name the line before."""
    length = stop - start
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"
