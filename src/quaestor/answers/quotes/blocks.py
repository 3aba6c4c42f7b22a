"""Where code may be cut: its definitions and statements as nested runs of whole lines, and its comments.

A passage that its language's grammar parses without an error is cut along its syntax tree. A passage that begins or
ends within a definition, or whose language has no grammar, is cut by its indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from quaestor.chunking.grammars import parse
from quaestor.chunking.syntax import SYNTAXES, Syntax
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import find_words

if TYPE_CHECKING:
    from tree_sitter import Node

# Words in the types of nodes whose children stand one below the other: block, class_body, compound_statement.
_SEQUENCE = lazy_regex(
    r"(?:^|_)(?:block|body|statements|statement_list|declaration_list|declarations|suite|do_group)$"
    r"|^(?:compound|body)_statement$|^block_body$"
)
GOES_ON = lazy_regex(
    r"\s*(?:[)}\]]|(?:end|else|elif|elsif|elseif|except|catch|finally|rescue|ensure|then|do|fi|done|esac|begin)\b|\{\s*$)"
)
COMMENT = lazy_regex(r"\s*(?:#(?!include|define|if|else|endif)|//|/\*|\*|--|;;|%|@\w)")
_LONGEST_COMMENT = 20
_LONGEST_LICENCE = 80
"""The most lines of a comment at the head of a file that are read to tell whether it is a licence."""
COMMENT_LINE = lazy_regex(
    r"^\s*(?:#(?!\s*(?:include|define|if|pragma)\b)|//|/\*|\*|--|;|%|\"\"\"|'''|<!--|\{-(?!#)|\(\*+\s|=begin|=pod|=head)"
)
_CLOSES = {"{-": "-}", "(*": "*)"}
_BEFORE_ALL = ("#!", "<?php", "'use strict'", '"use strict"', "{-#")
"""Beginnings of lines that may precede the first comment of a file."""
_SPDX = "SPDX-"
"""The beginning of a line that names a licence without being its text; what follows may describe the file."""
_ADDRESS = lazy_regex(
    r"(?im)^.*\bcreated by\b.*$|^\W*[\w+-]+\.\w{1,5}\W*$|(?<!\S)\S+://\S+|\$[A-Z]\w+:[^$\n]*\$|-\*-[^\n]*-\*-|\b(?:vim?|ex):.*|@(?:link|author|file|package|since|version)\b.*"
)
_LEGAL = lazy_regex(r"copyright|licen[cs]e|spdx|all rights reserved", re.IGNORECASE)
_FEWEST_WORDS = 4
"""Words of a comment that says something."""
# Deeper nesting is data, or meant to exhaust the stack.
_DEEPEST = 30


class Block(NamedTuple):
    """A definition or a statement with the comment above it.

    Attributes:
        first: its first line, counted from 0 in the passage.
        last: its last line, inclusive.
        inner: the blocks within it in order; the lines before the first of them are its head.
    """

    first: int
    last: int
    inner: tuple[Block, ...] = ()


@lru_cache(maxsize=16)  # a passage is cut into stretches, narrowed, and its definitions are named
def blocks_of(text: str, language: str) -> tuple[Block, ...]:
    """Return the outermost blocks of some lines of code, in order."""
    lines = text.split("\n")
    syntax = SYNTAXES.get(language)
    if syntax is None or syntax.embedded:  # a component is markup, too
        return _by_indentation(lines, 0, len(lines), 0)
    tree = parse(text.encode("utf-8", "surrogatepass"), syntax.grammar)
    if tree is None or tree.root_node.has_error:
        return _by_indentation(lines, 0, len(lines), 0)
    return _of_nodes(tree.root_node.children, syntax, lines, 0)


def _of_nodes(nodes: Iterable[Node], syntax: Syntax, lines: Sequence[str], depth: int) -> tuple[Block, ...]:
    """Return siblings as blocks; those that share a line are one block, and a comment belongs to the next one."""
    blocks: list[Block] = []
    comment_start: int | None = None  # the first line of comments that lead the next block
    for node in nodes:
        first, last = _lines_of(node)
        if not node.is_named or not "".join(lines[first : last + 1]).strip():
            continue
        if node.type in syntax.leading and not (blocks and blocks[-1].last >= first):
            comment_start = first if comment_start is None else comment_start
            if last + 1 < len(lines) and lines[last + 1].strip():
                continue
            blocks.append(Block(comment_start, last))
            comment_start = None
            continue
        inner = () if depth >= _DEEPEST or first == last else tuple(_within(node, syntax, lines, depth + 1))
        start, comment_start = (first if comment_start is None else comment_start), None
        if blocks and blocks[-1].last >= start:
            start = blocks.pop().first
        blocks.append(Block(start, last, inner))
    if comment_start is not None:
        blocks.append(Block(comment_start, max(comment_start, _lines_of(node)[1])))
    return tuple(blocks)


def _within(node: Node, syntax: Syntax, lines: Sequence[str], depth: int) -> Iterator[Block]:
    """Yield the blocks of the nearest sequences of statements within a node."""
    if depth >= _DEEPEST:
        return
    for child in node.children:
        first, last = _lines_of(child)
        if first == last:
            continue
        if _SEQUENCE.search(child.type):
            children = _of_nodes(_flat_children(child), syntax, lines, depth)
            yield from _led_by_comment([block for block in children if block.first > node.start_point[0]], node, lines)
        else:
            yield from _within(child, syntax, lines, depth + 1)


def _led_by_comment(blocks: Sequence[Block], node: Node, lines: Sequence[str]) -> Iterator[Block]:
    """Yield blocks; the first one includes the comment above it, which some grammars (Ruby's) put outside the body."""
    for number, block in enumerate(blocks):
        first = comment_above(lines, block.first, node.start_point[0] + 1) if number == 0 else block.first
        yield Block(first, block.last, block.inner)


def comment_above(lines: Sequence[str], line: int, least: int = 0) -> int:
    """Return the first line of the comment right above a line, or the line itself if there is no comment.

    Lines count from 0; the comment begins at ``least`` or later.
    """
    while line > least and COMMENT.match(lines[line - 1]):
        line -= 1
    return line


def _flat_children(node: Node) -> Iterator[Node]:
    """Yield a sequence's children, with nested sequences replaced by their own children."""
    for child in node.children:
        if _SEQUENCE.search(child.type):
            yield from child.children
        else:
            yield child


def _lines_of(node: Node) -> tuple[int, int]:
    """Return a node's first and last line; a node that ends at a line end does not include the next line."""
    first, (last, column) = node.start_point[0], node.end_point
    return first, last - (column == 0 and last > first)


def _by_indentation(lines: Sequence[str], start: int, stop: int, depth: int) -> tuple[Block, ...]:
    """Return blocks of lines: each begins at a least indented line and holds the more indented ones below."""
    filled = [number for number in range(start, stop) if lines[number].strip()]
    if not filled:
        return ()
    least = min(_indent(lines[number]) for number in filled)
    shallow = next(number for number in filled if _indent(lines[number]) == least)
    if shallow > filled[0]:  # begun amid something that is indented more
        parts = [(filled[0], shallow), (shallow, stop)] if depth < _DEEPEST else [(shallow, stop)]
        return tuple(block for part in parts for block in _by_indentation(lines, *part, depth + 1))
    blocks = []
    for group in _by_least_indented(lines, filled, least):
        inner = _inner(lines, group[0], group[-1], least, depth) if depth < _DEEPEST else ()
        blocks.append(Block(group[0], group[-1], inner))
    return tuple(blocks)


def _by_least_indented(lines: Sequence[str], filled: Sequence[int], least: int) -> list[list[int]]:
    """Group the numbers of lines that are not blank: a least indented line begins a group unless it continues one.

    Lines right below comments belong to them.
    """
    groups: list[list[int]] = []
    only_comments = False  # since the last group began
    for number in filled:
        line = lines[number]
        below_comments = only_comments and groups[-1][-1] == number - 1
        if not groups or (_indent(line) == least and not GOES_ON.match(line) and not below_comments):
            groups.append([])
            below_comments = True
        groups[-1].append(number)
        only_comments = below_comments and COMMENT.match(line) is not None
    return groups


def _inner(lines: Sequence[str], begin: int, last: int, least: int, depth: int) -> tuple[Block, ...]:
    """Return the blocks of each run of lines that is indented more than the block around it."""
    blocks: list[Block] = []
    start: int | None = None
    for number in range(begin, last + 2):
        inside = number <= last and (not lines[number].strip() or _indent(lines[number]) > least)
        if inside and start is None:
            start = number
        elif not inside and start is not None:
            blocks += _by_indentation(lines, start, number, depth + 1)
            start = None
    return tuple(blocks)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def end_of_comment(lines: Sequence[str], start: int, longest: int = _LONGEST_COMMENT) -> int:
    """Return the last line of the comment or docstring that begins at a line; the line before if none begins there.

    A comment counts up to ``longest`` lines.
    """
    if start > len(lines) or not COMMENT_LINE.match(lines[start - 1]):
        return start - 1
    opening = re.match(r"\s*[rRuUbB]?(\"\"\"|'''|\{-|\(\*)", lines[start - 1])
    closing = _CLOSES.get(opening[1], opening[1]) if opening else ""
    for number in range(start, min(len(lines), start + longest) + 1):
        line = lines[number - 1]
        if opening is None and not COMMENT_LINE.match(line):
            return number - 1
        closed = line.count(closing) - (number == start and opening[1] == closing) if opening else 0
        if closed > 0:
            return number
    return min(len(lines), start + longest)


def head_comment(lines: Sequence[str]) -> tuple[int, int] | None:
    """Return the lines of the comment that a file begins with, of several the first that is not a licence."""
    at = 1
    while at <= min(len(lines), 2 * _LONGEST_COMMENT):
        line = lines[at - 1]
        if not line.strip() or line.startswith(_BEFORE_ALL) or _SPDX in line:
            at += 1
            continue
        end = end_of_comment(lines, at, _LONGEST_LICENCE)
        if end < at:
            return None
        if (before := before_legal_words(lines, at, end)) is not None:
            return before
        at = end + 1
    return None


def before_legal_words(lines: Sequence[str], first: int, last: int) -> tuple[int, int] | None:
    """Return the part of a comment before its licence or copyright notice; None if that part says nothing."""
    while first < last and (_SPDX in lines[first - 1] or (_SPDX in lines[first] and not find_words(lines[first - 1]))):
        first += 1
    legal = (at for at in range(first, last + 1) if _LEGAL.search(lines[at - 1]))
    end = min(next(legal, last + 1) - 1, first + _LONGEST_COMMENT)
    text = _ADDRESS.sub("", "\n".join(lines[first - 1 : end]))
    return (first, end) if len(find_words(text)) >= _FEWEST_WORDS else None
