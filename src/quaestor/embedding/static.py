"""The bundled embedder: a text's vector is the sum of its words' learned vectors, made unit length.

The table is int8 with one scale per row, which holds the row's learned weight as well (so the sum is a weighted mean,
as in SIF, Arora et al. 2017, with learned weights). Rows are whole words and WordPiece pieces (Schuster and Nakajima
2012). A word is cut once and remembered, since code repeats its words; the table's arrays stay memory maps.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quaestor.core.errors import IndexUnusableError
from quaestor.core.terms import find_words, is_raw, rough_words, split_identifier
from quaestor.embedding import Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray


_REMEMBERED = 1 << 16  # distinct words, then the cache starts anew: bounded memory on endless corpora
_TEXTS_AT_ONCE = 256
_ROW_BYTES = 4

_HEADER = re.compile(
    rb"\x93NUMPY\x01\0..\{'descr': '([<|][iuf]\d)', 'fortran_order': False, 'shape': \((\d[\d, ]*)\), \} *\n", re.DOTALL
)
_LONGEST_HEADER = 256


def damp(counts: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the weight of a number of occurrences of a row in one text: log(1 + n)."""
    weighed: NDArray[np.float32] = np.log1p(counts)
    return weighed


def _lengths(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the length of each row; 1 for a row of zeros."""
    lengths: NDArray[np.float32] = np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), np.float32(1))
    return lengths


class _Parts(dict[str, bytes]):
    """Rows of the table for each lower-case part of a word, found on first use, as the bytes of 32-bit integers."""

    def __init__(self, vocabulary: Sequence[str] | Vocabulary, hashed: int) -> None:
        super().__init__()
        self._rows = Vocabulary.of(vocabulary)
        self._hashed = range(len(vocabulary) - hashed, len(vocabulary))

    def __missing__(self, part: str) -> bytes:
        rows = self[part] = array("i", self._cut(part)).tobytes()
        return rows

    def entries(self) -> Sequence[str]:
        """Return all words and pieces that have rows."""
        return self._rows.words()

    def _cut(self, word: str) -> Iterable[int]:
        """Cut a lower-case word greedily into the longest known pieces."""
        whole = self._rows.get(word)
        if whole is not None:
            return (whole,)
        rows: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self._rows.longest), start, -1):
                row = self._rows.get(prefix + word[start:end])
                if row is not None:
                    rows.append(row)
                    start = end
                    break
            else:
                if self._hashed:
                    rows.append(self._hashed[ord(word[start]) % len(self._hashed)])
                start += 1
        return rows


class Pieces(dict[str, bytes]):
    """Rows of the table for each rough word, found on first use and kept as the bytes of 32-bit integers.

    Bytes are joined faster than numbers are gathered and take a third of the room. A character that no row covers takes
    one of the hashed rows, so that every script is distinguished a little.
    """

    def __init__(self, vocabulary: Sequence[str] | Vocabulary, hashed: int) -> None:
        super().__init__()
        self._parts = _Parts(vocabulary, hashed)

    def __missing__(self, word: str) -> bytes:
        if len(self) >= _REMEMBERED:
            self.clear()
            self._parts.clear()
        raws = (word,) if is_raw(word) else find_words(word)
        rows = self[word] = b"".join([self._parts[part] for raw in raws for part in split_identifier(raw)])
        return rows

    def row_bytes(self, text: str) -> bytes:
        """Return the rows of every word of ``text``, in order, as the bytes of 32-bit integers."""
        return b"".join(map(self.__getitem__, rough_words(text)))

    def of_distinct(self, text: str) -> bytes:
        """Return the rows of the words of ``text``, each word once, in no order; otherwise as ``row_bytes``."""
        return b"".join(map(self.__getitem__, set(rough_words(text))))

    def entries(self) -> Sequence[str]:
        """Return all words and pieces that have rows."""
        return self._parts.entries()

    def rows(self, text: str) -> NDArray[np.int32]:
        """Return the rows of every word of ``text``, in order."""
        return np.frombuffer(self.row_bytes(text), np.int32)


class StaticEmbedder:
    """Embeds text by summing rows of a table.

    Attributes:
        name: carries the hash of the weights, so that an index notices other weights.
        dimensions: columns of the table.
        pieces: finds the rows of words.
    """

    def __init__(
        self,
        name: str,
        table: NDArray[np.int8],
        scales: NDArray[np.float32],
        vocabulary: Sequence[str] | Vocabulary,
        hashed: int,
    ) -> None:
        self.name = name
        self.dimensions = int(table.shape[1])
        self.pieces = Pieces(vocabulary, hashed)
        self._table = table
        self._scales = scales
        self._question_matrix: NDArray[np.float32] | None = None
        self._known_lengths = np.zeros(len(scales), np.float32)
        self._origin: tuple[Callable[..., StaticEmbedder], tuple[object, ...]] | None = None

    @classmethod
    def load(cls, folder: Path) -> StaticEmbedder:
        """Map the weights in ``folder``: ``model.json``, ``vocabulary.txt``, ``table.npy``, ``scales.npy``.

        ``questions.npy`` holds the offsets that are added to the vectors of questions; without it, none are added.

        Raises:
            IndexUnusableError: a file is missing, damaged, or does not fit the others.
        """
        try:
            metadata = json.loads((folder / "model.json").read_text("utf-8"))
            vocabulary = Vocabulary((folder / "vocabulary.txt").read_bytes())
            table = map_array(folder / "table.npy")
            scales = map_array(folder / "scales.npy")
            moves = folder / "questions.npy"
            question_matrix = map_array(moves).astype(np.float32) if moves.exists() else None
        except (OSError, ValueError) as error:
            raise IndexUnusableError(
                f"The embedder in {str(folder)!r} cannot be read ({error}); reinstall it."
            ) from error
        if not len(vocabulary) == len(table) == len(scales):
            raise IndexUnusableError(
                f"The embedder in {str(folder)!r} is damaged: its parts differ in length; reinstall it."
            )
        embedder = cls(str(metadata["name"]), table, scales, vocabulary, int(metadata["hashed"]))
        if question_matrix is not None and question_matrix.shape != (embedder.dimensions,) * 2:
            raise IndexUnusableError(
                f"The embedder in {str(folder)!r} is damaged: questions.npy has the shape {question_matrix.shape};"
                " reinstall it."
            )
        embedder._question_matrix = question_matrix
        return embedder.from_disk(cls.load, folder)

    def from_disk(self, load: Callable[..., StaticEmbedder], *where: object) -> StaticEmbedder:
        """Record the function that loads this embedder, for pickling, and return the embedder."""
        self._origin = (load, where)
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by the function that loads the embedder: another process maps the weights itself."""
        return super().__reduce__() if self._origin is None else self._origin  # type: ignore[return-value]

    def with_rows(
        self, name: str, rows: NDArray[np.integer], table: NDArray[np.int8], scales: NDArray[np.float32]
    ) -> StaticEmbedder:
        """Return an embedder of another name with other vectors for some rows.

        Args:
            name: the name of the new embedder.
            rows: their numbers, shape ``(n,)``.
            table: their vectors, shape ``(n, dimensions)``.
            scales: their scales, shape ``(n,)``.
        """
        other = object.__new__(StaticEmbedder)
        vars(other).update(vars(self))  # copy.copy goes by __reduce__, which returns the shared bundled embedder itself
        other.name, other._origin = name, None
        other._table, other._scales = self._table.copy(), self._scales.copy()
        other._known_lengths = np.zeros_like(self._known_lengths)
        other._table[rows], other._scales[rows] = table, scales
        return other

    @property
    def words(self) -> Sequence[str]:
        """The whole words that it has vectors for."""
        return [word for word in self.pieces.entries() if not word.startswith("##")]

    def vectors_of(self, rows: NDArray[np.integer]) -> NDArray[np.float32]:
        """Return the weighted vectors of rows of the table, shape ``(len(rows), dimensions)``."""
        vectors: NDArray[np.float32] = self._table.take(rows, 0).astype(np.float32)
        vectors *= self._scales[rows, None]
        return vectors

    @classmethod
    @cache
    def bundled(cls) -> StaticEmbedder:
        """Return the embedder that ships with the package, loaded once per process."""
        # In another process, perhaps on another machine, the package may lie elsewhere.
        return cls.load(Path(__file__).with_name("weights")).from_disk(_bundled)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per text, shape ``(len(texts), dimensions)``; zeros for a text without words."""
        if len(texts) == 1:
            return self._encode_one(texts[0])[None]
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            self._sum(texts[start : start + _TEXTS_AT_ONCE], vectors[start : start + _TEXTS_AT_ONCE])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(lengths > 0, lengths, 1)
        return vectors

    def weight(self, word: str) -> float:
        """Return how much a word says of a text that contains it: the length of its vector before it is made 1."""
        return float(np.linalg.norm(self.vectors_of(self.pieces.rows(word)).sum(axis=0)))

    def question(self, text: str) -> NDArray[np.float32]:
        """Return a question's unit vector, shape ``(dimensions,)``, moved towards answers; zeros without words.

        Questions use other words than their answers, so the vector is moved by a learned offset.
        """
        vector = self._encode_one(text)
        if self._question_matrix is None:
            return vector
        vector = vector + self._question_matrix @ vector
        length = np.sqrt(np.add.reduce(vector * vector))
        return vector / length if length > 0 else vector

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return len(self._scales)

    def cosines(self, rows: NDArray[np.intp], others: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the cosines between rows of the table, shape ``(len(rows), len(others))``.

        It is fastest if ``others`` is the shorter list.
        """
        one, other = (self._table.take(chosen, 0).astype(np.float32) for chosen in (rows, others))
        other /= _lengths(other)[:, None]
        alike: NDArray[np.float32] = one @ other.T
        alike /= self._lengths_of(rows, one)[:, None]
        return alike

    def _lengths_of(self, rows: NDArray[np.intp], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the lengths of ``vectors``, which are ``rows`` of the table; cached."""
        unknown = np.flatnonzero(self._known_lengths.take(rows) == 0)
        if len(unknown):
            self._known_lengths[rows[unknown]] = _lengths(vectors[unknown])
        return self._known_lengths.take(rows)

    def _encode_one(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one text; this takes a third of the time of the code for many texts."""
        counts = Counter(memoryview(self.pieces.row_bytes(text)).cast("i"))
        rows = sorted(counts)
        weights = self._scales.take(rows) * damp(np.array([counts[row] for row in rows], np.float32))
        vector: NDArray[np.float32] = weights @ self._table.take(rows, 0).astype(np.float32)
        length = np.sqrt(np.add.reduce(vector * vector))
        return vector / length if length > 0 else vector

    def _sum(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Write each text's weighted sum of rows; the rows of all texts are counted in one sort."""
        joined = [self.pieces.row_bytes(text) for text in texts]
        owners = np.repeat(np.arange(len(texts)), [len(rows) // _ROW_BYTES for rows in joined])
        row_numbers = np.frombuffer(b"".join(joined), np.int32)
        pairs, counts = np.unique(owners * len(self._scales) + row_numbers, return_counts=True)
        owners, rows = np.divmod(pairs, len(self._scales))
        weights = self._scales[rows] * damp(counts.astype(np.float32))
        ends = np.searchsorted(owners, np.arange(len(texts)), side="right").tolist()
        for number, (start, end) in enumerate(pairwise([0, *ends])):
            vectors[number] = weights[start:end] @ self._table.take(rows[start:end], 0).astype(np.float32)


def question_vector(embedder: Embedder, text: str) -> NDArray[np.float32]:
    """Return the unit row by which an embedder finds what answers a question, shape ``(dimensions,)``.

    Other embedders than the bundled one get the text itself.
    """
    return embedder.question(text) if isinstance(embedder, StaticEmbedder) else embedder.encode([text])[0]


def _bundled() -> StaticEmbedder:
    """Return the bundled embedder of the present process."""
    return StaticEmbedder.bundled()


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
"""Up to this many words are looked up in the text itself, because a dictionary is slow to make."""


class Vocabulary:
    """Finds the row of a word.

    Args:
        text: the words in the order of their rows, UTF-8, separated by line ends.

    Attributes:
        get: returns the row of a word, None if it has none.
        longest: an upper bound of the letters of a word; exact as soon as there is a dictionary.
    """

    def __init__(self, text: bytes) -> None:
        self._lines = b"\n%s\n" % text
        self._scans = 0
        self.longest = len(text)
        self.get: Callable[[str], int | None] = self._scan

    @classmethod
    def of(cls, words: Sequence[str] | Vocabulary) -> Vocabulary:
        """Return the vocabulary of some words, each at its row."""
        return words if isinstance(words, Vocabulary) else cls("\n".join(words).encode())

    def __len__(self) -> int:
        return self._lines.count(b"\n") - 1

    def _scan(self, word: str) -> int | None:
        if self._scans >= _SCANNED:
            return self._index()(word)
        self._scans += 1
        at = self._lines.find(b"\n%s\n" % word.encode("utf-8", "surrogatepass"))
        return None if at < 0 else self._lines.count(b"\n", 0, at)

    def words(self) -> list[str]:
        """Return all words in the order of their rows."""
        return self._lines[1:-1].decode().split("\n")

    def _index(self) -> Callable[[str], int | None]:
        """Make a dictionary, which is used for all further words, and return its look-up."""
        words = self.words()
        self.longest = max(map(len, words))
        self.get = dict(zip(words, range(len(words)), strict=True)).get
        return self.get
