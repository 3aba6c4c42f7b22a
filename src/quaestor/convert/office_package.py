"""What Office files have in common: an archive of XML, which is checked before other people's parsers read it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from contextlib import suppress
from xml.etree import ElementTree
from xml.parsers import expat

from quaestor.convert.archive import Archive, declares_entities
from quaestor.convert.conversion_error import ConversionError
from quaestor.convert.page_metadata import LONGEST_FIELD

LARGEST_PART = 200_000_000

_PROPERTIES = "docProps/core.xml"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Bounds:
    """How much a document may hold.

    Args:
        elements: XML elements in all of its parts.
        texts: elements of ``names``, which take a parser longer than others.
        names: names of elements without their prefixes.
        called: what the elements of ``names`` are, for the message.
    """

    def __init__(
        self, elements: int, texts: int | None = None, names: AbstractSet[str] = frozenset(), called: str = ""
    ) -> None:
        self._most_elements, self._most_texts = elements, elements if texts is None else texts
        self._names, self._called = names, called
        self._elements = self._texts = 0

    def count(self, part: bytes) -> None:
        """Count the elements of a part; what is damaged is left to who reads it.

        Raises:
            ConversionError: all parts together hold too many.
        """
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._element
        with suppress(expat.ExpatError):
            parser.Parse(part, True)

    def _element(self, name: str, _attributes: object) -> None:
        self._elements += 1
        self._texts += name.rpartition(":")[2] in self._names
        if self._texts > self._most_texts:
            raise ConversionError("too large", f"more than {self._most_texts:,} {self._called}; split it")
        if self._elements > self._most_elements:
            raise ConversionError("too large", f"more than {self._most_elements:,} elements; split it")


def checked_archive(data: bytes, suffix: str, bounds: Bounds) -> Archive:
    """Return a document's archive if nothing in it keeps a parser busy for minutes or unpacks without an end.

    Raises:
        ConversionError: it is damaged, encrypted, or unpacks to more than a document can be.
    """
    if data.startswith(_OLE):
        advice = f"it is encrypted or in an old format; save it as .{suffix} without a password"
        raise ConversionError("unreadable", advice)
    archive = Archive(data)
    for name in sorted(archive.names):
        if not name.endswith((".xml", ".rels")):
            continue
        part = archive.read(name, LARGEST_PART)
        if declares_entities(part):
            raise ConversionError("unreadable", "it declares entities of its own")
        bounds.count(part)
    return archive


def core_properties(archive: Archive) -> dict[str, str]:
    """Return what a document says of itself, by the names of Dublin Core: ``title``, ``creator``, ``created``."""
    if _PROPERTIES not in archive.names:
        return {}
    try:
        root = ElementTree.fromstring(archive.read(_PROPERTIES))
    except (ElementTree.ParseError, ValueError):
        return {}
    texts = {one.tag.rpartition("}")[2]: " ".join((one.text or "").split()) for one in root}
    return {name: text[:LONGEST_FIELD] for name, text in texts.items() if text}
