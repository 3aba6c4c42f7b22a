"""Books in EPUB as Markdown: their chapters in reading order. Runs in a process of its own, because books are large."""

from __future__ import annotations

from posixpath import dirname, join, normpath
from urllib.parse import unquote
from xml.etree import ElementTree

from quaestor.convert.converted_document import ConversionError, ConvertedDocument
from quaestor.convert.html import main_text
from quaestor.convert.html_to_markdown import render
from quaestor.convert.html_tree import decode_page, parse
from quaestor.convert.page_metadata import LONGEST_FIELD
from quaestor.convert.zipped_documents import Archive, declares_entities

_CONTAINER = "META-INF/container.xml"
_PROTECTION = "META-INF/encryption.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html"})


def from_epub(data: bytes) -> ConvertedDocument:
    """Return a book as Markdown.

    Raises:
        ConversionError: it is damaged or protected, or exceeds the limits when it is unpacked.
    """
    archive = Archive(data)
    package_path = _package_path(archive)
    package = _xml(archive.read(package_path))
    items = {item.get("id"): item for item in package.iter() if _has_tag(item, "item")}
    parts = (items.get(one.get("idref")) for one in package.iter() if _has_tag(one, "itemref"))
    pages = (item.get("href") or "" for item in parts if item is not None and item.get("media-type") in _PAGES)
    # Each part is read once, however many items and addresses name it.
    names = dict.fromkeys(normpath(join(dirname(package_path), unquote(page))) for page in pages)
    there = [name for name in names if name in archive.names]
    missing = len(names) - len(there)
    chapters = [render(main_text(parse(decode_page(archive.read(name))))) for name in there]
    text = "\n".join(filter(str.strip, chapters))
    if not text and _PROTECTION in archive.names:
        raise ConversionError("unreadable", "its chapters are encrypted")
    return ConvertedDocument(
        text,
        _field(package, "title"),
        _field(package, "creator"),
        (_field(package, "date") or "")[:10] or None,
        f"{missing:,} chapters are missing in the file" if missing else None,
    )


def _package_path(archive: Archive) -> str:
    root = _xml(archive.read(_CONTAINER))
    path = next((one.get("full-path") for one in root.iter() if _has_tag(one, "rootfile")), None)
    if not path:
        raise ConversionError("unreadable", "the file is damaged: it names no book")
    return path


def _xml(data: bytes) -> ElementTree.Element:
    # Declared entities let a small file exhaust memory; no book needs any.
    if declares_entities(data):
        raise ConversionError("unreadable", "it declares entities of its own")
    try:
        return ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError):
        raise ConversionError("unreadable", "the file is damaged: its contents are not XML") from None


def _has_tag(element: ElementTree.Element, name: str) -> bool:
    return element.tag.rpartition("}")[2] == name


def _field(package: ElementTree.Element, name: str) -> str | None:
    texts = (" ".join((one.text or "").split()) for one in package.iter() if _has_tag(one, name))
    return next(filter(None, texts), "")[:LONGEST_FIELD] or None
