"""Whether the words of a question stand in a document that does not answer it, which would then be found instead."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping

_NO_LETTERS = re.compile(r"[\W_]+")


def letters(text: str) -> str:
    """Return a text's letters and digits in lower case: its words, however they are set."""
    return _NO_LETTERS.sub("", text).lower()


class Words:
    """The words of all documents, as one text to search in.

    Args:
        texts: by path.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._paths = list(texts)
        parts = [letters(text) for text in texts.values()]
        self._all = "\0".join(parts)
        self._starts: list[int] = []
        start = 0
        for part in parts:
            self._starts.append(start)
            start += len(part) + 1

    def stand_in(self, query: str, besides: Collection[str]) -> bool:
        """Tell whether a query's words, one after the other, stand in any document besides these."""
        wanted = letters(query)
        at = self._all.find(wanted) if wanted else -1
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            if self._paths[number] not in besides:
                return True
            following = number + 1
            at = self._all.find(wanted, self._starts[following]) if following < len(self._starts) else -1
        return False
