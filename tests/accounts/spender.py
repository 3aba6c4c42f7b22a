"""A process that spends money of a ledger: python spender.py PLACE LIMIT HOW

PLACE is the path of a file or the address of a server.

HOW is ``race`` (reserve five tokens again and again until refused, settle every other reservation at three, print how
many were let through), or ``hang`` (begin a request through a metered model, say so, and wait to be killed).
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator

from account_parts import ASK, Speaker, accounts_at, limits, metered, tokens

from quaestor.accounts import Purpose
from quaestor.accounts.ledger import Ledger
from quaestor.core.errors import BudgetError
from quaestor.llm.models import Delta, Request, TextDelta


class Hanging(Speaker):
    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        yield TextDelta("It is ")
        await asyncio.Event().wait()


def race(ledger: Ledger, limit: int) -> None:
    allowed, taken = limits(all_day_tokens=limit), 0
    while True:
        try:
            number = ledger.reserve(Purpose(), "m", tokens(5), allowed)
        except BudgetError:
            print(taken, flush=True)
            return
        taken += 1
        if taken % 2:
            ledger.settle(number, tokens(3), "done")


async def hang(ledger: Ledger, limit: int) -> None:
    model = metered(Hanging(), ledger, limit_day_tokens=limit)
    async for _ in model.stream(ASK):
        print("under way", flush=True)


if __name__ == "__main__":
    with accounts_at(sys.argv[1]) as accounts:
        if sys.argv[3] == "race":
            race(Ledger(accounts), int(sys.argv[2]))
        else:
            asyncio.run(hang(Ledger(accounts), int(sys.argv[2])))
