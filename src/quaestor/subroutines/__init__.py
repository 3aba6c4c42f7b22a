"""The model's calls to us: what it can ask the engine to run, told over text tags or native tool calls alike."""

from __future__ import annotations

from quaestor.subroutines.registry import Registry
from quaestor.subroutines.standard import registry_of
from quaestor.subroutines.values import Arguments, Outcome, Parameter, Room, Subroutine

__all__ = ["Arguments", "Outcome", "Parameter", "Registry", "Room", "Subroutine", "registry_of"]
