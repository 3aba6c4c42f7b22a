"""Sites as sources: their addresses, their folders, and crawling them.

The crawler is imported only for sites, because most commands are about folders.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.core.errors import ForbiddenError, NotFoundError, UpstreamError
from quaestor.core.wording import command

if TYPE_CHECKING:
    from quaestor.crawl.crawl_settings import CrawlProgress, CrawlReport

_FOLDER = "sites"
_LATELY_SECONDS = 24 * 3600
_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def is_address(source: str | Path) -> bool:
    """Return whether a source is an address and not a path."""
    return isinstance(source, str) and _ADDRESS.match(source) is not None


def is_site(root: Path, home: Path) -> bool:
    """Return whether a source's folder, as a real path, holds the pages of a site; ``home`` is the data folder."""
    return root.parent.parent == (home / _FOLDER).resolve()


def pages_of(url: str, home: Path) -> Path:
    """Return the folder of a site's pages; nothing is fetched.

    Raises:
        NotFoundError: the site has not been crawled yet.
        UsageError: it is not an address of a page on the web.
    """
    from quaestor.crawl.site_folder import site_root  # noqa: PLC0415 - most sources are folders

    root = site_root(home / _FOLDER, url)
    if not root.is_dir():
        raise NotFoundError(f"{url!r} is not indexed yet. Run {command('index', url)}, which fetches its pages.")
    return root


def was_fetched_by_dry_run(url: str, home: Path, chosen: Mapping[str, object]) -> bool:
    """Return whether a recent complete crawl with the same options fetched pages that are not indexed yet.

    Without options, those of that crawl count.
    """
    look, options = _dry_run_note(url, home), _options(chosen)
    try:
        lately = time.time() - look.stat().st_mtime < _LATELY_SECONDS
        return lately and options in (_options({}), look.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False


def note_dry_run(url: str, home: Path, chosen: Mapping[str, object]) -> None:
    """Record that a site's pages were fetched for a dry run, so that indexing need not fetch them again."""
    _dry_run_note(url, home).write_text(_options(chosen), encoding="utf-8")


def _options(chosen: Mapping[str, object]) -> str:
    """Return the options that decide what is fetched; whether private addresses are allowed is not among them."""
    options = {name: value for name, value in chosen.items() if value is not None and value is not False}
    options.pop("allow_private", None)
    return json.dumps(options, sort_keys=True)


def forget_dry_run(url: str, home: Path) -> None:
    """Record that a site's pages are indexed, or were not fetched completely."""
    _dry_run_note(url, home).unlink(missing_ok=True)


def _dry_run_note(url: str, home: Path) -> Path:
    from quaestor.crawl.site_folder import site_folder  # noqa: PLC0415 - most sources are folders

    return site_folder(home / _FOLDER, url) / "looked-at"


def crawl(
    url: str,
    home: Path,
    chosen: Mapping[str, object],
    progress: CrawlProgress | None = None,
    *,
    rebuild: bool = False,
) -> CrawlReport:
    """Fetch a site's new and changed pages into the folder that is indexed.

    Args:
        url: the start page; http or https.
        home: the data folder.
        chosen: fields of ``CrawlSettings``; for None or missing ones, those of the last crawl.
        progress: called during the crawl.
        rebuild: start over without the present pages; they are restored if the crawl finds nothing.

    Raises:
        UsageError: ``url`` is not a web address.
        ForbiddenError: the site is in a private network, or forbids crawling.
        UpstreamError: no page could be fetched.
        IndexUnusableError: another process crawls this site.
    """
    from quaestor.crawl import site_folder as site  # noqa: PLC0415 - most sources are folders
    from quaestor.crawl.crawler import Crawl  # noqa: PLC0415 - most sources are folders

    folder = site.site_folder(home / _FOLDER, url)
    if rebuild:
        site.erase(folder, site.checked_start(url))
    try:
        return Crawl(url, folder, site.settings_for_crawl(folder, **chosen)).run(progress)
    except (ForbiddenError, UpstreamError):
        if rebuild:
            site.put_back(folder, site.checked_start(url))
        raise


def put_back(url: str, home: Path) -> int:
    """Restore the pages that crawls of a site removed within a week, and return their number; nothing is fetched.

    Raises:
        UsageError: ``url`` is not a web address.
        NotFoundError: there is nothing to restore.
        IndexUnusableError: another process crawls this site.
    """
    from quaestor.crawl import site_folder as site  # noqa: PLC0415 - most sources are folders

    count = site.put_back(site.site_folder(home / _FOLDER, url), site.checked_start(url))
    if not count:
        raise NotFoundError(f"no page of {url!r} was dropped within the last seven days. Nothing was changed.")
    return count
