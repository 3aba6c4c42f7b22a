"""Git repositories as sources: their addresses, and the folders of their files."""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path
from urllib.parse import urlsplit

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.core.light_imports import NamedTuple
from quaestor.core.wording import command

_SCP = re.compile(r"^(?P<user>[\w.-]+)@(?P<host>[\w.-]+):(?P<path>(?!/?/)[^\s:#]+)(?P<ref>#.*)?$", re.ASCII)
_SCHEMES = frozenset({"http", "https", "ssh", "file"})
_PORTS = {"http": 80, "https": 443, "ssh": 22}
# Scripts render their pages, so a repository's first page is taken for the repository.
_HOSTS = frozenset({"github.com", "gitlab.com", "codeberg.org", "bitbucket.org"})
_REF = re.compile(r"[A-Za-z0-9][\w./+-]{0,200}", re.ASCII)


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


_FOLDER = "repositories"
FETCHED = "fetched"
"""The marker file beside a repository's files: all of them are there."""


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
    return root.parent.parent == (home / _FOLDER).resolve()


def repository_folder(address: GitAddress, home: Path) -> Path:
    """Return the folder that holds a repository's files and the mark ``FETCHED``; ``home`` is the data folder."""
    key = blake2b(f"{address.url}#{address.ref}".encode(), digest_size=8).hexdigest()
    return home / _FOLDER / f"{address.name}-{key}"
