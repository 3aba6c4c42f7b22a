"""Questions to begin with, each of which was answered with a checked quote before it is offered."""

from __future__ import annotations

import asyncio
import threading
import time

from quaestor.answers.starters import starters
from quaestor.assemble import Index
from quaestor.core.config import Settings
from quaestor.core.errors import QuaestorError
from quaestor.server.ask_once import outcome_of

_MOST = 4
_TRIED = 16
_SECONDS = 30.0


class Starters:
    """The starters of corpora, found once for each state of an index."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, tuple[str, ...]]] = {}
        self._finding = threading.Lock()

    def of(self, corpus: Index, settings: Settings) -> tuple[str, ...]:
        """Return up to four questions that quotes of the corpus answer; the first time this takes a few searches.

        Args:
            corpus: what is asked about.
            settings: as the corpus is asked.
        """
        root, generation = str(corpus.root), corpus.store.generation()
        with self._finding:
            known = self._found.get(root)
            if known is None or known[0] != generation:
                known = self._found[root] = (generation, asyncio.run(_answered(corpus, settings)))
            return known[1]


async def _answered(corpus: Index, settings: Settings) -> tuple[str, ...]:
    """Return the first questions that are answered, and no two by the same lines."""
    found: dict[tuple[str, int], str] = {}
    until = time.monotonic() + _SECONDS
    for tried, starter in enumerate(starters(corpus)):
        if len(found) == _MOST or tried == _TRIED or time.monotonic() > until:
            break
        try:
            outcome = await outcome_of(corpus, None, starter.question, settings)
        except QuaestorError:
            continue
        held = [one for one in outcome.citations if one.status == "verified"]
        if any(starter.is_answered_by(one.path, one.start_line, one.end_line) for one in held):
            found.setdefault((held[0].path, held[0].start_line), starter.question)
    return tuple(found.values())
