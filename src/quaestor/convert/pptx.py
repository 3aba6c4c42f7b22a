"""PowerPoint presentations as Markdown, one section for each slide, by python-pptx. Runs in its own process."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from pptx import Presentation
from pptx.enum.shapes import PP_PLACEHOLDER

from quaestor.convert.converted_document import ConversionError, ConvertedDocument
from quaestor.convert.html_to_markdown import render
from quaestor.convert.html_tree import Element
from quaestor.convert.zipped_documents import Bounds, checked_archive, core_properties

MOST_TEXTS = 200_000
"""Most paragraphs and runs in a presentation."""
MOST_ELEMENTS = 2_000_000
_DEEPEST_LEVEL = 8
_FURNITURE = frozenset({PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE})


def from_pptx(data: bytes) -> ConvertedDocument:
    """Return a presentation as Markdown; each slide is a section named after its number and its title.

    Text, tables, the data of charts and the speaker's notes are read; pictures and drawings are not.

    Raises:
        ConversionError: it is damaged or encrypted, has no text, or exceeds the limits when it is unpacked.
    """
    bounds = Bounds(MOST_ELEMENTS, MOST_TEXTS, frozenset({"p", "r"}), "paragraphs and runs")
    archive = checked_archive(data, "pptx", bounds)
    try:
        slides = list(Presentation(io.BytesIO(data)).slides)
    except Exception as error:  # damage can raise any error of python-pptx and lxml
        raise ConversionError("unreadable", f"the file is damaged ({type(error).__name__})") from error
    blocks: list[Element | str] = []
    broken = 0
    for number, slide in enumerate(slides, start=1):
        try:
            blocks += _section(number, slide)
        except Exception:  # whatever python-pptx raises for a damaged slide, the other slides are read
            broken += 1
    if not blocks:
        raise ConversionError("unreadable", f"its {len(slides):,} slides hold no text; they may be pictures of text")
    properties = core_properties(archive)
    return ConvertedDocument(
        render(Element("div", {}, blocks)),
        properties.get("title"),
        properties.get("creator"),
        properties.get("created", "")[:10] or None,
        f"{broken:,} of {len(slides):,} slides could not be read" if broken else None,
        paged=True,
    )


def _section(number: int, slide: Any) -> list[Element | str]:
    """Return a slide's heading and content; an empty list for a slide without words."""
    title = slide.shapes.title
    words = " ".join(title.text_frame.text.split()) if title is not None else ""
    blocks = [block for shape in _shapes(slide.shapes, title) for block in _shape(shape)]
    blocks += _notes(slide)
    if not words and not blocks:
        return []
    hidden = " (hidden)" if slide.element.get("show") in ("0", "false") else ""
    return [Element("h2", {}, [f"Slide {number}{hidden}{': ' if words else ''}{words}"]), *blocks]


def _shapes(shapes: Iterable[Any], title: Any) -> Iterator[Any]:
    """Yield the shapes of a slide, including those in groups, without its title, footer and number."""
    pending = list(shapes)[::-1]
    while pending:
        shape = pending.pop()
        if hasattr(shape, "shapes"):
            pending += list(shape.shapes)[::-1]
        elif title is None or shape.shape_id != title.shape_id:
            yield shape


def _shape(shape: Any) -> Iterator[Element | str]:
    if shape.is_placeholder and shape.placeholder_format.type in _FURNITURE:
        return
    if shape.has_text_frame:
        yield from _paragraphs(shape.text_frame, listed=shape.is_placeholder)
    elif getattr(shape, "has_table", False):
        yield _table([[cell.text for cell in row.cells] for row in shape.table.rows])
    elif getattr(shape, "has_chart", False):
        yield from _chart(shape.chart)


def _paragraphs(frame: Any, *, listed: bool) -> Iterator[Element]:
    """Yield the paragraphs of a text frame; outline and indented paragraphs as list items."""
    items = [(min(one.level, _DEEPEST_LEVEL), one.text) for one in frame.paragraphs if one.text.strip()]
    if not ((listed and len(items) > 1) or any(level for level, _ in items)):
        yield from (Element("p", {}, [text]) for _, text in items)
        return
    open_lists = [Element("ul")]
    for level, text in items:
        del open_lists[level + 1 :]
        while len(open_lists) <= level:
            below = Element("ul")
            open_lists[-1].children.append(below)
            open_lists.append(below)
        open_lists[-1].children.append(Element("li", {}, [text]))
    yield open_lists[0]


def _chart(chart: Any) -> Iterator[Element]:
    """Yield a chart's title, and its data as a table with a column for each series."""
    if chart.has_title and chart.chart_title.has_text_frame:
        yield Element("p", {}, [chart.chart_title.text_frame.text])
    for plot in chart.plots:
        series = list(plot.series)
        head = ["", *(one.name for one in series)]
        columns = [list(map(str, plot.categories)), *(list(map(_number, one.values)) for one in series)]
        longest = max(map(len, columns))
        rows = zip(*([*column, *[""] * (longest - len(column))] for column in columns), strict=True)
        yield _table([head, *map(list, rows)])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.15g}"


def _table(rows: list[list[str]]) -> Element:
    head, *others = [[" ".join(text.split()) for text in row] for row in rows]
    lines = [Element("tr", {}, [Element("th", {}, [text]) for text in head])]
    lines += [Element("tr", {}, [Element("td", {}, [text]) for text in row]) for row in others]
    return Element("table", {}, [*lines])


def _notes(slide: Any) -> list[Element | str]:
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if frame is None or not frame.text.strip():
        return []
    return [Element("p", {}, [Element("b", {}, ["Notes"])]), *_paragraphs(frame, listed=False)]
