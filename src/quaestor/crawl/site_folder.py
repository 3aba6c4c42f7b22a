"""Where a site's pages lie, and what was chosen for it when it was crawled before."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import closing
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from urllib.parse import urlsplit

from quaestor.core.errors import UsageError
from quaestor.core.private_folders import make_private
from quaestor.crawl.crawl_settings import CrawlSettings
from quaestor.crawl.frontier import FILE as FRONTIER
from quaestor.crawl.frontier import Frontier
from quaestor.crawl.mirror import Dropped, Mirror
from quaestor.crawl.urls import normalise
from quaestor.stores.embedded.lock import WriteLock

FILE = "site.json"
_KEPT = ("include", "exclude", "depth", "max_pages", "delay")


def checked_start(url: str) -> str:
    """Return the address of a site in its one form.

    Raises:
        UsageError: it is not an address of a page on the web.
    """
    found = normalise(url)
    if found is None:
        raise UsageError(f"{url!r} is not an address of a site. Give one that begins with http:// or https://.")
    return found


def pages_folder(folder: Path, start: str) -> Path:
    """Return where the pages of a site lie: below its folder, in one that is named after its host."""
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
    """Return the folder of a site's pages, which is what is indexed; it need not exist."""
    return pages_folder(site_folder(sites, url), checked_start(url))


def chosen(folder: Path, **given: object) -> CrawlSettings:
    """Return the settings for a crawl: what is given, else what was chosen the time before; they are remembered.

    Whether private addresses are allowed is never remembered.
    """
    file = folder / FILE
    try:
        before = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = {}
    kept = {name: _as_setting(before[name]) for name in _KEPT if name in before}
    settings = replace(CrawlSettings(), **{**kept, **{name: one for name, one in given.items() if one is not None}})  # type: ignore[arg-type]
    make_private(folder)
    file.write_text(json.dumps({name: asdict(settings)[name] for name in _KEPT}), encoding="utf-8")
    return settings


def put_back(folder: Path, start: str) -> int:
    """Return how many pages came back of those that crawls of a site dropped within a week.

    Raises:
        IndexUnusableError: another process crawls this site.
    """
    if not folder.is_dir():
        return 0
    with WriteLock(folder).held(1.0), closing(Frontier(folder)) as frontier:
        return Dropped(folder, Mirror(pages_folder(folder, start))).put_back(frontier)


def _as_setting(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def erase(folder: Path, start: str) -> None:
    """Delete what a crawl made of a site, its pages after a week only; what was chosen for it stays."""
    if not folder.is_dir():
        return
    with WriteLock(folder).held(1.0):
        with closing(Frontier(folder)) as frontier:
            pages = frontier.on_disk_now()
        Dropped(folder, Mirror(pages_folder(folder, start))).take(pages)
        for entry in folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name.startswith(FRONTIER):
                entry.unlink(missing_ok=True)
