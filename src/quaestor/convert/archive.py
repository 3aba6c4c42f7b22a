"""Reading the parts of a document that is a zip archive, never more of it than a document can be."""

from __future__ import annotations

import io
import zipfile
import zlib

from quaestor.convert.conversion_error import ConversionError

MOST_UNPACKED = 400_000_000
MOST_PARTS = 20_000
_MOST_RATIO = 200
_RATIO_COUNTS_ABOVE = 20_000_000

# The specifications of EPUB and of Office Open XML allow no others.
_COMPRESSIONS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})

# What zipfile raises over damaged archives, which it does not document: its own error for most damage; zlib's for
# damaged data; EOFError for data that end early; ValueError for a place before the file's start and, as its kind
# UnicodeDecodeError, for a name that is no UTF-8; NotImplementedError for a version or a flag of a future format.
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError)


class Archive:
    """A document's archive.

    Args:
        data: its bytes.

    Raises:
        ConversionError: it is broken, encrypted, compressed in an odd way, or unpacks to more than a document can be.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN:
            raise ConversionError("unreadable", "the file is damaged: it is no zip archive") from None
        parts = self._zip.infolist()
        unpacked = sum(part.file_size for part in parts)  # no part gives more than it says here
        bomb = unpacked > max(_MOST_RATIO * len(data), _RATIO_COUNTS_ABOVE)
        if unpacked > MOST_UNPACKED or len(parts) > MOST_PARTS or bomb:
            raise ConversionError("too large", f"it unpacks to {unpacked:,} bytes in {len(parts):,} parts")
        if any(part.flag_bits & 1 for part in parts):
            raise ConversionError("unreadable", "it is encrypted; save it without a password")
        if not _COMPRESSIONS.issuperset(part.compress_type for part in parts):
            raise ConversionError("unreadable", "it is compressed as no such document may be; save it anew")
        self.names = frozenset(part.filename for part in parts)

    def read(self, name: str, limit: int = 50_000_000) -> bytes:
        """Return a part's bytes.

        Raises:
            ConversionError: there is no such part, it is damaged or too large.
        """
        try:
            info = self._zip.getinfo(name)
            if info.file_size > limit:
                raise ConversionError("too large", f"its part {name!r} has {info.file_size:,} bytes")
            return self._zip.read(info)
        except KeyError:
            raise ConversionError("unreadable", f"the file is damaged: it has no part {name!r}") from None
        except _BROKEN as error:
            raise ConversionError("unreadable", f"the file is damaged: {name!r} ({type(error).__name__})") from None


def declares_entities(xml: bytes) -> bool:
    """Return whether XML declares entities, in whatever encoding: a few can grow to more than a machine holds."""
    return b"<!ENTITY" in (xml.replace(b"\0", b"") if b"\0" in xml[:4] else xml)
