"""The embedded text of a chunk, and its terms for the lexical index.

Pure. Changing anything here changes what an index holds: raise the recipe's number in ``indexing_values`` with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from posixpath import splitext

from quaestor.core.documents import Chunk
from quaestor.core.terms import term_keys
from quaestor.stores import ChunkTerms

_KEY_BYTES = 16
_SPEAKING = 3  # folders


def embedded_text(chunk: Chunk, path: str | None = None, title: str | None = None) -> str:
    """Return the text that is embedded for a chunk: its path, its definitions and its text.

    Args:
        chunk: the chunk.
        path: its document's path, or ""; only the nearest folders are included.
        title: its document's title, included unless the scope begins with it.
    """
    names = list(chunk.scope)
    if chunk.symbol is not None:
        names.append(chunk.symbol)
    if title and title not in names:
        names.insert(0, title)
    return "\n".join(part for part in (path and _last_folders(path), " ".join(names), chunk.text) if part)


def vector_keys(embedder: str, texts: Sequence[str]) -> list[bytes]:
    """Return the key under which each text's vector is stored: a hash of the embedder's name and the text."""
    seed = blake2b(embedder.encode() + b"\0", digest_size=_KEY_BYTES)
    keys = []
    for text in texts:
        digest = seed.copy()
        digest.update(text.encode("utf-8", "surrogatepass"))
        keys.append(digest.digest())
    return keys


def chunk_terms(chunks: Sequence[Chunk], path: str, title: str | None = None) -> list[ChunkTerms]:
    """Return each chunk's lexical terms: those of its text, its names, and its document's name and nearest folders.

    A prose document's title is one of the names, because further down a page nothing else may state its subject.
    """
    of_path = term_keys(_last_folders(splitext(path)[0]))
    return [ChunkTerms(term_keys(chunk.text), of_path, term_keys(" ".join(_names(chunk, title)))) for chunk in chunks]


def _last_folders(path: str) -> str:
    """Return the last parts of a path: folders above them say where a checkout is, not what the file contains."""
    return "/".join(path.split("/")[-1 - _SPEAKING :])


def _names(chunk: Chunk, title: str | None) -> Sequence[str]:
    names = [*chunk.scope, *chunk.defines]
    if chunk.symbol is not None and chunk.symbol not in chunk.defines:
        names.append(chunk.symbol)
    return [title, *names] if title and title not in names else names
