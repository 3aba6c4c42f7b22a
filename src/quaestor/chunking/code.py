"""Cuts source code along its definitions, by its syntax tree or, without a grammar, by the lines that begin one.

In languages without a grammar, keywords mark where a definition begins, as in the patterns of Universal Ctags.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from quaestor.chunking import merge
from quaestor.chunking.chunk_settings import ChunkSettings
from quaestor.chunking.decode import DecodedFile
from quaestor.chunking.defined_names import CONTAINERS, Source
from quaestor.chunking.definitions import lost_definitions
from quaestor.chunking.grammars import LARGEST_PARSED, parse_definitions, scripts_within
from quaestor.chunking.manual_headings import pod_headings
from quaestor.chunking.outline import NO_PARENT, Outline, Piece
from quaestor.chunking.prose import sections_of
from quaestor.chunking.syntax import SYNTAXES
from quaestor.core.documents import Chunk

if TYPE_CHECKING:
    from tree_sitter import Node

_LISPS = frozenset({"common-lisp", "emacs-lisp"})
_KINDS = {
    "class": "class defclass",
    "constant": "const defconst defconstant",
    "extension": "extend",
    "function": """cl-defgeneric cl-defmethod cl-defun constructor converter def defgeneric define-derived-mode
        define-minor-mode definition defmethod defsubst defun destructor fixpoint fn fun func function iterator lemma
        method operator predicate proc procedure sub task theorem transient-define-prefix transient-define-suffix""",
    "interface": "interface protocol trait concept",
    "macro": "defmacro macro template cl-defmacro",
    "module": "module namespace package unit object library component",
    "struct": "struct record defstruct cl-defstruct entity architecture",
    "enum": "enum",
    "type": "type alias newtype data inductive structure define defgroup deftype",
    "variable": "let val var defvar defcustom defparameter defvar-local defface",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_MODIFIERS = """abstract async automatic body export exported extern external final global impure inline internal local
    mut mutable open opaque override partial private protected pub public pure rec sealed static unsafe virtual default
    shared foreign"""
_WORDS = sorted(_KIND_OF, key=len, reverse=True)
_DEFINING = re.compile(
    rf"^(?P<indent>[ \t]*)(?:(?:{'|'.join(_MODIFIERS.split())})(?:\([^)\n]{{0,40}}\))?[ \t]+)*"
    rf"(?P<word>{'|'.join(_WORDS)})[ \t]+"
    r"(?:(?:alias|automatic|bit|body|byte|data|eval|inline|int|integer|internal|logic|mut|mutable|private|real|rec|reg"
    r"|signed|static|string|type|unsigned|void)(?:[ \t]*\[[^\]\n]*\])?[ \t]+)*"
    r"(?P<name>[A-Za-z_$][\w$'.:?!-]*)".encode(),
    re.MULTILINE | re.IGNORECASE,
)
_LISP = re.compile(
    rf"^(?P<indent>)\((?P<word>{'|'.join(_WORDS)})[ \t]+'?\(?(?:setf[ \t]+)?"
    r"(?P<name>[^\s()'\"]+)".encode(),
    re.MULTILINE | re.IGNORECASE,
)
# Functions of Elm, Idris, Lean and PureScript: what a name is stands above what it does.
_SIGNATURE = re.compile(rb"^(?P<indent>)(?P<name>[a-z_][\w']*)[ \t]*::?[ \t]+[^=\n]", re.MULTILINE)
_SIGNED = frozenset({"agda", "elm", "idris", "purescript"})
# Functions of D, GLSL, HLSL and Vala: a type, a name, and what it takes.
_TYPED = re.compile(
    rb"^(?P<indent>[ \t]{0,8})(?:[A-Za-z_][\w.<>\[\]!*&]*[ \t]+){1,4}\*?(?P<name>[A-Za-z_]\w*)[ \t]*\([^;\n]*$",
    re.MULTILINE,
)
_TYPES_FIRST = frozenset({"d", "glsl", "hlsl", "vala"})
_NO_NAMES = frozenset(b"if else for while switch return new delete throw case do in is of and or not then with".split())
_ASSIGNED = re.compile(
    rb"^(?P<indent>[ \t]*)(?:(?:module\.)?exports?\.|@)?(?P<name>[A-Za-z_$][\w$.]*)[ \t]*[:=][ \t]*"
    rb"(?:\([^)\n]*\)[ \t]*)?[-=]>",
    re.MULTILINE,
)
_ASSIGNING = frozenset({"coffeescript", "moonscript"})
# turn :: proc(n: int)
_NAMED_FIRST = re.compile(
    rb"^(?P<indent>)(?P<name>\w+)[ \t]*::[ \t]*(?:#\w+[ \t]+)?(?:bit_set|distinct|enum|proc|struct|union)\b",
    re.MULTILINE,
)
# copy_bytes:
_LABELLED = re.compile(rb"^(?P<indent>)(?P<name>[A-Za-z_$][\w$.]*):", re.MULTILINE)
# AC_DEFUN([SHOP_CHECK], ...)
_M4 = re.compile(
    rb"^(?P<indent>[ \t]*)(?:A[CU]_DEFUN(?:_ONCE)?|m4_define|define)\([ \t]*[\[`]*(?P<name>[A-Za-z_]\w*)", re.MULTILINE
)
# param location string = 'west', resource app 'Microsoft.App/containerApps@2024-03-01' = {
_DECLARED = re.compile(rb"^(?P<indent>)(?:module|output|param|resource|var)[ \t]+(?P<name>\w+)", re.MULTILINE)
_COMMENT = re.compile(rb"[ \t]*(?:#|//|--|;|%|\(\*|/\*|\*|'|\[<|@|///|\"\"\")")
_MOST_ABOVE = 60
_VALUES = ("constant", "variable")


class Refusal(NamedTuple):
    """Why a file was not cut along its definitions."""

    reason: str


def cut_code(file: DecodedFile, language: str, settings: ChunkSettings) -> tuple[Chunk, ...] | Refusal:
    """Return source code cut along its definitions, or why that is not possible."""
    syntax = SYNTAXES[language]
    data = file.data
    if len(data) > LARGEST_PARSED:
        return Refusal(f"too large to parse ({len(data)} bytes)")
    tree = parse_definitions(data, syntax.grammar, file.encoding, embedded=syntax.embedded)
    if tree is None:
        return Refusal(f"could not be parsed as {language}")
    root = tree.root_node
    pieces = Outline(Source(data, file.encoding), syntax, settings).walk(root)
    pieces = _with_lost_definitions(pieces, root, data, file.start, language)
    lost = root.type == "ERROR" and not any(piece.defines for piece in pieces)
    if lost or (not pieces and data[file.start :].strip()):
        return Refusal(f"does not parse as {language}")
    if language == "perl":
        pieces = _with_manual(pieces, data, file.start)
    if syntax.embedded:
        pieces = _with_markup(pieces, data, file.start)
    pieces = merge.split(merge.align(pieces, data, file.start), data, settings)
    return merge.chunks(merge.group(pieces, settings), data, file.encoding)


def _with_lost_definitions(pieces: list[Piece], root: Node, data: bytes, start: int, language: str) -> list[Piece]:
    """Return the pieces of a tree with pieces for definitions that lines begin in what the grammar could not read."""
    known = {place for piece in pieces for _, _, place in piece.defines}
    lost = [one for one in lost_definitions(root, data, start, language) if one.place not in known]
    if not lost or [one.start for one in pieces] != sorted(one.start for one in pieces):
        return pieces
    added: list[Piece] = [] if pieces else [Piece(start, 0, NO_PARENT)]
    for one in lost:
        begin = _with_comment(data, one.line, added[-1].start if added else start)
        piece = Piece(begin, len(pieces) + len(added), NO_PARENT, one.name, one.kind)
        piece.defines = [(0, one.name, one.place)]
        added.append(piece)
    return sorted([*pieces, *added], key=lambda piece: piece.start)


def _with_manual(pieces: list[Piece], data: bytes, start: int) -> list[Piece]:
    """Return the pieces of a Perl module with the sections of the manual that stands behind its last definition.

    What stands between definitions is about the next one.
    """
    last = max((one.start for one in pieces if one.name), default=start)
    headings = [one for one in pod_headings(data, start) if one.start > last]
    if not headings:
        return pieces
    code = [one for one in pieces if one.start < headings[0].start]
    sections = sections_of(data, headings, headings[0].start)
    for section in sections:
        section.number += len(pieces)
        section.parent += len(pieces) if section.parent != NO_PARENT else 0
    return [*code, *sections]


def _with_markup(pieces: list[Piece], data: bytes, start: int) -> list[Piece]:
    """Return the pieces of a component's scripts with pieces for the markup before, between and after them."""
    scripts = scripts_within(data)
    places = [data.find(b"\n", end) + 1 or len(data) for _, end in scripts]
    if scripts[0][0] > start:
        places.insert(0, start)
    markup = [
        Piece(place, len(pieces) + number, NO_PARENT) for number, place in enumerate(places) if data[place:].strip()
    ]
    return sorted([*pieces, *markup], key=lambda piece: piece.start)


