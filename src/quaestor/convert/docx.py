"""Word documents as Markdown, through the HTML that mammoth makes of them. Runs in a process of its own."""

from __future__ import annotations

import io

import mammoth

from quaestor.convert.converted_document import ConversionError, ConvertedDocument
from quaestor.convert.html_to_markdown import render
from quaestor.convert.html_tree import parse
from quaestor.convert.zipped_documents import Bounds, checked_archive, core_properties

MOST_TEXTS = 200_000
"""Most paragraphs and runs in a document; reading each takes some tenth of a millisecond."""
MOST_ELEMENTS = 2_000_000
FREE_TEXTS, FREE_ELEMENTS, ELEMENTS_A_BYTE = 20_000, 100_000, 5
"""Base of that limit, and increase for each byte: eight kilobytes can unpack to 150,000 paragraphs."""


def from_docx(data: bytes) -> ConvertedDocument:
    """Return a Word document as Markdown; pictures are left out.

    Raises:
        ConversionError: it is damaged or encrypted, or exceeds the limits when it is unpacked.
    """
    elements = min(MOST_ELEMENTS, FREE_ELEMENTS + ELEMENTS_A_BYTE * len(data))
    texts = min(MOST_TEXTS, FREE_TEXTS + len(data))
    noun = f"paragraphs and runs in a file of {len(data):,} bytes"
    bounds = Bounds(elements, texts, frozenset({"p", "r"}), noun)
    archive = checked_archive(data, "docx", bounds)
    try:
        # mammoth would try every line of an embedded style map on every paragraph.
        converted = mammoth.convert_to_html(
            io.BytesIO(data),
            convert_image=mammoth.images.img_element(_no_image),
            include_embedded_style_map=False,
        )
    except Exception as error:  # mammoth documents no errors: damage can raise anything
        raise ConversionError("unreadable", f"the file is damaged ({type(error).__name__})") from error
    properties = core_properties(archive)
    return ConvertedDocument(
        render(parse(converted.value)),
        properties.get("title"),
        properties.get("creator"),
        properties.get("created", "")[:10] or None,
    )


def _no_image(_image: object) -> dict[str, str]:
    return {"src": ""}
