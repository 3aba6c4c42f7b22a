"""Explains a name or a file by its comment, its definitions and its uses; a short one is quoted whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quaestor.answers.drafts import (
    CorpusLines,
    Draft,
    end_of_head,
    in_code,
    innermost_definition,
    qualified_name,
    stretch,
)
from quaestor.answers.names.resolved_names import (
    ResolvedName,
    nearest_path,
    paths_ending,
    resolve_module,
    resolve_name,
    resolve_path,
    say_namesakes,
)
from quaestor.answers.overview.path_descriptions import GUARD, comment_below_includes
from quaestor.answers.overview.prose_lines import end_of_front_matter, paragraphs
from quaestor.answers.quotes.blocks import COMMENT_LINE, comment_above, end_of_comment, head_comment
from quaestor.answers.settings.explain_option import section_about
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.definitions import Definition
from quaestor.chunking.languages import KEYED, PROSE, knows_extension
from quaestor.core.terms import find_words
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.related import Related, RelatedKind, Relative
from quaestor.related.stored_files import IndexedFile
from quaestor.search.names_in_question import (
    Aspect,
    NameQuestion,
    looks_like_a_file,
    looks_like_code,
    read_name_question,
)
from quaestor.search.path_roles import folders_to_sources, profile_path

_WHOLE_NAME, _WHOLE_FILE = 40, 45
_HEAD = 20
_MOST_LISTED = 25
_MOST_FILES = 3
_MOST_DEFINITIONS = 5
_LIMIT = 60
_BARE = 3
"""The most lines of a definition that consists of a type or a value only."""
_RETURNS = re.compile(r"\s*(?:return|yield)\b")
_RAISES = re.compile(
    r"\b(?:raise|throw|panic!?|bail!|croak|die|abort|revert|fatalError|preconditionFailure)\b(?!\s*[=:,])"
)
_FEWEST_LINES = 5
"""Lines of a definition that tells how it works."""
_MOST_TOLD = 5
"""Places where a definition returns or raises that are quoted."""
_DECLARED = re.compile(r"\s*(?:pub(?:\([^)\n]*\))?\s+)?mod\s+\w+;")
"""A module of Rust, whose file lies elsewhere."""
_CONSTRUCTORS = frozenset("__init__ constructor initialize __construct init new".split())
_KINDS: tuple[RelatedKind, ...] = ("definitions", "callers", "tests")
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
_FIELDS = frozenset({"field", "variable", "constant", "property", "declaration"})
_FILE_KINDS = frozenset({"file", "module", "script", "document", "page", "package", "header"})


def explain_name(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer what a name or a file is; None if the corpus has none of that name."""
    request = read_name_question(question.text)
    if request is None:
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _explain_target(request, corpus))


def _explain_target(request: NameQuestion, corpus: Corpus) -> WayAnswer | None:
    target = request.target
    path, lead = _path_of_target(corpus, target, request.kind), ""
    if path is None and looks_like_a_file(target) and (paths := paths_ending(corpus, target)):
        path, lead = paths[0], say_namesakes(target, paths)
    elif path is None and looks_like_a_file(target) and (path := nearest_path(corpus, target)) is not None:
        lead = f"{in_code(target)} is not here; the nearest path is {in_code(path)}."
    if path is not None and request.aspect == "working":
        return None
    if path is not None:
        return _explain_line(corpus, path, request.line, lead) if request.line else explain_file(corpus, path, lead)
    resolved = None if looks_like_a_file(target) else resolve_name(corpus, target, _KINDS, _LIMIT)
    if resolved is None or resolved.related is None:
        return None
    uncertain = resolved.corrected and not looks_like_code(target)
    if uncertain and not (request.plain or request.aspect or request.kind):
        return None
    unknown = (uncertain or request.plain) and not _is_defined(corpus, resolved.related)
    return None if unknown else _explain_resolved(request, corpus, resolved)


def _explain_resolved(request: NameQuestion, corpus: Corpus, resolved: ResolvedName) -> WayAnswer | None:
    related = resolved.related
    assert related is not None  # checked where it was resolved
    if related.target.path and not related.target.name:
        return None if request.aspect == "working" else explain_file(corpus, related.target.path)
    if not related.of("definitions"):
        unknown = resolved.corrected or request.aspect == "place"
        return None if unknown else _explain_documented_name(corpus, related, request.target)
    if path := _module_named(corpus, related):
        return explain_file(corpus, path)
    corrected = f"{in_code(request.target)} is defined nowhere here; the nearest name is {in_code(resolved.name)}."
    answer = _explain_known_name(corpus, related, corrected if resolved.corrected else "", request.aspect)
    # How something long works, parts of it tell that a search finds; and a line or two do not tell it.
    lines = answer.hits[0].end_line - answer.hits[0].start_line + 1
    long = any(isinstance(piece, str) and piece.startswith("It ends at line") for piece in answer.pieces)
    return None if request.aspect == "working" and (long or lines < _FEWEST_LINES) else answer


