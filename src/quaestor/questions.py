"""What a question asks for, as far as its wording tells."""

from __future__ import annotations

import re

_HOW_TO = re.compile(r"\bhow (?:do|can|could|should|would|must) (?:i|we|you|one)\b|\bhow to\b", re.IGNORECASE)


def asks_how_to(question: str) -> bool:
    """Return whether somebody asks how to use a thing: its documents answer that before its source does."""
    return _HOW_TO.search(question) is not None
