"""Describes a folder or a file in one line of its own: from README, package docstring, module comment or manifest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from quaestor.answers.overview.introduction import first_sentence, from_manifests, readme_of, shorten
from quaestor.answers.overview.material import Material, is_code
from quaestor.answers.overview.overview_text import Source, Statement
from quaestor.answers.overview.prose_lines import ROLE
from quaestor.chunking.manual_headings import MANUALS
from quaestor.core.documents import Chunk
from quaestor.core.light_imports import lazy_regex
from quaestor.related.stored_files import IndexedFile
from quaestor.search.path_roles import profile_path

LONGEST = 110
_HEAD = 60
_LONGEST_COMMENT = 300
"""The most lines of a comment above a definition."""
_SPEAKERS = (
    "__init__.py lib.rs mod.rs main.rs doc.go package-info.java mod.ts index.ts index.tsx index.js index.mjs init.lua"
    " package.scala main.go package.dart __main__.py"
).split()
_PYTHON = lazy_regex(r"""^\s*[rRuUbB]{0,2}(\"\"\"|''')\s*(.*)$""")
_LINE_COMMENT = lazy_regex(
    r"^\s*(?://!|///|//|#!?|--+\[?=*\[?\s*\|?|;;+|%+|\"|--\s*\||\*|/\*\*?!?|\(\*+|\{-\|?)\s?(.*)$"
)
_COMMENT_ENDS = lazy_regex(r"(?:(?<!\*)\*+/|\*\)|-\}|-->|\]\]|\"\"\"|''')\s*$")
_DIRECTIVE = lazy_regex(r"#!|#\s*compdef\b|#\s*autoload\b")
"""A first line for programs: the interpreter of the file, or the command that it completes."""
_METADATA = lazy_regex(r"# /// [\w-]+\s*$")
_BROUGHT_IN = lazy_regex(
    r"\brequire\s*\(|^\s*(?:export\s+)?(?:import|from|use|using)\b|^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*;"
)
"""A line that imports names from another file."""
# Names that every other file defines.
_USUAL = frozenset(
    """internals logger constructor module exports require expect main init log setup options tests new fmt from
    default""".split()
)
_DIRECTIVES = ("#include", "#define", "#if", "#[", "#![", "#pragma", "#import", "#r ", "#load", '"use')
_BLOCK = lazy_regex(r"^\s*/\*+|^\s*\(\*+|^\s*\{-|^\s*<!--")
_ABOVE_DEFINITION = lazy_regex(rf"{_LINE_COMMENT.pattern}|{_BLOCK.pattern}|^\s*(?:@\w|#\[)")
"""A line of a comment, an annotation or an attribute."""
_SKIPPED = lazy_regex(
    r"copyright|licen[cs]e|spdx|©|all rights reserved|^!|^!?/usr/bin|coding[:=]|vim?:|emacs:|-\*-|^\s*$"
    r"|^[-=*#~_/\s]+$|eslint|prettier|clang-format"
    r"|frozen_string_literal|warn_indent"
    r"|@ts-|@flow|pragma|pylint|flake8|noqa|^use strict|^\s*@|generated|do not edit|^[\w+-]+\.\w{1,5}$|\$id"
    r"|redistribut|warrant|\(c\)\s*\d{4}|derived from software contributed|used freely for any purpose"
    r"|permission (?:is|to|notice|from|of)\b|^file:|^author|^created|^version|this file is part of|nolint"
    r"|(?-i:^#?\s*(?:LANGUAGE|OPTIONS_GHC|OPTIONS_HADDOCK)\b)"  # for Haskell's compiler
    r"|(?-i:^(?:import|package|module|from|allow|deny|feature)\b)"  # code; a sentence begins with a capital letter
    r"|^go:\w|\+build|^region|^eof|^todo|^fixme|^shellcheck|^check=|^syntax=|^type:|^-\*|distributed under"
    r"|^(?:homepage|keywords|maintainer|url|package-[a-z-]+)\s*:|^you should have received\b"
    r"|^(?:(?:external|internal|module|node) )?(?:dependencies|imports|includes|requires)(?: section)?\W*$"
    r"|contributor|^\s*</?\w|^\$\w+:|^source:\s|^see https?:|^adapted (?:by|from)\b"
    r"|^>|^\d{1,2}[.)]\s"  # a remark beside the text, an item of a list
    r"|(?-i:^globals? [\w$]+(?:, ?[\w$]+)*$)",  # for a checker of JavaScript
    re.IGNORECASE,
)
_HADDOCK = lazy_regex(r"([A-Z][\w-]*)\s*:\s*(.*)")
"""A field in the head of a Haskell module: ``Description : Orders, sent.``"""
_IN_BRIEF = lazy_regex(r"[@\\]\w*(?:brief|summary)\b\s*(.*)")
"""The tag before a comment's first sentence, as in Doxygen; the sentence may begin in the next line."""
_MODULE_ABOVE = lazy_regex(
    r"^[ \t]*module[ \t]+([\w:]+)[ \t]*\n(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*(?:class|module)\b", re.MULTILINE
)
"""A module of Ruby that holds a class or another module: a namespace."""
_ADDRESS = lazy_regex(r"\bhttps?://\S+")
_NAMED_FIRST = lazy_regex(r"^[\w.-]+\.\w{1,5}\s*(?:---?|–|—|-|:)\s+(?=\S)")
_MODE_LINE = lazy_regex(r"\s*-\*-.*-\*-\s*$")
"""An editor's settings at the end of a file's first line."""
_LEGAL = lazy_regex(
    r"copyright|\blicen[cs]ed?\b|spdx|©|all rights reserved|redistribut|warrant|permission is hereby"
    r"|public domain|disclaim|\(c\)\s*\d{4}|derived from software contributed|used freely for any purpose",
    re.IGNORECASE,
)
_TAG_ALONE = lazy_regex(r"\s*</?[A-Za-z][^<>]*>\s*$")
_TITLE = lazy_regex(r"#{1,6}\s+")
_TERMS = lazy_regex(
    r"redistribut|warrant|permission is hereby|disclaim|free software|received a copy|except in compliance|governed by"
    r"|\bthis notice\b|licen[cs]ed under",
    re.IGNORECASE,
)
_LINK = lazy_regex(r"(?<![\w\])])\[([^\][]+)\]\((?:https?://|[/.#])[^()\s]*\)")
_JAVADOC = lazy_regex(r"\{@\w+\s+([^{}]*)\}")
_TAG = lazy_regex(r"</?(?:a|b|br|code|em|h[1-6]|i|li|p|para|pre|strong|summary|tt|ul)(?:\s[^<>]*)?/?>")
_CODE_LINE = lazy_regex(
    r"^\s*(?:#!?\[|\"use strict\"|'use strict'|#pragma|package\s|module\s|namespace\s|defmodule\s|%?YAML)"
)