def _is_defined(corpus: Corpus, related: Related) -> bool:
    """Return whether a plain word is the name of a function, a type or the like, not of a variable or a field."""
    lines = CorpusLines(corpus)
    definitions = (_definition_at(lines, one) for one in related.of("definitions"))
    return any(one is not None and one.kind not in _FIELDS for one in definitions)


def _explain_line(corpus: Corpus, path: str, line: int, lead: str) -> WayAnswer | None:
    """Quote a line with the innermost definition that holds it, or with the lines around it if that is long."""
    lines, draft = CorpusLines(corpus), Draft()
    file = lines.file(path)
    if file is None or line > len(file.lines):
        ends = (
            f"{in_code(path)} has no line {line}."
            if file is None
            else f"{in_code(path)} ends at line {len(file.lines)}."
        )
        return explain_file(corpus, path, f"{lead} {ends}".strip())
    if lead:
        draft.say(lead)
    definition = innermost_definition(lines.definitions(path), line)
    draft.quote(lines.hit(path, *stretch(file, definition, line), qualified_name(definition)))
    if definition is not None:
        span = definition.span
        draft.say(
            f"Line {line} is part of {in_code(qualified_name(definition) or '')} ({span.start_line}-{span.end_line})."
        )
    return draft.finish("names")


def _module_named(corpus: Corpus, relatives: Related) -> str:
    """Return the file that a name stands for if its definition is only a declaration: ``-module(shop).``."""
    home = min(relatives.of("definitions"), key=_by_importance)
    name = _bare_name(home)
    if _DECLARED.match(home.text):
        return resolve_module(corpus, name) or ""
    bare = home.start_line == home.end_line and re.match(r"\s*-?(?:module|package|namespace|unit|library)\b", home.text)
    return home.path if bare and profile_path(home.path).stem == re.sub(r"\W|_", "", name).lower() else ""


def _path_of_target(corpus: Corpus, target: str, kind: str) -> str | None:
    if looks_like_a_file(target):
        return resolve_path(corpus, target) or resolve_module(corpus, target)
    return resolve_module(corpus, target) if kind in _FILE_KINDS else None


def _explain_known_name(corpus: Corpus, relatives: Related, corrected: str, aspect: Aspect) -> WayAnswer:
    """Explain a name by its first definition and the comment above it, its members, and its uses.

    If the definition is a single line, the section of a document on the name comes first.

    Args:
        corpus: the corpus that defines it.
        relatives: its definitions and uses.
        corrected: the similar name that is explained instead, if the name in the question does not occur.
        aspect: what is asked of it; such a section is looked for only if that is what it is.
    """
    lines, draft = CorpusLines(corpus), Draft()
    if corrected:
        draft.say(corrected)
    definitions = sorted(relatives.of("definitions"), key=_by_importance)
    home = definitions[0]
    definition = _definition_at(lines, home)
    first, last = _lines_worth_reading(lines, home, definition)
    if not aspect and last - first < _BARE and (section := section_about(corpus, lines, _bare_name(home))) is not None:
        draft.quote(section)
    draft.quote(lines.hit(home.path, first, last, home.symbol))
    if definition is not None and last < definition.span.end_line:
        for at in _lines_of_aspect(lines, home, definition, last, aspect):
            draft.quote(lines.statement(home.path, at, home.symbol))
        if members := _members(lines, home.path, definition):
            draft.say(f"It defines {_outline(lines, home.path, members)}.")
        draft.say(f"It ends at line {definition.span.end_line}.")
    if definition is not None and aspect == "raises" and not _raises(lines, home, definition):
        draft.say("No line of it raises anything itself.")
    draft.say(_uses_of(relatives))
    if len(definitions) > 1:
        others = ", ".join(in_code(f"{one.path}:{one.start_line}") for one in definitions[1 : _MOST_DEFINITIONS + 1])
        more = len(definitions) - 1 - _MOST_DEFINITIONS
        draft.say(f"Also defined at {others}{f' and {more} more places' if more > 0 else ''}.")
    return draft.finish("names")


