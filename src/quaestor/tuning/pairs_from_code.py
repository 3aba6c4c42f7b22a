"""Pairs from one source file: comment -> code, name -> body, test title -> test, message -> where it is raised.

A passage never holds the text of its own query, and is shaped as an index's chunk is: the definition, or the lines
from it on, up to about 1,500 characters.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from quaestor.core.terms import split_identifier
from quaestor.evaluation.made.clean import comment_query, prose_query
from quaestor.evaluation.made.surface_syntax import (
    Block,
    comment_blocks,
    defined_name,
    definition_above,
    docstrings,
    indent_of,
)
from quaestor.tuning.training_pairs import Kind, Pair

_MOST = 1_500
_FEWEST = 120
_ATTRIBUTE = re.compile(r"^\s*(?:@\w|#\[|\[\w+[^\]]*\]\s*$|@doc false|@spec|template\s*<)")
_TEST = re.compile(
    r"""^\s*(?:it|test|describe|context|specify|t\.Run|should|@DisplayName|@test|scenario|feature|subtest)"""
    r"""(?:\.\w+)?\s*\(?\s*(["'`])(?P<title>.{12,160}?)\1"""
)
_RAISED = re.compile(
    r"""(?:raise|throw|panic!?|error|Errorf?|errors\.New|Exception|bail!|fail|fatal|abort|die|warn|err)\w*\W.*?"""
    r"""(["'`])(?P<message>[^"'`]{18,160})\1"""
)
_FORMAT = re.compile(r"%[-+#0-9.]*[a-zA-Z]|\$?\{[^}]*\}|#\{[^}]*\}|\\n|:\?")


def code_pairs(text: str, path: str, language: str, chance: random.Random) -> Iterator[Pair]:
    """Yield every pair of one file."""
    lines = text.splitlines()
    for block in [*comment_blocks(lines, language), *docstrings(lines, language)]:
        if pair := _comment_pair(lines, block, path, language, chance):
            yield pair
    for number, line in enumerate(lines):
        if pair := _titled_pair(lines, number, line, path, language, chance):
            yield pair


def _comment_pair(lines: list[str], block: Block, path: str, language: str, chance: random.Random) -> Pair | None:
    query = comment_query(lines[block.first : block.last + 1])
    if query is None:
        return None
    if block.inside:
        start = definition_above(lines, block.first, language)
        head, after = lines[start : block.first], block.last + 1
    else:
        start, head, after = block.last + 1, [], block.last + 1
    if after >= len(lines) or not lines[after].strip():
        return None
    body = [*head, *_body(lines, after, indent_of(lines[start]), inside=block.inside, chance=chance)]
    first = next((line for line in body if not _ATTRIBUTE.match(line)), "")
    kind: Kind = "doc" if block.inside or defined_name(first, language) else "comment"
    return _pair(kind, query, body, path, language)


def _titled_pair(
    lines: list[str], number: int, line: str, path: str, language: str, chance: random.Random
) -> Pair | None:
    """A pair whose query stands in the line itself: a test's title, an error's message or a definition's name."""
    if found := _TEST.match(line):
        body = [
            line.replace(found["title"], ""),
            *_body(lines, number + 1, indent_of(line), inside=True, chance=chance),
        ]
        query = prose_query(found["title"])
        return _pair("test", query, body, path, language) if query else None
    if found := _RAISED.search(line):
        start = max(0, number - chance.randint(4, 20))
        body = [
            *lines[start:number],
            line.replace(found["message"], ""),
            *lines[number + 1 : number + chance.randint(3, 12)],
        ]
        query = prose_query(_FORMAT.sub(" ", found["message"]))
        return _pair("error", query, body, path, language) if query else None
    name = defined_name(line, language)
    parts = split_identifier(name) if name else ()
    if not name or len(parts) < 2 or chance.random() < 0.3:
        return None
    body = _body(lines, number + 1, indent_of(line), inside=True, chance=chance)
    return _pair("name", " ".join(parts), [line.replace(name, ""), *body], path, language)


def _pair(kind: Kind, query: str, body: list[str], path: str, language: str) -> Pair | None:
    text = "\n".join(body).strip("\n")[:_MOST]
    if len(text) < _FEWEST or query in text or max(map(len, body)) > 400:
        return None
    return Pair(kind, query, text, path, language)


def _body(lines: list[str], start: int, indent: int, *, inside: bool, chance: random.Random) -> list[str]:
    """Return the lines from ``start`` to the end of the block at ``indent``, or some way past a short one."""
    wanted = chance.choice((0, 0, 500, 750, 1_000))
    size, deeper = 0, inside
    for number in range(start, len(lines)):
        line = lines[number]
        columns = indent_of(line)
        ended = bool(line.strip()) and number > start and (columns < indent or (deeper and columns <= indent))
        if size > _MOST or (ended and size >= wanted):
            closing = [line] if size <= _MOST and line.strip()[:3] in {"}", "});", "end", ")", "};", "},"} else []
            return [*lines[start:number], *closing]
        deeper = deeper or columns > indent
        size += len(line) + 1
    return lines[start:]
