"""The name of a transformer: a hash of all that decides its vectors, so that a folder may be moved and renamed.

The hash is cached in a small file for each name, with the folder's path and its files' sizes and times: a cold search
would otherwise read hundreds of megabytes to find that nothing changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from quaestor.embedding.transformer import NAME
from quaestor.embedding.transformer.model_folder import Transformer

_DIGITS = 16


class Known(NamedTuple):
    """A transformer that was hashed before.

    Attributes:
        name: hash of all that decides its vectors.
        place: the path of its model.
        looks: sizes and times of its files when they were hashed.
        dimensions: length of its vectors, or 0 if unknown.
    """

    name: str
    place: str
    looks: list[Any]
    dimensions: int = 0


def identified(transformer: Transformer, register: Path) -> Known:
    """Return a transformer with its name; its files are read only if they do not look as when that was last done.

    Raises:
        OSError: a file cannot be read.
    """
    looks = _file_stats(transformer)
    place = str(transformer.model)
    found = next((known for known in _all_known(register) if known.place == place and known.looks == looks), None)
    if found is not None:
        return found
    named = f"{NAME}{_digest(transformer)[:_DIGITS]}"
    before = known(named, register)
    now = Known(named, place, looks, 0 if before is None else before.dimensions)
    keep(now, register)
    return now


def known(name: str, register: Path) -> Known | None:
    """Return the transformer of a name; None if it was never seen here."""
    try:
        return Known(**json.loads((register / f"{name}.json").read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def keep(seen: Known, register: Path) -> None:
    """Remember a transformer; where nothing can be written it is hashed again next time."""
    with suppress(OSError):
        register.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=register, suffix=".new", delete=False, encoding="utf-8") as new:
            json.dump(seen._asdict(), new)
        os.replace(new.name, register / f"{seen.name}.json")  # noqa: PTH105 - the name is a string


def _all_known(register: Path) -> Iterator[Known]:
    for file in sorted(register.glob(f"{NAME}*.json")):
        found = known(file.stem, register)
        if found is not None:
            yield found


def _settings(transformer: Transformer) -> list[str | int]:
    return [transformer.pooling, transformer.query, transformer.document, transformer.longest, transformer.pad]


def _file_stats(transformer: Transformer) -> list[Any]:
    """Return the files' sizes and times, of inode changes, too, which differ whenever a file changes."""
    found = [path.stat() for path in transformer.files]
    return [_settings(transformer), [[one.st_size, one.st_mtime_ns, one.st_ctime_ns] for one in found]]


def _digest(transformer: Transformer) -> str:
    whole = hashlib.sha256(json.dumps(_settings(transformer)).encode())
    for path in transformer.files:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()
