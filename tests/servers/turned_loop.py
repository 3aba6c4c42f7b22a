"""An event loop whose clock the tests advance, so that nothing waits for real time."""

from __future__ import annotations

import asyncio
from typing import Any


class TurnedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock goes on by as much more as it is told."""

    turned = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def call_later(self, delay: float, *given: Any, **named: Any) -> asyncio.TimerHandle:
        """Note for how long something is waited for, too."""
        self.waits.append(delay)
        return super().call_later(delay, *given, **named)

    def time(self) -> float:
        return super().time() + self.turned

    def turn(self, seconds: float) -> None:
        self.turned += seconds
        self.call_soon_threadsafe(lambda: None)
