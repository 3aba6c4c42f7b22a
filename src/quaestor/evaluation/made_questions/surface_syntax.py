"""Finds comments, docstrings and definitions line by line, by simple patterns for each language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_C_LIKE = "c cpp csharp go java javascript tsx typescript rust kotlin swift scala php dart zig objc groovy proto"
_HASH = "python ruby bash elixir php perl r julia make cmake starlark nix"
_DASH = "lua haskell sql"

LANGUAGES = frozenset(f"{_C_LIKE} {_HASH} {_DASH}".split()) - {"make", "cmake"}


@dataclass(frozen=True, slots=True)
class Comments:
    """How a language writes comments: prefixes of a line, and pairs of delimiters of a block."""

    line: tuple[str, ...]
    block: tuple[tuple[str, str], ...]


_SLASHES = Comments(("//",), (("/*", "*/"),))
_COMMENTS: dict[str, Comments] = {
    **dict.fromkeys(_C_LIKE.split(), _SLASHES),
    "elixir": Comments(("#",), tuple((f'{name} """', '"""') for name in ("@doc", "@moduledoc", "@typedoc"))),
    "haskell": Comments(("--",), (("{-", "-}"),)),
    "lua": Comments(("--",), (("--[[", "]]"),)),
    "php": Comments(("//", "#"), (("/*", "*/"),)),
    "ruby": Comments(("#",), (("=begin", "=end"),)),
    "sql": Comments(("--",), (("/*", "*/"),)),
}
_HASHES = Comments(("#",), ())


def comments_of(language: str) -> Comments:
    """Return the comment forms of ``language``."""
    return _COMMENTS.get(language, _HASHES)


_KEYWORD = re.compile(
    r"^\s*(?:(?:pub(?:\([^)]*\))?|export|default|public|private|protected|internal|static|final|abstract|async|override|open"
    r"|unsafe|const|sealed|data|inline|suspend|implicit|case|local|extern|virtual|partial|readonly|declare|mutating"
    r"|fileprivate|lazy|comptime)\s+)*"
    r"(?:def[pm]?|fn|func|fun|function\*?|class|struct|interface|trait|enum|type|module|object|protocol|defmodule"
    r"|defmacro|record|namespace|extension|actor|impl|macro_rules!|newtype|instance|val|var|let)\s+"
    r"(?:self\.|\([^)]*\)\s*|<[^>]*>\s*|[\w<>?]+\.)?(?P<name>[A-Za-z_][\w.?!:]*)"
)
_C_FUNCTION = re.compile(
    r"^(?!\s*(?:if|for|while|switch|return|else|catch|do|throw|new|case|using|await|typedef|goto|sizeof)\b)"
    r"\s*(?:[\w:*&<>,\[\]?~@]+\s+)+[*&]*(?:\w+::)*(?P<name>~?[A-Za-z_]\w*)\s*\([^;]*$"
)
_METHOD = re.compile(
    r"^\s*(?!(?:if|for|while|switch|catch|function|return|else)\b)(?:(?:async|static|get|set|public|private|protected"
    r"|readonly|override)\s+)*(?P<name>[A-Za-z_$#][\w$]*)\s*(?:=\s*(?:async\s*)?)?\([^;]*\)?[^;]*(?:\{|=>)\s*$"
)
_ARROW = re.compile(
    r"^\s*(?:export\s+)?(?:const|let|var)\s+(?P<name>\w+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\(|function|\w+\s*=>)"
)
_SHELL = re.compile(r"^\s*(?:function\s+)?(?P<name>[A-Za-z_][\w:-]*)\s*\(\)\s*\{?")
_HASKELL = re.compile(r"^(?P<name>[a-z]\w*)\s*::")
_LUA = re.compile(r"^\s*(?:local\s+)?(?:function\s+(?:\w+[.:])*(?P<name>\w+)|(?:\w+\.)*(?P<other>\w+)\s*=\s*function)")

_BY_LANGUAGE: dict[str, tuple[re.Pattern[str], ...]] = {
    **dict.fromkeys(("c", "cpp", "csharp", "java", "objc", "dart", "groovy"), (_KEYWORD, _C_FUNCTION)),
    **dict.fromkeys(("javascript", "typescript", "tsx"), (_ARROW, _KEYWORD, _METHOD)),
    "bash": (_SHELL,),
    "haskell": (_HASKELL, _KEYWORD),
    "lua": (_LUA,),
}
_VALUES = re.compile(r"^\s*(?:\w+\s+)*(?:val|var|let|const)\s")


def defined_name(line: str, language: str) -> str | None:
    """Return the name that ``line`` begins to define, or ``None``."""
    for pattern in _BY_LANGUAGE.get(language, (_KEYWORD,)):
        if match := pattern.match(line):
            if pattern is _KEYWORD and _VALUES.match(line):
                return None
            groups = match.groupdict()
            return (groups.get("name") or groups.get("other") or "").rstrip(":.") or None
    return None


def indent_of(line: str) -> int:
    """Return the columns of white space before the first character; a tab counts four."""
    head = line[: len(line) - len(line.lstrip())]
    return len(head.expandtabs(4))


@dataclass(frozen=True, slots=True)
class Block:
    """A comment's lines ``first`` to ``last`` (0-based, inclusive); ``inside`` when the definition is above it."""

    first: int
    last: int
    inside: bool = False


def comment_blocks(lines: list[str], language: str) -> Iterator[Block]:
    """Yield every comment on lines of its own."""
    forms = comments_of(language)
    number = 0
    while number < len(lines):
        line = lines[number].lstrip()
        first = number
        if delimiter := next((end for begin, end in forms.block if line.startswith(begin)), None):
            begin = next(begin for begin, end in forms.block if line.startswith(begin))
            while number < len(lines) - 1 and delimiter not in lines[number].lstrip().removeprefix(
                begin if number == first else ""
            ):
                number += 1
            yield Block(first, number)
        elif line.startswith(forms.line) and not line.startswith("#!["):
            while number < len(lines) - 1 and lines[number + 1].lstrip().startswith(forms.line):
                number += 1
            yield Block(first, number)
        number += 1


def docstrings(lines: list[str], language: str) -> Iterator[Block]:
    """Yield every docstring of a definition; only Python has them."""
    if language != "python":
        return
    number = 0
    while number < len(lines):
        match = re.match(r"\s*[rub]?(\"\"\"|''')", lines[number])
        if match:
            first, quote = number, match[1]
            if quote not in lines[number][match.end() :]:
                number += 1
                while number < len(lines) - 1 and quote not in lines[number]:
                    number += 1
            if first and lines[first - 1].rstrip().endswith(":"):
                yield Block(first, number, inside=True)
        number += 1


def definition_above(lines: list[str], number: int, language: str) -> int:
    """Return the line, at most eight above ``number``, where the definition around a docstring begins."""
    for above in range(number - 1, max(-1, number - 9), -1):
        if defined_name(lines[above], language):
            return above
    return max(0, number - 1)
