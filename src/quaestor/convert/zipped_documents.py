"""Documents that are zip archives: their parts, within limits, and the checked XML of Office files."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Set as AbstractSet
from contextlib import suppress
from xml.etree import ElementTree
from xml.parsers import expat

from quaestor.convert.converted_document import ConversionError
from quaestor.convert.page_metadata import LONGEST_FIELD

MOST_UNPACKED = 400_000_000
MOST_PARTS = 20_000
_MOST_RATIO = 200
_RATIO_COUNTS_ABOVE = 20_000_000

_LOOKED_AT = 4096
# White space, byte order marks, and the NULs of wide encodings.
_BEFORE_XML = b" \t\r\n\0\xef\xbb\xbf\xfe\xff"

# The specifications of EPUB and of Office Open XML allow no others.
_COMPRESSIONS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})

# Errors that zipfile raises for damaged archives, which it does not document: its own for most damage; zlib's for
# damaged data; EOFError for data that end early; ValueError for a position before the file's start and, as its subclass
# UnicodeDecodeError, for a name that is not UTF-8; NotImplementedError for a version or flag of a future format.
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError)


class Archive:
    """A document's archive.

    Args:
        data: its bytes.

    Raises:
        ConversionError: it is damaged, encrypted or oddly compressed, or exceeds the limits when it is unpacked.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN:
            raise ConversionError("unreadable", "the file is damaged: it is not a zip archive") from None
        parts = self._zip.infolist()
        unpacked = sum(part.file_size for part in parts)  # no part yields more bytes than stated here
        bomb = unpacked > max(_MOST_RATIO * len(data), _RATIO_COUNTS_ABOVE)
        if unpacked > MOST_UNPACKED or len(parts) > MOST_PARTS or bomb:
            raise ConversionError("too large", f"it unpacks to {unpacked:,} bytes in {len(parts):,} parts")
        if any(part.flag_bits & 1 for part in parts):
            raise ConversionError("unreadable", "it is encrypted; save it without a password")
        if not _COMPRESSIONS.issuperset(part.compress_type for part in parts):
            raise ConversionError(
                "unreadable", "it is compressed in a way that such documents may not be; save it again"
            )
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

    def begins_like_xml(self, name: str) -> bool:
        """Return whether a part may be XML, whatever its name; a damaged one may be."""
        try:
            with self._zip.open(name) as part:
                begin = part.read(_LOOKED_AT)
        except _BROKEN:
            return True
        return begin.translate(None, _BEFORE_XML)[:1] in (b"<", b"")


def declares_entities(xml: bytes) -> bool:
    """Return whether XML declares entities, in any encoding: a few can expand beyond a machine's memory."""
    return b"<!ENTITY" in (xml.replace(b"\0", b"") if b"\0" in xml[:4] else xml)


LARGEST_PART = 200_000_000

_PROPERTIES = "docProps/core.xml"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Bounds:
    """The limits on a document's contents.

    Args:
        elements: XML elements in all of its parts.
        texts: elements of ``names``, which take a parser longer than others.
        names: names of elements without their prefixes.
        noun: what the message calls the elements of ``names``.
    """

    def __init__(
        self, elements: int, texts: int | None = None, names: AbstractSet[str] = frozenset(), noun: str = ""
    ) -> None:
        self._most_elements, self._most_texts = elements, elements if texts is None else texts
        self._names, self._noun = names, noun
        self._elements = self._texts = 0

    def count(self, part: bytes) -> None:
        """Count the elements of a part; its parser reports damage.

        Raises:
            ConversionError: all parts together have too many.
        """
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._element
        with suppress(expat.ExpatError):
            parser.Parse(part, True)

    def _element(self, name: str, _attributes: object) -> None:
        self._elements += 1
        self._texts += name.rpartition(":")[2] in self._names
        if self._texts > self._most_texts:
            raise ConversionError("too large", f"more than {self._most_texts:,} {self._noun}; split it")
        if self._elements > self._most_elements:
            raise ConversionError("too large", f"more than {self._most_elements:,} elements; split it")


def checked_archive(data: bytes, suffix: str, bounds: Bounds) -> Archive:
    """Return a document's archive if nothing in it would keep a parser busy for minutes or unpack without limit.

    Raises:
        ConversionError: it is damaged or encrypted, or exceeds the limits when it is unpacked.
    """
    if data.startswith(_OLE):
        advice = f"it is encrypted or in an old format; save it as .{suffix} without a password"
        raise ConversionError("unreadable", advice)
    archive = Archive(data)
    for name in sorted(archive.names):
        if not archive.begins_like_xml(name):
            continue
        part = archive.read(name, LARGEST_PART)
        if declares_entities(part):
            raise ConversionError("unreadable", "it declares entities of its own")
        bounds.count(part)
    return archive


def core_properties(archive: Archive) -> dict[str, str]:
    """Return a document's metadata by Dublin Core names: ``title``, ``creator``, ``created``."""
    if _PROPERTIES not in archive.names:
        return {}
    try:
        root = ElementTree.fromstring(archive.read(_PROPERTIES))
    except (ElementTree.ParseError, ValueError):
        return {}
    texts = {one.tag.rpartition("}")[2]: " ".join((one.text or "").split()) for one in root}
    return {name: text[:LONGEST_FIELD] for name, text in texts.items() if text}
