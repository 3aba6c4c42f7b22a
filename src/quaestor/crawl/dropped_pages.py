"""Pages that crawls dropped, kept aside for a week beside the site's folder, so that they can be had back."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from quaestor.crawl.frontier import Frontier, Leaving
from quaestor.crawl.mirror import Mirror

SECONDS = 7 * 24 * 3600
"""How long pages are kept aside."""

_LIST = "pages.json"


class Dropped:
    """What was dropped of one site: a folder for each time, named after its second, with the pages and a list of them.

    Args:
        folder: of the site.
        mirror: its pages.
    """

    def __init__(self, folder: Path, mirror: Mirror) -> None:
        self._folder = folder.with_name(f"{folder.name}.dropped")
        self._mirror = mirror

    def take(self, pages: Sequence[Leaving], now: float | None = None) -> None:
        """Move pages out of the mirror, and delete those that were put aside more than a week ago.

        Args:
            pages: with their paths in the mirror; one that has no file is passed over.
            now: seconds since the epoch; the clock's by default.
        """
        moment = int(time.time() if now is None else now)
        self._expire(moment)
        if not pages:
            return
        while (place := self._folder / str(moment)).exists():
            moment += 1
        place.mkdir(parents=True)
        # The list comes first: whatever of the pages is moved by then can be put back.
        (place / _LIST).write_text(json.dumps([asdict(page) for page in pages]), encoding="utf-8")
        for page in pages:
            self._mirror.move_out(page.path, place / "pages" / page.path)

    def put_back(self, frontier: Frontier) -> int:
        """Return how many pages came back: all that were put aside within a week and that have no successor."""
        restored: dict[str, Leaving] = {}
        self._expire(int(time.time()))
        for place in self._places():
            for page in _listed(place):
                if self._mirror.move_in(place / "pages" / page.path, page.path):
                    restored[page.url] = page
        frontier.put_back(restored.values())
        return len(restored)

    def _expire(self, now: int) -> None:
        for place in self._places():
            if int(place.name) < now - SECONDS:
                shutil.rmtree(place, ignore_errors=True)

    def _places(self) -> Iterator[Path]:
        """Yield the folders, newest first."""
        if self._folder.is_dir():
            yield from sorted(
                (one for one in self._folder.iterdir() if one.name.isdecimal()), key=lambda one: -int(one.name)
            )


def _listed(place: Path) -> list[Leaving]:
    try:
        return [Leaving(**page) for page in json.loads((place / _LIST).read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []
