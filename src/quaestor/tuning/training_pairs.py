"""A training pair, and files of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["doc", "comment", "name", "test", "error", "commit", "heading", "sentence"]


@dataclass(frozen=True, slots=True)
class Pair:
    """What someone might ask, and the text that answers it.

    Attributes:
        kind: where the query comes from.
        query: a comment, a split name, a heading and the like; never part of ``text``.
        text: the passage, shaped like a chunk of an index.
        path: the passage's file, relative to its repository.
        language: of the passage.
    """

    kind: Kind
    query: str
    text: str
    path: str
    language: str


def write_pairs(file: Path, pairs: Iterable[Pair]) -> int:
    """Write gzipped JSON lines; return how many."""
    count = 0
    with gzip.open(file, "wt", encoding="utf-8", compresslevel=1) as out:
        for pair in pairs:
            out.write(json.dumps(asdict(pair), ensure_ascii=False) + "\n")
            count += 1
    return count


def read_pairs(file: Path) -> Iterator[Pair]:
    """Yield what ``write_pairs`` wrote."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield Pair(**json.loads(line))
