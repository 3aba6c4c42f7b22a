"""Documents of OpenDocument (``.odt``, ``.ods``, ``.odp``) as Markdown. Runs in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from quaestor.convert.converted_document import ConversionError, ConvertedDocument
from quaestor.convert.html_to_markdown import render
from quaestor.convert.html_tree import Element
from quaestor.convert.page_metadata import LONGEST_FIELD
from quaestor.convert.zipped_documents import Archive, Bounds, checked_archive

MOST_ELEMENTS = 2_000_000
MOST_TEXTS = 200_000
"""Most paragraphs, spans and cells in a document."""
_TEXTS = frozenset({"p", "h", "span", "table-cell", "list-item"})
MOST_CELLS = 500_000
"""Most cells that are written, those that a sheet says are repeated included."""
MOST_COLUMNS = 60
_MOST_REPEATED = 100
_LONGEST_REPEATED = 40
"""Characters of a cell that is written as often as it is repeated: a longer one, repeated, could fill a machine."""
_DEEPEST = 60
_PART_ROWS = 20
_LEFT_OUT = frozenset(
    """alphabetical-index annotation annotation-end bibliography forms illustration-index note-citation object-index
    page-number sequence-decls table-index table-of-content tracked-changes user-index""".split()
)

_APART = frozenset({"frame", "text-box", "title", "desc"})


def from_odf(data: bytes) -> ConvertedDocument:
    """Return a text, a workbook or a presentation as Markdown; each sheet and each slide is a section named after it.

    Pictures, comments and what tracked changes have deleted are left out.

    Raises:
        ConversionError: it is damaged, encrypted or empty, or exceeds the limits when it is unpacked.
    """
    bounds = Bounds(MOST_ELEMENTS, MOST_TEXTS, _TEXTS, "paragraphs, spans and cells")
    archive = checked_archive(data, "odt", bounds)
    content = _xml(archive, "content.xml")
    body = content.find("{*}body")
    main = next(iter(body), None) if body is not None else None
    if main is None:
        raise ConversionError("unreadable", "the file is damaged: it has no body")
    reader = _Reader(_titles(content))
    kind = _name(main)
    blocks = [*(_sheets(main, reader) if kind == "spreadsheet" else reader.blocks(main, 0))]
    text = render(Element("div", {}, blocks))
    if not text.strip():
        raise ConversionError("unreadable", "it holds no text; it may be made of pictures")
    properties = _about(archive)
    note = f"not read: cells beyond the first {MOST_CELLS:,}" if reader.is_full else None
    paged = kind in ("spreadsheet", "presentation")
    return ConvertedDocument(
        text, properties.get("title"), properties.get("creator"), properties.get("date"), note, paged
    )


def _xml(archive: Archive, part: str) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(archive.read(part))
    except (ElementTree.ParseError, ValueError, LookupError):
        raise ConversionError("unreadable", f"the file is damaged: {part!r} is not XML") from None


def _about(archive: Archive) -> dict[str, str]:
    """Return the document's title, author and date, as far as its metadata has them."""
    if "meta.xml" not in archive.names:
        return {}
    texts = {_name(one): " ".join((one.text or "").split())[:LONGEST_FIELD] for one in _xml(archive, "meta.xml").iter()}
    creator = texts.get("initial-creator") or texts.get("creator", "")
    date = (texts.get("creation-date") or texts.get("date", ""))[:10]
    return {
        key: text for key, text in (("title", texts.get("title", "")), ("creator", creator), ("date", date)) if text
    }


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _attribute(element: ElementTree.Element, name: str) -> str:
    """Return the value of an attribute, whatever its namespace, or ""."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _titles(content: ElementTree.Element) -> frozenset[str]:
    """Return the names of the styles of a document's title."""
    styles = content.iterfind("{*}automatic-styles/{*}style")
    return frozenset(
        {"Title", *(_attribute(one, "name") for one in styles if _attribute(one, "parent-style-name") == "Title")}
    )


def _number(text: str, most: int) -> int:
    """Return a number between 1 and ``most``; 1 if the text is no number."""
    return max(1, min(int(text), most)) if text.isascii() and text.isdigit() and len(text) < 10 else 1


