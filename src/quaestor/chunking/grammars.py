"""Parses with the compiled grammars of the ``semble_grammars`` wheel, which are loaded on first use."""

from __future__ import annotations

import atexit
import ctypes
import os
import re
import sys
from collections import deque
from functools import cache
from operator import attrgetter
from time import thread_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Tree

# Larger source files are data or generated.
LARGEST_PARSED = 4_000_000
# The parser reports once in 30 to 400 bytes; failing error recovery reports far more often. Unlike a time limit, a
# count of reports gives the same result on every machine.
_REPORTS_PER_BYTE = 0.04
_REPORTS_AT_LEAST = 500
# The last resort, in this thread's processor time: each step of a failing parse can also be slow.
_LONGEST_SECONDS = 4.0
_SLICE = 1 << 12
# A callback is slow if a grammar asks for columns. A file of this size takes 0.1 s at most, one of eight times as much
# ten: "->" again and again in TypeScript.
_READ_AT_ONCE = 1 << 10
_OWN_REFERENCES = 2  # the variable's reference and that of the call

_BLANKS = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))
_SCRIPT_TAG = re.compile(rb"<(?P<end>/)?script\b[^<>]*>", re.IGNORECASE)
# At the top of an Astro component.
_FRONT = re.compile(rb"\s*---[ \t]*\r?\n(?P<script>.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_PREPROCESSED = frozenset({"c", "cpp", "objc"})
# Words that the preprocessor replaces and a grammar takes for types or names: EXPORT_API void f(), class API Name,
# GIT_EXTERN(int) f(), void f() OVERRIDE; and those that fill a line. Two names in a row follow such a word, because one
# may be a type in capitals. Directives and comments are passed over.
_MACRO = re.compile(
    rb"""
    ^[ \t]*\#(?:[^\n\\]|\\[\s\S])*
    |//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z)
    |^(?P<open>[A-Z]\w*\()(?P<type>[\w \t*]+)(?P<close>\))(?=[ \t]*\*?\w+[ \t]*\()
    |^[ \t]*(?P<line>[A-Z][A-Z\d]*_[A-Z\d_]+(?:[ \t]*\([^(){};\n]*\))?)[ \t]*$(?!\s*\{)
    |\b(?:class|struct|union|enum)\s+(?P<of_type>[A-Z][A-Z\d_]{2,})(?=\s+\w)
    |\b(?:class|struct)\s+\w+\s+(?P<final>[A-Z][A-Z\d_]{2,})(?=\s*[{:])
    |\)(?:\s*(?:const|noexcept|override)\b)*\s+(?P<behind>[A-Z][A-Z\d_]{2,}(?:\([^(){};]*\))?)(?=\s*[;{:=])
    |(?<![\w.>:"'\\])(?P<before>[A-Z][A-Z\d_]{2,})\b
     (?=\s+(?:[\w:]+(?:<[^;{}()]{0,120}>)?[\s*&]+~?[A-Za-z_]|(?P<name>\w+)::~?(?P=name)\())
    """,
    re.MULTILINE | re.VERBOSE,
)
_MACROS = ("open", "close", "line", "of_type", "final", "behind", "before")
# Bytes beyond ASCII become letters, so that a file that is not UTF-8 parses with unchanged offsets.
_TO_ASCII = bytes(byte if byte < 0x80 else ord("x") for byte in range(256))


_UNPACKED_INTO = "SEMBLE_GRAMMARS_CACHE_DIR"
"""The setting of ``semble_grammars`` for the folder that it unpacks into."""


@cache
def grammar(name: str) -> Language | None:
    """Return a compiled grammar by name, or None if this platform has none."""
    try:
        import semble_grammars  # noqa: PLC0415 - keeps `import quaestor` fast
    except ImportError:
        return None
    try:
        return semble_grammars.get_language(name)  # type: ignore[no-any-return]
    except (semble_grammars.LanguageNotFoundError, semble_grammars.UnsupportedPlatformError):
        return None
    except (semble_grammars.GrammarLoadError, OSError):
        return _grammar_unpacked_for_now(name)


def _grammar_unpacked_for_now(name: str) -> Language | None:
    """Return a grammar if the folder that grammars are unpacked into cannot be written.

    A temporary folder is used while this process lives; its child processes find it through the environment.
    """
    from shutil import rmtree  # noqa: PLC0415 - seldom needed
    from tempfile import mkdtemp  # noqa: PLC0415

    import semble_grammars  # noqa: PLC0415 - keeps `import quaestor` fast

    if _UNPACKED_INTO not in os.environ:
        folder = mkdtemp(prefix="quaestor-grammars-")
        atexit.register(rmtree, folder, ignore_errors=True)
        os.environ[_UNPACKED_INTO] = folder
    try:
        return semble_grammars.get_language(name)  # type: ignore[no-any-return]
    except (semble_grammars.GrammarLoadError, OSError):
        return None


class _Slices:
    """Passes a parser its input slice by slice, and releases each slice when the next but one is read.

    tree-sitter 0.26 for Python leaks a reference to every slice, and so the text of all files, or two hundred times as
    much for a language whose scanner asks for columns. References are counted, so that nothing is released twice.
    """

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._recent: deque[bytes] = deque()

    def read(self, offset: int, _point: object) -> bytes:
        """Return the slice at ``offset``."""
        # The last one may still be in use.
        self.release(but=1)
        piece = self._source[offset : offset + _SLICE]
        self._recent.append(piece)
        return piece

    def release(self, but: int = 0) -> None:
        """Release all slices but the last ones."""
        while len(self._recent) > but:
            old = self._recent.popleft()
            # Python itself shares slices of up to one byte.
            if len(old) > 1 and sys.getrefcount(old) > _OWN_REFERENCES:
                ctypes.pythonapi.Py_DecRef(ctypes.py_object(old))


def nodes_of(root: Node, name: str, types: tuple[str, ...]) -> list[Node]:
    """Return all nodes of the given types below ``root`` in order; a tree-sitter query finds them."""
    query = _query(name, types)
    if query is None:
        return []
    from tree_sitter import QueryCursor  # noqa: PLC0415 - keeps `import quaestor` fast

    nodes = QueryCursor(query).captures(root).get("found", [])
    return sorted(nodes, key=attrgetter("start_byte"))


@cache
def _query(name: str, types: tuple[str, ...]) -> Query | None:
    from tree_sitter import Query  # noqa: PLC0415

    language = grammar(name)
    known = [kind for kind in types if language is not None and language.id_for_node_kind(kind, True)]
    return Query(language, f"[{' '.join(f'({kind})' for kind in known)}] @found") if language and known else None


def scripts_within(data: bytes) -> list[tuple[int, int]]:
    """Return (start, end) of each script of a Vue, Svelte or Astro component, in order.

    Text before the first tag is a script if that tag ends one, and so is text without markup: a part of a component.
    """
    front = _FRONT.match(data)
    scripts = [front.span("script")] if front else []
    opened: int | None = None if data.lstrip().startswith(b"<") or front else 0
    for tag in _SCRIPT_TAG.finditer(data, front.end() if front else 0):
        if not tag["end"]:
            opened = tag.end()
        elif opened is not None:
            scripts.append((opened, tag.start()))
            opened = None
        else:
            continue
    return [*scripts, (opened, len(data))] if opened is not None else scripts


def _without_markup(data: bytes) -> bytes:
    """Return a component with blanks in place of all but its scripts, so that offsets and lines stay."""
    parts, at = [], 0
    for start, end in scripts_within(data):
        parts += [data[at:start].translate(_BLANKS), data[start:end]]
        at = end
    return b"".join([*parts, data[at:].translate(_BLANKS)])


def parse_definitions(data: bytes, name: str, encoding: str = "utf-8", *, embedded: bool = False) -> Tree | None:
    """Return the syntax tree of ``data`` for its definitions, as ``parse`` does.

    Where C or C++ cannot be read as it is, it is parsed again with blanks in place of macros that stand beside
    declarations: a class that begins with ``class EXPORT_API Name`` would be lost. The tree that leaves fewer bytes
    unread is returned. Offsets are those of ``data``.
    """
    tree = parse(data, name, encoding, embedded=embedded)
    if tree is None or name not in _PREPROCESSED or not tree.root_node.has_error:
        return tree
    other = parse(_MACRO.sub(_blank_macro, data), name, encoding)
    return other if other is not None and _unread(other.root_node) < _unread(tree.root_node) else tree


def _blank_macro(match: re.Match[bytes]) -> bytes:
    """Return the matched text with blanks in place of its macro."""
    text = bytearray(match[0])
    for group in _MACROS:
        start, end = (place - match.start() for place in match.span(group))
        if match[group] is not None:
            text[start:end] = match[group].translate(_BLANKS)
    return bytes(text)


def _unread(root: Node) -> int:
    """Return how many bytes below a node the grammar could not read, and how many tokens it missed."""
    return sum(max(1, last - first) for first, last in unread_parts(root))


def unread_parts(root: Node) -> list[tuple[int, int]]:
    """Return (start, end) of the parts below a node that the grammar could not read; empty where it missed a token."""
    waiting, parts = [root], []
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            parts.append((node.start_byte, node.end_byte))
        elif node.has_error:
            waiting.extend(node.children)
    return parts


def parse(data: bytes, name: str, encoding: str = "utf-8", *, embedded: bool = False) -> Tree | None:
    """Return the syntax tree of ``data``, or None if there is no grammar or the parser does not come to an end.

    Args:
        data: a file or a part of one.
        name: the grammar.
        encoding: the encoding of the file.
        embedded: whether only the scripts of a component are parsed; nodes keep their places in the file.
    """
    language = grammar(name)
    if language is None:
        return None
    from tree_sitter import Parser  # noqa: PLC0415 - keeps `import quaestor` fast

    source = data if encoding == "utf-8" else data.translate(_TO_ASCII)
    source = _without_markup(source) if embedded else source
    if len(source) <= _READ_AT_ONCE:
        return Parser(language).parse(source)
    reports_left = _REPORTS_AT_LEAST + int(len(source) * _REPORTS_PER_BYTE)

    deadline = thread_time() + _LONGEST_SECONDS
    slices = _Slices(source)

    def gives_up(_offset: int, _has_error: bool) -> bool:
        nonlocal reports_left
        reports_left -= 1
        return reports_left < 0 or thread_time() > deadline

    try:
        return Parser(language).parse(slices.read, encoding="utf8", progress_callback=gives_up)
    except ValueError:
        return None
    finally:
        slices.release()
