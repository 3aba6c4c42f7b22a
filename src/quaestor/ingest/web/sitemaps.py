"""Addresses that a site lists itself: sitemaps, lists of sitemaps, feeds. Pure."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from quaestor.ingest.convert.charset import decode_page
from quaestor.ingest.convert.html_tokens import End, Start, tokens

MOST_ADDRESSES = 50_000
"""Of one file; the format allows no more."""

LARGEST = 50_000_000
_GZIP = b"\x1f\x8b"
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Listed:
    """What a file lists.

    Attributes:
        pages: addresses of pages, as they are written.
        sitemaps: addresses of further sitemaps.
    """

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def read_list(data: bytes, largest: int = LARGEST) -> Listed:
    """Read a sitemap, a list of sitemaps, a feed (RSS or Atom), or a text of one address a line.

    Args:
        data: as it was sent; may be packed once more with gzip.
        largest: bytes that it may unpack to; what lies beyond is not read.
    """
    text = decode_page(_unpacked(data, largest))
    if "<" not in text[:1000]:
        lines = (line.strip() for line in text.splitlines()[:MOST_ADDRESSES])
        return Listed(tuple(line for line in lines if line.startswith(("http://", "https://"))))
    root = next((token.name for token in tokens(text) if isinstance(token, Start)), "")
    found = tuple(_addresses(text))
    return Listed(sitemaps=found) if _local(root) == "sitemapindex" else Listed(pages=found)


def _unpacked(data: bytes, largest: int) -> bytes:
    if not data.startswith(_GZIP):
        return data[:largest]
    packed = zlib.decompressobj(zlib.MAX_WBITS | 32)
    parts, size = [], 0
    try:
        while data and size < largest and not packed.eof:
            part = packed.decompress(data, _BLOCK)
            parts.append(part)
            size += len(part)
            data = packed.unconsumed_tail
    except zlib.error:
        pass  # what could be unpacked is read
    return b"".join(parts)[:largest]


def _addresses(text: str) -> Iterator[str]:
    """Yield what stands in ``loc`` and ``link`` elements, and where Atom's links lead."""
    inside = ""
    count = 0
    parts: list[str] = []
    for token in tokens(text.replace("<![CDATA[", "").replace("]]>", "")):
        if count >= MOST_ADDRESSES:
            return
        if isinstance(token, Start):
            inside, parts = _local(token.name), []
            if inside == "link" and token.attributes.get("href"):
                if token.attributes.get("rel", "alternate") == "alternate":
                    count += 1
                    yield token.attributes["href"]
                inside = ""
        elif isinstance(token, End):
            address = "".join(parts).strip()
            if inside in ("loc", "link") and address:
                count += 1
                yield address
            inside, parts = "", []
        elif inside:
            parts.append(token)


def _local(name: str) -> str:
    return name.rpartition(":")[2]
