"""What every tokenizer offers."""

from __future__ import annotations

from typing import Protocol


class Tokenizer(Protocol):
    """Anything that tells how many tokens a text takes."""

    @property
    def name(self) -> str:
        """The encoding's name, or the name of the bound."""
        ...

    @property
    def exact(self) -> bool:
        """Whether ``count`` is the true number; otherwise it is an upper bound."""
        ...

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text`` read as plain text: special-token syntax counts as its letters."""
        ...
