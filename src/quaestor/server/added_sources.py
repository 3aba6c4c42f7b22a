"""Folders, sites and git repositories that the only user of a machine adds as corpora on the page.

Folders must lie within those that the server's owner allows; sites must be on allowed hosts. Nothing is fetched before
``AddedSites.fetch`` is called, which the user does by a click; a fetched site is shown first, and served once it is
added. Both lists are stored in the data folder, so that all processes, and the server after a restart, know them.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from quaestor.core.config import Settings, data_home, make_private
from quaestor.core.errors import ForbiddenError, LimitError, NotFoundError, QuaestorError, UsageError
from quaestor.core.wording import amount
from quaestor.crawl import connections
from quaestor.crawl.clone import fetch_repository
from quaestor.crawl.connections import is_named
from quaestor.crawl.crawl_settings import CrawlState
from quaestor.crawl.fetched_sources import crawl, files_of, is_address, names_repository, pages_of, read_git_address
from quaestor.crawl.site_folder import checked_start
from quaestor.files.walk import checked_root
from quaestor.server.process_claims import Claims

_FOLDERS_FILE = "added-folders.json"
_MOST = 50

_SITES_FILE = "added-sites.json"
_KIND = "site"
_UNFINISHED = "Not everything was fetched. Fetch it again to continue."


class AddedFolders:
    """The list of folders that were added.

    Args:
        settings: name the data folder, and the folders within which folders may be added.

    Attributes:
        allowed: the real paths of the folders within which folders may be added.
    """

    def __init__(self, settings: Settings) -> None:
        self.allowed = tuple(Path(folder).expanduser().resolve() for folder in settings.add_within)
        self._home = data_home(settings).resolve()
        self._list_file = _StoredList(self._home, _FOLDERS_FILE)
        self._writing = threading.Lock()

    def list(self) -> tuple[Path, ...]:
        """Return the folders that were added and are still allowed, oldest first."""
        roots = (Path(path) for path in self._list_file.read() if isinstance(path, str))
        # If the path has become a symlink since, it is not the folder that was added.
        return tuple(root for root in roots if self._is_allowed(root) and os.path.realpath(root) == str(root))

    def require_addable(self, path: str) -> Path:
        """Return the real path of a folder that may be added.

        Raises:
            UsageError: the path is not a folder.
            NotFoundError: there is nothing at the path.
            ForbiddenError: the path is outside the allowed folders.
        """
        wanted = Path(path.strip()).expanduser()
        # Checked first: the error must not reveal whether a path outside the allowed folders exists.
        if not wanted.is_absolute() or not self._is_allowed(Path(os.path.realpath(wanted))):
            within = ", ".join(repr(str(folder)) for folder in self.allowed)
            raise ForbiddenError(f"{path!r} may not be added. Give the full path of a folder within {within}.")
        real = checked_root(wanted)
        if not real.is_dir():
            raise UsageError(f"{path!r} is not a folder. Give its parent folder.")
        return real

    def add(self, root: Path) -> None:
        """Add a folder that ``require_addable`` returned.

        Raises:
            LimitError: the list is full.
        """
        with self._writing:
            folders = self.list()
            if len(folders) >= _MOST:
                raise LimitError(f"{len(folders)} folders are added already, which is the limit. Remove one first.")
            self._list_file.write([*(str(one) for one in folders if one != root), str(root)])

    def remove(self, root: Path) -> None:
        """Take a folder off the list; its files and its index stay.

        Raises:
            NotFoundError: the folder is not on the list.
        """
        with self._writing:
            folders = self.list()
            if root not in folders:
                raise NotFoundError(f"{str(root)!r} was not added here.")
            self._list_file.write([str(one) for one in folders if one != root])

    def _is_allowed(self, root: Path) -> bool:
        # The data folder holds users' sessions and documents.
        within = any(root.is_relative_to(folder) for folder in self.allowed)
        return within and not root.is_relative_to(self._home) and not self._home.is_relative_to(root)


@dataclass(frozen=True, slots=True)
class AddedSite:
    """A site or repository whose fetching a person started.

    Attributes:
        address: the URL of its first page, or of the repository.
        most_pages: how many pages are kept at most.
        added: whether it is served.
        problem: why it is incomplete; empty if it is complete.
    """

    address: str
    most_pages: int
    added: bool = False
    problem: str = _UNFINISHED


class _UnwantedError(Exception):
    """Raised to end fetching that was cancelled."""


class AddedSites:
    """The list of sites that were added, or fetched for a preview.

    Args:
        settings: name the data folder and the allowed hosts.
        claims: decide which of several processes fetches a site.

    Attributes:
        allowed: globs that the names of allowed hosts match.
    """

    def __init__(self, settings: Settings, claims: Claims | None = None) -> None:
        self.allowed = tuple(host for hosts in settings.add_sites for host in re.split(r"[,\s]+", hosts) if host)
        self._home = data_home(settings).resolve()
        self._list_file = _StoredList(self._home, _SITES_FILE)
        self._claims = claims or Claims()
        self._writing = threading.Lock()
        self._stopping = threading.Event()

    def list(self) -> tuple[AddedSite, ...]:
        """Return the sites on the list whose hosts are still allowed, oldest first."""
        sites = (_read_site(value) for value in self._list_file.read())
        return tuple(site for site in sites if site is not None and self._is_allowed(site.address))

    def get(self, address: str) -> AddedSite | None:
        """Return a site's entry; None if it is not on the list."""
        return next((site for site in self.list() if site.address == address), None)

    def require_allowed(self, address: str) -> str:
        """Return an allowed address in its normal form, without fetching anything.

        Raises:
            UsageError: the address is not that of a page or repository on the web.
            ForbiddenError: its host is not allowed.
        """
        url = address.strip()
        url = url if is_address(url) or "@" in url else f"https://{url}"
        if names_repository(url):
            read_git_address(url)  # raises UsageError if it is malformed
            normal = url
        else:
            normal = checked_start(url)
        if not self._is_allowed(normal):
            raise ForbiddenError(f"{address!r} may not be added. Give an address at {', '.join(self.allowed)}.")
        return normal

    def require_fetchable(self, address: str) -> str:
        """Return an address that may be fetched in its normal form, without fetching anything.

        Raises:
            UsageError: the address is not that of a page or repository on the web.
            ForbiddenError: its host is not allowed, or is localhost or a private IP address. Host names are resolved,
                and their addresses checked, only when fetching begins.
        """
        url = self.require_allowed(address)
        if _is_private(urlsplit(url).hostname or ""):
            raise ForbiddenError(f"{address!r} is on this machine or its network; nothing is fetched from there.")
        return url

    def root(self, address: str) -> Path:
        """Return the folder of a fetched site.

        Raises:
            NotFoundError: nothing was fetched from the address.
        """
        return files_of(address, self._home) if names_repository(address) else pages_of(address, self._home)

    def fetch_progress(self, address: str) -> str | None:
        """Return the progress of fetching a site as text for people; None if it is not being fetched."""
        if not self._claims.is_claimed(_KIND, address):
            return None
        text = self._claims.published_text(_KIND, address)
        if not text:
            return "its files are being fetched" if names_repository(address) else "its first page is being fetched"
        state = CrawlState(**json.loads(text))
        return f"{amount(state.kept, 'page')} so far, {state.waiting:,} more to fetch"

    def fetch(self, address: str, most_pages: int) -> None:
        """Begin to fetch a site in the background; do nothing if it is being fetched already.

        Args:
            address: what ``require_fetchable`` returned.
            most_pages: how many pages to keep at most.

        Raises:
            LimitError: the list is full.
        """
        before = self.get(address)
        if before is None and len(self.list()) >= _MOST:
            raise LimitError(f"{_MOST} sites are on the list already, which is the limit. Remove one first.")
        site = replace(before or AddedSite(address, most_pages), most_pages=most_pages, problem=_UNFINISHED)
        has_begun = threading.Event()
        # A daemon thread: a server that stops does not wait for it; pages that were fetched are kept.
        threading.Thread(target=self._fetch, args=(site, has_begun), name=f"fetch {address}", daemon=True).start()
        has_begun.wait()

    def add(self, address: str) -> None:
        """Begin to serve a site that was fetched.

        Raises:
            NotFoundError: the site was not fetched.
        """
        site = self.get(address)
        if site is None:
            raise NotFoundError(f"{address!r} was not fetched here. Fetch it first.")
        self._store_site(replace(site, added=True))

    def remove(self, address: str) -> None:
        """Take a site off the list and cancel its fetching; its pages and its index stay."""
        with self._writing:
            self._list_file.write([asdict(site) for site in self.list() if site.address != address])

    def close(self) -> None:
        """Stop all fetching."""
        self._stopping.set()

    def _is_allowed(self, address: str) -> bool:
        try:
            parts = urlsplit(address)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and is_named(parts.hostname or "", self.allowed)

    def _fetch(self, site: AddedSite, has_begun: threading.Event) -> None:
        try:
            with self._claims.attempt(_KIND, site.address) as mine:
                if not mine:
                    return
                self._store_site(site)
                has_begun.set()
                problem = self._problem(site)
                if (current := self.get(site.address)) is not None and problem is not None:
                    self._store_site(replace(current, problem=problem))
        finally:
            has_begun.set()

    def _problem(self, site: AddedSite) -> str | None:
        """Fetch a site; return why it is incomplete, "" if it is complete, or None if fetching was cancelled."""

        def tell(state: CrawlState) -> None:
            if self._stopping.is_set() or self.get(site.address) is None:
                raise _UnwantedError
            self._claims.publish(json.dumps(asdict(state)), _KIND, site.address)

        try:
            if names_repository(site.address):
                return " ".join(fetch_repository(site.address, self._home).missing)
            report = crawl(site.address, self._home, {"max_pages": site.most_pages, "hosts": self.allowed}, tell)
        except _UnwantedError:
            return None
        except (QuaestorError, OSError) as error:
            return _without_options(str(error))
        return f"Not everything was fetched: {report.unfinished}." if report.unfinished else ""

    def _store_site(self, site: AddedSite) -> None:
        with self._writing:
            stored = self.list()
            known = any(one.address == site.address for one in stored)
            sites = [site if one.address == site.address else one for one in stored] if known else [*stored, site]
            self._list_file.write([asdict(one) for one in sites])


