"""Folders that the one user of a machine adds as corpora on the page, within those that the server's owner allows.

They are kept in a list in the data folder, so that they are served again after a restart, and by every process.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from quaestor.core.config import Settings, data_home
from quaestor.core.errors import ForbiddenError, LimitError, NotFoundError, UsageError
from quaestor.files.walk import checked_root
from quaestor.server.kept_list import KeptList

_FILE = "added-folders.json"
_MOST = 50


class AddedFolders:
    """The list of folders that were added.

    Args:
        settings: say where data lies, and within which folders others may be added.

    Attributes:
        allowed: the real paths of the folders within which others may be added.
    """

    def __init__(self, settings: Settings) -> None:
        self.allowed = tuple(Path(folder).expanduser().resolve() for folder in settings.add_within)
        self._home = data_home(settings).resolve()
        self._kept = KeptList(self._home, _FILE)
        self._writing = threading.Lock()

    def list(self) -> tuple[Path, ...]:
        """Return the folders that were added and may still be, in the order in which they were."""
        roots = (Path(path) for path in self._kept.read() if isinstance(path, str))
        # One that is a link by now is not the folder that was added.
        return tuple(root for root in roots if self._may(root) and os.path.realpath(root) == str(root))

    def checked(self, path: str) -> Path:
        """Return the real path of a folder that may be added.

        Raises:
            UsageError: it is not a folder.
            NotFoundError: there is none.
            ForbiddenError: nobody allowed it.
        """
        given = Path(path.strip()).expanduser()
        # Nothing is said of what lies elsewhere, not even whether it is there.
        if not given.is_absolute() or not self._may(Path(os.path.realpath(given))):
            within = ", ".join(repr(str(folder)) for folder in self.allowed)
            raise ForbiddenError(f"{path!r} may not be added. Give the whole path of a folder within {within}.")
        real = checked_root(given)
        if not real.is_dir():
            raise UsageError(f"{path!r} is not a folder. Give the folder that it lies in.")
        return real

    def add(self, root: Path) -> None:
        """Add a folder that was checked.

        Raises:
            LimitError: there are too many.
        """
        with self._writing:
            kept = self.list()
            if len(kept) >= _MOST:
                raise LimitError(f"{len(kept)} folders are added already, which is the most. Remove one first.")
            self._kept.write([*(str(one) for one in kept if one != root), str(root)])

    def remove(self, root: Path) -> None:
        """Take a folder off the list; its files and its index stay.

        Raises:
            NotFoundError: it is not on it.
        """
        with self._writing:
            kept = self.list()
            if root not in kept:
                raise NotFoundError(f"{str(root)!r} was not added here.")
            self._kept.write([str(one) for one in kept if one != root])

    def _may(self, root: Path) -> bool:
        # Sessions and documents of people lie in the data folder.
        within = any(root.is_relative_to(folder) for folder in self.allowed)
        return within and not root.is_relative_to(self._home) and not self._home.is_relative_to(root)
