"""Path globs of a ``Where`` filter.

As in ignore files: ``*`` and ``?`` stay within one name, ``**`` spans folders, ``[...]`` is a set of
characters. A glob without ``/`` matches a name in any folder; with ``/`` it starts at the source's root. What
matches a folder matches everything below it, so ``src``, ``src/`` and ``src/**`` mean the same where ``src``
is a folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]/]*\]|[^*?\[]+|\[")
_SIMPLE = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_WILD = re.compile(r"[*?\[]")


def _set(token: str) -> str:
    inner = token[1:-1]
    negated, inner = inner.startswith("!"), inner.removeprefix("!")
    inner = re.sub(r"([\\\[\]^&|~])", r"\\\1", inner)
    # Two hyphens are a range from or to one; unescaped, Python warns that they may mean something else some day.
    inner = re.sub("^--", r"\\--", inner)
    inner = re.sub(r"(?<=[^\\])--", r"-\\-", inner)
    return f"(?!/)[{'^' if negated else ''}{inner}]"


def _piece(token: str) -> str:
    if token in _SIMPLE:
        return _SIMPLE[token]
    if len(token) > 2 and token[0] == "[":
        return _set(token)
    return re.escape(token)


def _expression(glob: str) -> str:
    anchored = "/" in glob.rstrip("/")
    body = "".join(_piece(token) for token in _TOKEN.findall(glob.removeprefix("./").strip("/")))
    return f"{'' if anchored else '(?:.*/)?'}{body}(?:/.*)?"


@lru_cache(maxsize=256)
def compile_globs(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern whose ``fullmatch`` tells whether a path matches any of ``globs``.

    A set that is not a valid set (``[z-a]``) is taken literally.
    """
    pieces = []
    for glob in globs:
        try:
            pieces.append(re.compile(_expression(glob)).pattern)
        except re.error:
            pieces.append(re.escape(glob))
    return re.compile("|".join(f"(?:{piece})" for piece in pieces), re.DOTALL)


def literal_folder(globs: Iterable[str]) -> str:
    """Return the folder, with its final ``/``, that every match of every glob lies in; empty if none."""
    folders = {_folder(glob) for glob in globs}
    return folders.pop() if len(folders) == 1 else ""


def _folder(glob: str) -> str:
    glob = glob.removeprefix("./").lstrip("/")
    wild = _WILD.search(glob)
    plain = glob[: wild.start()] if wild else glob.rstrip("/")
    return plain[: plain.rfind("/") + 1] if "/" in glob.rstrip("/") else ""
