"""What a question asks for, as far as its wording tells."""

from __future__ import annotations

import re

_SEVERAL = re.compile(
    r"^\W*(?:list|name|recommend)\b|\ball (?:the )?\w+s\b|\b(?:where|what|which) (?:\w+ )?should (?:i|we|one)\b"
    r"|\b(?:which|what) (?:\w+ )?\w+s (?:are|do|can|were|have|could|should|must|will|may|exist)\b",
    re.IGNORECASE,
)


def asks_for_several(question: str) -> bool:
    """Return whether a question asks for more than one thing, each of which may stand in a place of its own."""
    return _SEVERAL.search(question) is not None
