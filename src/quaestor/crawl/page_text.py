"""From a server's answer to a page's text: which kind of document it is, what it says, where it leads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from urllib.parse import urlsplit

from quaestor.convert import ConversionError, Converted, converted
from quaestor.convert.charset import decode_page
from quaestor.convert.html import page_text
from quaestor.convert.html_tree import parse
from quaestor.convert.page import Outgoing, outgoing
from quaestor.convert.page_metadata import about
from quaestor.crawl.fetch import Fetched
from quaestor.files.deny import deny_content, suffix_of

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS = frozenset({"text/plain", "text/markdown", "text/x-markdown", "text/x-rst"})
_DOCUMENTS = {
    "application/pdf": "pdf",
    "application/epub+zip": "epub",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/x-ipynb+json": "ipynb",
}
_MAGIC = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"%PDF", b"PK\x03\x04", b"\x1f\x8b", b"\x7fELF", b"RIFF", b"OggS")
_LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|p|div|h1)\b", re.IGNORECASE)
_CHANGING = re.compile(
    r"\d+|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|"
    r"sat(?:ur)?|sun)(?:day)?\b",
    re.IGNORECASE,
)
_TARGET = re.compile(r"\]\([^()\s]*\)")
_NOWHERE = Outgoing((), (), True, True)


@dataclass(frozen=True, slots=True)
class PageContent:
    """A page that was read.

    Attributes:
        text: its Markdown with what it says about itself.
        led: where it leads, and whether it may be kept.
        canonical: the address that it wants to be known by, as it is written.
    """

    text: Converted
    led: Outgoing
    canonical: str | None = None

    @property
    def hash(self) -> str:
        """Of the words alone: the same for the same page under two addresses, wherever its links lead."""
        return _digest(_TARGET.sub("]", self.text.text))

    @property
    def likeness(self) -> str:
        """The same for pages that differ in numbers and names of days and months only: a calendar's."""
        return _digest(" ".join(_CHANGING.sub("", _TARGET.sub("]", self.text.text)).split()))


class NotAPageError(Exception):
    """An answer that holds nothing to read.

    Attributes:
        reason: for the report.
        detail: what it was.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def read_page(fetched: Fetched, url: str) -> PageContent:
    """Return what an answer says.

    Args:
        fetched: the answer, of status 200.
        url: its address, which links are relative to.

    Raises:
        NotAPageError: it is not a document, or one that cannot be read.
    """
    said = fetched.headers.get("content-type", "")
    kind = media_type(fetched.headers)
    charset = _CHARSET.search(said)
    data = fetched.body
    try:
        if kind in _DOCUMENTS or (
            kind in ("", "application/octet-stream") and suffix_of(urlsplit(url).path) in ("pdf", "epub")
        ):
            return PageContent(_document(data, _DOCUMENTS.get(kind) or suffix_of(urlsplit(url).path)), _NOWHERE)
        if kind and kind not in _HTML | _TEXTS:
            raise NotAPageError("not a page", kind[:80])
        if data.startswith(_MAGIC) or (deny_content(data) == "binary" and not (charset and "16" in charset[1])):
            raise NotAPageError("not a page", "it is binary, whatever it is said to be")
        text = decode_page(data, charset[1] if charset else None)
        if kind in _TEXTS or (not kind and not _LOOKS_LIKE_HTML.search(data[:5000])):
            return PageContent(Converted(text.replace("\r\n", "\n")), _with_robots_header(fetched.headers, _NOWHERE))
        page = parse(text)
    except ConversionError as error:
        raise NotAPageError(error.reason, error.detail) from error
    led = _with_robots_header(fetched.headers, outgoing(page, url))
    told = about(page, url)
    return PageContent(page_text(page, url, told), led, told.canonical)


def media_type(headers: Mapping[str, str]) -> str:
    """Return what kind of document an answer says that it is, in lower case; empty if it says nothing."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _document(data: bytes, suffix: str) -> Converted:
    made = converted(data, f"document.{suffix}")
    if made is None:
        raise NotAPageError("not a page", suffix)
    return made


def _with_robots_header(headers: Mapping[str, str], led: Outgoing) -> Outgoing:
    """Take what the server says to robots together with what the page says."""
    said = headers.get("x-robots-tag", "").lower()
    if not said:
        return led
    none = "none" in said
    return Outgoing(
        led.links,
        led.feeds,
        led.index and not none and "noindex" not in said,
        led.follow and not none and "nofollow" not in said,
    )


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