def cut_by_defining_lines(file: DecodedFile, language: str, settings: ChunkSettings) -> tuple[Chunk, ...]:
    """Cut code along the lines that begin a definition, each with the comment above it; an empty tuple if none does."""
    data, start = file.data, file.start
    pieces = _pieces(data, start, language)
    if not pieces:
        return ()
    pieces = merge.split(merge.align(pieces, data, start), data, settings)
    return merge.chunks(merge.group(pieces, settings), data, file.encoding)


def _pieces(data: bytes, start: int, language: str) -> list[Piece]:
    pieces: list[Piece] = []
    around: list[tuple[int, Piece]] = []
    for at, width, name, kind, place in _definitions(data, start, language):
        while around and around[-1][0] >= width:
            around.pop()
        outer = around[-1][1] if around else None
        if outer is not None and outer.kind not in CONTAINERS and kind in _VALUES:
            continue  # it is local
        begin = _with_comment(data, at, pieces[-1].start if pieces else start)
        if begin > start and not pieces and data[start:begin].strip():
            pieces.append(Piece(start, 0, NO_PARENT))
        scope = tuple(piece.name or "" for _, piece in around)
        method = kind == "function" and outer is not None and outer.kind in CONTAINERS - {"module"}
        piece = Piece(
            begin, len(pieces), outer.number if outer else NO_PARENT, name, "method" if method else kind, scope
        )
        piece.defines = [(len(scope), name, place)]
        if outer is not None:
            outer.opens = True
        pieces.append(piece)
        around.append((width, piece))
    return pieces