def _lines_of_aspect(
    lines: CorpusLines, home: Relative, definition: Definition, last: int, aspect: Aspect
) -> Sequence[int]:
    """Return the lines below a definition's head that tell an aspect: its constructor, where it returns or raises."""
    file, inner = lines.file(home.path), _members(lines, home.path, definition)
    if aspect == "signature":
        makers = [one for one in inner if one.name in (*_CONSTRUCTORS, definition.name) and one.span.start_line > last]
        return [_line_named(file, maker) for maker in makers[:1]] if file is not None else []
    pattern = {"returns": _RETURNS, "raises": _RAISES}.get(aspect)
    if pattern is None or file is None:
        return []
    within = range(last + 1, definition.span.end_line + 1)
    of_members = {at for member in inner for at in range(member.span.start_line, member.span.end_line + 1)}
    candidates = (at for at in within if at not in of_members and not COMMENT_LINE.match(file.lines[at - 1]))
    return [at for at in candidates if pattern.search(file.lines[at - 1])][:_MOST_TOLD]


def _raises(lines: CorpusLines, home: Relative, definition: Definition) -> bool:
    """Return whether a line of a definition raises something."""
    file, span = lines.file(home.path), definition.span
    return file is not None and any(map(_RAISES.search, file.lines[span.start_line - 1 : span.end_line]))


def _members(lines: CorpusLines, path: str, definition: Definition) -> list[Definition]:
    """Return the definitions right within one."""
    scope = (*definition.scope, definition.name)
    return [member for member in lines.definitions(path) if member.scope[: len(scope)] == scope]


def _explain_documented_name(corpus: Corpus, relatives: Related, name: str) -> WayAnswer | None:
    """Explain a name that no code defines, such as a configuration's key, by a section of a document and its uses."""
    draft, documented = Draft(), section_about(corpus, CorpusLines(corpus), name)
    if documented is None:
        return None
    draft.quote(documented)
    draft.say(_uses_of(relatives))
    return draft.finish("names")


def _by_importance(place: Relative) -> tuple[tuple[bool, ...], bool, int, int]:
    """Return a sort key: sources come first, top-level definitions before members, ports to other languages last."""
    parts = (place.symbol or "").count(".")
    return profile_path(place.path).flags, not knows_extension(place.path), parts, folders_to_sources(place.path)


def _bare_name(place: Relative) -> str:
    return (place.symbol or "").rpartition(".")[2]


def _definition_at(lines: CorpusLines, home: Relative) -> Definition | None:
    name = _bare_name(home)
    same = [one for one in lines.definitions(home.path) if one.name == name]
    return next((one for one in same if one.span.start_line <= home.start_line <= one.span.end_line), None)


def _lines_worth_reading(lines: CorpusLines, home: Relative, definition: Definition | None) -> tuple[int, int]:
    """Return the lines of a definition with the comment above it: all of it, or its head if it is long."""
    first, end = (
        (definition.span.start_line, definition.span.end_line) if definition else (home.start_line, home.end_line)
    )
    first = _with_comment(lines.file(home.path), first)
    if end - first < _WHOLE_NAME:
        return first, end
    file = lines.file(home.path)
    assert file is not None  # it is where the definition was found
    signature = end_of_head(file.lines, definition, home.start_line, _bare_name(home))
    return first, min(end, max(end_of_comment(file.lines, signature + 1), signature))


def _with_comment(file: IndexedFile | None, line: int) -> int:
    """Return the first line of the comment right above a line, or the line itself; both count from 1."""
    return line if file is None else comment_above(file.lines, line - 1) + 1


def _uses_of(relatives: Related) -> str:
    """Return in words how often a name is used, and in how many files."""
    code, files = relatives.total.get("callers", 0), len({use.path for use in relatives.of("callers")})
    tests = relatives.total.get("tests", 0) - sum(use.role == "named alike" for use in relatives.of("tests"))
    if not code and not tests:
        return "Nothing else here uses it, as far as its name tells."
    least = not relatives.complete
    text = f"Used at {amount(code, 'place', least=least)} in {amount(files, 'file')}" if code else "Used"
    return f"{text}{', and' if code else ''} at {amount(tests, 'place')} in tests." if tests else f"{text}."


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
            f"defines {_outline(lines, path, outer)}."
        )
    else:
        draft.say(f"{in_code(path)} is {file.document.language}, {amount(len(file.lines), 'line')}.")
    if file.document.language not in _NEVER_IMPORTED and not path.endswith(_SOURCES):
        draft.say(_importers_of(corpus.related(imported_for(corpus, path), ("callers", "tests"), _LIMIT)))
    return draft.finish("names")


