"""Makes text from files, models and people safe to display: it cannot affect the text around it.

Templates escape markup; this module replaces control and direction characters.
"""

from __future__ import annotations

import re
from datetime import datetime

# Control characters, unusual line ends, characters that change the writing direction, and lone surrogates;
# static/text.js has the same list.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb]"
)
_TOKENS = re.compile(r"\b(\d[\d,]*) tokens\b")
_MUST_BE_KEPT = "what must be kept takes "
_TOO_LONG = "The question is too long for the model. Shorten it, or choose a model with a larger window."
_BLANKS = re.compile(r"[\t\n]+")


def plain(text: object) -> str:
    """Return text with invisible control characters replaced by ``\\ufffd``."""
    return _CONTROL.sub("\ufffd", str(text).replace("\r\n", "\n"))


def plain_line(text: object) -> str:
    """Return text as ``plain`` does, joined to one line."""
    return _BLANKS.sub(" ", plain(text)).strip()


def written_size(size: int) -> str:
    """Return a number of bytes as people write it: ``1.4 MB``."""
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1000:.3g} kB" if size < 999_500 else f"{size / 1_000_000:.3g} MB"


def written_words(tokens: int) -> str:
    """Return a number of tokens as an estimate in words, two words for three tokens: ``about 970 words``.

    Most people do not know what tokens are, and the estimate allows no more than two digits.
    """
    words = round(tokens * 2 / 3)
    step = 10 ** max(0, len(str(words)) - 2)
    return f"about {round(words / step) * step:,} words"


def in_words(error: str) -> str:
    """Return an error or a reason with words instead of tokens; without numbers if the question alone is too long."""
    if error.startswith(_MUST_BE_KEPT):
        return _TOO_LONG
    return _TOKENS.sub(lambda match: written_words(int(match[1].replace(",", ""))), error)


def written_time(at: str) -> str:
    """Return a recorded time as people write it, in UTC; the browser converts it to the local time zone."""
    try:
        return f"{datetime.fromisoformat(at):%-d %B %Y, %H:%M} UTC"
    except ValueError:
        return at