_C = frozenset({"c", "cpp", "objc"})
_FAR_BELOW = 120
_SCRIPTS = frozenset({"javascript", "typescript", "tsx", "vue", "svelte"})
_IMPORT = lazy_regex(r"\s*import\b")
GUARD = lazy_regex(r"_*[A-Z][A-Z0-9_]*_H(?:H|PP|XX)?(?:_[0-9A-F_]*)?")
"""A macro that guards a header against being included twice."""
_NAMESPACE = lazy_regex(r"^[ \t]*(?:inline[ \t]+)?namespace[ \t]+([\w:]+)", re.MULTILINE)
_FILLED_IN = lazy_regex(r'="|[$#@*]\{|\{[{%]')
"""Signs of a template: markup and placeholders."""

_KEYWORD = (
    r"\b(?:class|data|defmacro|defmodule|defp?|enum|fn|func?|function|impl|interface|module|namespace|newtype|object"
    r"|protocol|record|struct|trait|type|union)"
)
_OPENING = lazy_regex(r"(?:\s*(?:=>|[{(:=]))+\s*$")
"""What opens the body or the parameters at the end of a line that defines something."""
_CALLABLE = r"\s*(?:\([^;]*[{:(,)]\s*$|=\s*(?:async\s*)?(?:\(|function\b|class\b|\w+\s*=>))"


