"""A list that a server keeps in the data folder, so that it is there after a restart, and for every process."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quaestor.core.private_folders import make_private


class KeptList:
    """A list of plain values in a file.

    Args:
        folder: where the file lies.
        name: of the file.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name

    def read(self) -> list[Any]:
        """Return the list; what is damaged or missing is an empty one."""
        try:
            kept = json.loads((self._folder / self._name).read_text("utf-8"))
        except (OSError, ValueError):
            return []
        return kept if isinstance(kept, list) else []

    def write(self, values: Sequence[Any]) -> None:
        """Keep a list in place of the one before, whole or not at all, and for nobody else's eyes."""
        make_private(self._folder)
        handle, unfinished = tempfile.mkstemp(dir=self._folder, prefix=f".{self._name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(list(values), file)
        Path(unfinished).replace(self._folder / self._name)
