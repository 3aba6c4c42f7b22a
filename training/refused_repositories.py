"""The repositories that must never be trained on, and how a clone of one is recognised.

A model that has seen its test proves nothing. So evaluation repositories are refused by their given name and by every
git remote, regardless of case, and, unless the name is a general word, under any owner: a fork or a moved repository
has the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

_REMOTE = re.compile(r"([^/:\s]+)/([^/:\s]+?)(?:\.git)?/?$")


def refusal(names: Iterable[str]) -> str | None:
    """Return why a repository known by ``names`` (``owner/name`` or remote addresses) is refused, or ``None``."""
    exact, anywhere = _rules()
    for name in names:
        full = canonical(name)
        bare = full.rpartition("/")[2]
        if full in exact or bare in anywhere:
            return f"{name!r} belongs to an evaluation corpus ({bare}); training on it would void every figure."
    return None


def canonical(name: str) -> str:
    """Return ``owner/name`` in lower case for a name or a remote address of any form."""
    plain = re.split(r"[?#]", name.strip().strip("\"'"))[0].replace("\\", "/")
    found = _REMOTE.search(plain)
    return "/".join(found.groups()).lower() if found else plain.lower().removesuffix(".git")


@cache
def _rules() -> tuple[frozenset[str], frozenset[str]]:
    """Return the exact names and the bare names that are refused under any owner."""
    text = files("training").joinpath("refused_repositories.txt").read_text("utf-8")
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    exact = frozenset(row[0].lower() for row in rows)
    anywhere = frozenset(row[0].lower().rpartition("/")[2] for row in rows if row[1:] != ["only"])
    return exact, anywhere
