"""Text as PostgreSQL can hold it: NUL and halves of surrogate pairs, which it refuses, stand escaped."""

from __future__ import annotations

import re

# A code point that stands for no character in any text; behind it come six hexadecimal digits.
_ESCAPE = "\U0010fffe"
_REFUSED = re.compile(f"[\x00\ud800-\udfff{_ESCAPE}]")
_ESCAPED = re.compile(f"{_ESCAPE}([0-9a-f]{{6}})")


def kept(text: str) -> str:
    """Return a text as the database can keep it; most texts are as they are."""
    if text.isascii() and "\x00" not in text:
        return text
    return _REFUSED.sub(lambda found: f"{_ESCAPE}{ord(found[0]):06x}", text)


def restored(text: str) -> str:
    """Return what ``kept`` was given."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if _ESCAPE in text else text


def kept_or_none(text: str | None) -> str | None:
    """Return what ``kept`` does; None for None."""
    return None if text is None else kept(text)


def restored_or_none(text: str | None) -> str | None:
    """Return what ``restored`` does; None for None."""
    return None if text is None else restored(text)
