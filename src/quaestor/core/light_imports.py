"""Tuples with names, made in half the time that ``typing.NamedTuple`` takes to make one.

``typing.NamedTuple`` compiles every annotation that is a string, as all of ours are, into an object that is never used,
and a cold search imports some fifty such classes. For type checkers this is ``typing.NamedTuple``, and the classes are
the same but for one more base: what a class statement says besides its fields stands in a class above the bare tuple's.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class _Making(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            fields = body["__annotations__"]
            defaults = [body.pop(field) for field in fields if field in body]
            shape = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            return type(name, (shape,), {"__slots__": (), **body})

    NamedTuple = type.__new__(_Making, "NamedTuple", (), {})
