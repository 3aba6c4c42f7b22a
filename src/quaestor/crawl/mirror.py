"""The folder that a crawl fills: one Markdown file a page, with what is known of it at its head."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from quaestor.convert import Converted
from quaestor.core.private_folders import make_private

_FIELDS = ("title", "author", "date")


class Mirror:
    """Writes and removes pages.

    Args:
        folder: where they lie; made if it is missing.
    """

    def __init__(self, folder: Path) -> None:
        make_private(folder)
        self._folder = folder

    def write(self, path: str, url: str, page: Converted) -> bool:
        """Write a page, whole or not at all; return whether that changed anything."""
        data = render(url, page).encode("utf-8", "replace")
        place = self._folder / path
        with suppress(OSError):
            if place.read_bytes() == data:
                return False
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor, made = tempfile.mkstemp(prefix=".", suffix=".new", dir=self._folder.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            Path(made).replace(place)
        except BaseException:
            Path(made).unlink(missing_ok=True)
            raise
        return True

    def remove(self, path: str) -> None:
        """Remove a page and the folders that it leaves empty."""
        (self._folder / path).unlink(missing_ok=True)
        self._remove_empty(path)

    def move_out(self, path: str, place: Path) -> None:
        """Move a page elsewhere, on the same disk; nothing happens if it is not there."""
        if (self._folder / path).is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            (self._folder / path).replace(place)
            self._remove_empty(path)

    def move_in(self, place: Path, path: str) -> bool:
        """Move a page back, and return whether that was done: not if there is another one by now."""
        if not place.is_file() or (self._folder / path).exists():
            return False
        (self._folder / path).parent.mkdir(parents=True, exist_ok=True)
        place.replace(self._folder / path)
        return True

    def _remove_empty(self, path: str) -> None:
        place = self._folder / path
        for folder in place.parents:
            if folder == self._folder:
                return
            try:
                folder.rmdir()
            except OSError:
                return


def render(url: str, page: Converted) -> str:
    """Return a page's file: YAML front matter of plain scalars, then its Markdown."""
    known = {name: value for name in _FIELDS if (value := getattr(page, name))}
    lines = [f"{name}: {_scalar(value)}" for name, value in {**known, "url": url}.items()]
    return "\n".join(["---", *lines, "---", "", page.text])


def _scalar(value: str) -> str:
    quoted = value.replace('"', "'")
    return f'"{quoted}"'
