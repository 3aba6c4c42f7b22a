"""What makes importing a module quick: named tuples, and regular expressions that are compiled at their first use.

``typing.NamedTuple`` compiles every annotation that is a string, as all of ours are, into an object that is never used,
and a cold search imports some fifty such classes. For type checkers this is ``typing.NamedTuple``. The classes differ
only in one more base class, because members other than fields are in a subclass of the bare tuple's class.
So classes of these take half the time to create.
"""

from __future__ import annotations

import re
from collections import namedtuple
from functools import cached_property
from typing import TYPE_CHECKING, Any, AnyStr, cast

__all__ = ["NamedTuple", "lazy_regex"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class _NamedTupleMeta(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            fields = body["__annotations__"]
            defaults = [body.pop(field) for field in fields if field in body]
            shape = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            return type(name, (shape,), {"__slots__": (), **body})

    NamedTuple = type.__new__(_NamedTupleMeta, "NamedTuple", (), {})


def lazy_regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what ``re.compile`` returns, compiled at its first use.

    Answers read questions by hundreds of patterns, of which one question needs a few; to compile all of them took a
    quarter of a cold ``quaestor ask``. Functions of ``re`` do not accept it in place of a pattern.
    """
    return cast("re.Pattern[AnyStr]", _LazyRegex(pattern, flags))


class _LazyRegex:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[Any]:
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._compiled, name)
        setattr(self, name, method)  # so that Python finds it by itself from now on
        return method
