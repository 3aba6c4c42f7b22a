"""Whether a file still parses, told by its language's own parser where we have one, else by tree-sitter."""

from __future__ import annotations

import ast
import json
import tomllib
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from quaestor.chunking import recognise
from quaestor.chunking.decode import decode
from quaestor.chunking.file_kind import why_not_parse
from quaestor.chunking.grammars import LARGEST_PARSED, parse
from quaestor.chunking.syntax import SYNTAXES
from quaestor.core.toml_text import read_toml

if TYPE_CHECKING:
    from tree_sitter import Node


def broken_line(data: bytes, path: str) -> int | None:
    """Return the line, from 1, at which a file does not parse; None if it does or nobody can tell."""
    language = recognise(data, path)
    if len(data) > LARGEST_PARSED:
        return None
    strict = _STRICT.get(language)
    if strict is not None:
        return strict(data)
    if language not in SYNTAXES or why_not_parse(data, path):
        return None
    decoded = decode(data)
    tree = parse(decoded.data, SYNTAXES[language].grammar, decoded.encoding)
    if tree is None or not tree.root_node.has_error:
        return None
    return _first_error(tree.root_node)


def newly_broken(before: bytes | None, after: bytes, path: str) -> int | None:
    """Return the line at which a file no longer parses that did before; None where it never parsed.

    A grammar that finds fault with the file as it was says nothing about the change.
    """
    line = broken_line(after, path)
    if line is None or before is None:
        return line
    return None if broken_line(before, path) is not None else line


def _first_error(node: Node) -> int:
    while True:
        worse = next((child for child in node.children if child.has_error or child.is_missing), None)
        if worse is None or node.is_error:
            return node.start_point[0] + 1
        node = worse


def _python(data: bytes) -> int | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(data)
        except SyntaxError as error:
            return error.lineno or 1
        except (ValueError, RecursionError, MemoryError):
            return None
    return None


def _json(data: bytes) -> int | None:
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        return error.lineno
    except (ValueError, RecursionError):
        return None
    return None


def _toml(data: bytes) -> int | None:
    try:
        read_toml(data.decode("utf-8", errors="replace"))
    except tomllib.TOMLDecodeError:
        return 1
    except ValueError:
        return None
    return None


_STRICT: dict[str, Callable[[bytes], int | None]] = {"python": _python, "json": _json, "toml": _toml}
