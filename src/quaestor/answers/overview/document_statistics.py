"""Describes the documents of a folder: their number, kinds, dates, authors and titles; and a corpus's languages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from posixpath import dirname, normpath

from quaestor.answers.overview.material import Material, is_code
from quaestor.answers.overview.overview_text import Entry, Source, Statement
from quaestor.answers.overview.prose_lines import headings, paragraphs
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Document
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.search.background_documents import is_generated
from quaestor.search.language import language_of

_PLAIN = (".txt", ".text", ".me", ".mediawiki", ".wiki", ".textile", ".rdoc", ".pod", ".creole", ".org", ".tex")
_PREAMBLE = 20
_TITLE = re.compile(r"^\s*Title:\s+(\S.*?)\s*$")
_PAGES = re.compile(r"^(?:Page \d+(?:: |$))+")
"""What the conversion of a PDF puts before the headings of its pages."""
_NUMBER = re.compile(r"[^\W\d]{1,12}[ _-]?\d{1,6}")
_MOST_TITLES = 120
_MOST_SECTIONS = 8
_MOST_AUTHORS = 6
_CONTENTS = frozenset({"summary.md", "_sidebar.md", "sidebar.md", "toc.md", "contents.md", "_toc.md"})
"""Names of a book's table of contents, in lower case."""
_TARGET = re.compile(r"\]\(([^()\s]+)\)")
_FEWEST_CHAPTERS = 5
_MOST_CHAPTERS = 60
_AT_A_TIME = 3
_TELLING_SHARE = 0.25
"""Dates and authors are reported only if at least this share of all documents has one."""
_MOST_KINDS = 24
_KINDS_ON_A_LINE = 8

_MOST = 6
_LEAST = 0.01
_PARAGRAPHS = 9
"""The number of paragraphs of which at least two thirds must be in the document's language."""


def holds_documents(corpus: Corpus) -> bool:
    """Return whether most of a corpus's files are documents of prose."""
    files = corpus.store.documents().values()
    return 2 * sum(file.language in PROSE for file in files) > len(files)


def documents_of(material: Material) -> list[Document]:
    """Return the documents that are prose, neither code nor data."""
    return [one for one in material.documents.values() if _is_document(one, material)]


def _is_document(document: Document, material: Material) -> bool:
    name = document.path.rpartition("/")[2]
    written = document.language in PROSE or document.language == "html" or bool(document.title)
    plain = "." in name or document.title or name.isupper()  # a Caddyfile is not a document, a README is
    if document.language == "text" and not document.title and "." in name:
        plain = name.lower().endswith(_PLAIN)  # of what has no language of its own, little is prose
    return bool(written and plain) and not (
        name.startswith(".") or is_code(document) or material.stands_behind(document.path)
    )


def about_documents(material: Material) -> list[Entry]:
    """Return one line about all documents of prose, if there are any: their number, dates and authors."""
    documents = documents_of(material)
    if not documents:
        return []
    parts = [amount(len(documents), "document")]
    dates = sorted(one.date for one in documents if one.date)
    if len(dates) >= _TELLING_SHARE * len(documents):
        parts.append(
            f"dated {dates[0]} to {dates[-1]} ({len(dates):,} of them)"
            if dates[0] != dates[-1]
            else f"dated {dates[0]}"
        )
    authors = Counter(one.author for one in documents if one.author)
    if authors and authors.total() >= _TELLING_SHARE * len(documents):
        names = ", ".join(f"{name} ({count})" for name, count in authors.most_common(_MOST_AUTHORS))
        more = len(authors) - _MOST_AUTHORS
        parts.append(f"by {names}" + (f" and {more:,} more" if more > 0 else ""))
    return [Entry(says=Statement("; ".join(parts)))]


def titles(material: Material) -> list[Entry]:
    """Return documents with titles, dates and authors, most important first; if they are few, with their sections."""
    documents = documents_of(material)
    documents.sort(key=_order)
    pages = [one for one in documents if not _is_template(one)]
    in_order = {path: number for number, path in enumerate(table_of_contents(material))}
    first = sorted((one for one in pages if one.path in in_order), key=lambda one: in_order[one.path])
    others = _in_turn([one for one in pages if one.path not in in_order])
    shown = [*first, *others, *documents[len(pages) :]][:_MOST_TITLES]
    entries = [titled_entry(one, material) for one in shown]
    if len(documents) > _MOST_SECTIONS:
        # Where room is short, what has a title tells more than a certificate that is kept as text.
        return sorted(entries, key=lambda entry: entry.says is None)
    return [line for one, entry in zip(shown, entries, strict=True) for line in (entry, *_sections(one, material))]


def table_of_contents(material: Material) -> tuple[str, ...]:
    """Return the README and the documents that the table of contents of a book names, in its order.

    Empty if there is no table, or if it names so many documents that those of its first folders would hide the others.
    """
    tables = (path for path in material.documents if path.rpartition("/")[2].lower() in _CONTENTS)
    named = max((_linked(material, path) for path in tables), key=len, default=())
    if not _FEWEST_CHAPTERS <= len(named) <= _MOST_CHAPTERS:
        return ()
    readme = (path for path in material.beside(material.folder) if path.rpartition("/")[2].lower() == "readme.md")
    return tuple(dict.fromkeys((*readme, *named)))


