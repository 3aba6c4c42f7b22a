"""PDF as Markdown with a section for each page and with tables, by pypdf. Runs in a process of its own."""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from pypdf import PageObject, PasswordType, PdfReader
from pypdf.errors import DependencyError, PyPdfError

from quaestor.convert.converted_document import ConversionError, ConvertedDocument
from quaestor.convert.page_metadata import LONGEST_FIELD
from quaestor.convert.pdf_pieces import Pieces, pieces_of
from quaestor.convert.pdf_tables import ROW, with_tables

_FEWEST_PAGES = 4
"""Least number of pages with one line to be a running head; fewer may share a line by coincidence."""
_SHARE = 0.3
"""Least share of all pages; left and right pages often have different heads."""
_DEEPEST = 2
"""Most lines at each end of a page that may be heads or feet."""
_LONGEST = 120
_NUMBER = re.compile(r"\d{1,5}")


def without_running_heads(pages: Sequence[str]) -> list[str]:
    """Return the pages' texts without running heads and page numbers: lines that many pages begin or end with.

    The first page with such a line keeps it, because it may be a title or a table's head.
    """
    lines = [page.split("\n") for page in pages]
    for from_end in (False, True):
        for _ in range(_DEEPEST):
            _strip_outermost(lines, from_end)
    return ["\n".join(page).strip("\n") for page in lines]


def _strip_outermost(pages: list[list[str]], from_end: bool) -> None:
    """Remove the outermost lines of pages if enough of them are alike."""
    places = [_outermost(page, from_end) for page in pages]
    forms = [
        [] if place is None else list(_forms(page[place], number))
        for number, (page, place) in enumerate(zip(pages, places, strict=True))
    ]
    counts = Counter(chain.from_iterable(forms))
    least = max(_FEWEST_PAGES, _SHARE * sum(map(bool, forms)))
    seen: set[str] = set()
    for page, place, own in zip(pages, places, forms, strict=True):
        running = [form for form in own if counts[form] >= least]
        if place is None or not running:
            continue
        if running[0] != own[0] or own[0] in seen:
            del page[place]
        seen.add(own[0])


def _outermost(page: list[str], from_end: bool) -> int | None:
    order = range(len(page) - 1, -1, -1) if from_end else range(len(page))
    place = next((one for one in order if page[one].strip()), None)
    if place is None or len(page[place]) > _LONGEST or page[place].startswith(ROW):
        return None  # a table over several pages keeps its head on each
    return place


def _forms(line: str, page: int) -> Iterator[str]:
    """Yield a line, and the line with each of its numbers replaced by its difference from the page's number."""
    text = " ".join(line.split()).casefold()
    yield text
    for match in _NUMBER.finditer(text):
        yield f"{text[: match.start()]}\0{int(match[0]) - page}{text[match.end() :]}"


MOST_PAGES = 20_000
_MOST_OPERATORS, _LARGEST_PAGE = 40_000_000, 3_000_000
"""Most bytes, of all pages and of one, in which tables are looked for; larger pages are drawings."""
_SOFT_HYPHEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_LINE_MARK = re.compile(r"^(?=#{1,6}\s|```|~~~|---|===)", re.MULTILINE)
_BULLET = re.compile(r"^[\x01-\x08\x0e-\x1f\x7f-\x9f\uf0a7\uf0b7](?=\s)", re.MULTILINE)
"""Control characters in place of a bullet, from fonts of symbols."""
_CONTROL = re.compile(r"[\0-\x08\x0e-\x1f\x7f-\x9f]")
_BY_PROGRAM = re.compile(
    r"^Microsoft (?:Word|PowerPoint|Excel) - |(?<=\w)\.(?:docx?|pptx?|xlsx?|indd|tex|dvi)$"
    r"|^\W*(?:anonymous|untitled|unspecified)\W*$",
    re.IGNORECASE,
)
"""Titles and authors that a program wrote by itself."""
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?")


def from_pdf(data: bytes) -> ConvertedDocument:
    """Return a PDF as Markdown; each page is a section named after its number and the outline's titles on it.

    Running heads and feet and page numbers are left out.

    Raises:
        ConversionError: it is damaged or encrypted, or has no text, like a scan.
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
        metadata: Mapping[str, object] = reader.metadata or {}
    except ConversionError:
        raise
    except DependencyError:
        raise ConversionError("unreadable", "it is encrypted; save it without a password") from None
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError) as error:
        raise ConversionError("unreadable", f"the file is damaged ({type(error).__name__})") from None
    if not sections:
        raise ConversionError("unreadable", f"its {count:,} pages hold no text; they may be pictures of text")
    return ConvertedDocument(
        "\n\n".join(sections) + "\n",
        _field(metadata, "/Title"),
        _field(metadata, "/Author"),
        _date(metadata),
        f"{len(broken):,} of {count:,} pages could not be read" if broken else None,
        paged=True,
    )


def _texts(reader: PdfReader, count: int, broken: list[int]) -> Iterator[str]:
    """Yield the text of each page; if a page cannot be read, yield "" and add its number to ``broken``."""
    operators_left = _MOST_OPERATORS
    for number in range(count):
        try:
            page = reader.pages[number]
            pieces = _pieces(page, min(operators_left, _LARGEST_PAGE))
            operators_left -= pieces.operators if pieces else 0
            yield _plain(with_tables(pieces) if pieces else page.extract_text())
        except Exception:  # whatever pypdf raises for a damaged page, the other pages are read
            broken.append(number)
            yield ""


def _pieces(page: PageObject, largest: int) -> Pieces | None:
    try:
        return pieces_of(page, largest)
    except Exception:  # keep the page's text without its tables
        return None


def _sections(texts: Sequence[str], begins: dict[int, list[str]]) -> Iterator[str]:
    for number, text in enumerate(map(_laid_out, texts)):
        if text:
            heading = "; ".join(begins.get(number, [])[:3])
            yield f"## Page {number + 1}{': ' if heading else ''}{heading}\n\n{text}"


def _plain(text: str) -> str:
    text = text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", _BULLET.sub("•", text))


def _laid_out(text: str) -> str:
    lines = (line.rstrip() for line in _SOFT_HYPHEN.sub("", text).split("\n"))
    return _LINE_MARK.sub(r"\\", "\n".join(lines).strip("\n"))


def _beginnings(reader: PdfReader) -> dict[int, list[str]]:
    """Return the outline's titles by the page on which they begin; none for a damaged outline."""
    begins: dict[int, list[str]] = {}
    try:
        for entry in _entries(reader.outline):
            page = reader.get_destination_page_number(entry)
            if page is not None:
                begins.setdefault(page, []).append(" ".join(str(entry.title).split())[:LONGEST_FIELD])
    except Exception:  # keep the text without its outline
        return {}
    return begins


def _entries(outline: Iterable[Any]) -> Iterator[Any]:
    for entry in outline:
        if isinstance(entry, list):
            yield from _entries(entry)
        else:
            yield entry


def _field(metadata: Any, name: str) -> str | None:
    value = _BY_PROGRAM.sub("", " ".join(str(metadata.get(name) or "").split()))
    return value[:LONGEST_FIELD] or None


def _date(metadata: Any) -> str | None:
    match = _DATE.match(str(metadata.get("/CreationDate") or ""))
    return "-".join(part for part in match.groups() if part) if match else None