def description(material: Material, path: str) -> Statement | None:
    """Return what a folder or a file says of itself in one line; None if it says nothing."""
    if path in material.folders:
        return next(_of_folder(material, path), None)
    return _of_file(material, path)


def _of_folder(material: Material, folder: str) -> Iterator[Statement]:
    beside = {path.rpartition("/")[2].lower(): path for path in material.beside(folder)}
    yield from (_short(one) for one in from_manifests(material, folder))
    for name in _SPEAKERS:
        if name in beside and (statement := _of_file(material, beside[name])):
            yield statement
    readme = readme_of(material, folder)
    if readme and (sentence := first_sentence(material, readme, LONGEST)):
        yield sentence
    # A file of the folder's name speaks for it: lib/plug/plug.ex, and foo.rs beside foo/.
    name = folder.rpartition("/")[2].lower()
    own = next(
        (path for end in ("py", "ex", "rb", "go", "ts", "js", "lua", "rs") if (path := beside.get(f"{name}.{end}"))),
        None,
    )
    if own and (statement := _of_file(material, own)):
        yield statement
    yield from _of_only_package(material, beside, folder)


def _of_only_package(material: Material, beside: dict[str, str], folder: str) -> Iterator[Statement]:
    """Yield the descriptions in the sources of a folder's only crate or package, which are usually in ``src``."""
    for name in ("src/lib.rs", "src/main.rs", "src/index.ts", "src/index.js"):
        if f"{folder}/{name}" in material.documents and (statement := _of_file(material, f"{folder}/{name}")):
            yield statement
    go = sorted(path for name, path in beside.items() if name.endswith(".go") and not name.endswith("_test.go"))
    for path in go[:12]:
        statement = _of_file(material, path)
        if statement and statement.text.startswith(("Package ", "Command ")):
            yield statement


def _of_file(material: Material, path: str) -> Statement | None:
    document = material.documents.get(path)
    if document is None:
        return None
    if not is_code(document) and document.language not in ("yaml", "toml"):
        if document.language in MANUALS:
            return Statement(shorten(document.title, LONGEST)) if document.title else None
        statement = first_sentence(material, path, LONGEST) if profile_path(path).prose else None
        return statement if statement and not _FILLED_IN.search(statement.text) else None
    lines = material.lines(path)
    statement = from_head(lines[:_HEAD], path, document.language)
    place = comment_below_includes(lines) if statement is None and document.language in _C else None
    if place is None:
        return statement
    first, last = place
    below = from_head(lines[first - 1 : last], path, document.language)
    if below is None or below.source is None or below.text.endswith(":"):
        return None
    start, end = below.source.start_line + first - 1, below.source.end_line + first - 1
    return below._replace(source=Source(path, start, end))


def comment_below_includes(lines: Sequence[str]) -> tuple[int, int] | None:
    """Return the first and last line, from 1, of the comment below a C file's first includes; None if it has none.

    An empty line must follow; a comment right above a definition is about that definition.
    """
    at = included = 0
    while at < min(len(lines), _FAR_BELOW):
        line = lines[at].strip()
        if line.startswith("/*"):
            end = next((number for number in range(at, min(len(lines), at + _FAR_BELOW)) if "*/" in lines[number]), at)
            if included:
                alone = end + 1 < len(lines) and not lines[end + 1].strip()
                return (at + 1, end + 1) if alone else None
            at = end
        elif line and not line.startswith("#"):
            return None
        included += line.startswith("#include")
        at += 1
    return None


