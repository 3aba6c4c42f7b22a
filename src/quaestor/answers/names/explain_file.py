"""Explains a file: its comment and its main definition, what it defines, and which files import it.

A document is explained by its abstract or its first paragraph, and by the names of its sections. A short file of code
is quoted whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quaestor.answers.drafts import CorpusLines, Draft, end_of_head, in_code, qualified_name
from quaestor.answers.overview.path_descriptions import GUARD, comment_below_includes
from quaestor.answers.overview.prose_lines import end_of_front_matter, paragraphs
from quaestor.answers.quotes.blocks import COMMENT_LINE, comment_above, end_of_comment, head_comment
from quaestor.answers.way import WayAnswer
from quaestor.chunking.definitions import Definition
from quaestor.chunking.languages import KEYED, PROSE
from quaestor.core.terms import find_words
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.related import Related
from quaestor.related.stored_files import IndexedFile
from quaestor.search.path_roles import profile_path

WHOLE_DEFINITION, _WHOLE_FILE = 40, 45
"""The most lines of a definition, and of a file of code, that is quoted whole."""
_HEAD = 20
_MOST_LISTED = 25
_MOST_FILES = 3
MOST_PLACES = 60
"""The most places of each kind that are looked for: definitions, uses, tests."""
_FEWEST_WORDS = 4
_PARAGRAPH = 12
_FEWEST_OF_PARAGRAPH = 8
_HEAD_OF_DOCUMENT = 120
"""An abstract is searched for in this many lines at the beginning of a document."""
_ABSTRACT = re.compile(r"(?:abstract|summary|simple summary|synopsis|tl;?dr)\W*$", re.IGNORECASE)
_SOURCES = (".c", ".cc", ".cpp", ".cxx")
"""Files that import others and are not imported themselves."""
_NEVER_IMPORTED = KEYED | frozenset(
    """bicep cabal caddyfile cmake csharp csv dockerfile gettext go-module hcl make solution swift text visual-basic
    xml""".split()
)
_CALLABLES = frozenset({"function", "method", "macro"})
_NAMESPACED = frozenset({"cpp", "csharp"})
BARE = 3
"""The most lines of a definition that consists of a type or a value only."""
FIELDS = frozenset({"field", "variable", "constant", "property", "declaration"})
"""Kinds of definitions that hold a value and do nothing."""


def explain_file(corpus: Corpus, path: str, lead: str = "") -> WayAnswer | None:
    """Return an answer that says what a file is, below ``lead``; None if no document has this path."""
    lines = CorpusLines(corpus)
    file = lines.file(path)
    if file is None:
        return None
    draft = Draft()
    if lead:
        draft.say(lead)
    if file.document.language in PROSE:
        _explain_document(draft, lines, file)
        return draft.finish("names")
    definitions = lines.definitions(path)
    for first, last, symbol in _explaining_lines(file, definitions):
        draft.quote(lines.hit(path, first, last, symbol))
    if definitions:
        outer = _outer(definitions, file.document.language)
        draft.say(
            f"{in_code(path)} ({file.document.language}, {amount(len(file.lines), 'line')}) "
            f"defines {outline(lines, path, outer)}."
        )
    else:
        draft.say(f"{in_code(path)} is {file.document.language}, {amount(len(file.lines), 'line')}.")
    if file.document.language not in _NEVER_IMPORTED and not path.endswith(_SOURCES):
        draft.say(_importers_of(corpus.related(imported_for(corpus, path), ("callers", "tests"), MOST_PLACES)))
    return draft.finish("names")


def _outer(definitions: Sequence[Definition], language: str) -> list[Definition]:
    """Return a file's outermost definitions and their members; namespaces are replaced by their contents."""
    modules = (one for one in definitions if one.kind == "module") if language in _NAMESPACED else ()
    spaces = {part for one in modules for part in (*one.scope, one.name)}
    inside = [one for one in definitions if one.name not in spaces and not GUARD.fullmatch(one.name)]
    scopes = [(one, len([part for part in one.scope if part not in spaces])) for one in inside]
    outer = [one for one, depth in scopes if depth <= 1]
    # The fields of one struct are no outline of a file.
    brief = [one for one, depth in scopes if not depth or (depth == 1 and one.kind not in FIELDS)]
    return (brief if len(outer) > _MOST_LISTED else outer) or [one for one in definitions if len(one.scope) <= 1]


