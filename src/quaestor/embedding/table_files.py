"""The files of a table of word vectors: arrays that are mapped, and the words that have rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HEADER = re.compile(
    rb"\x93NUMPY\x01\0..\{'descr': '([<|][iuf]\d)', 'fortran_order': False, 'shape': \((\d[\d, ]*)\), \} *\n", re.DOTALL
)
_LONGEST_HEADER = 256


def map_array(path: Path) -> NDArray[Any]:
    """Return the array in a file as ``numpy.save`` writes arrays of plain numbers (format 1.0), read-only.

    Raises:
        OSError: it cannot be read.
        ValueError: it holds something else, or not all of it.
    """
    with path.open("rb") as file:
        header = _HEADER.match(file.read(_LONGEST_HEADER))
        if header is None:
            raise ValueError(f"{path.name!r} is not an array of plain numbers")
        shape = tuple(int(length) for length in header[2].split(b",") if length.strip())
        return np.asarray(np.memmap(file, header[1].decode(), "r", header.end(), shape))


_SCANNED = 8
"""So many words are looked for in the text itself: names and paths have fewer; a dictionary takes 10 ms."""


class Vocabulary:
    """Finds the row of a word.

    Args:
        text: the words in the order of their rows, UTF-8, separated by line ends.

    Attributes:
        get: returns the row of a word, None if it has none.
        longest: no word has more letters; exact as soon as there is a dictionary.
    """

    def __init__(self, text: bytes) -> None:
        self._lines = b"\n%s\n" % text
        self._asked = 0
        self.longest = len(text)
        self.get: Callable[[str], int | None] = self._scan

    @classmethod
    def of(cls, words: Sequence[str] | Vocabulary) -> Vocabulary:
        """Return the vocabulary of some words, each at its row."""
        return words if isinstance(words, Vocabulary) else cls("\n".join(words).encode())

    def __len__(self) -> int:
        return self._lines.count(b"\n") - 1

    def _scan(self, word: str) -> int | None:
        if self._asked >= _SCANNED:
            return self._index()(word)
        self._asked += 1
        at = self._lines.find(b"\n%s\n" % word.encode("utf-8", "surrogatepass"))
        return None if at < 0 else self._lines.count(b"\n", 0, at)

    def words(self) -> list[str]:
        """Return all words in the order of their rows."""
        return self._lines[1:-1].decode().split("\n")

    def _index(self) -> Callable[[str], int | None]:
        """Look words up in a dictionary from here on."""
        words = self.words()
        self.longest = max(map(len, words))
        self.get = dict(zip(words, range(len(words)), strict=True)).get
        return self.get
