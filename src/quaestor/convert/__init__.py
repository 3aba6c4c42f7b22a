"""Documents that are not plain text, as Markdown: HTML, PDF, Office files, OpenDocument, EPUB, notebooks, JSON Lines.

A converted document is cut, embedded, shown and quoted as its Markdown; its lines and spans refer to that Markdown.
The index keeps it as the document's chunks, under the hash of the original bytes, which decide whether it is current.
The package does not know indexes or networks: bytes go in, Markdown comes out, and large formats are read in a process
of their own. Begin with ``conversion``, then ``html``.
"""

from __future__ import annotations

from quaestor.convert.conversion import ConversionError as ConversionError
from quaestor.convert.conversion import Converted as Converted
from quaestor.core.documents import Document
from quaestor.files.deny import suffix_of
from quaestor.files.extras import EXTRAS, extra_is_installed

_PAGES = frozenset({"html", "htm", "xhtml"})
_BOOKS = frozenset({"xml", "docbook", "dbk"})
_OPEN = frozenset({"epub", "odp", "ods", "odt"})
_APART = _OPEN | EXTRAS.keys()
_RECORDS = frozenset({"jsonl", "ndjson"})
_ALWAYS = _APART | {"ipynb"}
CONVERTED_SUFFIXES = _PAGES | _BOOKS | _RECORDS | _ALWAYS

LARGEST = 64_000_000
"""Size limit of PDF, book and Office files; most of their bytes are pictures, which are not read."""


def is_converted(document: Document) -> bool:
    """Return whether a document's lines and spans refer to Markdown that its file was converted to."""
    return document.language == "markdown" and suffix_of(document.path) in CONVERTED_SUFFIXES


def convert_file(data: bytes, path: str) -> Converted | None:
    """Return a file as Markdown, or None if it needs no conversion.

    Raises:
        ConversionError: it is left out, for the reason given.
    """
    suffix = suffix_of(path)
    if suffix not in CONVERTED_SUFFIXES:
        return None
    if suffix in _APART:
        return _apart(suffix, data)
    if suffix in _PAGES:
        from quaestor.convert.html import from_html, reads_as_page  # noqa: PLC0415 - most files need none

        return from_html(data) if reads_as_page(data) else None
    if suffix in _BOOKS:
        from quaestor.convert.docbook import from_docbook, reads_as_docbook  # noqa: PLC0415 - as above

        return from_docbook(data) if reads_as_docbook(data) else None
    from quaestor.convert.json_documents import from_notebook, from_records, reads_as_texts  # noqa: PLC0415 - as above

    if suffix in _RECORDS:
        return from_records(data) if reads_as_texts(data) else None
    return from_notebook(data)


def _apart(suffix: str, data: bytes) -> Converted:
    _, extra = EXTRAS.get(suffix, ("", ""))
    if extra and not extra_is_installed(suffix):
        raise ConversionError("needs an extra", f"install it with: pip install 'quaestor[{extra}]'")
    from quaestor.convert.sandbox import convert_in_sandbox  # noqa: PLC0415 - most files need none

    return convert_in_sandbox(suffix, data)
