from __future__ import annotations

from itertools import islice

import pytest

from quaestor.ingest.report import Changes, Progress
from quaestor.ingest.watch import watch


class Clock:
    """Time that passes only where it is told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds
        if len(self.pauses) > 20:
            raise KeyboardInterrupt


def test_only_changes_are_told_after_the_first_look() -> None:
    clock = Clock()
    results = iter([Changes(), Changes(), Changes(added=("a",)), Changes(touched=("a",)), Changes(removed=("a",))])
    seen = watch(lambda _: next(results), 1.0, clock=clock, sleep=clock.sleep)
    assert [change.any for change in islice(seen, 3)] == [False, True, True]
    assert clock.pauses == [1.0] * 4


def test_a_slow_look_is_taken_less_often() -> None:
    clock = Clock()

    def refresh(_: Progress | None) -> Changes:
        clock.now += 2.0
        return Changes()

    with pytest.raises(KeyboardInterrupt):
        list(watch(refresh, 1.0, clock=clock, sleep=clock.sleep))
    assert clock.pauses[0] == pytest.approx(20.0)


def test_long_work_is_no_slow_look() -> None:
    clock = Clock()

    def refresh(_: Progress | None) -> Changes:
        clock.now += 60.0
        return Changes(added=("a",))

    list(islice(watch(refresh, 1.0, clock=clock, sleep=clock.sleep), 2))
    assert clock.pauses == [1.0]
