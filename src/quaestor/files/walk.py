"""Walking a folder: finding every file that may be indexed, and the reason for everything that is left out.

Nothing in the repository is executed, and git is not run. Symbolic links are never followed: a target inside the root
is found at its own place, and one outside is not part of the source. So loops and duplicates cannot arise.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from quaestor.core.documents import Document
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.files.consistent_read import stamp_of, storable
from quaestor.files.deny import (
    Reason,
    advice_for,
    deny_content_of_folder,
    deny_file,
    deny_folder,
    extra_is_installed,
    largest,
    suffix_of,
)
from quaestor.files.indexing_values import BY_SETTING, FoundFile, IngestSettings, SkippedPath
from quaestor.files.walk_rules import Decisions, Folder, OpenFolder, Rules


class WalkResult:
    """The result of a walk.

    Attributes:
        added: new files.
        suspects: known files whose size or stamp differs.
        unchanged: number of known files with the same size and stamp.
        removed: known paths that were not found.
        skipped: entries that were left out.
        linked: number of indexable files with several hard links.
        places: the folders that were read, by their paths on disk.
        decisions: the decisions that the next walk uses.
    """

    __slots__ = ("added", "decisions", "linked", "places", "removed", "skipped", "suspects", "unchanged")

    def __init__(self, added: list[FoundFile] | None = None, *, decisions: Decisions | None = None) -> None:
        self.added = added or []
        self.suspects: list[FoundFile] = []
        self.unchanged = 0
        self.removed: list[str] = []
        self.skipped: list[SkippedPath] = []
        self.linked = 0
        self.places: list[str] = []
        self.decisions = decisions or Decisions()

    def copy(self) -> WalkResult:
        """Return a copy; assigning to its fields does not change this one."""
        other = WalkResult()
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        return other


def walk(
    root: Path,
    settings: IngestSettings | None = None,
    known: Mapping[str, Document] | None = None,
    decisions: Decisions | None = None,
) -> WalkResult:
    """Walk a folder, or look at a single file.

    Args:
        root: the folder or file; must exist.
        settings: ignore patterns and size limits.
        known: documents by path, to compare sizes and stamps with.
        decisions: those of the previous walk.

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
    """Return the folder that documents' paths are relative to: ``root``, or its parent if it is a file."""
    return root if root.is_dir() else root.parent