def imported_for(corpus: Corpus, path: str) -> str:
    """Return the document that stands for a file in imports: itself or, in Go, the last file of the imported folder."""
    folder, _, name = path.rpartition("/")
    if not folder or not name.endswith(".go") or name.endswith("_test.go"):
        return path
    beside = (other for other in corpus.store.documents() if other.rpartition("/")[0] == folder)
    return max((other for other in beside if other.endswith(".go") and not other.endswith("_test.go")), default=path)


def _explaining_lines(file: IndexedFile, definitions: Sequence[Definition]) -> Iterator[tuple[int, int, str | None]]:
    """Yield the lines of a file that explain it: all of a short one, else its comment and its main definition."""
    total = len(file.lines)
    if total <= _WHOLE_FILE:
        yield 1, total, None
        return
    head = head_comment(file.lines) or comment_below_includes(file.lines)
    main = _main(definitions, profile_path(file.document.path).stem, file.document.language)
    if head is not None:
        yield *head, None
    if head is None and main is not None and not _is_described(file, main):
        # What a type does, the comment of one of its methods tells better than its fields.
        methods = [one for one in definitions if one.scope == (*main.scope, main.name) and one.kind not in FIELDS]
        method = max(methods, key=lambda one: _words_above(file, one), default=None)
        if method is not None and _words_above(file, method) >= _FEWEST_WORDS:
            end = end_of_head(file.lines, method, method.span.start_line, method.name)
            yield with_comment(file, method.span.start_line), end, qualified_name(method)
    if head is not None and main is not None and not _is_subject(main, profile_path(file.document.path).stem):
        return
    if main is not None and (head is None or head[1] < main.span.start_line):
        begin = with_comment(file, main.span.start_line)
        yield max(begin, head[1] + 1 if head else 1), _last_line_shown(file, main, definitions), qualified_name(main)
    elif head is None:
        yield 1, _end_of_block(file.lines, min(_HEAD, total)), None


def _is_subject(main: Definition, stem: str) -> bool:
    """Return whether a definition is the subject of its file: a type, or the one that the file is named after."""
    return main.kind not in _CALLABLES or re.sub(r"\W|_", "", main.name).lower() == stem


def _is_described(file: IndexedFile, definition: Definition) -> bool:
    """Return whether a comment stands above a definition, or a docstring below its head."""
    head = end_of_head(file.lines, definition, definition.span.start_line, definition.name)
    return with_comment(file, definition.span.start_line) < line_named(file, definition) or (
        end_of_comment(file.lines, head + 1) > head
    )


def with_comment(file: IndexedFile | None, line: int) -> int:
    """Return the first line of the comment right above a line, or the line itself; both count from 1."""
    return line if file is None else comment_above(file.lines, line - 1) + 1


def line_named(file: IndexedFile, definition: Definition) -> int:
    """Return the line that names a definition, whose span may begin with its comment."""
    numbers = range(definition.span.start_line, definition.span.end_line + 1)
    return next((at for at in numbers if not COMMENT_LINE.match(file.lines[at - 1])), definition.span.start_line)


def _words_above(file: IndexedFile, definition: Definition) -> int:
    """Return how many words the comment above a definition has."""
    first, name_line = with_comment(file, definition.span.start_line), line_named(file, definition)
    return len(find_words("\n".join(file.lines[first - 1 : name_line - 1])))


def _main(definitions: Sequence[Definition], stem: str, language: str) -> Definition | None:
    """Return the definition that a file is named after, in whole or by its beginning, else the largest; no field."""
    spans = [(one, one.span.end_line - one.span.start_line) for one in _outer(definitions, language)]
    outer = [one for one, height in spans if one.kind not in FIELDS or (not one.scope and height >= BARE)]
    plain = [(re.sub(r"\W|_", "", one.name).lower(), one) for one in outer]
    candidates = [one for name, one in plain if name == stem] or [one for name, one in plain if name.startswith(stem)]
    return max(candidates or outer, key=lambda one: one.span.end - one.span.start, default=None)


def _last_line_shown(file: IndexedFile, definition: Definition, definitions: Sequence[Definition]) -> int:
    """Return the last line to show of a definition; a long one is cut after a block or else after a whole member."""
    start, end = definition.span.start_line, definition.span.end_line
    if end - start < WHOLE_DEFINITION:
        return end
    last = _end_of_block(file.lines, start + _HEAD)
    members = [one.span for one in definitions if one.scope == (*definition.scope, definition.name)]
    cut = any(span.start_line <= last < span.end_line for span in members)
    return max((span.end_line for span in members if span.end_line <= last), default=last) if cut else last


