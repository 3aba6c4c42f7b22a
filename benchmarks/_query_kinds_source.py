"""Reads definitions, raised errors and calls from a repository's source.

It uses tree-sitter's grammars without our chunks, so that the queries do not follow our chunks' borders.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from _chunks import LARGEST_FILE, SKIPPED_FOLDERS
from semble_grammars import get_parser
from tree_sitter import Node, Parser, Query, QueryCursor, QueryError

GRAMMARS = {
    ".c": "c", ".cc": "cpp", ".cpp": "cpp", ".cs": "csharp", ".go": "go", ".h": "c", ".hpp": "cpp", ".java": "java",
    ".js": "javascript", ".kt": "kotlin", ".lua": "lua", ".php": "php", ".py": "python", ".rb": "ruby", ".rs": "rust",
    ".scala": "scala", ".swift": "swift", ".ts": "typescript", ".tsx": "tsx",
}  # fmt: skip
MOST_BYTES = 6_000_000
_TESTS = re.compile(
    r"(^|/)(tests?|testing|specs?|__tests__|examples?|docs?|benchmarks?|fixtures?|vendor)/|[._]test\.|_spec\.|/test_",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"^(function|method|class|generator_function|struct|interface|trait|enum|object|protocol|abstract_class)"
    r"(_definition|_declaration|_item|_specifier)?$"
)
_RAISE = ("raise_statement", "throw_statement", "throw_expression")
_CALLS = (
    "call", "call_expression", "method_invocation", "macro_invocation", "invocation_expression", "function_call",
    "function_call_expression", "member_call_expression", "scoped_call_expression",
)  # fmt: skip
_DOCSTRING = re.compile(r"""[rub]?("{3}|'{3}|"|')(.*?)\1$""", re.DOTALL)
_COMMENT = re.compile(r"\s*(//|/\*|\*|#(?!include|define|if|endif|undef|pragma)|--|@)")
_NO_PROSE = re.compile(r"\s*(@|#\[|//\s*(nolint|eslint|prettier|@)|\*\s*@)")
_COMMENT_SIGNS = re.compile(r"^\s*(/\*+!?|\*+/?|//[/!]*|#+|--+)\s?|\*/\s*$")
_STRING = re.compile(
    r"""(?<![\w"'])[fFrRbu$]{0,2}"""
    r"""(?:"((?:[^"\\\n]|\\.){12,300})"|'((?:[^'\\\n]|\\.){12,300})'|`([^`\n]{12,300})`)"""
)
_RAISING_CALL = re.compile(
    r"(^|[.:>])(raise|panic|bail|anyhow|ensure|Errorf|errors\.New|fatalError|preconditionFailure|error|require|fatal|failf|die)!?$"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A named function or type; ``doc`` is the first sentence that its author wrote about it, if any."""

    path: str
    name: str
    start_line: int
    end_line: int
    function: bool
    doc: str


@dataclass(frozen=True, slots=True)
class Raised:
    """A place that raises an error, with the message as it stands in the source."""

    path: str
    start_line: int
    end_line: int
    message: str


@dataclass(slots=True)
class Source:
    """What was read of one repository.

    Attributes:
        files: lines of every file that was read, by path.
        calls: lines that call a name, by name.
    """

    files: dict[str, list[str]]
    definitions: list[Definition]
    raised: list[Raised]
    calls: dict[str, list[tuple[str, int]]]


def read(root: Path, seed: int = 0) -> Source:
    """Read up to some megabytes of a repository's source, tests and examples left out."""
    source = Source({}, [], [], {})
    paths = sorted(path for path in _paths(root) if not _TESTS.search(path.relative_to(root).as_posix()))
    random.Random(seed).shuffle(paths)
    left = MOST_BYTES
    for path in paths:
        data = path.read_bytes()
        left -= len(data)
        if left < 0:
            break
        _read_file(path.relative_to(root).as_posix(), data, GRAMMARS[path.suffix], source)
    return source


def _paths(root: Path) -> Iterator[Path]:
    for folder, subfolders, names in root.walk() if hasattr(root, "walk") else _walk(root):
        subfolders[:] = [name for name in subfolders if name not in SKIPPED_FOLDERS and not name.startswith(".")]
        for name in names:
            path = folder / name
            if path.suffix in GRAMMARS and not path.is_symlink() and path.stat().st_size <= LARGEST_FILE:
                yield path


def _walk(root: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    import os  # noqa: PLC0415 - only before Python 3.12

    for folder, subfolders, names in os.walk(root):
        yield Path(folder), subfolders, names


def _read_file(path: str, data: bytes, grammar: str, source: Source) -> None:
    text = data.decode("utf-8", "replace")
    tree = _parser(grammar).parse(data)
    if max((len(line) for line in text.splitlines()), default=0) > 2000:
        return  # minified or generated
    source.files[path] = text.splitlines()
    for kind, nodes in _captures(grammar, tree.root_node):
        for node in nodes:
            if kind == "definition":
                source.definitions += _definition(path, node, source.files[path])
            else:
                _call_or_raise(path, node, kind, source)


def _captures(grammar: str, root: Node) -> Iterator[tuple[str, Sequence[Node]]]:
    query = _query(grammar)
    if query is not None:
        yield from QueryCursor(query).captures(root).items()


@cache
def _parser(grammar: str) -> Parser:
    return get_parser(grammar)


@cache
def _query(grammar: str) -> Query | None:
    """Return one query for the kinds of nodes that this grammar has."""
    language = _parser(grammar).language
    assert language is not None
    kinds = [language.node_kind_for_id(number) or "" for number in range(language.node_kind_count)]
    wanted = [(kind, "definition") for kind in kinds if _DEFINITION.match(kind)]
    wanted += [(kind, "raise") for kind in _RAISE if kind in kinds]
    wanted += [(kind, "call") for kind in _CALLS if kind in kinds]
    patterns = []
    for kind, label in dict.fromkeys(wanted):
        try:
            Query(language, f"({kind}) @{label}")
        except QueryError:
            continue
        patterns.append(f"({kind}) @{label}")
    return Query(language, "\n".join(patterns)) if patterns else None


def _definition(path: str, node: Node, lines: Sequence[str]) -> Iterator[Definition]:
    name = _name(node)
    start, end = node.start_point[0] + 1, node.end_point[0] + 1
    if name and (end > start or "function" in node.type):
        function = bool(re.match("function|method|generator", node.type))
        yield Definition(path, name, start, end, function, _doc(node, lines))


def _name(node: Node) -> str:
    named = node.child_by_field_name("name")
    declarator = node.child_by_field_name("declarator")
    while named is None and declarator is not None:
        named = declarator if declarator.type in ("identifier", "field_identifier") else None
        declarator = declarator.child_by_field_name("declarator") or declarator.child_by_field_name("name")
    text = named.text.decode("utf-8", "replace") if named is not None and named.text else ""
    return text if re.fullmatch(r"[A-Za-z_]\w*", text) else ""


def _doc(node: Node, lines: Sequence[str]) -> str:
    """Return the first sentence of the docstring, or of the comment right above."""
    body = node.child_by_field_name("body")
    first = body.named_child(0) if body is not None and body.named_child_count else None
    if first is not None and first.type in ("expression_statement", "string") and first.text:
        found = _DOCSTRING.match(first.text.decode("utf-8", "replace"))
        if found:
            return _sentence(found[2])
    above: list[str] = []
    number = node.start_point[0] - 1
    while number >= 0 and len(above) < 40 and _COMMENT.match(lines[number]):
        above.insert(0, lines[number])
        number -= 1
    prose = [line for line in above if not _NO_PROSE.match(line)]
    return _sentence("\n".join(_COMMENT_SIGNS.sub("", line) for line in prose))


def _sentence(text: str) -> str:
    """Return the first sentence of a comment in plain words; nothing if it says too little, or is not prose."""
    paragraph = re.split(r"\n\s*\n|\n\s*[@:-]", re.sub(r"<[^>]+>|\{@\w+ ([^}]*)\}", r" \1", text.strip()))[0]
    flat = " ".join(paragraph.split())
    sentence = re.split(r"(?<=[a-z)`'\"])[.:](?:\s|$)", flat)[0].strip(" .*/")
    words = re.findall(r"[A-Za-z]{2,}", sentence)
    boilerplate = re.search(r"copyright|licen[cs]e|todo|fixme|inheritdoc|generated", sentence, re.IGNORECASE)
    return sentence if 5 <= len(words) <= 40 and not boilerplate else ""


def _call_or_raise(path: str, node: Node, kind: str, source: Source) -> None:
    called = node.child_by_field_name("function") or node.child_by_field_name("method")
    called = called or node.child_by_field_name("name") or node.child_by_field_name("macro") or node.child(0)
    text = called.text.decode("utf-8", "replace")[-80:] if called is not None and called.text else ""
    if kind == "call":
        name = re.search(r"(\w+)!?$", text)
        if name:
            source.calls.setdefault(name[1], []).append((path, node.start_point[0] + 1))
        if not _RAISING_CALL.search(text):
            return
    message = _message(node)
    start, end = node.start_point[0] + 1, node.end_point[0] + 1
    if message and end - start < 12:
        source.raised.append(Raised(path, start, end, message))


def _message(node: Node) -> str:
    """Return the longest string literal below a node."""
    text = node.text.decode("utf-8", "replace") if node.text else ""
    quoted = _STRING.findall(text)
    return max(("".join(parts) for parts in quoted), key=len, default="")
