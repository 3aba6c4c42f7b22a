"""What one request of a turn brought, as plain values: text, and calls with what came of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quaestor.tools import Outcome


@dataclass(frozen=True, slots=True)
class Asked:
    """A call as a model made it.

    Attributes:
        id: by which its result is told from others.
        name: what is called, which may not exist.
        arguments: unchecked.
        raw: the arguments as JSON, or the whole tag.
        problem: in words for the model, why it cannot be run; empty if it can.
    """

    id: str
    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    raw: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """A call with what came of it."""

    asked: Asked
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Round:
    """One request's reply.

    Attributes:
        written: everything that the model wrote, tags and closing marks included.
        said: what of it a person sees.
        answered: its calls; empty for a reply that only stopped at a mark and goes on.
    """

    written: str
    said: str = ""
    answered: tuple[Answered, ...] = ()
