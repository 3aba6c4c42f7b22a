"""From a proposal to a plan: reads the files, fits the changes, checks the syntax, and writes nothing.

Syntax is checked by the language's own parser if we have one, else by tree-sitter.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.chunking import recognise
from quaestor.chunking.decode import decode
from quaestor.chunking.grammars import LARGEST_PARSED, parse
from quaestor.chunking.languages import PROSE, why_not_parse
from quaestor.chunking.syntax import SYNTAXES
from quaestor.core.config import read_toml
from quaestor.core.errors import NotFoundError
from quaestor.edits.edit_paths import confine, objections
from quaestor.edits.file_text import Line, NotTextError, Text, block_lines, read_text
from quaestor.edits.linkless_folders import Content, Folders, PlaceError
from quaestor.edits.place_replacement import ReplacedText, fit
from quaestor.edits.plans import (
    Change,
    Create,
    Delete,
    FileChange,
    How,
    Kind,
    Plan,
    Proposal,
    Refusal,
    Rename,
    Replace,
    Whole,
)
from quaestor.edits.quoted_places import new_elision
from quaestor.edits.three_way_merge import hunks

if TYPE_CHECKING:
    from tree_sitter import Node


_DOTS_ARE_CODE = frozenset({"python", "starlark", "yaml"})
_NEW_MODE = 0o644
# With these, code can be shown in another order than it runs.
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")

Objection = Callable[[str], str | None]
"""Returns why a person must be asked about a path in particular: ``ignored``, ``secret``; None if there is no reason.
"""


def plan(root: Path, proposal: Proposal, *, objection: Objection | None = None, check_syntax: bool = True) -> Plan:
    """Return the plan of a proposal: every byte before and after, or the reasons why it is refused.

    Args:
        root: the folder that all paths are relative to.
        proposal: the proposal that was parsed from a reply.
        objection: returns whether a path needs a second consent.
        check_syntax: whether a file that parsed before must parse afterwards.

    Raises:
        NotFoundError: there is no such folder.
    """
    if not root.is_dir():
        raise NotFoundError(f"{str(root)!r} is not a folder. Give the folder that the edit is for.")
    root = root.resolve()
    refusals = [
        Refusal("", "unreadable reply", f"line {problem.line} of the reply: {problem.message}")
        for problem in proposal.problems
    ]
    with Folders(root) as folders:
        planning = _Planner(folders, check_syntax=check_syntax, objection=objection or (lambda _: None))
        for change in proposal.changes:
            refusal = planning.take(change)
            if refusal is not None:
                refusals.append(refusal)
        files = () if refusals else planning.files(refusals)
    return Plan(root, () if refusals else files, tuple(refusals))


@dataclass(slots=True)  # mutable: changed by each change of a plan
class _File:
    before: Content | None
    data: bytes | None
    renamed_from: str | None = None
    how: list[How] = field(default_factory=list)


class _RefusedChange(Exception):
    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind: Kind = kind


class _Planner:
    def __init__(self, folders: Folders, *, check_syntax: bool, objection: Objection) -> None:
        self._folders = folders
        self._check_syntax = check_syntax
        self._objection = objection
        self._files: dict[str, _File] = {}

    def take(self, change: Change) -> Refusal | None:
        """Add a change to the plan; return a refusal if that is impossible."""
        path = confine(change.path)
        if isinstance(path, Refusal):
            return path
        try:
            return self._take(path, change)
        except (PlaceError, _RefusedChange) as refused:
            return Refusal(path, refused.kind, str(refused))
        except OSError as error:
            return Refusal(path, "not a file", f"{path!r} cannot be read ({error.strerror or error}); mend that")

    def files(self, refusals: list[Refusal]) -> tuple[FileChange, ...]:
        """Return all changed files, sorted by path; refuse those that no longer parse."""
        changed = []
        for path, file in sorted(self._files.items()):
            before = None if file.before is None else file.before.data
            if before == file.data:
                continue
            changed.append(self._file_change(path, file, before, refusals))
        if not changed and not refusals:
            refusals.append(Refusal("", "no change", "the files already are as proposed; nothing is to be done"))
        return tuple(changed)

    def _file_change(self, path: str, file: _File, before: bytes | None, refusals: list[Refusal]) -> FileChange:
        reasons = [*objections(path), *filter(None, [self._objection(path)])]
        if file.data is not None and _turns(file.data) > _turns(before or b""):
            reasons.append("it brings characters that turn the direction of writing")
        if self._check_syntax and file.data is not None:
            source = self._files[file.renamed_from].before if file.renamed_from else None
            base = source.data if source is not None else before
            line = _newly_broken(base, file.data, path)
            if line is not None and base is None:
                reasons.append(f"it does not parse (line {line})")
            elif line is not None:
                message = f"{path!r} would no longer parse (line {line} of the new text); propose what does"
                refusals.append(Refusal(path, "syntax", message, (line,)))
        mode = _NEW_MODE if file.before is None else file.before.mode
        if file.renamed_from and (origin := self._files[file.renamed_from].before) is not None:
            mode = origin.mode
        return FileChange(path, before, file.data, mode, file.renamed_from, tuple(reasons), tuple(file.how))

    def _take(self, path: str, change: Change) -> Refusal | None:
        file = self._file(path)
        match change:
            case Replace(replace=content) | Whole(content=content) | Create(content=content) if _NO_TEXT.search(
                content
            ):
                message = f"the text for {path!r} holds a NUL or half a character, as no text does; propose it without"
                raise _RefusedChange("not text", message)
            case Replace():
                return self._replace(path, file, change)
            case Whole(content=content) if file.data is None or not file.data:
                self._write(file, path, content)
            case Whole(content=content):
                file.data = _encode_text(path, _with_content(path, _text(path, file.data or b""), content))
                file.how.append("whole")
            case Create(content=content):
                if file.data:
                    raise _RefusedChange("exists", f"{path!r} exists already; search for the lines that are to change")
                self._write(file, path, content)
            case Delete():
                self._present_bytes(path, file)
                file.data = None
            case Rename(to=to):
                return self._rename(path, file, to)
        return None

    def _replace(self, path: str, file: _File, change: Replace) -> Refusal | None:
        data = self._present_bytes(path, file)
        language = recognise(data, path)
        fitted = fit(_text(path, data), change, prose=language in PROSE, dots_are_code=language in _DOTS_ARE_CODE)
        if not isinstance(fitted, ReplacedText):
            return fitted
        file.data = _encode_text(path, fitted.text)
        file.how.append(fitted.how)
        return None

    def _rename(self, path: str, file: _File, to: str) -> Refusal | None:
        target = confine(to)
        if isinstance(target, Refusal):
            return target
        data = self._present_bytes(path, file)
        new = self._file(target)
        if new.data is not None:
            raise _RefusedChange("exists", f"{target!r} exists already; choose another path for {path!r}")
        new.data, new.renamed_from, new.how = data, path, [*file.how]
        file.data = None
        return None

    def _write(self, file: _File, path: str, content: str) -> None:
        _check_written_out(path, content.split("\n"), set())
        file.data = content.replace("\r\n", "\n").encode("utf-8")
        file.how.append("whole")

    def _present_bytes(self, path: str, file: _File) -> bytes:
        if file.data is None:
            raise _RefusedChange(
                "missing", f"there is no file {path!r}; name one that exists, or give a new one in full"
            )
        return file.data

    def _file(self, path: str) -> _File:
        if path not in self._files:
            content = self._folders.read(path)
            if content is not None and not content.mode & 0o222:
                raise _RefusedChange("read-only", f"{path!r} is read-only; make it writable if it is to change")
            self._files[path] = _File(content, None if content is None else content.data)
        return self._files[path]


def _turns(data: bytes) -> int:
    return len(_TURNING.findall(data.decode("utf-8", "replace")))


def _text(path: str, data: bytes) -> Text:
    try:
        return read_text(data)
    except NotTextError as error:
        raise _RefusedChange("not text", f"{path!r} is not edited: {error}") from None


def _encode_text(path: str, text: Text) -> bytes:
    try:
        return text.data()
    except UnicodeEncodeError as error:
        missing = error.object[error.start : error.end][:1]
        message = f"{path!r} is written in {text.encoding}, which has no {missing!r}; propose it without"
        raise _RefusedChange("encoding", message) from None


def _with_content(path: str, text: Text, content: str) -> Text:
    """Return a file's text with other lines; those that stay keep their line ends."""
    lines = block_lines(content)
    _check_written_out(path, lines, {line.strip() for line in text.strings})
    merged: list[Line] = []
    at = 0
    for change in hunks(text.strings, lines, exact=True):
        merged += text.lines[at : change.s1]
        merged += [Line(line, text.end) for line in lines[change.r1 : change.r2]]
        at = change.s2
    merged += text.lines[at:]
    return text.splice(0, len(text.lines), merged)


