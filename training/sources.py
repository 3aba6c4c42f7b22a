"""A git repository as a source of training text: its name, commit and licence.

It reads objects, not a work tree, so that a bare clone is enough and nothing is checked out.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.core.errors import ForbiddenError, NotFoundError
from training.licences import is_copyleft, recognise_licence
from training.refused_repositories import canonical, refusal

_LICENCE_FILE = re.compile(r"(?:[^/]*(?:licen[cs]e|copying|unlicense)[^/]*|readme(?:\.\w+)?)$", re.IGNORECASE)

_ADDRESSES = r"^remote\..*\.(url|pushurl)$"


@dataclass(frozen=True, slots=True)
class Source:
    """One repository at one commit.

    Attributes:
        name: ``owner/name``.
        git_dir: its git directory.
        commit: the full hash that is read.
        licence: SPDX identifier.
    """

    name: str
    git_dir: Path
    commit: str
    licence: str


@dataclass(frozen=True, slots=True)
class Blob:
    """One file of a source: its path, object and size in bytes."""

    path: str
    oid: str
    size: int


def open_source(folder: Path, name: str | None = None) -> Source:
    """Open a checkout or bare clone; refuse an evaluation corpus and what is not permissively licensed."""
    git_dir = folder / ".git" if (folder / ".git").exists() else folder
    if not (git_dir / "HEAD").exists():
        raise NotFoundError(f"{str(folder)!r} is not a git repository; give a clone or its git directory.")
    names = [*([name] if name else []), *_remotes(git_dir)] or [folder.name]
    if reason := refusal([*names, folder.name]):
        raise ForbiddenError(f"{reason} Leave it out.")
    commit = _git(git_dir, "rev-parse", "HEAD").decode().strip()
    licence = _licence(git_dir)
    if licence is None:
        raise ForbiddenError(f"{names[0]!r} has no permissive licence that is known here; leave it out.")
    return Source(name or canonical(names[0]), git_dir, commit, licence)


def _remotes(git_dir: Path) -> list[str]:
    """Return the addresses of all remotes, those to push to and those that a configuration includes among them."""
    command = ["git", "config", "--file", str(git_dir / "config"), "--includes", "--null", "--get-regexp", _ADDRESSES]
    # The exit code says that there are none, too.
    found = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    return [row.partition("\n")[2] for row in found.decode("utf-8", "replace").split("\0")[:-1]]


def list_blobs(git_dir: Path) -> list[Blob]:
    """Return every file of the newest commit."""
    listing = _git(git_dir, "ls-tree", "-r", "-l", "-z", "HEAD").decode("utf-8", "replace")
    blobs = []
    for row in listing.split("\0")[:-1]:
        meta, _, path = row.partition("\t")
        mode, kind, oid, size = meta.split()
        # a size that is not a number marks an object that a partial clone lacks
        if kind == "blob" and mode != "120000" and size.isdigit():
            blobs.append(Blob(path, oid, int(size)))
    return blobs


def read_blobs(git_dir: Path, blobs: Sequence[Blob]) -> Iterator[tuple[Blob, bytes]]:
    """Yield the bytes of ``blobs``, in order, skipping objects that the clone lacks."""
    request = "".join(f"{blob.oid}\n" for blob in blobs).encode()
    answer = _git(git_dir, "cat-file", "--batch", stdin=request)
    at = 0
    for blob in blobs:
        end = answer.index(b"\n", at)
        header = answer[at:end].split()
        at = end + 1
        if header[-1] == b"missing":
            continue
        size = int(header[2])
        yield blob, answer[at : at + size]
        at += size + 1


def _licence(git_dir: Path) -> str | None:
    """Look at the licence files of the root first, then at its README; one copyleft file there refuses it all.

    A repository that offers a copyleft licence beside a permissive one is left out too: which file applies to what
    cannot be told from here.
    """
    found = [blob for blob in list_blobs(git_dir) if _LICENCE_FILE.fullmatch(blob.path)]
    found.sort(key=lambda blob: (blob.path.lower().startswith("readme"), blob.path))
    texts = [(blob.path, data.decode("utf-8", "replace")) for blob, data in read_blobs(git_dir, found)]
    return licence_among(texts)


def licence_of_folder(folder: Path) -> str | None:
    """Return the licence of a checkout's root, whether or not git's own folder lies in it."""
    found = sorted(file for file in folder.iterdir() if file.is_file() and _LICENCE_FILE.fullmatch(file.name))
    found.sort(key=lambda file: file.name.lower().startswith("readme"))
    return licence_among([(file.name, file.read_text("utf-8", "replace")) for file in found])


def licence_among(texts: Sequence[tuple[str, str]]) -> str | None:
    """Return the licence that files of a root grant, given with their names: none if one is copyleft."""
    if any(is_copyleft(text) for name, text in texts if not name.lower().startswith("readme")):
        return None
    return next((licence for _, text in texts if (licence := recognise_licence(text))), None)


def _git(git_dir: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ["git", "--git-dir", str(git_dir), *arguments]
    return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
