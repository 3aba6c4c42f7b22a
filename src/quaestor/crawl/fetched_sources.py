"""Sites and git repositories as sources: their addresses, the folders of what is fetched, and crawling sites.

The crawler is imported only for sites, because most commands are about folders.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from quaestor.core.errors import ForbiddenError, NotFoundError, UpstreamError, UsageError
from quaestor.core.light_imports import NamedTuple
from quaestor.core.wording import command

if TYPE_CHECKING:
    from quaestor.crawl.crawl_settings import CrawlProgress, CrawlReport

_SITES, _REPOSITORIES = "sites", "repositories"
FETCHED = "fetched"
"""The marker file beside a repository's files: all of them are there."""
_LATELY_SECONDS = 24 * 3600
_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SCP = re.compile(r"^(?P<user>[\w.-]+)@(?P<host>[\w.-]+):(?P<path>(?!/?/)[^\s:#]+)(?P<ref>#.*)?$", re.ASCII)
_SCHEMES = frozenset({"http", "https", "ssh", "file"})
_PORTS = {"http": 80, "https": 443, "ssh": 22}
# Scripts render their pages, so a repository's first page is taken for the repository.
_HOSTS = frozenset({"github.com", "gitlab.com", "codeberg.org", "bitbucket.org"})
_REF = re.compile(r"[A-Za-z0-9][\w./+-]{0,200}", re.ASCII)


def is_address(source: str | Path) -> bool:
    """Return whether a source is an address and not a path."""
    return isinstance(source, str) and _ADDRESS.match(source) is not None


def is_site(root: Path, home: Path) -> bool:
    """Return whether a source's folder, as a real path, holds the pages of a site; ``home`` is the data folder."""
    return root.parent.parent == (home / _SITES).resolve()


def pages_of(url: str, home: Path) -> Path:
    """Return the folder of a site's pages; nothing is fetched.

    Raises:
        NotFoundError: the site has not been crawled yet.
        UsageError: it is not an address of a page on the web.
    """
    from quaestor.crawl.site_folder import site_root  # noqa: PLC0415 - most sources are folders

    root = site_root(home / _SITES, url)
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

    return site_folder(home / _SITES, url) / "looked-at"


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

    folder = site.site_folder(home / _SITES, url)
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

    count = site.put_back(site.site_folder(home / _SITES, url), site.checked_start(url))
    if not count:
        raise NotFoundError(f"no page of {url!r} was dropped within the last seven days. Nothing was changed.")
    return count


class GitAddress(NamedTuple):
    """Where a repository is fetched from.

    Attributes:
        scheme: ``http``, ``https``, ``ssh`` or ``file``.
        host: empty for a file.
        port: 0 for a file.
        url: the address in the form that git takes.
        ref: the branch, tag or commit; empty for the repository's default.
        name: the last part of its path, for naming the folder that it is fetched into.
    """

    scheme: str
    host: str
    port: int
    url: str
    ref: str
    name: str


def names_repository(source: object) -> bool:
    """Return whether a source is the address of a git repository, and not a path or a site."""
    if not isinstance(source, str):
        return False
    if _SCP.match(source):
        return True
    scheme, separator, rest = source.partition("://")
    scheme = scheme.lower()
    if not separator or scheme in ("ssh", "file", "git") or scheme.startswith("git+"):
        return bool(separator)
    host, _, path = rest.partition("#")[0].partition("/")
    parts = [part for part in path.split("/") if part]
    return scheme in _PORTS and (path.rstrip("/").endswith(".git") or (host.lower() in _HOSTS and len(parts) == 2))


def read_git_address(source: str) -> GitAddress:
    """Parse a repository's address.

    Raises:
        UsageError: it is not a supported address, or contains a password.
    """
    if match := _SCP.match(source):
        source = f"ssh://{match['user']}@{match['host']}/{match['path']}{match['ref'] or ''}"
    url, _, ref = source.removeprefix("git+").partition("#")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise UsageError(f"{source!r} is not an address of a repository. Give one as https://host/name.git.") from None
    if parts.scheme not in _SCHEMES or bool(host) == (parts.scheme == "file") or parts.query:
        raise UsageError(
            f"{source!r} cannot be fetched from. Give an address that begins with https://, ssh:// or git@host:."
        )
    if parts.password is not None or (parts.username and parts.scheme != "ssh"):
        raise UsageError(
            "The address of a repository contains a name or a password, which would be stored. "
            "Give the address without it; if the repository needs one, use git@host:name."
        )
    if host.startswith("-") or (parts.username or "").startswith("-") or not parts.path.strip("/"):
        raise UsageError(f"{source!r} names no repository. Give an address such as https://host/name.git.")
    if ref and (not _REF.fullmatch(ref) or ".." in ref or ref.endswith((".lock", "/", "."))):
        raise UsageError(f"{ref!r} is not the name of a branch, tag or commit. Give one after '#', or none.")
    name = re.sub(r"[^\w.-]+", "-", parts.path.rstrip("/").rpartition("/")[2].removesuffix(".git"))[:60]
    return GitAddress(
        parts.scheme, host, port or _PORTS.get(parts.scheme, 0), url, ref, name.strip(".") or "repository"
    )


def files_of(source: str, home: Path) -> Path:
    """Return the folder of a repository's files; nothing is fetched.

    Raises:
        NotFoundError: it has not been fetched yet.
        UsageError: it is not a supported address.
    """
    address = read_git_address(source)
    folder = repository_folder(address, home)
    if not (folder / FETCHED).exists():
        raise NotFoundError(f"{source!r} is not indexed yet. Run {command('index', source)}, which fetches its files.")
    return folder / address.name


def is_fetched(root: Path, home: Path) -> bool:
    """Return whether a source's folder, as a real path, holds a fetched repository; ``home`` is the data folder."""
    return root.parent.parent == (home / _REPOSITORIES).resolve()


def repository_folder(address: GitAddress, home: Path) -> Path:
    """Return the folder that holds a repository's files and the mark ``FETCHED``; ``home`` is the data folder."""
    key = blake2b(f"{address.url}#{address.ref}".encode(), digest_size=8).hexdigest()
    return home / _REPOSITORIES / f"{address.name}-{key}"
