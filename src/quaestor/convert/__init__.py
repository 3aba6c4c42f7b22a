"""Documents that are not plain text, as Markdown: HTML, PDF, Office files, OpenDocument, RTF, mail, EPUB, notebooks,
JSON Lines.

A converted document is cut, embedded, shown and quoted as its Markdown; its lines and spans refer to that Markdown.
The index keeps it as the document's chunks, under the hash of the original bytes, which decide whether it is current.
The package does not know indexes or networks: bytes go in, Markdown comes out, and large formats are read in a process
of their own. Begin with ``converted_document``, then ``html``.
"""

from __future__ import annotations

from importlib import import_module

from quaestor.convert.converted_document import ConversionError as ConversionError
from quaestor.convert.converted_document import ConvertedDocument as ConvertedDocument
from quaestor.core.documents import Document
from quaestor.files.deny import EXTRAS, extra_is_installed, suffix_of

_APART = frozenset({"epub", "mbox", "odp", "ods", "odt", "rtf", *EXTRAS})
_READ_HERE = {
    **dict.fromkeys(("html", "htm", "xhtml"), ("html", "from_html", "reads_as_page")),
    **dict.fromkeys(("xml", "docbook", "dbk"), ("docbook", "from_docbook", "reads_as_docbook")),
    **dict.fromkeys(("jsonl", "ndjson"), ("json_documents", "from_records", "reads_as_texts")),
    "ipynb": ("json_documents", "from_notebook", ""),
    "eml": ("mail", "from_mail", "reads_as_mail"),
}
"""For each suffix, a module, its function that reads such files, and its function that tells whether it should."""
CONVERTED_SUFFIXES = _APART | _READ_HERE.keys()

LARGEST = 64_000_000
"""Size limit of PDF, book and Office files; most of their bytes are pictures, which are not read."""


def is_converted(document: Document) -> bool:
    """Return whether a document's lines and spans refer to Markdown that its file was converted to."""
    return document.language == "markdown" and suffix_of(document.path) in CONVERTED_SUFFIXES


def convert_file(data: bytes, path: str) -> ConvertedDocument | None:
    """Return a file as Markdown, or None if it needs no conversion.

    Raises:
        ConversionError: it is left out, for the reason given.
    """
    suffix = suffix_of(path)
    if suffix in _APART:
        return _convert_in_process(suffix, data)
    if suffix not in _READ_HERE:
        return None
    module, read, applies = _READ_HERE[suffix]
    home = import_module(f"quaestor.convert.{module}")  # most files need none
    return getattr(home, read)(data) if not applies or getattr(home, applies)(data) else None


def _convert_in_process(suffix: str, data: bytes) -> ConvertedDocument:
    _, extra = EXTRAS.get(suffix, ("", ""))
    if extra and not extra_is_installed(suffix):
        raise ConversionError("needs an extra", f"install it with: pip install 'quaestor[{extra}]'")
    from quaestor.convert.sandbox import convert_in_sandbox  # noqa: PLC0415 - most files need none

    return convert_in_sandbox(suffix, data)
