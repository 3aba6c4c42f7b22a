"""Cuts documents into chunks: by definitions, by headings, or by lines.

The package also names a file's language and its codec. It does not know files, stores or embedders: text goes in,
chunks come out. Begin with ``cutting``, which chooses between ``code``, ``prose`` and ``by_lines``.

The names below are loaded when they are first used: a search cuts nothing unless a file has changed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quaestor.chunking.chunk_settings import ChunkSettings as ChunkSettings
    from quaestor.chunking.chunk_settings import CutDocument as CutDocument
    from quaestor.chunking.cutting import cut as cut
    from quaestor.chunking.decode import DecodedFile as DecodedFile
    from quaestor.chunking.definitions import Definition as Definition
    from quaestor.chunking.languages import recognise as recognise

_HOMES = {
    "ChunkSettings": "chunk_settings",
    "CutDocument": "chunk_settings",
    "DecodedFile": "decode",
    "Definition": "definitions",
    "cut": "cutting",
    "recognise": "languages",
}

__all__ = ["ChunkSettings", "CutDocument", "DecodedFile", "Definition", "cut", "recognise"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