class _Walk:
    def __init__(self, root: Path, settings: IngestSettings, known: Mapping[str, Document], before: Decisions) -> None:
        self._root = root
        self._limit = settings.max_file_bytes
        self._known = known
        self._rules = Rules(root, settings, before)
        self._seen_paths: set[str] = set()
        self._extras: dict[str, bool] = {}
        self._result = WalkResult(decisions=self._rules.after)

    def run(self) -> WalkResult:
        """Walk the folder."""
        if self._root.is_dir():
            self._walk_folders()
        else:
            self._single_file()
        self._result.removed = sorted(self._known.keys() - self._seen_paths)
        self._rules.after.rescued |= self._rules.before.rescued & self._seen_paths
        return self._result

    def _walk_folders(self) -> None:
        pending = [Folder("", str(self._root))]
        while pending:
            pending.extend(self._read(pending.pop()))

    def _single_file(self) -> None:
        name = self._root.name
        reason = deny_file(name)
        if reason:
            self._skip(name, reason, advice_for(name) if reason == "binary" else "")
        else:
            self._consider(name, name, self._root.stat())

    def _read(self, folder: Folder) -> list[Folder]:
        """Look at every entry of a folder; return the folders to read next."""
        self._result.places.append(folder.place)
        try:
            with os.scandir(folder.place) as entries:
                listing = list(entries)
        except OSError as error:
            self._unreadable_folder(folder, error)
            return []
        names = {entry.name for entry in listing}
        if folder.prefix and (reason := deny_content_of_folder(names)):
            self._skip(folder.prefix, reason)
            return []
        here = self._rules.enter(folder, names)
        return self._remarkable(self._new(listing, folder.prefix, self._known_here(here)), here)

    def _known_here(self, here: OpenFolder) -> Mapping[str, Document]:
        """Return the documents in a folder for which no rule can have changed."""
        if not here.trusted:
            return {}
        rescued = self._rules.before.rescued
        if here.same_index or not rescued:
            return self._known
        return {path: document for path, document in self._known.items() if path not in rescued}

    def _new(
        self, listing: list[os.DirEntry[str]], prefix: str, known: Mapping[str, Document]
    ) -> Iterator[os.DirEntry[str]]:
        """Yield all entries except known files that are unchanged; only this loop sees every file each time."""
        seen, is_regular = self._seen_paths.add, stat.S_ISREG
        for entry in listing:
            document = known.get(prefix + entry.name)
            if document is not None:
                try:
                    state = entry.stat(follow_symlinks=False)
                except OSError:
                    continue  # it vanished, and counts as not found
                if state.st_size == document.size and stamp_of(state) == document.stamp and is_regular(state.st_mode):
                    seen(prefix + entry.name)
                    self._result.unchanged += 1
                    self._result.linked += state.st_nlink > 1
                    continue
            yield entry

    def _remarkable(self, entries: Iterator[os.DirEntry[str]], here: OpenFolder) -> list[Folder]:
        folders = []
        for entry in entries:
            path = here.folder.prefix + entry.name
            try:
                if entry.is_symlink():
                    self._skip(path, "link", self._where_link_leads(entry))
                elif not entry.is_dir(follow_symlinks=False):
                    self._file(entry, path, here)
                elif reason := deny_folder(entry.name, here.names):
                    self._skip(f"{path}/", reason)
                elif below := self._rules.enters(here, path, entry.name, entry.path):
                    folders.append(below)
                else:
                    self._skip(f"{path}/", "ignored", self._which_rule(path, entry.name, folder=True))
            except OSError as error:
                self._skip_unreachable(path, error)
        return folders

    def _file(self, entry: os.DirEntry[str], path: str, here: OpenFolder) -> None:
        if not entry.is_file(follow_symlinks=False):
            self._skip(path, "special")
        elif reason := deny_file(entry.name, here.folder.name):
            self._skip(path, reason, advice_for(entry.name) if reason == "binary" else "")
        elif not self._rules.takes(here, path, entry.name):
            self._skip(path, "ignored", self._which_rule(path, entry.name, folder=False))
        else:
            self._consider(path, entry.name, entry.stat(follow_symlinks=False))

    def _which_rule(self, path: str, name: str, *, folder: bool) -> str:
        return BY_SETTING if self._rules.by_setting(path, name, folder=folder) else ""

    def _consider(self, path: str, name: str, state: os.stat_result) -> None:
        """Decide by size and known state about a file that no rule for names leaves out."""
        limit = largest(name, self._limit)
        size, stamp = state.st_size, stamp_of(state)
        self._result.linked += state.st_nlink > 1
        refused = self._rules.before.refused.get(path)
        if size > limit:
            self._skip(path, "too large", f"{size:,} bytes, the limit is {limit:,}")
        elif refused is not None and refused[2] == (size, stamp) and not self._may_be_read_now(name, refused[0]):
            self._rules.after.refused[path] = refused
            self._skip(path, refused[0], refused[1])
        else:
            self._take(FoundFile(storable(path), size, state.st_mtime_ns, stamp))

    def _may_be_read_now(self, name: str, reason: Reason) -> bool:
        """Return whether the package that a file needs was installed since the decision."""
        if reason != "needs an extra":
            return False
        suffix = suffix_of(name)
        if suffix not in self._extras:
            self._extras[suffix] = extra_is_installed(suffix)
        return self._extras[suffix]

    def _take(self, file: FoundFile) -> None:
        if file.path in self._seen_paths:
            self._skip(file.path, "name", "another file's name reads the same")
            return
        self._seen_paths.add(file.path)
        document = self._known.get(file.path)
        if document is None:
            self._result.added.append(file)
        elif (document.size, document.stamp) == (file.size, file.stamp):
            self._result.unchanged += 1
        else:
            self._result.suspects.append(file)

    def _where_link_leads(self, entry: os.DirEntry[str]) -> str:
        target = os.readlink(entry.path)  # noqa: PTH115
        place = os.path.normpath(os.path.join(os.path.dirname(entry.path), target))  # noqa: PTH118, PTH120
        inside = place == str(self._root) or place.startswith(f"{self._root}{os.sep}")
        if not inside:
            return "leads out of the root"
        exists = os.path.exists(place)  # noqa: PTH110
        return "what it leads to has its own place" if exists else "leads nowhere"

    def _unreadable_folder(self, folder: Folder, error: OSError) -> None:
        if not folder.prefix:
            raise UsageError(
                f"{folder.place!r} cannot be read ({_words(error)}). Change its permissions or give another path."
            ) from error
        self._skip_unreachable(folder.prefix, error)

    def _skip_unreachable(self, path: str, error: OSError) -> None:
        reason: Reason = "vanished" if isinstance(error, FileNotFoundError) else "unreadable"
        self._skip(path, reason, _words(error))

    def _skip(self, path: str, reason: Reason, detail: str = "") -> None:
        self._result.skipped.append(SkippedPath(storable(path), reason, detail))


def _words(error: Exception) -> str:
    """Return the system's message, without its error number and path."""
    if isinstance(error, RuntimeError):  # Python's form of it before 3.13
        return "its links lead in a circle"
    return (isinstance(error, OSError) and error.strerror) or type(error).__name__
