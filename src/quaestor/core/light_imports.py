"""Named tuples, whose classes are created in half the time that ``typing.NamedTuple`` takes.

``typing.NamedTuple`` compiles every annotation that is a string, as all of ours are, into an object that is never used,
and a cold search imports some fifty such classes. For type checkers this is ``typing.NamedTuple``. The classes differ
only in one more base class, because members other than fields are in a subclass of the bare tuple's class.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple"]

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
