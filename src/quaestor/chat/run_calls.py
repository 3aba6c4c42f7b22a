"""Running the calls of one reply: checked, within the turn's limits, never twice the same."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from quaestor.chat.turn import Turn
from quaestor.core.errors import LimitError
from quaestor.llm import tags
from quaestor.llm.prompts import load
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.sessions.rounds import Answered, Asked
from quaestor.tools import Outcome, Registry

# One mistake a model can mend when it is told; at the second in a row it is told to answer.
_MISTAKES = 2


class Calling:
    """Runs calls.

    Args:
        registry: the subroutines; None for none.
        count: tokens of a text.
        numbered: gives passages their numbers, beside those of the turn.
        most: calls that a turn may make.
    """

    def __init__(
        self,
        registry: Registry | None,
        count: Callable[[str], int],
        numbered: Callable[[Sequence[Passage], Sequence[Passage]], Sequence[Passage]],
        most: int,
    ) -> None:
        self._registry = registry or Registry(())
        self._count = count
        self._numbered = numbered
        self._most = most

    async def run(self, turn: Turn, asked: Asked, budget: int) -> Answered:
        """Return what comes of a call; whether it was the last one that is possible is noted in the turn.

        Args:
            turn: whose call it is.
            asked: the call.
            budget: tokens for the result.

        Raises:
            LimitError: the turn's time is over.
            IndexUnusableError: the index cannot be read.
        """
        outcome = self._refusal(turn, asked) or await self._run(turn, asked, budget)
        turn.asked.append(asked)
        turn.failed_in_a_row = turn.failed_in_a_row + 1 if outcome.failed else 0
        if len(turn.asked) >= self._most or turn.failed_in_a_row >= _MISTAKES:
            turn.over = True
            outcome = replace(outcome, text=f"{outcome.text}\n\n{load('calls_over').render()}")
        known = {passage.n for passage in (*turn.passages, *turn.read)}
        turn.read += tuple(passage for passage in outcome.passages if passage.n not in known)
        return Answered(asked, outcome)

    def _refusal(self, turn: Turn, asked: Asked) -> Outcome | None:
        if asked.name == tags.Tag.RESULT:
            return Outcome(asked.problem, failed=True)
        if asked.problem:
            example = tags.render(tags.Tag.SEARCH, {"query": "login"})
            return Outcome(load("call_broken").render(reason=asked.problem, example=example), failed=True)
        if any(_key(other) == _key(asked) for other in turn.asked if not other.problem):
            return Outcome(load("call_repeated").render(), failed=True)
        return None

    async def _run(self, turn: Turn, asked: Asked, budget: int) -> Outcome:
        shown = (*turn.passages, *turn.read)
        try:
            async with asyncio.timeout_at(turn.deadline):
                return await asyncio.to_thread(
                    self._registry.call,
                    asked.name,
                    asked.arguments,
                    budget=budget,
                    count=self._count,
                    numbered=lambda passages: self._numbered(passages, shown),
                )
        except TimeoutError:
            raise LimitError(
                f"the turn took more time than it may, while {asked.name!r} ran; ask for less, or raise its limit"
            ) from None


def _key(asked: Asked) -> str:
    return f"{asked.name} {json.dumps(dict(asked.arguments), sort_keys=True, default=str)}"
