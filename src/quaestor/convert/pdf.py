"""PDF as Markdown with a section for each page, its headings and its tables, by pypdf. Runs in a process of its own.

A PDF does not say which of its lines are headings: they are told by larger or bolder letters than most text has.
"""

from __future__ import annotations

import io
import logging
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple

from pypdf import PageObject, PasswordType, PdfReader
from pypdf.errors import DependencyError, PyPdfError

from quaestor.convert.converted_document import ConversionError, ConvertedDocument
from quaestor.convert.page_metadata import LONGEST_FIELD
from quaestor.convert.pdf_pieces import Piece, Pieces, pieces_of
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


class Line(NamedTuple):
    """A line of a page, as it is seen.

    Attributes:
        text: its words, with one blank between them, or a line end where the page's text has one.
        size: the size of its letters, in half points; 0 if they differ, or if it is unknown.
        bold: whether all of its letters are bold.
        alone: whether nothing else stands at its height.
    """

    text: str
    size: float
    bold: bool
    alone: bool = True


_LARGER = 1.15
"""From how many times the size of most text on a line is a heading; a bold one may be as small as the text."""
_LONGEST_HEADING, _LONGEST_BOLD = 150, 80
_FEWEST_LETTERS = 3
_MOST_HEADINGS = 0.35
"""Most lines that are headings, as a share of a page's or a document's: more of them belong to slides or a poster."""
_DEEPEST_HEADING = 6
_MARKED = re.compile(r"^###+ (.+)", re.MULTILINE)
_ENDS_HEADING = re.compile(r"[^.,;:]$|^\W*\d[\d.]*\s[^.]*\.$")
"""A heading has no stop at its end, unless it is numbered (``2.1 Scope.``)."""
_BEFORE_NUMBER = re.compile(r"\n(?=\W*\d|(?:Article|Section|Chapter|Part|Annex|Appendix)\b)", re.IGNORECASE)
"""Between two headings, one right below the other."""
_LEADER = re.compile(r"(?:\.\s?){4}")
_NUMBER_LAST = re.compile(r"\s\d{1,4}$")
"""The page's number in a table of contents, whose chapters may be bold."""


def lines_of(pieces: Sequence[Piece]) -> list[Line]:
    """Return the lines that pieces make up, in their order; what follows at the same height belongs to a line."""
    lines: list[list[tuple[str, Piece]]] = [[]]
    for piece in pieces:
        first, *further = piece.text.split("\n")
        lines[-1].append((first, piece))
        lines += [[(text, piece)] for text in further]
    worded = [line for line in lines if any(text.strip() for text, _ in line)]
    by_height = [(height, list(group)) for height, group in groupby(worded, _height)]
    counts = Counter(height for height, _ in by_height)
    return [_line(group, alone=counts[height] == 1) for height, group in by_height]


def _height(line: Sequence[tuple[str, Piece]]) -> float:
    """Return the baseline of a line's first words, in points; numbers of a damaged file may be infinite."""
    y = next(piece.y for text, piece in line if text.strip())
    return round(y) if math.isfinite(y) else math.inf


def _line(group: Sequence[Sequence[tuple[str, Piece]]], *, alone: bool) -> Line:
    worded = [piece for line in group for text, piece in line if text.strip()]
    sizes = {round(2 * piece.size) / 2 if math.isfinite(piece.size) else 0.0 for piece in worded}
    text = "\n".join(" ".join("".join(text for text, _ in line).split()) for line in group)
    return Line(text, sizes.pop() if len(sizes) == 1 else 0.0, all(piece.bold for piece in worded), alone)


def headings_of(pages: Sequence[Sequence[Line]]) -> list[dict[str, int]]:
    """Return the headings of each page with their levels, 1 for those in the largest letters of the document.

    Several lines of one heading are one text with line ends.
    """
    size, bold = _usual_style(pages)
    found = [_headings_on(page, size, bold) for page in pages]
    if sum(map(len, found)) > _MOST_HEADINGS * sum(map(len, pages)):
        return [{} for _ in pages]
    levels = {one: level for level, one in enumerate(sorted({one for page in found for one in page.values()})[::-1], 1)}
    return [{text: levels[one] for text, one in page.items()} for page in found]


