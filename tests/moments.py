"""Acting at the moment at which real code has called a function: nothing stands in that function's place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any


class _CallError(BaseException):
    """Ends what called a function, at the call; nothing that catches errors catches it."""


def first_call(function: Callable[..., object], run: Callable[[], object]) -> dict[str, Any]:
    """Run something until it calls a function of Python and return that call's arguments by name.

    The call itself does not take place.
    """
    arguments: dict[str, Any] = {}

    def notice(frame: FrameType, event: str, _what: Any) -> None:
        if event == "call" and frame.f_code is function.__code__:
            arguments.update(frame.f_locals)
            raise _CallError

    before = sys.getprofile()
    sys.setprofile(notice)
    try:
        with suppress(_CallError):
            run()
    finally:
        sys.setprofile(before)
    return arguments


@contextmanager
def calls_of(function: Callable[..., object], then: Callable[[int], object] | None = None) -> Iterator[list[int]]:
    """Yield the numbers of the calls that have ended, from 1, which grows; of this thread only.

    Args:
        function: a function or a method of a class, in Python or in C.
        then: called when a call has ended, with its number, before anything else happens in this thread.
    """
    code, ended = getattr(function, "__code__", None), list[int]()

    def notice(frame: FrameType, event: str, what: Any) -> None:
        if (event == "return" and frame.f_code is code) or (event == "c_return" and what is function):
            ended.append(len(ended) + 1)
            if then is not None:
                then(len(ended))

    before = sys.getprofile()
    sys.setprofile(notice)
    try:
        yield ended
    finally:
        sys.setprofile(before)
