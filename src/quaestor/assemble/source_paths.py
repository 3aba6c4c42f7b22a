"""Paths of a source and its index, and its settings of indexing."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.chunking import ChunkSettings
from quaestor.core.config import Settings, data_home, load_configuration
from quaestor.crawl.fetched_sources import files_of, is_address, is_site, names_repository, pages_of
from quaestor.files.walk import checked_root
from quaestor.files.walk_rules import left_out
from quaestor.indexing.indexer import IngestSettings

if TYPE_CHECKING:
    from quaestor.edits import Journal, Objection


SOURCE_NOTE = "source"
"""The file beside an index that names its source."""


def index_folder(root: Path, settings: Settings) -> Path:
    """Return the folder of a source's index: named after it, with a hash of its real path."""
    key = blake2b(str(root.resolve()).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", root.name)[:40] or "root"
    return data_home(settings) / "indexes" / f"{name}-{key}"


def note_source(root: Path, settings: Settings) -> None:
    """Record beside an index the path of its source, in case the source is deleted; skip a read-only index.

    Args:
        root: the real path of the source.
        settings: the settings that name the data folder.
    """
    note, source_bytes = index_folder(root, settings) / SOURCE_NOTE, os.fsencode(root)
    with suppress(OSError):
        if note.parent.is_dir() and not (note.exists() and note.read_bytes() == source_bytes):
            note.write_bytes(source_bytes)


def locate(path: str | Path, settings: Settings | None = None) -> Path:
    """Return the real path of an indexed folder or file; for a site or git repository, the folder of its files.

    Args:
        path: the path of a folder or file, or the address of a site or a git repository.
        settings: name the data folder; read from environment and files by default.

    Raises:
        NotFoundError: it does not exist, or it has not been fetched; nothing is fetched here.
        UsageError: it is an unsupported address, or neither a folder nor a file.
    """
    if names_repository(path):
        return checked_root(files_of(str(path), data_home(settings or load_configuration().settings)))
    if not is_address(path):
        return checked_root(Path(path).expanduser())
    return checked_root(pages_of(str(path), data_home(settings or load_configuration().settings)))


def ingest_settings(settings: Settings, root: Path | None = None) -> IngestSettings:
    """Return the settings of indexing; ignore files above a site's pages do not apply to them.

    Raises:
        UsageError: the setting ``chunker`` has an unknown value.
    """
    pages = root is not None and is_site(root, data_home(settings))
    return IngestSettings(
        ignore=("!*", *settings.ignore) if pages else settings.ignore,
        pages=pages,
        max_file_bytes=settings.max_file_bytes,
        chunks=ChunkSettings.read(settings.chunker, settings.chunk_target, settings.chunk_limit),
        ray=settings.ray,
        git_within=settings.git_within,
    )


def make_journal(root: Path, settings: Settings) -> Journal:
    """Return the record of edits of one source, in the data folder under the same name as its index."""
    from quaestor.edits import Journal  # noqa: PLC0415 - only for edits

    return Journal(data_home(settings) / "edits" / index_folder(root, settings).name)


def make_objection(root: Path, settings: Settings) -> Objection:
    """Return a function that decides which paths of a source need a second consent before they are edited."""
    ingest = ingest_settings(settings)

    def objection(path: str) -> str | None:
        reason = left_out(root, path, ingest)
        return None if reason is None else f"it is not indexed: {reason}"

    return objection
