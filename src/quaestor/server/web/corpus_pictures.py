"""Pictures that a document names and that lie in its corpus: shown beside its lines, and nothing else ever is.

What is sent is a file of the corpus that no rule leaves out but that it is not text, read without following a link, and
only if its bytes begin as those of a PNG, JPEG, GIF or WebP do. SVG may hold scripts, and is not shown.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlencode, urlsplit

from fastapi import APIRouter, Response

from quaestor.assemble import Index
from quaestor.core.errors import NotFoundError
from quaestor.files.consistent_read import read_snapshot
from quaestor.files.walk_rules import left_out
from quaestor.server.api.access import corpus_of
from quaestor.server.web.error_pages import PageRoute
from quaestor.server.web.page_frame import Looking

router = APIRouter(route_class=PageRoute)
_LARGEST = 8_000_000
_MOST = 12
_MOST_TEXT = 100_000
_NAMES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_NAMED = re.compile(
    r"!\[(?P<alt>[^\[\]\n]{0,300})\]\(\s{0,3}<?(?P<src>[^\s()<>]{1,500})"
    r"|<img\s(?=[^<>]{0,500}?\bsrc=[\"'](?P<html>[^\"'<>]{1,500})[\"'])[^<>]{0,900}>",
    re.IGNORECASE,
)
_ALT = re.compile(r"\balt=[\"']([^\"'<>]{0,300})[\"']", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that is shown.

    Attributes:
        path: in the corpus.
        alt: what it shows, as the document says.
        href: where it is had.
    """

    path: str
    alt: str
    href: str


def pictures_in(lines: Sequence[str], document: str, index: Index, corpus: str) -> tuple[Picture, ...]:
    """Return the pictures that lines of a document name and that are there.

    Args:
        lines: of the document.
        document: its path.
        index: of the corpus.
        corpus: its name.
    """
    named: dict[str, str] = {}
    for found in _NAMED.finditer("\n".join(lines)[:_MOST_TEXT]):
        path = _path_in_corpus(found["src"] or found["html"], document)
        alt = found["alt"] if found["src"] else next(iter(_ALT.findall(found[0])), "")
        if path and len(named) < _MOST:
            named.setdefault(path, alt)
    return tuple(
        Picture(path, alt, "/picture?" + urlencode({"corpus": corpus, "path": path}))
        for path, alt in named.items()
        if _may_be_shown(index, path)
    )


@router.get("/picture")
def show_picture(at: Looking, path: str, corpus: str = "") -> Response:
    """Return a picture of a corpus as it is on disk; nothing else is sent as what it is."""
    index = corpus_of(at.served, at.user, corpus)
    data = _read(index.root, path) if _may_be_shown(index, path) else b""
    kind = _kind(data)
    if not kind:
        raise NotFoundError(f"{path!r} is not a picture that can be shown.")
    return Response(data, media_type=kind, headers={"content-disposition": "inline"})


def _path_in_corpus(source: str, document: str) -> str:
    """Return the path in the corpus that a document means; empty for what lies elsewhere."""
    try:
        parts = urlsplit(source)
    except ValueError:
        return ""
    if parts.scheme or parts.netloc or not parts.path:
        return ""
    path = unquote(parts.path)
    base = "" if path.startswith("/") else posixpath.dirname(document)
    return _plain_path(posixpath.normpath(posixpath.join(base, path.lstrip("/"))))


def _plain_path(path: str) -> str:
    """Return a path whose parts are names, all below the root; empty if it is not such a one."""
    parts = path.split("/")
    plain = all(part not in ("", ".", "..") for part in parts) and not set(path) & set("\\\0:")
    return path if plain and path.lower().endswith(_NAMES) else ""


def _may_be_shown(index: Index, path: str) -> bool:
    """Return whether a picture is there, and belongs to the corpus by the rules that its documents do."""
    # Of a corpus that is one file, what lies beside it is not part.
    if not _plain_path(path) or not index.root.is_dir() or not (index.root / path).is_file():
        return False
    if any((index.root / one).is_symlink() for one in (path, *map(str, PurePosixPath(path).parents))):
        return False
    return left_out(index.root, path, index.indexer.settings) in (None, "binary")


def _read(root: Path, path: str) -> bytes:
    """Return a file's bytes; none if it is too large, a link, lies behind one, or cannot be read."""
    try:
        data = read_snapshot(str(root / path), _LARGEST, root=str(root)).data
    except OSError:
        return b""
    return data if len(data) <= _LARGEST else b""


def _kind(data: bytes) -> str:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for beginning, kind in _BEGINNINGS.items() if data.startswith(beginning)), "")
