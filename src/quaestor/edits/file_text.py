"""A file's bytes as lines, and back without touching a byte of the lines that did not change.

Line ends, the byte order mark, the encoding and a missing last line feed belong to the file: new lines take them on.
Pure: bytes in, bytes out.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quaestor.chunking.decode import decode

# Other characters that Python takes for line ends (form feeds, U+2028) are part of a line in every editor.
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_OLD_MAC_LINE = re.compile(r"[^\r]*\r|[^\r]+\Z")
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class NotTextError(ValueError):
    """The bytes are not text that could be written back as it was."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file.

    Attributes:
        text: without its end.
        end: ``\\n``, ``\\r\\n``, ``\\r``, or empty for a last line without one.
    """

    text: str
    end: str


@dataclass(frozen=True, slots=True)
class Text:
    """A file's lines with all that is needed to write them.

    Attributes:
        lines: the lines of the file.
        encoding: a codec's name.
        bom: the byte order mark, empty without one.
        end: the line end that most lines have.
        ends_open: whether the last line has no end.
    """

    lines: tuple[Line, ...]
    encoding: str = "utf-8"
    bom: bytes = b""
    end: str = "\n"
    ends_open: bool = False

    @property
    def strings(self) -> list[str]:
        """The lines without their ends."""
        return [line.text for line in self.lines]

    def splice(self, start: int, stop: int, lines: Sequence[Line]) -> Text:
        """Return the text with the lines from ``start`` up to ``stop`` replaced."""
        return replace(self, lines=(*self.lines[:start], *lines, *self.lines[stop:]))

    def data(self) -> bytes:
        """Return the file's bytes.

        Raises:
            UnicodeEncodeError: the file's encoding lacks a character.
        """
        lines = self.lines
        closed = [Line(line.text, line.end or self.end) for line in lines[:-1]]
        last = [Line(line.text, "" if self.ends_open else line.end or self.end) for line in lines[-1:]]
        return self.bom + "".join(line.text + line.end for line in (*closed, *last)).encode(self.encoding)


def read_text(data: bytes) -> Text:
    """Return a file's lines.

    Raises:
        NotTextError: it holds NULs, or its bytes do not come back from its encoding.
    """
    bom, encoding = next(((mark, name) for mark, name in _BOMS if data.startswith(mark)), (b"", None))
    body = data[len(bom) :]
    try:
        # The index reads a file by the same rule, so that what a model was shown is what is searched in.
        encoding = encoding or decode(data).encoding
        text = body.decode(encoding)
        faithful = text.encode(encoding) == body
    except UnicodeError as error:
        raise NotTextError(f"it is not valid {encoding}") from error
    if not faithful or "\0" in text:
        raise NotTextError("it is binary")
    lines = split_lines(text)
    ends = Counter(line.end for line in lines if line.end)
    common = ends.most_common(1)[0][0] if ends else "\n"
    return Text(lines, encoding, bom, common, bool(lines) and not lines[-1].end)


def split_lines(text: str) -> tuple[Line, ...]:
    """Return the lines of a text; a lone carriage return ends one only where there is no line feed at all."""
    if "\n" not in text and "\r" in text:
        return tuple(_line(match[0], ("\r",)) for match in _OLD_MAC_LINE.finditer(text))
    return tuple(_line(match[0], ("\r\n", "\n")) for match in _LINE.finditer(text))


def _line(raw: str, ends: tuple[str, ...]) -> Line:
    end = next((end for end in ends if raw.endswith(end)), "")
    return Line(raw.removesuffix(end) if end else raw, end)


def block_lines(text: str) -> list[str]:
    """Return the lines of a proposal's text, without their ends."""
    return [line.text for line in split_lines(text.replace("\r\n", "\n"))]
