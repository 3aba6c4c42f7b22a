"""Values of edits: a model's proposal as it wrote it, and a plan with every byte of the files, or the refusals.

A plan is shown as one unified diff.
Nothing here reads a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal

from quaestor.edits.file_text import Line, NotTextError, read_text
from quaestor.edits.three_way_merge import same_ends

Kind = Literal[
    "unreadable reply",
    "bad path",
    "outside",
    "forbidden",
    "link",
    "not a file",
    "missing",
    "exists",
    "read-only",
    "too large",
    "not text",
    "not found",
    "ambiguous",
    "conflict",
    "elided",
    "encoding",
    "syntax",
    "no change",
    "twice",
]
"""Why a change is refused.

``not found`` and ``ambiguous``: its search text occurs nowhere, or in several places. ``conflict``: it misquotes the
lines that it changes, or their indentation is unclear. ``elided``: it leaves out lines that would have to be written.
``twice``: two changes want the same file.
"""

How = Literal["exact", "whitespace", "elided", "fuzzy", "whole"]
"""How well a change fits its file: ``whole`` replaces the file."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Replace one text by another.

    Attributes:
        path: the path of the file, relative to the root, with ``/``.
        search: whole lines of the file, each with a line feed.
        replace: the new lines; empty to delete.
        readings: other (search, replace) pairs, if the block holds several lines that look like the divider.
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
        line: the line of the reply, from 1.
        message: the problem, and the correct form.
    """

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """All that one reply proposes, in its order.

    Attributes:
        changes: those that could be read.
        problems: those that could not. A proposal with problems is never applied, because half of a change is another
            change.
    """

    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes or self.problems)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A change that will not be made.

    Attributes:
        path: the path of its file.
        kind: why.
        message: the same in words, with what to do next.
        lines: first lines of the places that come into question, from 1.
    """

    path: str
    kind: Kind
    message: str
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FileChange:
    """One path before and after. A renamed file is two changes: one path disappears, another appears.

    Attributes:
        path: relative to the root, with ``/``.
        before: the bytes that it was read with; None: it does not exist.
        after: the bytes that it gets; None: it goes.
        mode: permission bits of the file as it was read, or that a new one gets.
        renamed_from: the path whose bytes, or most of them, this new one takes over.
        objections: why a person is asked once more: it is ignored, secret, hidden, or is run without being called.
        how: how each of its changes was found to fit.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int = 0o644
    renamed_from: str | None = None
    objections: tuple[str, ...] = ()
    how: tuple[How, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes that a proposal makes to the files as they are now.

    Attributes:
        root: the real path of the folder that all paths are relative to.
        files: sorted by path; empty if anything is refused, because changes are made all or none.
        refusals: the refusals in the order of the proposal.
    """

    root: Path
    files: tuple[FileChange, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    @property
    def sensitive(self) -> tuple[FileChange, ...]:
        """The files that need a second consent."""
        return tuple(file for file in self.files if file.objections)


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