def from_head(lines: Sequence[str], path: str, language: str) -> Statement | None:
    """Return the first sentence of the comment at the beginning of a source file, without licences."""
    if lines and _DIRECTIVE.match(lines[0]):
        lines = ["", *lines[1:]]
    lines = _without_metadata(lines)
    titled = None
    rights = 0
    for comment, first, whole in _comments(lines, language):
        first_line, paragraph = first, whole
        following = lines[first + len(whole) - 1 :][:1]
        if language in _SCRIPTS and lines[first - 1].lstrip().startswith("//") and _IMPORT.match("".join(following)):
            continue  # it is about what is imported
        # What follows the terms of a licence in the same comment belongs to them: "Please contact Example Ltd if …".
        rights = comment if _TERMS.search(" ".join(paragraph)) else rights
        if rights == comment:
            continue
        for within in (_within_tags, _within_haddock, _within_brief):
            before, paragraph = within(paragraph)
            first_line += before
        if name := _NAMED_FIRST.match(paragraph[0]):
            paragraph[0] = _MODE_LINE.sub("", paragraph[0][name.end() :]) or paragraph[0]
        if _SKIPPED.search(paragraph[0]) or _LEGAL.search(" ".join(paragraph)) or not _is_sentence(" ".join(paragraph)):
            continue
        if not _TITLE.match(paragraph[0]):
            return _first_statement(path, first_line, paragraph)
        # A heading says less than the sentence beneath it.
        titled = titled or _first_statement(path, first_line, paragraph[:1])
        if len(paragraph) > 1:
            return _first_statement(path, first_line + 1, paragraph[1:])
    return titled


def _within_tags(paragraph: list[str]) -> tuple[int, list[str]]:
    """Return how many lines precede the text between a tag alone on the first line and its end tag, and that text.

    A paragraph without such a tag is returned unchanged. In C#, ``<summary>`` and ``</summary>`` have lines of their
    own, with parameters below them.
    """
    tags = [at for at, line in enumerate(paragraph) if _TAG_ALONE.match(line)]
    if not tags or tags[0] != 0:
        return 0, paragraph
    end = next((at for at in tags if at > 1), len(paragraph))
    return (1, paragraph[1:end]) if end > 1 else (0, paragraph)


def _within_haddock(paragraph: list[str]) -> tuple[int, list[str]]:
    """Return how many lines precede the description in the head of a Haskell module, and the description.

    Any other paragraph is returned unchanged.
    """
    fields = [(at, match) for at, line in enumerate(paragraph) if (match := _HADDOCK.match(line))]
    if not fields or fields[0][1][1] != "Module":
        return 0, paragraph
    ends = [at for at, _ in fields[1:]] + [len(paragraph)]
    for (at, field), end in zip(fields, ends, strict=True):
        if field[1] == "Description":
            return at, [field[2], *paragraph[at + 1 : end]]
    return 0, [""]


def _within_brief(paragraph: list[str]) -> tuple[int, list[str]]:
    """Return how many lines precede the text of a tag such as ``@brief``, and that text up to the next tag.

    A paragraph without such a tag is returned unchanged.
    """
    at, match = next(((at, one) for at, line in enumerate(paragraph) if (one := _IN_BRIEF.match(line))), (0, None))
    if match is None:
        return 0, paragraph
    begin = at if match[1] else at + 1
    text = [*([match[1]] if match[1] else []), *paragraph[at + 1 :]]
    end = next((number for number, line in enumerate(text) if line.startswith(("@", "\\"))), len(text))
    return (begin, text[:end]) if end else (0, paragraph)


def _first_statement(path: str, first_line: int, paragraph: Sequence[str]) -> Statement:
    """Return the first sentence of a comment's paragraph, which begins in line ``first_line``."""
    first = _first(" ".join(paragraph))
    last = first_line + next(at for at in range(len(paragraph)) if len(" ".join(paragraph[: at + 1])) >= len(first))
    text = shorten(_without_markup(first), LONGEST)
    return Statement(text, Source(path, first_line, last), verbatim=last == first_line and text == first)


