"""A data set in memory, for all layouts, and reading its files.

Files are JSON, JSON lines and tables. Each kind of error is reported once. Copies of corpora that are not files are
written as files, each once and atomically.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from quaestor.core.errors import ForbiddenError, NotFoundError, UsageError
from quaestor.evaluation.metrics import Question

Layout = Literal["beir", "code-search", "jsonl", "self"]
Unit = Literal["chunks", "documents"]

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Part:
    """One corpus and the questions about it.

    Attributes:
        name: the corpus's name, unique within the data set.
        root: the folder that is indexed.
        questions: the questions, at least one.
        prefix: what the questions' paths have before the corpus's own, without a final slash.
        project: the corpus's name, which is no search term within it; None uses the repository's name.
        copied: whether the folder is a copy made for this, so that ignore rules above it do not apply.
        names: its documents' names in the data set by path; empty if these are their paths.
    """

    name: str
    root: Path
    questions: tuple[Question, ...]
    prefix: str = ""
    project: str | None = None
    copied: bool = False
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DataSet:
    """Questions with known answers about one corpus or several.

    Attributes:
        name: the name for people.
        layout: the layout of its files.
        unit: what one result is: a chunk; or a document, which counts once, if no answer names lines.
        parts: the parts, at least one.
        problems: sentences about the entries that were left out.
        about: sentences about the questions' origin and limits.
    """

    name: str
    layout: Layout
    unit: Unit
    parts: tuple[Part, ...]
    problems: tuple[str, ...] = ()
    about: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[Question, ...]:
        """Every question of every part."""
        return tuple(question for part in self.parts for question in part.questions)

    def name_of(self, path: str) -> str:
        """Return a document's name in the data set: its id, or its path."""
        return next((part.names[path] for part in self.parts if path in part.names), path)


def unit_of(parts: tuple[Part, ...]) -> Unit:
    """Return the unit of results for these questions: a document, unless some answer names lines."""
    lines = any(target.start_line is not None for part in parts for one in part.questions for target in one.targets)
    return "chunks" if lines else "documents"


class Problems:
    """Collects problems by reason."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = defaultdict(list)

    def add(self, reason: str, place: str) -> None:
        """Record an entry that is left out.

        Args:
            reason: the reason as the beginning of a sentence; the same words for the same reason.
            place: the entry, or the place where it is written.
        """
        self._places[reason].append(place)

    def sentences(self) -> tuple[str, ...]:
        """Return a sentence for each reason, with the number of entries and the first places."""
        return tuple(_sentence(reason, places) for reason, places in self._places.items())


def _sentence(reason: str, places: list[str]) -> str:
    more = len(places) - _SHOWN
    return f"{reason}: {', '.join(places[:_SHOWN])}{f', and {more:,} more' if more > 0 else ''}."


def read_json(path: Path) -> Any:
    """Return the value of a JSON file.

    Raises:
        NotFoundError: there is no such file.
        UsageError: it cannot be read.
    """
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{str(path)!r} is not JSON: {error}. Fix it or give another data set.") from None
    except OSError as error:
        raise _unread(path, error) from None


def read_objects(path: Path, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the object of each line of a JSONL file; other lines are reported as problems.

    Raises:
        NotFoundError: there is no such file.
        UsageError: it cannot be read.
    """
    for number, line in _numbered_lines(path):
        place = f"{path.name}:{number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield place, value
        else:
            problems.add("Lines that are not a JSON object are left out", place)


def read_rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each line's place and fields of a table with tabs; raises as ``read_objects``."""
    for number, line in _numbered_lines(path):
        yield f"{path.name}:{number}", line.decode("utf-8", "replace").rstrip("\r\n").split("\t")


def text_of(value: object) -> str:
    """Return a JSON text or number as text; "" for other values."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                plain = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if plain.strip():
                    yield number, plain
    except OSError as error:
        raise _unread(path, error) from None


def _unread(path: Path, error: OSError) -> UsageError:
    if isinstance(error, FileNotFoundError):
        return NotFoundError(f"{str(path)!r} does not exist, and the data set needs it.")
    return UsageError(f"{str(path)!r} cannot be read ({error.strerror}). Fix that and run again.")


_STATE = "state"


@dataclass(frozen=True, slots=True)
class Copy:
    """The place of a corpus's copy.

    Attributes:
        folder: the folder that holds the copy, in a folder named after the corpus, and a record of its state.
        name: the name of the corpus.
    """

    folder: Path
    name: str

    @classmethod
    def of(cls, copies: Path, source: Path, *what: object) -> Copy:
        """Return the place of a source's copy, the same for the same ``what``.

        Args:
            copies: the folder of all copies.
            source: the source of the copy.
            what: further values on which the copy depends.
        """
        key = hashlib.blake2b(repr((str(source.resolve()), what)).encode("utf-8", "surrogatepass"), digest_size=8)
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", source.name)[:40].strip(".") or "root"
        return cls(copies / f"{name}-{key.hexdigest()}", name)

    @property
    def root(self) -> Path:
        """The copy itself."""
        return self.folder / self.name

    def lay_out(self, state: str, files: Iterable[tuple[str, bytes]]) -> Path:
        """Write a copy, unless one of the same state exists; return its folder.

        Args:
            state: identifies the content.
            files: yields the path and bytes of each file; read only if the copy is written.

        Raises:
            ForbiddenError: a path is outside of the copy.
        """
        known = self.folder / _STATE
        if self.root.is_dir() and known.is_file() and known.read_text("utf-8") == state:
            return self.root
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=".new-", ignore_cleanup_errors=True) as place:
            whole = Path(place) / "files"
            whole.mkdir()
            for path, content in files:
                _write(whole, path, content)
            known.unlink(missing_ok=True)
            shutil.rmtree(self.root, ignore_errors=True)
            whole.rename(self.root)
            known.write_text(state, "utf-8")
        return self.root


def _write(whole: Path, path: str, content: bytes) -> None:
    parts = PurePosixPath(path).parts
    if not parts or PurePosixPath(path).is_absolute() or ".." in parts:
        raise ForbiddenError(f"{path!r} leads out of the copy and is not written.")
    (whole / path).parent.mkdir(parents=True, exist_ok=True)
    (whole / path).write_bytes(content)
