"""Explains a name by its definition, the comment above it, its members and its uses; a short one is quoted whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quaestor.answers.drafts import (
    CorpusLines,
    Draft,
    end_of_head,
    in_code,
    innermost_definition,
    qualified_name,
    stretch,
)
from quaestor.answers.names.explain_file import (
    BARE,
    FIELDS,
    MOST_PLACES,
    WHOLE_DEFINITION,
    explain_file,
    line_named,
    outline,
    with_comment,
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
from quaestor.answers.quotes.blocks import COMMENT_LINE, end_of_comment
from quaestor.answers.settings.explain_option import section_about
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.definitions import Definition
from quaestor.chunking.languages import knows_extension
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.related import Related, RelatedKind, Relative
from quaestor.search.names_in_question import (
    Aspect,
    NameQuestion,
    looks_like_a_file,
    looks_like_code,
    read_class_question,
    read_name_question,
)
from quaestor.search.path_roles import folders_to_sources, profile_path

_MOST_DEFINITIONS = 5
_RETURNS = re.compile(r"\s*(?:return|yield)\b")
_RAISES = re.compile(
    r"\b(?:raise|throw|panic!?|bail!|croak|die|abort|revert|fatalError|preconditionFailure)\b(?!\s*[=:,])"
)
_MENTION = re.compile(r"(?<![\w@/.:])@(?=[\w./+-]*\.\w)")
"""The sign with which a conversation adds a file; it is no part of the path."""
_FEWEST_LINES = 5
"""The fewest lines of a definition that shows how it works."""
_MOST_TOLD = 5
"""The most places where a definition returns or raises that are quoted."""
_DECLARED = re.compile(r"\s*(?:pub(?:\([^)\n]*\))?\s+)?mod\s+\w+;")
"""A module of Rust, whose file lies elsewhere."""
_ABSTRACT = re.compile(r"[^\n({]*\babstract\s[^\n{]*\([^\n{]*")
"""A method without a body, in one line."""
_CONSTRUCTORS = frozenset("__init__ constructor initialize __construct init new".split())
_KINDS: tuple[RelatedKind, ...] = ("definitions", "callers", "tests")
_FILE_KINDS = frozenset({"file", "module", "script", "document", "page", "package", "header"})


def explain_name(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer what a name or a file is; None if the corpus has none of that name."""
    request = read_name_question(_MENTION.sub("", question.text))
    if request is None:
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _explain_target(request, corpus))


def explain_class(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer what one of many things is, as a gate, by the class of that name; None if there is none."""
    request = read_class_question(question.text)
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
    resolved = None if looks_like_a_file(target) else resolve_name(corpus, target, _KINDS, MOST_PLACES)
    if resolved is None or resolved.related is None:
        return None
    uncertain = resolved.corrected and not looks_like_code(target)
    if uncertain and not (request.plain or request.aspect or request.kind):
        return None
    if request.plain and request.kind and resolved.corrected:
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
    return any(one is not None and one.kind not in FIELDS for one in definitions)


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
        aspect: what is asked of it; empty for what it is, and only then a section is looked for.
    """
    lines, draft = CorpusLines(corpus), Draft()
    if corrected:
        draft.say(corrected)
    definitions = sorted(relatives.of("definitions"), key=_by_importance)
    home = definitions[0]
    definition = _definition_at(lines, home)
    first, last = _lines_worth_reading(lines, home, definition)
    section = section_about(corpus, lines, _bare_name(home)) if not aspect and last - first < BARE else None
    if section is not None and not profile_path(section.path).test:
        draft.quote(section)
    draft.quote(lines.hit(home.path, first, last, home.symbol))
    if definition is not None and last < definition.span.end_line:
        for at in _lines_of_aspect(lines, home, definition, last, aspect):
            draft.quote(lines.statement(home.path, at, home.symbol))
        if members := _members(lines, home.path, definition):
            draft.say(f"It defines {outline(lines, home.path, members)}.")
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
        return [line_named(file, maker) for maker in makers[:1]] if file is not None else []
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
    """Return the definitions directly within one."""
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


def _by_importance(place: Relative) -> tuple[tuple[bool, ...], bool, bool, int, int]:
    """Return a sort key: sources come first, what has a body before what is abstract, members and ports last."""
    parts, abstract = (place.symbol or "").count("."), _ABSTRACT.fullmatch(place.text) is not None
    ported = not knows_extension(place.path)
    return profile_path(place.path).flags, ported, abstract, parts, folders_to_sources(place.path)


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
    first = with_comment(lines.file(home.path), first)
    if end - first < WHOLE_DEFINITION:
        return first, end
    file = lines.file(home.path)
    assert file is not None  # it is where the definition was found
    signature = end_of_head(file.lines, definition, home.start_line, _bare_name(home))
    return first, min(end, max(end_of_comment(file.lines, signature + 1), signature))


def _uses_of(relatives: Related) -> str:
    """Return in words how often a name is used, and in how many files."""
    code, files = relatives.total.get("callers", 0), len({use.path for use in relatives.of("callers")})
    tests = relatives.total.get("tests", 0) - sum(use.role == "named alike" for use in relatives.of("tests"))
    if not code and not tests:
        return "Nothing else here uses it, as far as its name tells."
    least = not relatives.complete
    text = f"Used at {amount(code, 'place', least=least)} in {amount(files, 'file')}" if code else "Used"
    return f"{text}{', and' if code else ''} at {amount(tests, 'place')} in tests." if tests else f"{text}."
