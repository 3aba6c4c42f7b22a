"""Walking a folder: every file that may be indexed, and the reason for everything that is left out.

Nothing of the repository is executed, git included. Symbolic links are never followed: what a link inside
the root leads to has its own place there, and what lies outside is not the caller's to index; so loops and
duplicates cannot arise.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path

from quaestor.errors import NotFoundError, UsageError
from quaestor.ingest.decisions import NO_FILE, Decisions, Stamp
from quaestor.ingest.deny import (
    Reason,
    deny_content_of_folder,
    deny_file,
    deny_folder,
    largest,
)
from quaestor.ingest.ignore import IGNORE_NAMES, Level, Settled, outer_files, root_level
from quaestor.ingest.names import storable
from quaestor.ingest.reading import is_racy
from quaestor.ingest.report import FoundFile, Skipped
from quaestor.ingest.settings import IngestSettings
from quaestor.passages import Document


@dataclass(slots=True)
class Found:
    """What a walk came upon.

    Attributes:
        added: files that are not known.
        suspects: known files whose size or modification time is not the known one.
        unchanged: number of known files that are as they were.
        removed: known paths that were not come upon.
        skipped: what was left out.
        decisions: what the next walk may rely on.
    """

    added: list[FoundFile] = field(default_factory=list)
    suspects: list[FoundFile] = field(default_factory=list)
    unchanged: int = 0
    removed: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    decisions: Decisions = field(default_factory=Decisions)


def walk(
    root: Path,
    settings: IngestSettings | None = None,
    known: Mapping[str, Document] | None = None,
    decisions: Decisions | None = None,
) -> Found:
    """Walk a folder, or look at a single file.

    Args:
        root: the folder or file; must exist.
        settings: ignore patterns and size limits.
        known: documents by path, to compare sizes and modification times with.
        decisions: of the walk before.

    Raises:
        NotFoundError: ``root`` does not exist.
        UsageError: ``root`` cannot be read, or is neither a folder nor a file.
    """
    root = checked_root(root)
    return _Walk(root, settings or IngestSettings(), known or {}, decisions or Decisions()).run()


def checked_root(root: Path) -> Path:
    """Return the real path of a folder or file to index.

    Raises:
        NotFoundError: it does not exist.
        UsageError: it is neither a folder nor a regular file.
    """
    try:
        real = root.resolve(strict=True)
    except FileNotFoundError:
        raise NotFoundError(f"{str(root)!r} does not exist. Give a folder or a file that does.") from None
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{str(root)!r} cannot be reached ({_words(error)}). Give another path.") from error
    if not (real.is_dir() or real.is_file()):
        raise UsageError(f"{str(root)!r} is neither a folder nor a file. Give a folder or a file.")
    return real


def folder_of(root: Path) -> Path:
    """Return the folder that documents' paths are relative to: ``root``, or where it lies if it is a file."""
    return root if root.is_dir() else root.parent


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to be read: its prefix for paths, its place on disk, and the rules above it."""

    prefix: str
    place: str
    name: str
    above: Level | None
    trusted: bool


class _Walk:
    def __init__(
        self, root: Path, settings: IngestSettings, known: Mapping[str, Document], before: Decisions
    ) -> None:
        self._root = root
        self._limit = settings.max_file_bytes
        self._settled = Settled(settings.ignore)
        self._known = known
        self._before = before if before.rules == settings.rules() else Decisions()
        self._now = time.time_ns()
        self._seen: set[str] = set()
        self._found = Found()
        self._after = self._found.decisions
        self._after.rules = settings.rules()

    def run(self) -> Found:
        """Walk and return what was found."""
        if self._root.is_dir():
            self._walk_folders()
        else:
            self._single_file()
        self._found.removed = sorted(self._known.keys() - self._seen)
        return self._found

    def _walk_folders(self) -> None:
        outer = {str(path): self._stamp(str(path)) for path in outer_files(self._root)}
        self._after.outer = outer
        trusted = outer == self._before.outer and self._after.rules == self._before.rules
        pending = [_Folder("", str(self._root), "", None, trusted)]
        while pending:
            pending.extend(self._read(pending.pop()))

    def _single_file(self) -> None:
        name = self._root.name
        reason = deny_file(name)
        if reason:
            self._skip(name, reason)
        else:
            self._consider(name, name, self._root.stat())

    def _read(self, folder: _Folder) -> Iterator[_Folder]:
        """Look at every entry of a folder; yield the folders to go on with."""
        try:
            with os.scandir(folder.place) as entries:
                listing = list(entries)
        except OSError as error:
            if not folder.prefix:
                raise UsageError(
                    f"{folder.place!r} cannot be read ({_words(error)}). "
                    "Change its permissions or give another path."
                ) from error
            self._skip_unreachable(folder.prefix, error)
            return
        names = {entry.name for entry in listing}
        if folder.prefix and (reason := deny_content_of_folder(names)):
            self._skip(folder.prefix, reason)
            return
        if folder.prefix:
            self._after.folders.add(folder.prefix)
        level, trusted = self._enter(folder, names)
        yield from self._entries(listing, names, folder, level, trusted)

    def _enter(self, folder: _Folder, names: AbstractSet[str]) -> tuple[Level, bool]:
        """Return the folder's rules, and whether decisions that were made under them before still hold."""
        files = tuple(name for name in IGNORE_NAMES if name in names)
        if folder.above is None:
            level = root_level(self._root, files)
        else:
            level = folder.above.below(folder.name, folder.place, files)
        stamps = {name: self._stamp(f"{folder.place}/{name}") for name in files}
        if stamps:
            self._after.sources[folder.prefix] = stamps
        return level, folder.trusted and stamps == self._before.sources.get(folder.prefix, {})

    def _entries(
        self,
        listing: list[os.DirEntry[str]],
        names: AbstractSet[str],
        folder: _Folder,
        level: Level,
        trusted: bool,
    ) -> Iterator[_Folder]:
        prefix, known, seen, regular = folder.prefix, self._known if trusted else {}, self._seen, stat.S_ISREG
        for entry in listing:
            path = prefix + entry.name
            try:
                document = known.get(path)
                if document is not None:
                    state = entry.stat(follow_symlinks=False)
                    if (
                        state.st_mtime_ns == document.mtime_ns
                        and state.st_size == document.size
                        and regular(state.st_mode)
                    ):
                        seen.add(path)
                        self._found.unchanged += 1
                        continue
                if entry.is_symlink():
                    self._skip(path, "link", self._where_link_leads(entry))
                elif entry.is_dir(follow_symlinks=False):
                    if self._enters(path, entry.name, names, level, trusted):
                        yield _Folder(f"{path}/", entry.path, entry.name, level, trusted)
                else:
                    self._file(entry, path, folder, level, trusted)
            except OSError as error:
                self._skip_unreachable(path, error)

    def _enters(self, path: str, name: str, names: AbstractSet[str], level: Level, trusted: bool) -> bool:
        key = f"{path}/"
        if reason := deny_folder(name, names):
            self._skip(key, reason)
            return False
        if trusted and key in self._before.folders:
            return True
        return not self._is_ignored(key, path, name, level, trusted, folder=True)

    def _file(self, entry: os.DirEntry[str], path: str, folder: _Folder, level: Level, trusted: bool) -> None:
        if not entry.is_file(follow_symlinks=False):
            self._skip(path, "special")
        elif reason := deny_file(entry.name, folder.name):
            self._skip(path, reason)
        elif not self._is_ignored(path, path, entry.name, level, trusted, folder=False):
            self._consider(path, entry.name, entry.stat(follow_symlinks=False))

    def _is_ignored(
        self, key: str, path: str, name: str, level: Level, trusted: bool, *, folder: bool
    ) -> bool:
        if trusted and key in self._before.ignored:
            ignored: bool | None = True
        else:
            ignored = self._settled.decide(path, name, folder=folder)
            if ignored is None:
                ignored = level.ignores(name, folder=folder)
        if ignored:
            self._after.ignored.add(key)
            self._skip(key, "ignored")
        return bool(ignored)

    def _consider(self, path: str, name: str, state: os.stat_result) -> None:
        """Take a file that no rule of names leaves out: by its size, and by what is known of it."""
        limit = largest(name, self._limit)
        stamp = (state.st_size, state.st_mtime_ns)
        refused = self._before.refused.get(path)
        if state.st_size > limit:
            self._skip(path, "too large", f"{state.st_size:,} bytes, the limit is {limit:,}")
        elif refused is not None and refused[2] == stamp:
            self._after.refused[path] = refused
            self._skip(path, refused[0], refused[1])
        else:
            self._take(FoundFile(storable(path), *stamp))

    def _take(self, file: FoundFile) -> None:
        if file.path in self._seen:
            self._skip(file.path, "name", "another file's name reads the same")
            return
        self._seen.add(file.path)
        document = self._known.get(file.path)
        if document is None:
            self._found.added.append(file)
        elif (document.size, document.mtime_ns) == (file.size, file.mtime_ns):
            self._found.unchanged += 1
        else:
            self._found.suspects.append(file)

    def _stamp(self, place: str) -> Stamp:
        """Return an ignore file's size and time; one that proves nothing is replaced to agree with none."""
        try:
            state = os.stat(place)  # noqa: PTH116 - hot
        except (OSError, ValueError):
            return NO_FILE
        racy = is_racy(state.st_mtime_ns, self._now)
        return state.st_size, -self._now if racy else state.st_mtime_ns

    def _where_link_leads(self, entry: os.DirEntry[str]) -> str:
        target = os.readlink(entry.path)  # noqa: PTH115
        place = os.path.normpath(os.path.join(os.path.dirname(entry.path), target))  # noqa: PTH118, PTH120
        inside = place == str(self._root) or place.startswith(f"{self._root}{os.sep}")
        if not inside:
            return "leads out of the root"
        exists = os.path.exists(place)  # noqa: PTH110
        return "what it leads to has its own place" if exists else "leads nowhere"

    def _skip_unreachable(self, path: str, error: OSError) -> None:
        reason: Reason = "vanished" if isinstance(error, FileNotFoundError) else "unreadable"
        self._skip(path, reason, _words(error))

    def _skip(self, path: str, reason: Reason, detail: str = "") -> None:
        self._found.skipped.append(Skipped(storable(path), reason, detail))


def _words(error: Exception) -> str:
    """Return what the system says, without the number and the path."""
    return (isinstance(error, OSError) and error.strerror) or type(error).__name__
