"""Finds the codec of a file's bytes; UTF-16 and UTF-32 are first transcoded to UTF-8.

All spans of a document refer to the bytes that ``decode`` returns: the file itself, or the file transcoded to UTF-8 if
it is UTF-16 or UTF-32.
"""

from __future__ import annotations

import codecs
from typing import NamedTuple

# UTF-32-LE begins with the BOM of UTF-16-LE, so the longer ones come first.
_WIDE_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class DecodedFile(NamedTuple):
    """A file's bytes with the codec that reads them.

    Attributes:
        data: the bytes that spans refer to.
        encoding: ``utf-8``, ``cp1252`` or ``latin-1``.
        start: the offset after the byte order mark, which belongs to no chunk.
        note: a remark on what was lost or guessed; None if nothing was.
    """

    data: bytes
    encoding: str
    start: int = 0
    note: str | None = None


def decode(data: bytes) -> DecodedFile:
    """Find the encoding of ``data``; transcode it to UTF-8 if it is UTF-16 or UTF-32."""
    for bom, codec in _WIDE_BOMS:
        if data.startswith(bom):
            return _transcode(data[len(bom) :], codec)
    start = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    if _is(data, "utf-8"):
        return DecodedFile(data, "utf-8", start)
    if not start and _is(data, "cp1252"):
        return DecodedFile(data, "cp1252", note="not UTF-8: read as cp1252")
    return DecodedFile(data, "latin-1", start, note="not UTF-8: read as latin-1")


def _is(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _transcode(data: bytes, codec: str) -> DecodedFile:
    note = None
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        text = data.decode(codec, errors="replace")
        note = f"not valid {codec}: some characters are lost"
    return DecodedFile(text.encode("utf-8", errors="replace"), "utf-8", note=note)
