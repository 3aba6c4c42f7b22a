"""What is sent to an endpoint at a time: texts cut to what the model reads, in requests that the server takes. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

Count = Callable[[str], int]
"""Returns the tokens of a text, or more."""

_OPENAI_EACH = 8191


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """What a server takes.

    Attributes:
        texts: in one request. OpenAI takes 2048, many local servers fewer; what is refused is sent in halves.
        tokens: in one request; OpenAI takes 300,000.
        each: tokens of one text; None: not known, until the server says so.
    """

    texts: int = 128
    tokens: int = 60_000
    each: int | None = None

    @classmethod
    def of_model(cls, model: str) -> RequestLimits:
        """Return what is known of a model: OpenAI's read 8191 tokens each."""
        known = model.rsplit("/", 1)[-1].startswith("text-embedding-")
        return cls(each=_OPENAI_EACH if known else None)

    def shorter(self, longest: int, said: int | None) -> RequestLimits:
        """Return the limits after a text was refused as too long.

        Args:
            longest: tokens of the longest text that was sent, as they are counted here.
            said: the limit that the server named; it counts otherwise than we do where that is not below ``longest``.
        """
        each = said if said is not None and said < longest else longest * 2 // 3
        return replace(self, each=max(1, each))


@dataclass(frozen=True, slots=True)
class Piece:
    """One text of a request.

    Attributes:
        place: its place among all texts.
        text: as it is sent.
        tokens: of it.
        cut: whether its end is missing.
    """

    place: int
    text: str
    tokens: int
    cut: bool = False


def as_pieces(texts: Sequence[str], limits: RequestLimits, count: Count) -> Iterator[Piece]:
    """Yield the texts that say anything, as they are sent."""
    for place, text in enumerate(texts):
        if text.strip():
            # What no UTF-8 can hold, such as names of files in other encodings, cannot be sent.
            sent = text.encode("utf-8", "replace").decode()
            yield shortened(Piece(place, sent, count(sent)), limits, count)


def shortened(piece: Piece, limits: RequestLimits, count: Count) -> Piece:
    """Return a piece that the model can read to its end."""
    if limits.each is None or piece.tokens <= limits.each:
        return piece
    text = longest_prefix(piece.text, limits.each, count)
    return replace(piece, text=text, tokens=count(text), cut=piece.cut or text != piece.text)


def longest_prefix(text: str, most: int, count: Count) -> str:
    """Return the longest beginning of ``text`` of at most ``most`` tokens, and of one character at least."""
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
    """Yield runs of pieces, none above the limits of one request unless it is a single text."""
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
