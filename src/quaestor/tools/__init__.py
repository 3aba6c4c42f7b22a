"""What a model can call: search, read, related, list, overview, history, edit.

A tool is described to the model as a text tag or as a native tool call, from one definition. The package does not know
conversations or how a call arrives. Begin with ``registry``, then ``search_tool`` as an example.

``registry_of`` is loaded when it is first used: it imports every tool, and an answer made of quotes calls none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaestor.tools.registry import Registry
from quaestor.tools.tool_values import Arguments, Outcome, Parameter, Room, Subroutine

if TYPE_CHECKING:
    from quaestor.tools.standard import registry_of as registry_of

__all__ = ["Arguments", "Outcome", "Parameter", "Registry", "Room", "Subroutine", "registry_of"]


def __getattr__(name: str) -> object:
    if name != "registry_of":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from quaestor.tools.standard import registry_of  # noqa: PLC0415 - see above

    return registry_of