def _end_of_block(lines: Sequence[str], line: int) -> int:
    """Return the last line before the next blank one, so that no statement is cut."""
    for number in range(line, min(len(lines), line + _HEAD) + 1):
        if not lines[number - 1].strip():
            return number - 1
    return min(line, len(lines))


def outline(lines: CorpusLines, path: str, definitions: Sequence[Definition]) -> str:
    """Return definitions of a file in words, each with the line that names it."""
    # Of a hundred constants and ten functions, the functions tell more.
    first = sorted(definitions, key=lambda one: len(definitions) > _MOST_LISTED and one.kind in FIELDS)[:_MOST_LISTED]
    names = ", ".join(f"{in_code('.'.join((*one.scope, one.name)))} ({_line_of(lines, path, one)})" for one in first)
    more = len(definitions) - _MOST_LISTED
    return f"{names}{f' and {more:,} more' if more > 0 else ''} (line numbers in brackets)"


def _line_of(lines: CorpusLines, path: str, definition: Definition) -> int:
    """Return the line that names a definition, which comes after its comments."""
    file = lines.file(path)
    assert file is not None
    numbers = range(definition.span.start_line, definition.span.end_line + 1)
    return next(
        (at for at in numbers if definition.name in file.lines[at - 1] and not COMMENT_LINE.match(file.lines[at - 1])),
        definition.span.start_line,
    )


def _importers_of(relatives: Related) -> str:
    """Return which files import a document."""
    paths = list(dict.fromkeys(use.path for use in relatives.of("callers")))
    tests = len({use.path for use in relatives.of("tests") if use.role == "import"})
    if not paths and not tests:
        return "No import statement here names it."
    shown = ", ".join(map(in_code, paths[:_MOST_FILES]))
    more = len(paths) - _MOST_FILES
    beside = f"; and by {amount(tests, 'test')}" if tests else ""
    if not paths:
        return f"Imported by {amount(tests, 'test')} only."
    return f"Imported by {amount(len(paths), 'file')}: {shown}{f' and {more} more' if more > 0 else ''}{beside}."


def _explain_document(draft: Draft, lines: CorpusLines, file: IndexedFile) -> None:
    """Quote the abstract's first paragraph, if there is one, and the document's; name its title and sections."""
    path, title = file.document.path, file.document.title
    first, last = _first_paragraph(file.lines)
    abstract = next((one for one in paragraphs(file.lines[:_HEAD_OF_DOCUMENT]) if _ABSTRACT.match(one.heading)), None)
    if abstract is not None and abstract.start_line > last:
        draft.quote(lines.hit(path, abstract.start_line, min(abstract.end_line, abstract.start_line + _PARAGRAPH)))
    draft.quote(lines.hit(path, first, last))
    sections = list({name: (name, line) for name, line in reversed([*_headings(file)])}.values())[::-1]
    names = ", ".join(f"{in_code(name)} ({line})" for name, line in sections[:_MOST_LISTED])
    more = len(sections) - _MOST_LISTED
    called = f", “{title}”," if title else ""
    described = (
        f" Its sections: {names}{f' and {more} more' if more > 0 else ''} (line numbers in brackets)." if names else ""
    )
    draft.say(f"{in_code(path)}{called} has {amount(len(file.lines), 'line')}.{described}")


def _headings(file: IndexedFile) -> Iterator[tuple[str, int]]:
    """Yield a document's headings with their lines; a section of several chunks has one for each."""
    for chunk in (one.chunk for one in file.chunks if one.chunk.symbol):
        name, start = chunk.symbol or "", chunk.span.start_line
        yield name, next((at for at in range(start, chunk.span.end_line + 1) if name in file.lines[at - 1]), start)


def _first_paragraph(lines: Sequence[str]) -> tuple[int, int]:
    """Return the lines of the first paragraph that is neither a heading nor a badge, else the first line with words."""
    begins = end_of_front_matter(lines)
    for first, line in enumerate(lines[begins:], begins + 1):
        if not re.match(r"\s*[*_]{0,2}[^\W_]", line) or "](" in line[:40]:
            continue
        last = first
        while last < min(len(lines), first + _PARAGRAPH) and lines[last].strip():
            last += 1
        if len(find_words(" ".join(lines[first - 1 : last]))) >= _FEWEST_OF_PARAGRAPH:
            return first, last
    first = next((at for at, line in enumerate(lines[begins:], begins + 1) if find_words(line)), 1)
    return first, first