def _linked(material: Material, path: str) -> tuple[str, ...]:
    """Return the documents that a page's links lead to, each once; a link may leave out ``.md``."""
    found: dict[str, None] = {}
    for target in _TARGET.findall("\n".join(material.lines(path))):
        name = target.removeprefix("#").lstrip("/").partition("#")[0]
        places = (normpath(f"{folder}/{name}{end}") for folder in (dirname(path) or ".", ".") for end in ("", ".md"))
        if document := next((one for one in places if one in material.documents), None):
            found.setdefault(document)
    return tuple(found)


def _in_turn(documents: Sequence[Document]) -> list[Document]:
    """Return documents, a few of each folder in turn, so that a large folder does not hide the others.

    All documents of the first document's folder, which is the outermost one, come first.
    """
    seen: Counter[str] = Counter()
    home = dirname(documents[0].path) if documents else ""
    places = []
    for at, one in enumerate(documents):
        folder = dirname(one.path)
        places.append((0 if folder == home else seen[folder] // _AT_A_TIME + 1, at, one))
        seen[folder] += 1
    return [one for _, _, one in sorted(places, key=lambda place: place[:2])]


def _order(document: Document) -> tuple[bool, bool, int, str]:
    name = document.path.rpartition("/")[2].lower()
    return (
        _is_template(document),
        not name.startswith(("readme", "index")),
        document.path.count("/"),
        document.path,
    )


def _is_template(document: Document) -> bool:
    """Return whether an HTML document is a template and no page: it has no title, or a folder such as ``_layouts``."""
    hidden = any(folder.startswith(("_", ".")) for folder in document.path.split("/")[:-1])
    return (hidden and document.language == "html") or (document.language == "html" and not document.title)


def titled_entry(document: Document, material: Material) -> Entry:
    """Return a document with its title, its date and its author."""
    lines = material.lines(document.path)
    preamble_title = named_in_preamble(lines)
    first_headings = list(islice(headings(lines[:80]), 2))
    first = preamble_title or (first_headings[0] if first_headings else None)
    title = (preamble_title[1] if preamble_title else "") or document.title or (first[1] if first else "")
    if _NUMBER.fullmatch(title) and len(first_headings) > 1:
        first, title = None, f"{title}: {first_headings[1][1]}"  # what it is about stands below
    if "{{" in title:  # what a site generator fills in
        first, title = None, ""
    title = _PAGES.sub("", title)
    line = first[0] if first and first[1] == title else _line_naming(title, lines)
    verbatim = line > 0 and title in lines[line - 1]
    says = Statement(title, Source(document.path, max(line, 1), max(line, 1)), verbatim=verbatim) if title else None
    return Entry(document.path, says, about=", ".join(part for part in (document.date, document.author) if part))


def _line_naming(title: str, lines: Sequence[str]) -> int:
    """Return the line near the top that has a title, such as one of the front matter; 0 if none has."""
    return next((number for number, line in enumerate(lines[:80], 1) if title in line), 0)


def named_in_preamble(lines: Sequence[str]) -> tuple[int, str] | None:
    """Return the line and the title that a numbered proposal gives itself before its first section: ``Title: ...``."""
    matches = ((number, _TITLE.match(line)) for number, line in enumerate(lines[:_PREAMBLE], 1))
    return next(((number, one[1]) for number, one in matches if one), None)


def _sections(document: Document, material: Material) -> Sequence[Entry]:
    """Return a document's sections on one line."""
    all_headings = list(headings(material.lines(document.path)))[1:]
    if not all_headings:
        return ()
    text = "; ".join(dict.fromkeys(title for _, title in all_headings))
    return (Entry(says=Statement(text[:600], Source(document.path, all_headings[0][0], all_headings[-1][0])), depth=1),)


def kinds(material: Material) -> list[Entry]:
    """Return the folders that hold the most documents, several to a line."""
    counts = Counter(dirname(one.path) for one in documents_of(material))
    texts = [f"{folder or '.'}/ ({count:,})" for folder, count in counts.most_common(_MOST_KINDS)]
    lines = (", ".join(texts[at : at + _KINDS_ON_A_LINE]) for at in range(0, len(texts), _KINDS_ON_A_LINE))
    return [Entry(says=Statement(line)) for line in lines] if len(counts) > 1 else []


def languages(material: Material) -> list[Entry]:
    """Return one line: the languages with at least 1% of the bytes, without data and vendored files."""
    sizes: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path, document in material.documents.items():
        if (
            (is_code(document) or document.language in PROSE)
            and not material.stands_behind(path)
            and not is_generated(document.note)
            and not (material.is_code and document.language == "text")
        ):
            sizes[document.language] += document.size
            files[document.language] += 1
    total = sum(sizes.values()) or 1
    lines = [
        f"{name} {size / total:.0%} ({files[name]:,})"
        for name, size in sizes.most_common(_MOST)
        if size / total >= _LEAST
    ]
    return [Entry(says=Statement(", ".join(lines)))] if lines else []


def language_of_document(lines: Sequence[str]) -> str:
    """Return the language of a document's first paragraphs; empty for English, and where they differ."""
    languages = [language_of(one.text) for one in islice(paragraphs(lines), _PARAGRAPHS)]
    language, count = Counter(languages).most_common(1)[0] if languages else ("", 0)
    return language if 3 * count >= 2 * len(languages) else ""
