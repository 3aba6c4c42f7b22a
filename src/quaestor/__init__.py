"""Quaestor: ask your code and your documents, offline, with sources that are checked.

The public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quaestor.assemble import Index as Index
    from quaestor.assemble import Indexes as Indexes
    from quaestor.chat.engine import Conversation as Conversation
    from quaestor.core.documents import Citation as Citation
    from quaestor.core.documents import Hit as Hit
    from quaestor.core.errors import QuaestorError as QuaestorError
    from quaestor.core.messages import Message as Message
    from quaestor.llm import chatml, tags
    from quaestor.window import compose as compose

__version__ = "0.1.0"

_HOMES = {
    "Citation": "quaestor.core.documents",
    "Conversation": "quaestor.chat.engine",
    "Hit": "quaestor.core.documents",
    "Index": "quaestor.assemble",
    "Indexes": "quaestor.assemble",
    "Message": "quaestor.core.messages",
    "QuaestorError": "quaestor.core.errors",
    "compose": "quaestor.window",
}
_MODULES = ("chatml", "tags")

__all__ = [
    "Citation",
    "Conversation",
    "Hit",
    "Index",
    "Indexes",
    "Message",
    "QuaestorError",
    "__version__",
    "chatml",
    "compose",
    "tags",
]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"quaestor.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'quaestor' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