class _Reader:
    """Reads the content of one document, up to a number of cells."""

    def __init__(self, titles: frozenset[str]) -> None:
        self._titles = titles
        self._cells = 0
        self._slides = 0

    @property
    def is_full(self) -> bool:
        """Whether cells are left out."""
        return self._cells > MOST_CELLS

    def blocks(self, parent: ElementTree.Element, depth: int) -> Iterator[Element | str]:
        """Yield the blocks in an element; what is nested too deeply is read as one paragraph."""
        if depth > _DEEPEST:
            yield Element("p", {}, [" ".join("".join(parent.itertext()).split())])
            return
        for one in parent:
            name = _name(one)
            if name in ("p", "h"):
                yield from self._paragraph(one, name, depth)
            elif name == "list":
                yield Element("ul", {}, [*self._items(one, depth + 1)])
            elif name == "table":
                yield from self._table(one, depth + 1)
            elif name == "page":
                yield from self._slide(one, depth + 1)
            elif name == "notes":
                notes = [*self.blocks(one, depth + 1)]
                yield from [Element("p", {}, [Element("b", {}, ["Notes"])]), *notes] if notes else []
            elif name not in _LEFT_OUT:
                yield from self.blocks(one, depth + 1)

    def _paragraph(self, one: ElementTree.Element, name: str, depth: int) -> Iterator[Element | str]:
        text = [*self._inline(one, depth)]
        if any(isinstance(part, Element) or part.strip() for part in text):
            titled = name == "h" or _attribute(one, "style-name") in self._titles
            yield Element(f"h{_number(_attribute(one, 'outline-level'), 6)}" if titled else "p", {}, text)

    def _inline(self, parent: ElementTree.Element, depth: int) -> Iterator[Element | str]:
        """Yield the text of a paragraph, with its links."""
        yield parent.text or ""
        for one in parent if depth <= _DEEPEST else ():
            name = _name(one)
            if name in ("s", "tab"):
                yield " "
            elif name == "line-break":
                yield Element("br")
            elif name == "a":
                yield Element("a", {"href": _attribute(one, "href")}, [*self._inline(one, depth + 1)])
            elif name == "note":
                yield f" ({' '.join(' '.join(part.split()) for part in _note_texts(one))})"
            elif name not in _LEFT_OUT:
                blank = " " if name in _APART else ""
                yield from (blank, *self._inline(one, depth + 1), blank)
            yield one.tail or ""

    def _items(self, parent: ElementTree.Element, depth: int) -> Iterator[Element | str]:
        for item in parent:
            yield Element("li", {}, [*self.blocks(item, depth + 1)])

    def _slide(self, page: ElementTree.Element, depth: int) -> Iterator[Element | str]:
        self._slides += 1
        blocks = [*self.blocks(page, depth)]
        titled = next((one for one in page if _attribute(one, "class") == "title"), None)
        title = " ".join("".join(titled.itertext()).split()) if titled is not None else ""
        if blocks:
            yield Element("h2", {}, [f"Slide {self._slides}{': ' if title else ''}{title}"])
            yield from (one for one in blocks if isinstance(one, str) or not title or _words(one) != title)

    def _table(self, table: ElementTree.Element, depth: int) -> Iterator[Element | str]:
        rows = [row for row in self.rows(table, depth) if any(row)]
        if rows:
            yield _table_of(rows)

    def rows(self, table: ElementTree.Element, depth: int) -> Iterator[list[str]]:
        """Yield the rows of a table without trailing blank cells; repeated ones as often as they are repeated."""
        if depth > _DEEPEST:
            return
        for one in table:
            name = _name(one)
            if name == "table-row" and not self.is_full:
                row = self._row(one)
                times = _number(_attribute(one, "number-rows-repeated"), _MOST_REPEATED) if any(row) else 1
                for _ in range(times if sum(map(len, row)) <= _LONGEST_REPEATED * max(len(row), 1) else 1):
                    self._cells += len(row)
                    yield row
            elif name in ("table-header-rows", "table-rows", "table-row-group"):
                yield from self.rows(one, depth + 1)

    def _row(self, row: ElementTree.Element) -> list[str]:
        texts: list[str] = []
        for cell in row:
            if _name(cell) in ("table-cell", "covered-table-cell") and len(texts) < MOST_COLUMNS:
                parts = ("".join(part.itertext()).split() for part in cell if _name(part) in ("p", "h", "list"))
                text = " ".join(" ".join(part) for part in parts)
                times = _number(_attribute(cell, "number-columns-repeated"), MOST_COLUMNS - len(texts))
                texts += [text] * (times if len(text) <= _LONGEST_REPEATED else 1)
        while texts and not texts[-1]:
            texts.pop()
        return texts


def _words(element: Element) -> str:
    return " ".join(element.text().split())


def _note_texts(note: ElementTree.Element) -> Iterator[str]:
    for part in note:
        if _name(part) == "note-body":
            yield from part.itertext()


def _sheets(main: ElementTree.Element, reader: _Reader) -> Iterator[Element | str]:
    """Yield each sheet that is not empty: its heading and its rows, a long one in parts, each below the first row."""
    for table in main:
        numbered = enumerate(reader.rows(table, 0), start=1) if _name(table) == "table" else ()
        rows = [(number, row) for number, row in numbered if any(row)]
        if not rows:
            continue
        name = f"Sheet {_attribute(table, 'name')}"
        yield Element("h2", {}, [name])
        if len(rows) <= _PART_ROWS:
            yield _table_of([row for _, row in rows])
            continue
        for start in range(1, len(rows), _PART_ROWS):
            part = rows[start : start + _PART_ROWS]
            yield Element("h3", {}, [f"{name}, rows {part[0][0]}-{part[-1][0]}"])
            yield _table_of([row for _, row in (rows[0], *part)])


def _table_of(rows: list[list[str]]) -> Element:
    width = max(map(len, rows))
    lines: list[Element | str] = []
    for place, row in enumerate(rows):
        kind = "td" if place else "th"
        lines.append(Element("tr", {}, [Element(kind, {}, [text]) for text in [*row, *[""] * (width - len(row))]]))
    return Element("table", {}, lines)
