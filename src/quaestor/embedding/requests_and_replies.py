"""Splitting texts into requests to ``/v1/embeddings``, and checking its replies. Pure."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from quaestor.embedding import Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

Count = Callable[[str], int]
"""Returns the tokens of a text, or more."""

_OPENAI_EACH = 8191


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of a server's requests.

    Attributes:
        texts: the most texts in one request. OpenAI takes 2048, many local servers fewer; a refused request is sent
            in halves.
        tokens: the most tokens in one request; OpenAI takes 300,000.
        each: tokens of one text; None until the server states it.
    """

    texts: int = 128
    tokens: int = 60_000
    each: int | None = None

    @classmethod
    def of_model(cls, model: str) -> RequestLimits:
        """Return the known limits of a model: OpenAI's read 8191 tokens each."""
        known = model.rsplit("/", 1)[-1].startswith("text-embedding-")
        return cls(each=_OPENAI_EACH if known else None)

    def shorter(self, longest: int, limit: int | None) -> RequestLimits:
        """Return the limits after a text was refused as too long.

        Args:
            longest: tokens of the longest text that was sent, as they are counted here.
            limit: the limit that the server named. If it is not below ``longest``, the server counts tokens
                differently.
        """
        each = limit if limit is not None and limit < longest else longest * 2 // 3
        return replace(self, each=max(1, each))


@dataclass(frozen=True, slots=True)
class Piece:
    """One text of a request.

    Attributes:
        place: its place among all texts.
        text: the text as it is sent.
        tokens: the number of its tokens.
        cut: whether its end is missing.
    """

    place: int
    text: str
    tokens: int
    cut: bool = False


def as_pieces(texts: Sequence[str], limits: RequestLimits, count: Count) -> Iterator[Piece]:
    """Yield the texts that are not blank, in the form in which they are sent."""
    for place, text in enumerate(texts):
        if text.strip():
            # What no UTF-8 can hold, such as names of files in other encodings, cannot be sent.
            sent = text.encode("utf-8", "replace").decode()
            yield shorten(Piece(place, sent, count(sent)), limits, count)


def shorten(piece: Piece, limits: RequestLimits, count: Count) -> Piece:
    """Return a piece cut to the tokens that the model reads."""
    if limits.each is None or piece.tokens <= limits.each:
        return piece
    text = longest_prefix(piece.text, limits.each, count)
    return replace(piece, text=text, tokens=count(text), cut=piece.cut or text != piece.text)


def longest_prefix(text: str, most: int, count: Count) -> str:
    """Return the longest beginning of ``text`` with at most ``most`` tokens, but at least one character."""
    least, end = 1, len(text)
    while least < end:
        middle = (least + end + 1) // 2
        if count(text[:middle]) <= most:
            least = middle
        else:
            end = middle - 1
    # A letter more can take a token less; what was found holds all the same.
    return text[:least]


def in_requests(pieces: Iterable[Piece], limits: RequestLimits) -> Iterator[list[Piece]]:
    """Yield runs of pieces within the limits of one request; a single text that exceeds them is a run of its own."""
    run: list[Piece] = []
    tokens = 0
    for piece in pieces:
        if run and (len(run) >= limits.texts or tokens + piece.tokens > limits.tokens):
            yield run
            run, tokens = [], 0
        run.append(piece)
        tokens += piece.tokens
    if run:
        yield run


class NoVectorsError(ValueError):
    """A reply lacks the requested vectors; the message says why."""


def read_vectors(answer: Any, count: int) -> Vectors:
    """Return the unit vectors of an answer in the order of the texts, shape ``(count, dimensions)``.

    Args:
        answer: the reply's JSON.
        count: the number of texts that were sent.

    Raises:
        NoVectorsError: they are too few or too many, out of order, not numbers, not finite, or of several dimensions.
    """
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise NoVectorsError("no list 'data'")
    if len(data) != count:
        raise NoVectorsError(f"{len(data)} vectors for {count} texts")
    rows: list[NDArray[np.float64] | None] = [None] * count
    for position, entry in enumerate(data):
        place = entry.get("index", position) if isinstance(entry, dict) else None
        if not isinstance(place, int) or not 0 <= place < count or rows[place] is not None:
            raise NoVectorsError("vectors that are not numbered from 0 on")
        rows[place] = _row(entry.get("embedding"))
    lengths = {len(row) for row in rows if row is not None}
    if len(lengths) != 1 or 0 in lengths:
        raise NoVectorsError(f"vectors of {' and '.join(map(str, sorted(lengths)))} dimensions")
    return _unit(np.stack([row for row in rows if row is not None]))


def read_tokens(answer: Any) -> int | None:
    """Return the number of tokens that the server reports; None if it reports no plausible number."""
    usage = answer.get("usage") if isinstance(answer, dict) else None
    tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0 else None


def _row(value: Any) -> NDArray[np.float64]:
    """Return one vector: numbers, or little-endian 32-bit floats in base64."""
    if not isinstance(value, (str, list)):
        raise NoVectorsError("no vector where one should be")
    try:
        if isinstance(value, str):
            row = np.frombuffer(base64.b64decode(value, validate=True), "<f4").astype(np.float64)
        else:
            row = np.asarray(value, dtype=np.float64)
    except (binascii.Error, TypeError, ValueError, OverflowError) as error:
        raise NoVectorsError(f"a vector that cannot be read ({error})") from None
    if row.ndim != 1:
        raise NoVectorsError("a vector of vectors, one for each token: the server pools nothing")
    if not np.isfinite(row).all():
        raise NoVectorsError("a vector with values that are not numbers")
    return row


def _unit(rows: NDArray[np.float64]) -> Vectors:
    """Return rows of length 1; rows of zeros stay."""
    # Divided by the largest first, so that no square is beyond what a float holds.
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    scaled = rows / np.where(largest > 0, largest, 1)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    unit: Vectors = (scaled / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit
