"""The names and paths in a question that look like code, whatever the sentence around them. Pure."""

from __future__ import annotations

import re

from quaestor.chunking.languages import knows_extension

_PART = r"[^\W\d][\w$]*"
NAME = (
    r"(?:`[^`\n]{1,200}`|(?<![\w$./\\@-])(?:[A-Za-z]:)?[/\\]?(?:[\w.@~+-]+[/\\])+[\w.@~+-]*\w"
    rf"|(?<![\w$@-])[@$#&*~]?\.?{_PART}(?:(?:::|->|\.|#|:|/)[~$@]?{_PART})*(?:\[\])?[!?*]?(?:\([^()\s]{{0,60}}\))?)"
)
"""A name or a path as people write it in a sentence: ``Client.send``, ``src/a.py``, ``get!``, ``getSlot(byte[])``."""
_NAME = re.compile(NAME)
_MARKED = re.compile(
    r"[^\W_]_+[^\W_]|^_+\w|\w_+$|[a-z\d][A-Z]|[A-Z]{2,}[a-z]|::|->|\w#\w|\w\.\w|\w:\w|\(|\w!$|[a-z]\d+[a-z]"
)
_ABBREVIATIONS = frozenset({"e.g", "i.e", "etc", "vs", "a.k.a", "node.js", "vue.js", "next.js", "github", "javascript"})
_LONGEST = 200
_MOST_LETTERS = 4000


def bare_name(text: str) -> str:
    """Return a name without a sentence's marks around it: backticks, arguments, a full stop."""
    plain = text.strip().strip("`'\"“”").rstrip("?.,;:")
    return re.sub(r"\([^()]*\)$|\[\]$", "", plain).strip()


def looks_like_code(text: str) -> bool:
    """Return whether a word is written like code and unlike prose: ``send_all``, ``SendAll``, ``a.b``, ``send()``."""
    plain = text.strip()
    if plain.startswith("`"):
        return True
    if len(plain) > _LONGEST or bare_name(plain).lower() in _ABBREVIATIONS:
        return False
    return _MARKED.search(plain.rstrip("?.,;:'’")) is not None or looks_like_a_file(plain)


def looks_like_a_file(text: str) -> bool:
    """Return whether a word is a path, or the name of a file."""
    plain = bare_name(text)
    return knows_extension(plain) or ("/" in plain.strip("/") and " " not in plain)


def names_of_code(text: str) -> tuple[str, ...]:
    """Return the names and paths of a question that are written as code, each once, in order."""
    words = (one.group() for one in _NAME.finditer(text[:_MOST_LETTERS]))
    names = (bare_name(one) for one in words if looks_like_code(one))
    return tuple(dict.fromkeys(filter(None, names)))  # of `...` nothing is left
