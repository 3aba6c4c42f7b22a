"""The segments of a corpus on this machine: by their hash, in a folder that any number of processes share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from quaestor.core.errors import IndexUnusableError
from quaestor.stores.embedded.postings import Segment
from quaestor.stores.postgres.word_segments import Kept, file_hash, in_memory

_SUFFIX = ".postings"


class SegmentCache:
    """Segments of one corpus; those of a folder are mapped, and shared with other processes by the system.

    Args:
        folder: of this corpus alone; None keeps them in memory.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._held: dict[bytes, Segment] = {}

    def segment(self, kept: Kept, fetch: Callable[[Kept], bytes]) -> Segment:
        """Return a segment; ``fetch`` is asked for its file if it is not here.

        Raises:
            IndexUnusableError: what was fetched is not what the database says it is.
        """
        held = self._held.get(kept.hash) or self._mapped(kept)
        if held is None:
            data = fetch(kept)
            if file_hash(data) != kept.hash:
                raise IndexUnusableError(
                    "Words of the corpus in the store do not agree with their hash: run `quaestor store check`."
                )
            held = (self._mapped(kept) if self._write(kept, data) else None) or in_memory(data)
        self._held[kept.hash] = held
        return held

    def keep_only(self, hashes: Collection[bytes]) -> None:
        """Forget all others; a process that has one of them mapped goes on with it."""
        self.keep_only_in_memory(hashes)
        if self._folder is not None:
            names = {_name(hash_) for hash_ in hashes}
            for file in self._folder.glob(f"*{_SUFFIX}"):
                if file.name not in names:
                    # What somebody else has mapped cannot be deleted everywhere; the next one tries again.
                    with suppress(OSError):
                        file.unlink()

    def keep_only_in_memory(self, hashes: Collection[bytes]) -> None:
        """Forget all others, except for their files."""
        for hash_ in [hash_ for hash_ in self._held if hash_ not in hashes]:
            del self._held[hash_]

    def forget(self) -> None:
        """Forget everything, on disk, too: something there is not as it was written."""
        self.keep_only(())

    def _mapped(self, kept: Kept) -> Segment | None:
        """Return a segment of the folder; None if there is none that is as it was written."""
        if self._folder is None:
            return None
        try:
            return Segment.map(self._folder / _name(kept.hash), kept.checksum)
        except (OSError, ValueError):  # not there, or cut short or changed, which is a ValueError
            return None

    def _write(self, kept: Kept, data: bytes) -> bool:
        """Write a segment's file in one piece; return whether it could be."""
        if self._folder is None:
            return False
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(self._folder / _name(kept.hash))
        except OSError:
            return False
        return True


def _name(hash_: bytes) -> str:
    return hash_.hex() + _SUFFIX