def _read_site(value: object) -> AddedSite | None:
    """Return the site in a stored value; None if the value is malformed."""
    if not isinstance(value, dict) or not isinstance(value.get("address"), str):
        return None
    most, problem = value.get("most_pages"), value.get("problem")
    return AddedSite(
        value["address"],
        most if isinstance(most, int) else 1,
        value.get("added") is True,
        problem if isinstance(problem, str) else _UNFINISHED,
    )


def _without_options(text: str) -> str:
    """Return an error's message without sentences about command-line options."""
    return " ".join(sentence for sentence in re.split(r"(?<=[.]) ", text) if "--" not in sentence)


def _is_private(host: str) -> bool:
    """Return whether a host is localhost or a private IP address; other names are not resolved."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return not connections.is_public(host)


class _StoredList:
    """A list of JSON values in a file.

    Args:
        folder: the file's folder.
        name: the file's name.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name

    def read(self) -> list[Any]:
        """Return the list; an empty one if the file is damaged or missing."""
        try:
            entries = json.loads((self._folder / self._name).read_text("utf-8"))
        except (OSError, ValueError):
            return []
        return entries if isinstance(entries, list) else []

    def write(self, values: Sequence[Any]) -> None:
        """Replace the list atomically, in a file that only this user can read."""
        make_private(self._folder)
        handle, unfinished = tempfile.mkstemp(dir=self._folder, prefix=f".{self._name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(list(values), file)
        Path(unfinished).replace(self._folder / self._name)
