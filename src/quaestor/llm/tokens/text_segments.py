"""Cutting a text where no token can lie across the cut, so that a text that grows is counted only where it is new.

OpenAI's encodings first cut a text into words by a regular expression (``exact.py``), and merge bytes within these. By
it a run of blanks that holds line ends is cut behind the last of them, if not sooner, and a word never looks back: the
counts of what stands before and behind such a place add up to the count of both. One exception: o200k_base takes the
slashes behind a sign and its line ends as one word with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_BOUNDARY = re.compile(r"\n(?![/\r\n])(?=[^\S\r\n]*\S)")
# Shorter ones cost more to look up than to count.
_LEAST = 200


def segments(text: str) -> Iterator[str]:
    """Yield a text in pieces whose counts by OpenAI's encodings add up; what is put behind it changes the last only."""
    start = 0
    while found := _BOUNDARY.search(text, start + _LEAST):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]