def _check_written_out(path: str, lines: Sequence[str], known: set[str]) -> None:
    language = recognise("\n".join(lines).encode(), path)
    lazy = new_elision(list(lines), known, prose=language in PROSE, dots_are_code=language in _DOTS_ARE_CODE)
    if lazy is not None:
        raise _RefusedChange("elided", f"the text for {path!r} leaves lines out ({lazy.strip()!r}); write all of them")


def broken_line(data: bytes, path: str) -> int | None:
    """Return the line, from 1, at which a file does not parse; None if it parses, has no parser or is too large."""
    language = recognise(data, path)
    if len(data) > LARGEST_PARSED:
        return None
    strict = _STRICT.get(language)
    if strict is not None:
        return strict(data)
    if language not in SYNTAXES or why_not_parse(data, path):
        return None
    decoded = decode(data)
    syntax = SYNTAXES[language]
    tree = parse(decoded.data, syntax.grammar, decoded.encoding, embedded=syntax.embedded)
    if tree is None or not tree.root_node.has_error:
        return None
    return _first_error(tree.root_node)


def _newly_broken(before: bytes | None, after: bytes, path: str) -> int | None:
    """Return the line of a new syntax error; None if there is no new one, or the file did not parse before.

    If the grammar rejects the old file, its verdict on the new one means nothing.
    """
    line = broken_line(after, path)
    if line is None or before is None:
        return line
    return None if broken_line(before, path) is not None else line


def _first_error(node: Node) -> int:
    while True:
        worse = next((child for child in node.children if child.has_error or child.is_missing), None)
        if worse is None or node.is_error:
            return node.start_point[0] + 1
        node = worse


def _python(data: bytes) -> int | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(data)
        except SyntaxError as error:
            return error.lineno or 1
        except (ValueError, RecursionError, MemoryError):
            return None
    return None


def _json(data: bytes) -> int | None:
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        return error.lineno
    except (ValueError, RecursionError):
        return None
    return None


def _toml(data: bytes) -> int | None:
    try:
        read_toml(data.decode("utf-8", errors="replace"))
    except tomllib.TOMLDecodeError:
        return 1
    except ValueError:
        return None
    return None


_STRICT: dict[str, Callable[[bytes], int | None]] = {"python": _python, "json": _json, "toml": _toml}