def _without_metadata(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines, with blanks instead of a script's inline metadata (``# /// script`` to ``# ///``)."""
    first = next((at for at, line in enumerate(lines) if _METADATA.match(line)), len(lines))
    last = next((at for at in range(first, len(lines)) if lines[at].rstrip() == "# ///"), first - 1)
    return [*lines[:first], *[""] * (last - first + 1), *lines[last + 1 :]]


def _comments(lines: Sequence[str], language: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the paragraphs before the first code, each with the numbers of its comment and of its first line."""
    comment, block, first_line, paragraph = 1, "", 0, list[str]()
    for number, line in enumerate(lines, 1):
        text, block = _comment_text(line, block, language) if line.strip() else ("", block)
        if text:
            first_line = first_line or number
            paragraph.append(text)
            continue
        if paragraph:
            yield comment, first_line, paragraph
            first_line, paragraph = 0, []
        comment += not block and (text is None or not line.strip() or bool(_COMMENT_ENDS.match(line)))
        if text is None and not _CODE_LINE.match(line):
            return
    if paragraph:
        yield comment, first_line, paragraph


def _comment_text(line: str, block: str, language: str) -> tuple[str | None, str]:
    """Return a line's words as a comment (None if it is code), and the mark that ends the open block."""
    if block:
        ended = block in line
        text = line.split(block, maxsplit=1)[0] if ended else line
        return text.strip().removeprefix("*").strip(), "" if ended else block
    docstring = _PYTHON.match(line)
    if docstring and language in ("python", "starlark", "elixir", "julia"):
        mark, rest = docstring[1], docstring[2]
        ended = mark in rest
        return rest.split(mark)[0].strip(), "" if ended else mark
    if re.match(r"^\s*@(?:moduledoc|doc)\s+(?:~S)?\"\"\"", line):
        return "", '"""'
    if _BLOCK.match(line):
        close = "*/" if "/*" in line else "*)" if "(*" in line else "-}" if "{-" in line else "-->"
        ended = close in line[2:]
        return _COMMENT_ENDS.sub(
            "", re.sub(r"^\s*(?:/\*+!?|\(\*+|\{-\|?|<!--)\s?", "", line)
        ).strip(), "" if ended else close
    comment = _LINE_COMMENT.match(line)
    if comment and not line.lstrip().startswith(_DIRECTIVES):
        return _COMMENT_ENDS.sub("", comment[1]).strip(), ""
    return None, ""


def _is_sentence(text: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", _ADDRESS.sub("", text))) >= 2 and not text.rstrip().endswith((";", "{", "}"))


def _first(text: str) -> str:
    match = re.search(r"[.!?](?=\s+[A-Z`\"'(])", text)
    return text[: match.end()] if match else text


def _without_markup(text: str) -> str:
    """Return a sentence of a comment without the tags and roles of HTML, Javadoc and Sphinx, but with their words."""
    text = ROLE.sub(r"\1", _JAVADOC.sub(r"\1", _TITLE.sub("", text)))
    return " ".join(_TAG.sub("", _LINK.sub(r"\1", text)).split())


def _short(statement: Statement) -> Statement:
    text = shorten(statement.text, LONGEST)
    return statement._replace(text=text, verbatim=statement.verbatim and text == statement.text)


def defined_names(material: Material, path: str, most: int) -> Statement | None:
    """Return the names that a file defines, the main one first, with the main one's docstring or its defining line.

    The main one has the file's own name; otherwise it is the longest class or type that is not a test.
    """
    file = material.read(path)
    if file is None or not is_code(file.document):
        return None
    names, sizes = _top_names(file)
    lines = material.lines(path)
    own = _plain(path.rpartition("/")[2].partition(".")[0])
    ordered = sorted(
        names,
        key=lambda name: (
            _plain(name) != own,
            name.lower().startswith("test"),
            not name[:1].isupper() or name.isupper(),
            -sizes[name],
        ),
    )
    places = ((name, _line_with(lines, name, names[name])) for name in ordered)
    shown = list(islice(((name, at) for name, at in places if not _BROUGHT_IN.search(lines[at - 1])), most))
    if not shown:
        return None
    number = shown[0][1]
    names_text = f"defines {', '.join(name for name, _ in shown)}"
    # That List.java defines List tells nothing.
    brief = names_text if any(_plain(name) != own for name, _ in shown) else None
    if statement := _said_of_definition(lines, number, path, file.document.language):
        return statement._replace(brief=brief)
    definition_lines = (at for name, at in shown if _is_telling(lines[at - 1], name))
    number = next(definition_lines, 0)
    if not number:  # a value, or the middle of a statement
        return Statement(names_text)
    line = _OPENING.sub("", lines[number - 1].strip()[:LONGEST])
    return Statement(line, Source(path, number, number), verbatim=True, brief=names_text)


def _is_telling(line: str, name: str) -> bool:
    """Return whether a line begins the definition of a function or a type, which needs no explanation."""
    own = rf"(?<![\w.]){re.escape(name)}"
    return re.search(rf"{_KEYWORD}\b[^=]*{own}(?!\w)|^(?!\s*return\b)[^=]*{own}{_CALLABLE}", line) is not None


def _top_names(file: IndexedFile) -> tuple[dict[str, int], Counter[str]]:
    """Return the names that a file defines at its top level, with the lines where their chunks begin.

    The second value is the number of lines of each name.
    """
    spaces = _namespaces_of(file)
    hcl = file.document.language == "hcl"
    csharp = file.document.language == "csharp"
    names: dict[str, int] = {}
    sizes: Counter[str] = Counter()
    for chunk in (stored.chunk for stored in file.chunks):
        scope = [one for one in chunk.scope if one not in spaces]
        top = scope[0] if scope else chunk.symbol or ""
        sizes[top] += chunk.span.end_line - chunk.span.start_line + 1
        for name in _names_of_block(chunk, scope) if hcl else () if scope else (chunk.symbol, *chunk.defines):
            if name and _tells(name) and name not in spaces and not (csharp and "." in name):
                names.setdefault(name, chunk.span.start_line)
    return names, sizes


def _names_of_block(chunk: Chunk, scope: Sequence[str]) -> tuple[str, ...]:
    """Return a Terraform resource's type, ``aws_vpc`` for ``resource "aws_vpc" "this"``, else the chunk's own name."""
    return (scope[1],) if len(scope) > 1 else (chunk.symbol or "",)


def _tells(name: str) -> bool:
    """Return whether a name that a file defines may show the file's purpose."""
    return len(name) > 2 and not name.startswith("_") and name not in _USUAL and not GUARD.fullmatch(name)


def _namespaces_of(file: IndexedFile) -> frozenset[str]:
    """Return the parts of the names of a file's namespaces in C++ or Ruby, which many files share."""
    if file.document.language == "ruby":
        return frozenset(_MODULE_ABOVE.findall(file.text))
    if file.document.language != "cpp":
        return frozenset()
    return frozenset(part for name in _NAMESPACE.findall(file.text) for part in (name, *name.split("::")))


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _said_of_definition(lines: Sequence[str], number: int, path: str, language: str) -> Statement | None:
    """Return the first sentence of a definition's docstring or of the comment above it; None if it has neither."""
    if language == "python":
        last = min(number + _HEAD, len(lines))
        begin = next((at for at in range(number, last) if lines[at - 1].rstrip().endswith(":")), last)
        end = begin + _HEAD if begin < len(lines) and _PYTHON.match(lines[begin]) else begin
    else:
        blank = number > 2 and not lines[number - 2].strip()
        end = begin = number - 1 - blank
        while begin and _ABOVE_DEFINITION.match(lines[begin - 1]):
            begin -= 1
    says = from_head([line.removesuffix("\r") for line in lines[begin:end]], path, language)
    if says is None or says.source is None:
        return None
    return says._replace(source=Source(path, says.source.start_line + begin, says.source.end_line + begin))


def _line_with(lines: Sequence[str], name: str, start: int) -> int:
    """Return the first line from ``start`` on that holds a name, which comes after comments and decorators."""
    last = min(start + _LONGEST_COMMENT, len(lines))
    holding = [number for number in range(start, last + 1) if name in lines[number - 1]]
    # A comment, or a line that uses it, may stand before the line that defines it.
    code_lines = [at for at in holding if not _LINE_COMMENT.match(lines[at - 1])]
    definition_lines = (at for at in code_lines if _is_telling(lines[at - 1], name))
    return next(definition_lines, code_lines[0] if code_lines else holding[0] if holding else start)
