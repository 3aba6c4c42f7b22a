"""Copies of corpora as files, each written once and atomically."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from quaestor.core.errors import ForbiddenError

_STATE = "state"


@dataclass(frozen=True, slots=True)
class Copy:
    """The place of a corpus's copy.

    Attributes:
        folder: holds the copy, in a folder named after the corpus, and a record of its state.
        name: of the corpus.
    """

    folder: Path
    name: str

    @classmethod
    def of(cls, copies: Path, source: Path, *what: object) -> Copy:
        """Return the place of a source's copy, the same for the same ``what``.

        Args:
            copies: holds all copies.
            source: of the copy.
            what: other values that the copy depends on.
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
            files: returns path and bytes of each; called only if the copy is written.

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
