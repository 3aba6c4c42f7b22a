"""Word documents as Markdown, through the HTML that mammoth makes of them. Runs in a process of its own."""

from __future__ import annotations

import io
from contextlib import suppress
from xml.etree import ElementTree
from xml.parsers import expat

import mammoth

from quaestor.convert.archive import Archive, declares_entities
from quaestor.convert.conversion import Converted
from quaestor.convert.conversion_error import ConversionError
from quaestor.convert.html_to_markdown import render
from quaestor.convert.html_tree import parse
from quaestor.convert.page_metadata import LONGEST_FIELD

MOST_TEXTS = 200_000
"""Paragraphs and runs in a document; reading each takes some tenth of a millisecond."""
MOST_ELEMENTS = 2_000_000

_PROPERTIES = "docProps/core.xml"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def from_docx(data: bytes) -> Converted:
    """Return a Word document as Markdown; pictures are left out.

    Raises:
        ConversionError: it is damaged, encrypted, or unpacks to more than a document can be.
    """
    if data.startswith(_OLE):
        raise ConversionError("unreadable", "it is encrypted or in an old format; save it as .docx without a password")
    archive = Archive(data)
    _check_parts(archive)
    try:
        made = mammoth.convert_to_html(io.BytesIO(data), convert_image=mammoth.images.img_element(_no_image))
    except Exception as error:  # mammoth names none: damage ends in any error of its code
        raise ConversionError("unreadable", f"the file is damaged ({type(error).__name__})") from error
    fields = _fields(archive.read(_PROPERTIES)) if _PROPERTIES in archive.names else {}
    return Converted(
        render(parse(made.value)), fields.get("title"), fields.get("creator"), fields.get("created", "")[:10] or None
    )


def _check_parts(archive: Archive) -> None:
    """Refuse what mammoth would be busy with for minutes, or be led to unpack without an end."""
    count = _Count()
    for name in sorted(archive.names):
        if not name.endswith((".xml", ".rels")):
            continue
        part = archive.read(name, 200_000_000)
        if declares_entities(part):
            raise ConversionError("unreadable", "it declares entities of its own")
        with suppress(expat.ExpatError):  # what is damaged is told by who reads it
            count.parser().Parse(part, True)


class _Count:
    """Counts the elements of XML, and refuses more of them than a document has that a person reads."""

    def __init__(self) -> None:
        self._elements = self._texts = 0

    def parser(self) -> expat.XMLParserType:
        """Return a parser that counts what it meets."""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._element
        return parser

    def _element(self, name: str, _attributes: object) -> None:
        self._elements += 1
        # Paragraphs and runs of letters, whatever the prefix of their names.
        self._texts += name.rpartition(":")[2] in ("p", "r")
        if self._texts > MOST_TEXTS:
            raise ConversionError("too large", f"more than {MOST_TEXTS:,} paragraphs and runs; split it")
        if self._elements > MOST_ELEMENTS:
            raise ConversionError("too large", f"more than {MOST_ELEMENTS:,} elements; split it")


def _no_image(_image: object) -> dict[str, str]:
    return {"src": ""}


def _fields(data: bytes) -> dict[str, str]:
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError):
        return {}
    texts = {one.tag.rpartition("}")[2]: " ".join((one.text or "").split()) for one in root}
    return {name: text[:LONGEST_FIELD] for name, text in texts.items() if text}
