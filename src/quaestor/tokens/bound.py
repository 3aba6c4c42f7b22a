"""Upper bounds for models whose tokenizer is not known."""

from __future__ import annotations


class ByteBound:
    """One token a byte of UTF-8: no byte-level tokenizer can need more. True for all of them, and far too high."""

    name = "bytes"
    exact = False

    def count(self, text: str) -> int:
        """Return the number of bytes."""
        return len(text.encode("utf-8", "surrogatepass"))


class CalibratedBound:
    """Placeholder."""

    name = "bound"
    exact = False

    def count(self, text: str) -> int:
        """Return the number of bytes."""
        return len(text.encode("utf-8", "surrogatepass"))
