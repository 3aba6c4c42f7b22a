"""PDF as Markdown, a section a page, through pypdf. Runs in a process of its own."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pypdf import PasswordType, PdfReader
from pypdf.errors import DependencyError, PyPdfError

from quaestor.convert.conversion import Converted
from quaestor.convert.conversion_error import ConversionError
from quaestor.convert.page_metadata import LONGEST_FIELD
from quaestor.convert.running_heads import without_running_heads

MOST_PAGES = 20_000
_SOFT_HYPHEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_LINE_MARK = re.compile(r"^(?=#{1,6}\s|```|~~~|---|===)", re.MULTILINE)
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?")


def from_pdf(data: bytes) -> Converted:
    """Return a PDF as Markdown; each page is a section named after its number and what begins on it.

    Running heads and feet and page numbers are left out.

    Raises:
        ConversionError: it is damaged or encrypted, or has no text: a scan.
    """
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
            raise ConversionError("unreadable", "it is encrypted; save it without a password")
        count = len(reader.pages)
        broken: list[int] = []
        texts = list(_texts(reader, min(count, MOST_PAGES), broken))
        sections = list(_sections(without_running_heads(texts), _beginnings(reader)))
        about: Mapping[str, object] = reader.metadata or {}
    except ConversionError:
        raise
    except DependencyError:
        raise ConversionError("unreadable", "it is encrypted; save it without a password") from None
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError) as error:
        raise ConversionError("unreadable", f"the file is damaged ({type(error).__name__})") from None
    if not sections:
        raise ConversionError("unreadable", f"its {count:,} pages hold no text; they may be pictures of text")
    return Converted(
        "\n\n".join(sections) + "\n",
        _field(about, "/Title"),
        _field(about, "/Author"),
        _date(about),
        f"{len(broken):,} of {count:,} pages could not be read" if broken else None,
        paged=True,
    )


def _texts(reader: PdfReader, count: int, broken: list[int]) -> Iterator[str]:
    """Yield the text of each page; of one that cannot be read an empty one, and its number into ``broken``."""
    for number in range(count):
        try:
            yield _plain(reader.pages[number].extract_text())
        except Exception:  # whatever a damaged page makes of pypdf, the other pages are read
            broken.append(number)
            yield ""


def _sections(texts: Sequence[str], begins: dict[int, list[str]]) -> Iterator[str]:
    for number, text in enumerate(map(_laid_out, texts)):
        if text:
            heading = "; ".join(begins.get(number, [])[:3])
            yield f"## Page {number + 1}{': ' if heading else ''}{heading}\n\n{text}"


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _laid_out(text: str) -> str:
    lines = (line.rstrip() for line in _SOFT_HYPHEN.sub("", text).split("\n"))
    return _LINE_MARK.sub(r"\\", "\n".join(lines).strip("\n"))


def _beginnings(reader: PdfReader) -> dict[int, list[str]]:
    """Return the titles of the outline by the page that they begin on; a damaged outline gives none."""
    begins: dict[int, list[str]] = {}
    try:
        for entry in _entries(reader.outline):
            page = reader.get_destination_page_number(entry)
            if page is not None:
                begins.setdefault(page, []).append(" ".join(str(entry.title).split())[:LONGEST_FIELD])
    except Exception:  # the text is worth more than its outline
        return {}
    return begins


def _entries(outline: Iterable[Any]) -> Iterator[Any]:
    for entry in outline:
        if isinstance(entry, list):
            yield from _entries(entry)
        else:
            yield entry


def _field(about: Any, name: str) -> str | None:
    value = about.get(name)
    return " ".join(str(value).split())[:LONGEST_FIELD] or None if value else None


def _date(about: Any) -> str | None:
    found = _DATE.match(str(about.get("/CreationDate") or ""))
    return "-".join(part for part in found.groups() if part) if found else None
