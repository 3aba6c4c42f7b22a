from __future__ import annotations

from itertools import islice

import pytest

from quaestor.core.errors import IndexBusyError, LimitError, NotFoundError, QuaestorError
from quaestor.files.indexing_values import Changes, Progress
from quaestor.indexing.indexer import watch


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


def no_hindrance(error: QuaestorError) -> None:
    raise error


def test_only_changes_are_told_after_the_first_look() -> None:
    clock = Clock()
    results = iter([Changes(), Changes(), Changes(added=("a",)), Changes(touched=("a",)), Changes(removed=("a",))])
    seen = watch(lambda _: next(results), 1.0, report_failure=no_hindrance, clock=clock, sleep=clock.sleep)
    assert [change.any for change in islice(seen, 3)] == [False, True, True]
    assert clock.pauses == [1.0] * 4


def test_a_slow_look_is_taken_less_often() -> None:
    clock = Clock()

    def refresh(_: Progress | None) -> Changes:
        clock.now += 2.0
        return Changes()

    with pytest.raises(KeyboardInterrupt):
        list(watch(refresh, 1.0, report_failure=no_hindrance, clock=clock, sleep=clock.sleep))
    assert clock.pauses[0] == pytest.approx(20.0)


def test_long_work_is_no_slow_look() -> None:
    clock = Clock()

    def refresh(_: Progress | None) -> Changes:
        clock.now += 60.0
        return Changes(added=("a",))

    list(islice(watch(refresh, 1.0, report_failure=no_hindrance, clock=clock, sleep=clock.sleep), 2))
    assert clock.pauses == [1.0]


def test_what_hinders_a_look_is_told_and_the_next_one_is_taken() -> None:
    clock, told = Clock(), []
    results: list[Changes | Exception] = [Changes(), IndexBusyError("busy"), LimitError("full"), Changes(added=("a",))]

    def refresh(_: Progress | None) -> Changes:
        found = results.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    seen = watch(refresh, 1.0, report_failure=lambda error: told.append(str(error)), clock=clock, sleep=clock.sleep)
    assert [change.any for change in islice(seen, 2)] == [False, True]
    assert told == ["busy", "full"]
    assert clock.pauses == [1.0] * 3


def test_a_root_that_is_gone_ends_it() -> None:
    def refresh(_: Progress | None) -> Changes:
        raise NotFoundError("gone")

    with pytest.raises(NotFoundError):
        next(watch(refresh, report_failure=no_hindrance))
