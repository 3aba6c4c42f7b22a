"""What passes between the parts of carrying over."""

from __future__ import annotations

from quaestor.core.light_imports import NamedTuple


class Piece(NamedTuple):
    """A word, a phrase or a name of a text.

    Attributes:
        said: as it stands in the text.
        english: what it is in English, likeliest first; empty for a word of grammar, None where it is not known.
    """

    said: str
    english: tuple[str, ...] | None