def _outer(definitions: Sequence[Definition], language: str) -> list[Definition]:
    """Return a file's outermost definitions and their members; namespaces are replaced by their contents."""
    modules = (one for one in definitions if one.kind == "module") if language in _NAMESPACED else ()
    spaces = {part for one in modules for part in (*one.scope, one.name)}
    inside = [one for one in definitions if one.name not in spaces and not GUARD.fullmatch(one.name)]
    scopes = [(one, len([part for part in one.scope if part not in spaces])) for one in inside]
    outer = [one for one, depth in scopes if depth <= 1]
    # The fields of one struct are no outline of a file.
    brief = [one for one, depth in scopes if not depth or (depth == 1 and one.kind not in _FIELDS)]
    return (brief if len(outer) > _MOST_LISTED else outer) or [one for one in definitions if len(one.scope) <= 1]


def imported_for(corpus: Corpus, path: str) -> str:
    """Return the document that importers of a file name: Go imports folders, represented by their last file."""
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
        methods = [one for one in definitions if one.scope == (*main.scope, main.name) and one.kind not in _FIELDS]
        method = max(methods, key=lambda one: _words_above(file, one), default=None)
        if method is not None and _words_above(file, method) >= _FEWEST_WORDS:
            end = end_of_head(file.lines, method, method.span.start_line, method.name)
            yield _with_comment(file, method.span.start_line), end, qualified_name(method)
    if head is not None and main is not None and not _is_subject(main, profile_path(file.document.path).stem):
        return
    if main is not None and (head is None or head[1] < main.span.start_line):
        begin = _with_comment(file, main.span.start_line)
        yield max(begin, head[1] + 1 if head else 1), _last_line_shown(file, main, definitions), qualified_name(main)
    elif head is None:
        yield 1, _end_of_block(file.lines, min(_HEAD, total)), None


def _is_subject(main: Definition, stem: str) -> bool:
    """Return whether a definition is the subject of its file: a type, or the one that the file is named after."""
    return main.kind not in _CALLABLES or re.sub(r"\W|_", "", main.name).lower() == stem


def _is_described(file: IndexedFile, definition: Definition) -> bool:
    """Return whether a comment stands above a definition, or a docstring below its head."""
    head = end_of_head(file.lines, definition, definition.span.start_line, definition.name)
    return _with_comment(file, definition.span.start_line) < _line_named(file, definition) or (
        end_of_comment(file.lines, head + 1) > head
    )


def _line_named(file: IndexedFile, definition: Definition) -> int:
    """Return the line that names a definition, whose span may begin with its comment."""
    numbers = range(definition.span.start_line, definition.span.end_line + 1)
    return next((at for at in numbers if not COMMENT_LINE.match(file.lines[at - 1])), definition.span.start_line)


def _words_above(file: IndexedFile, definition: Definition) -> int:
    """Return how many words the comment above a definition has."""
    first, name_line = _with_comment(file, definition.span.start_line), _line_named(file, definition)
    return len(find_words("\n".join(file.lines[first - 1 : name_line - 1])))


def _main(definitions: Sequence[Definition], stem: str, language: str) -> Definition | None:
    """Return the definition that a file is named after, in whole or by its beginning, else its largest one."""
    # A field that is called like the file is not what the file is about.
    outer = [one for one in _outer(definitions, language) if not one.scope or one.kind not in _FIELDS]
    plain = [(re.sub(r"\W|_", "", one.name).lower(), one) for one in outer]
    candidates = [one for name, one in plain if name == stem] or [one for name, one in plain if name.startswith(stem)]
    return max(candidates or outer, key=lambda one: one.span.end - one.span.start, default=None)


def _last_line_shown(file: IndexedFile, definition: Definition, definitions: Sequence[Definition]) -> int:
    """Return the last line to show of a definition; a long one is cut after a block or else after a whole member."""
    start, end = definition.span.start_line, definition.span.end_line
    if end - start < _WHOLE_NAME:
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


def _outline(lines: CorpusLines, path: str, definitions: Sequence[Definition]) -> str:
    names = ", ".join(
        f"{in_code('.'.join((*one.scope, one.name)))} ({_line_of(lines, path, one)})"
        for one in definitions[:_MOST_LISTED]
    )
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