def _usual_style(pages: Sequence[Sequence[Line]]) -> tuple[float, bool]:
    """Return the size of most letters, and whether most letters of this size are bold."""
    letters = Counter[tuple[float, bool]]()
    for line in chain.from_iterable(pages):
        letters[line.size, line.bold] += len(line.text)
    sizes = Counter[float]()
    for (size, _), count in letters.items():
        sizes[size] += count if size else 0
    size = max(sizes, key=sizes.__getitem__, default=0.0)
    return size, letters[size, True] > letters[size, False]


def _headings_on(page: Sequence[Line], size: float, bold: bool) -> dict[str, float]:
    """Return the headings of a page with the sizes of their letters; a page of little but large letters has none."""
    found: dict[str, float] = {}
    for (own, _, is_heading), group in groupby(page, lambda line: (line.size, line.bold, _may_head(line, size, bold))):
        for whole in _BEFORE_NUMBER.split("\n".join(line.text for line in group)) if is_heading else ():
            begins, ends = next(filter(str.isalnum, whole), ""), _ENDS_HEADING.search(whole.rpartition("\n")[2])
            if len(whole) <= _LONGEST_HEADING and not begins.islower() and ends:
                found[whole] = own
    return found if len("".join(found)) <= _MOST_HEADINGS * sum(len(line.text) for line in page) else {}


def _may_head(line: Line, size: float, bold: bool) -> bool:
    words = line.text
    larger = size > 0 and line.size >= _LARGER * size
    bolder = line.bold and not bold and line.size >= size > 0 and len(words) <= _LONGEST_BOLD
    named = sum(map(str.isalpha, words)) >= _FEWEST_LETTERS and not _LEADER.search(words)
    return (larger or (bolder and not _NUMBER_LAST.search(words))) and line.alone and named


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
        pages = list(_pages(reader, min(count, MOST_PAGES), broken))
        texts = without_running_heads([text for text, _ in pages])
        sections = list(_sections(texts, _beginnings(reader), headings_of([lines for _, lines in pages])))
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


def _pages(reader: PdfReader, count: int, broken: list[int]) -> Iterator[tuple[str, list[Line]]]:
    """Yield the text and the lines of each page; if one cannot be read, yield "" and add its number to ``broken``."""
    operators_left = _MOST_OPERATORS
    for number in range(count):
        try:
            page = reader.pages[number]
            pieces = _pieces(page, min(operators_left, _LARGEST_PAGE))
            operators_left -= pieces.operators if pieces else 0
            text = with_tables(pieces) if pieces else page.extract_text()
            yield _plain(text), lines_of(pieces.texts if pieces else ())
        except Exception:  # whatever pypdf raises for a damaged page, the other pages are read
            broken.append(number)
            yield "", []


def _pieces(page: PageObject, largest: int) -> Pieces | None:
    try:
        return pieces_of(page, largest)
    except Exception:  # keep the page's text without its tables
        return None


def _sections(
    texts: Sequence[str], begins: Mapping[int, list[str]], headings: Sequence[Mapping[str, int]]
) -> Iterator[str]:
    """Yield each page as a section, named after its number and what begins on it, or what goes on amid a sentence."""
    going_on = ""
    for number, text in enumerate(map(_laid_out, texts)):
        if text:
            titles = begins.get(number, [])
            marked = _with_headings(text, {**dict.fromkeys(titles, 1), **headings[number]})
            heading = "; ".join(titles[:3]) or (going_on if text.lstrip()[:1].islower() else "")
            going_on = (_MARKED.findall(marked) or [going_on])[-1]
            yield f"## Page {number + 1}{': ' if heading else ''}{heading}\n\n{marked}"


def _with_headings(text: str, headings: Mapping[str, int]) -> str:
    """Return a page's text with its headings marked, each of them in one line."""
    for heading, level in headings.items():
        lines = (r"[^\S\n]+".join(map(re.escape, line.split())) for line in heading.split("\n"))
        words = r"[^\S\n]*\n[^\S\n]*".join(lines)
        found = re.search(rf"^[^\S\n]*(?:\d[\d.]*\s+)?{words}[^\S\n]*$", text, re.MULTILINE)
        if found is not None:
            before, after = text[: found.start()].rstrip("\n"), text[found.end() :].lstrip("\n")
            marked = f"{'#' * min(2 + level, _DEEPEST_HEADING)} {' '.join(found[0].split())}"
            text = f"{before}\n\n{marked}\n\n{after}"
    return text.strip("\n")


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
