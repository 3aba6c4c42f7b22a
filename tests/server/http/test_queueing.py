"""Turns are prepared a few at a time, in the order in which they arrive."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from quaestor.chat.events import Event, Passages, Searching, Text
from quaestor.server.http.running_turns import hold_place


class Turns:
    """Turns that write down how far they are, and wait for a model until they are told."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.answer = asyncio.Event()

    async def turn(self, name: str, *, failing: bool = False) -> AsyncGenerator[Event]:
        self.log.append(f"{name} begins")
        yield Searching(name)
        await asyncio.sleep(0)
        if failing:
            raise ValueError(name)
        yield Passages((), known=True)
        self.log.append(f"{name} is ready")
        yield Text("")
        await self.answer.wait()
        yield Text(name)


async def _taken(events: AsyncGenerator[Event]) -> list[Event]:
    async with aclosing(events):
        return [event async for event in events]


def test_turns_get_ready_one_after_the_other_and_are_answered_side_by_side() -> None:
    async def go() -> None:
        turns, places = Turns(), asyncio.Semaphore(1)
        tasks = [asyncio.create_task(_taken(hold_place(places, turns.turn(name)))) for name in "abc"]
        while "c is ready" not in turns.log:
            await asyncio.sleep(0)
        assert turns.log == [f"{name} {state}" for name in "abc" for state in ("begins", "is ready")]
        assert not any(task.done() for task in tasks)
        turns.answer.set()
        assert [(await task)[-1] for task in tasks] == [Text("a"), Text("b"), Text("c")]
        assert not places.locked()

    asyncio.run(go())


def test_a_turn_that_fails_or_is_closed_gives_its_place_back() -> None:
    async def go() -> None:
        turns, places = Turns(), asyncio.Semaphore(1)
        with pytest.raises(ValueError, match="a"):
            await _taken(hold_place(places, turns.turn("a", failing=True)))
        left = hold_place(places, turns.turn("b"))
        await anext(left)
        assert places.locked()
        await left.aclose()
        assert not places.locked()

    asyncio.run(go())


def test_a_turn_that_is_cancelled_in_the_queue_never_begins() -> None:
    async def go() -> None:
        turns, places = Turns(), asyncio.Semaphore(1)
        first = hold_place(places, turns.turn("a"))
        await anext(first)
        waiting = asyncio.create_task(_taken(hold_place(places, turns.turn("b"))))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await first.aclose()
        assert turns.log == ["a begins"]
        assert not places.locked()

    asyncio.run(go())
