"""Standard input and output as lines of the protocol, from before its SDK is imported."""

from __future__ import annotations

import io
import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_PIECE = 1 << 16


class Wire:
    """The two ends of a client's connection, on descriptors that nothing else in the process has.

    Args:
        reading: descriptor that the client's lines come from.
        writing: descriptor that answers go to.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._held = b""

    def next(self, wait: float | None = None) -> bytes | None:
        """Return the client's next line with its line end, or None after the time limit.

        Args:
            wait: time limit, seconds, or None. An empty line, or one without an end, is the last.
        """
        while b"\n" not in self._held:
            if wait is not None and not select.select([self._reading], [], [], wait)[0]:
                return None
            piece = os.read(self._reading, _PIECE)
            if not piece:
                last, self._held = self._held, b""
                return last
            self._held += piece
        end = self._held.index(b"\n") + 1
        line, self._held = self._held[:end], self._held[end:]
        return line

    def write(self, line: bytes) -> None:
        """Send a line to the client."""
        while line:
            line = line[os.write(self._writing, line) :]

    def files(self, again: bytes = b"") -> tuple[TextIO, TextIO]:
        """Return both ends as text files for the SDK.

        Args:
            again: lines read before, to be read again first.
        """
        # A thread may still wait for input at the end: the descriptor is left open under it, as the SDK does.
        reading = io.BufferedReader(_After(again + self._held, self._reading), _PIECE)
        writing = open(self._writing, "wb", closefd=False)  # noqa: SIM115 - a descriptor, which outlives this
        return io.TextIOWrapper(reading, "utf-8", "replace"), io.TextIOWrapper(writing, "utf-8")


@contextmanager
def standard_wire() -> Iterator[Wire]:
    """Take standard input and output for a client alone, and give them back in the end.

    Meanwhile whatever else reads standard input finds nothing, and whatever else prints reaches standard error: a line
    of a library's on standard output would end the connection.
    """
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield Wire(reading, writing)
    finally:
        os.dup2(reading, 0)
        os.dup2(writing, 1)


class _After(io.RawIOBase):
    """A stream that begins with given bytes and continues with a descriptor."""

    def __init__(self, first: bytes, descriptor: int) -> None:
        self._first = first
        self._descriptor = descriptor

    def readable(self) -> bool:
        return True

    def readinto(self, into: WriteableBuffer, /) -> int:
        place = memoryview(into)
        piece = self._first[: len(place)] or os.read(self._descriptor, len(place))
        self._first = self._first[len(piece) :]
        place[: len(piece)] = piece
        return len(piece)
