"""Just enough of each language's surface to find its comments and definitions, line by line.

Passages are windows of lines, so a parser would add nothing but time; what a pattern misses is only one pair fewer.
"""

from __future__ import annotations

import re
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
        if found := pattern.match(line):
            if pattern is _KEYWORD and _VALUES.match(line):
                return None
            groups = found.groupdict()
            return (groups.get("name") or groups.get("other") or "").rstrip(":.") or None
    return None


def indent_of(line: str) -> int:
    """Return the columns of white space before the first character; a tab counts four."""
    head = line[: len(line) - len(line.lstrip())]
    return len(head.expandtabs(4))