def _definitions(data: bytes, start: int, language: str) -> list[tuple[int, int, str, str, int]]:
    """Return the offset, indentation, name, kind and name's offset of each definition, in order."""
    patterns = [_LISP if language in _LISPS else _DECLARED if language == "bicep" else _DEFINING]
    patterns += [_SIGNATURE] if language in _SIGNED else []
    patterns += [_TYPED] if language in _TYPES_FIRST else []
    patterns += [_ASSIGNED] if language in _ASSIGNING else []
    patterns += [_NAMED_FIRST] if language == "odin" else []
    patterns += [_LABELLED] if language == "assembly" else []
    patterns += [_M4] if language == "m4" else []
    definitions = {}
    for pattern in patterns:
        for one in pattern.finditer(data, start):
            name = one["name"].rstrip(b":.-")
            if not name or name.lower() in _NO_NAMES or one.start() in definitions:
                continue
            kind = _KIND_OF[one["word"].decode().lower()] if "word" in pattern.groupindex else "function"
            if kind in _VALUES and language in _TYPES_FIRST:
                continue  # what stands behind const there is a type
            width = len(one["indent"].expandtabs(4))
            definitions[one.start()] = (one.start(), width, name.decode("utf-8", "replace"), kind, one.start("name"))
    return [definitions[at] for at in sorted(definitions)]


def _with_comment(data: bytes, line: int, least: int) -> int:
    """Return the offset of the comments and attributes right above a line, or of the line itself."""
    begin = line
    for _ in range(_MOST_ABOVE):
        above = data.rfind(b"\n", least, max(begin - 1, least)) + 1 or least
        if above <= least or above >= begin or not _COMMENT.match(data, above, begin):
            return begin
        begin = above
    return begin
