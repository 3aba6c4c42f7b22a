"""The folder of a site: one Markdown file for each page, and the settings of its last crawl.

Pages that a crawl removes are kept for a week.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from urllib.parse import urlsplit

from quaestor.convert import ConvertedDocument
from quaestor.core.config import make_private
from quaestor.core.errors import UsageError
from quaestor.crawl.crawl_settings import CrawlSettings
from quaestor.crawl.frontier import FILE as FRONTIER
from quaestor.crawl.frontier import Frontier, UnwantedPage
from quaestor.crawl.urls import normalise
from quaestor.stores.embedded.lock import WriteLock

FILE = "site.json"
_KEPT = ("include", "exclude", "depth", "max_pages", "delay")

_FIELDS = ("title", "author", "date")


def checked_start(url: str) -> str:
    """Return the normal form of a site's address.

    Raises:
        UsageError: it is not an address of a page on the web.
    """
    start = normalise(url)
    if start is None:
        raise UsageError(f"{url!r} is not an address of a site. Give one that begins with http:// or https://.")
    return start


def pages_folder(folder: Path, start: str) -> Path:
    """Return the folder of a site's pages: the subfolder named after its host."""
    return folder / (urlsplit(start).hostname or "site").replace(":", "-")


def site_folder(sites: Path, url: str) -> Path:
    """Return the folder of a site, named after its host and keyed by its address.

    Args:
        sites: the folder of all sites.
        url: the address that is crawled.

    Raises:
        UsageError: it is not an address of a page on the web.
    """
    start = checked_start(url)
    name = re.sub(r"[^a-z0-9.-]+", "-", urlsplit(start).netloc)[:40]
    return sites / f"{name}-{blake2b(start.encode(), digest_size=8).hexdigest()}"


def site_root(sites: Path, url: str) -> Path:
    """Return the folder of a site's pages, which is indexed; it need not exist."""
    return pages_folder(site_folder(sites, url), checked_start(url))


def settings_for_crawl(folder: Path, **changes: object) -> CrawlSettings:
    """Return the settings for a crawl, those of the last one with some changes, and store them.

    Whether private addresses are allowed is never stored.
    """
    file = folder / FILE
    try:
        before = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = {}
    values = {name: _as_setting(before[name]) for name in _KEPT if name in before}
    values |= {name: one for name, one in changes.items() if one is not None}
    settings = replace(CrawlSettings(), **values)  # type: ignore[arg-type]
    make_private(folder)
    file.write_text(json.dumps({name: asdict(settings)[name] for name in _KEPT}), encoding="utf-8")
    return settings


def put_back(folder: Path, start: str) -> int:
    """Restore the pages that crawls of a site removed within a week, and return their number.

    Raises:
        IndexUnusableError: another process crawls this site.
    """
    if not folder.is_dir():
        return 0
    with WriteLock(folder).hold(1.0), closing(Frontier(folder)) as frontier:
        return RemovedPages(folder, Mirror(pages_folder(folder, start))).put_back(frontier)


def _as_setting(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def erase(folder: Path, start: str) -> None:
    """Delete a site's crawl; its settings stay, and its pages are deleted after a week."""
    if not folder.is_dir():
        return
    with WriteLock(folder).hold(1.0):
        with closing(Frontier(folder)) as frontier:
            pages = frontier.on_disk_now()
        RemovedPages(folder, Mirror(pages_folder(folder, start))).take(pages)
        for entry in folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name.startswith(FRONTIER):
                entry.unlink(missing_ok=True)


def delete_fetched(folder: Path) -> None:
    """Delete the folder of a site or of a git repository, and the pages that crawls of a site removed.

    Raises:
        IndexBusyError: another process fetches it.
    """
    with WriteLock(folder).hold(1.0):
        for place in (folder, _dropped_folder(folder)):
            shutil.rmtree(place, ignore_errors=True)


def _dropped_folder(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.dropped")


class Mirror:
    """Writes and removes pages.

    Args:
        folder: the folder of the pages; created if it is missing.
    """

    def __init__(self, folder: Path) -> None:
        make_private(folder)
        self._folder = folder

    def write(self, path: str, url: str, page: ConvertedDocument) -> bool:
        """Write a page, completely or not at all; return whether that changed anything."""
        data = render(url, page).encode("utf-8", "replace")
        place = self._folder / path
        with suppress(OSError):
            if place.read_bytes() == data:
                return False
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=".", suffix=".new", dir=self._folder.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            Path(temporary).replace(place)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return True

    def remove(self, path: str) -> None:
        """Remove a page and the folders that it leaves empty."""
        (self._folder / path).unlink(missing_ok=True)
        self._remove_empty(path)

    def move_out(self, path: str, place: Path) -> None:
        """Move a page elsewhere on the same disk, if it exists."""
        if (self._folder / path).is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            (self._folder / path).replace(place)
            self._remove_empty(path)

    def move_in(self, place: Path, path: str) -> bool:
        """Move a page back unless there is another one by now; return whether it was moved."""
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


def render(url: str, page: ConvertedDocument) -> str:
    """Return a page's file: YAML front matter of plain scalars, then its Markdown."""
    known = {name: value for name in _FIELDS if (value := getattr(page, name))}
    lines = [f"{name}: {_scalar(value)}" for name, value in {**known, "url": url}.items()]
    return "\n".join(["---", *lines, "---", "", page.text])


def _scalar(value: str) -> str:
    quoted = value.replace('"', "'")
    return f'"{quoted}"'


SECONDS = 7 * 24 * 3600
"""Seconds for which removed pages are kept."""

_LIST = "pages.json"


class RemovedPages:
    """The removed pages of one site: a folder for each crawl, named after its time, with the pages and their list.

    Args:
        folder: the folder of the site.
        mirror: its pages.
    """

    def __init__(self, folder: Path, mirror: Mirror) -> None:
        self._folder = _dropped_folder(folder)
        self._mirror = mirror

    def take(self, pages: Sequence[UnwantedPage], now: float | None = None) -> None:
        """Move pages out of the mirror, and delete those that were moved out more than a week ago.

        Args:
            pages: the pages with their paths in the mirror; one without a file is skipped.
            now: seconds since the epoch; the clock's by default.
        """
        moment = int(time.time() if now is None else now)
        self._expire(moment)
        if not pages:
            return
        while (place := self._folder / str(moment)).exists():
            moment += 1
        place.mkdir(parents=True)
        # The list is written first, so that all pages moved by a crash can be restored.
        (place / _LIST).write_text(json.dumps([asdict(page) for page in pages]), encoding="utf-8")
        for page in pages:
            self._mirror.move_out(page.path, place / "pages" / page.path)

    def put_back(self, frontier: Frontier) -> int:
        """Restore the pages moved out within a week that have no successor, and return their number."""
        restored: dict[str, UnwantedPage] = {}
        self._expire(int(time.time()))
        for place in self._places():
            for page in _read_list(place):
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


def _read_list(place: Path) -> list[UnwantedPage]:
    try:
        return [UnwantedPage(**page) for page in json.loads((place / _LIST).read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []
