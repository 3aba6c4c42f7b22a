"""Settings of indexing: which files are read, how they are cut, and with which resources."""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal

from quaestor.chunking import ChunkSettings
from quaestor.core.light_imports import NamedTuple

_RECIPE = 12
"""Incremented whenever equal bytes and settings give other chunks, terms, vectors, authors or dates than before."""


class IngestSettings(NamedTuple):
    """Which files are indexed, how they are cut, and with which resources.

    Attributes:
        ignore: patterns as in ``.gitignore``, relative to the root; they win over every ignore file.
        pages: whether the files are pages that a crawl wrote, whose front matter states their address. An address in
            any other file is not trusted.
        max_file_bytes: larger files are left out. Prose may be eight times as large; lock files and minified or
            generated files, which are cut by lines and noted, a quarter as large. Hand-written source is
            hardly ever above 2 MB; larger files are data and logs.
        chunks: how documents are cut, and sizes of chunks.
        embed_path: whether the path is part of the text that is embedded.
        workers: processes that read, cut and embed; None for one for each core, 1 for only the caller's.
        embed_in: where texts are embedded: in ``workers`` if the embedder is cheap to load; in the ``caller``'s process
            if it is heavy or remote; ``auto`` decides by the embedder's kind.
        git_within: folders elsewhere to which the repository's git folder may lead.
        ray: address of a Ray cluster that cuts and embeds instead of local processes; empty for none.
    """

    ignore: tuple[str, ...] = ()
    pages: bool = False
    max_file_bytes: int = 2_000_000
    chunks: ChunkSettings = ChunkSettings()
    embed_path: bool = True
    workers: int | None = None
    embed_in: Literal["auto", "workers", "caller"] = "auto"
    ray: str = ""
    git_within: tuple[str, ...] = ()

    def recipe(self) -> str:
        """Return the settings that decide the chunks, terms and vectors of a file, as a short text."""
        chunks = self.chunks
        chosen = "" if chunks.method == "auto" else f":{chunks.method}:{chunks.lines or ''}"
        return f"{_RECIPE}:{chunks.target}:{chunks.limit}:{int(self.embed_path)}{chosen}"

    def rules(self) -> str:
        """Return the settings that decide which files are indexed, as a short text."""
        text = repr((_RECIPE, self.ignore, self.max_file_bytes))
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
