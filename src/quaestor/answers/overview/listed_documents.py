"""A folder of documents: how many of what kinds, of when and by whom, their titles and their sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from posixpath import dirname

from quaestor.answers.overview.material import Material, depth_in, is_code
from quaestor.answers.overview.prose_lines import headings
from quaestor.answers.overview.statements import Entry, Source, Statement
from quaestor.chunking.languages import PROSE
from quaestor.core.passages import Document
from quaestor.core.wording import amount

_MOST_TITLES = 120
_MOST_SECTIONS = 8
_MOST_AUTHORS = 6
_MOST_KINDS = 8


def documents_of(material: Material) -> list[Document]:
    """Return the documents that are prose, no code and no data."""
    return [one for one in material.documents.values() if _is_document(one, material)]


def _is_document(document: Document, material: Material) -> bool:
    name = document.path.rpartition("/")[2]
    told = document.language in PROSE or document.language == "html" or bool(document.title)
    plain = "." in name or document.title or name.isupper()  # a Caddyfile is no document, a README is
    return bool(told and plain) and not (
        name.startswith(".") or is_code(document) or material.stands_behind(document.path)
    )


def about_documents(material: Material) -> list[Entry]:
    """Return what can be said of all documents together: number, dates and authors."""
    found = documents_of(material)
    said = [amount(len(found), "document")]
    dates = sorted(one.date for one in found if one.date)
    if dates:
        said.append(
            f"dated {dates[0]} to {dates[-1]} ({len(dates):,} of them)"
            if dates[0] != dates[-1]
            else f"dated {dates[0]}"
        )
    authors = Counter(one.author for one in found if one.author)
    if authors:
        listed = ", ".join(f"{name} ({count})" for name, count in authors.most_common(_MOST_AUTHORS))
        more = len(authors) - _MOST_AUTHORS
        said.append(f"by {listed}" + (f" and {more:,} more" if more > 0 else ""))
    return [Entry(says=Statement("; ".join(said)))]


def titles(material: Material) -> list[Entry]:
    """Return the documents with their titles, dates and authors, the most telling first; of a few, their sections."""
    found = documents_of(material)
    found.sort(key=lambda one: _order(one, material))
    shown = found[:_MOST_TITLES]
    entries = [_titled(one, material) for one in shown]
    if len(found) > _MOST_SECTIONS:
        return entries
    return [line for one, entry in zip(shown, entries, strict=True) for line in (entry, *_sections(one, material))]


def _order(document: Document, material: Material) -> tuple[bool, int, str]:
    name = document.path.rpartition("/")[2].lower()
    return not name.startswith(("readme", "index")), depth_in(document.path, material.folder), document.path


def _titled(document: Document, material: Material) -> Entry:
    first = next(iter(headings(material.lines(document.path)[:80])), None)
    title = document.title or (first[1] if first else "")
    about = ", ".join(part for part in (document.date, document.author) if part)
    text = " — ".join(part for part in (title, about) if part)
    line = first[0] if first and first[1] == title else 1
    return Entry(
        document.path,
        Statement(text, Source(document.path, line, line), verbatim=text == title and first is not None)
        if text
        else None,
    )


def _sections(document: Document, material: Material) -> Sequence[Entry]:
    """Return a document's sections on one line."""
    found = list(headings(material.lines(document.path)))[1:]
    if not found:
        return ()
    text = "; ".join(dict.fromkeys(title for _, title in found))
    return (Entry(says=Statement(text[:600], Source(document.path, found[0][0], found[-1][0])), depth=1),)


def kinds(material: Material) -> list[Entry]:
    """Return the folders that hold the documents, by how many."""
    found = Counter(dirname(one.path) for one in documents_of(material))
    listed = [f"{folder or '.'}/ ({count:,})" for folder, count in found.most_common(_MOST_KINDS)]
    return [Entry(says=Statement(", ".join(listed)))] if len(found) > 1 else []
