"""What a subroutine is, what it is given and what comes of it: plain values, and nothing of how they are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from quaestor.llm.prompts.numbered_passages import Passage

if TYPE_CHECKING:
    from quaestor.edits import Proposal

ParameterKind = Literal["string", "integer", "number", "boolean"]
Value = str | int | float | bool
Arguments = Mapping[str, Value]
"""Checked arguments by name. An optional one that was not given is there only if it has a default."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument that a subroutine takes.

    Attributes:
        name: as the model writes it, ``start_line``.
        kind: the JSON type.
        required: whether a call without it is refused.
        description: what it is, in words for a model.
        default: what stands in for it when it is not given; None for nothing.
        minimum: the least number that is allowed.
        maximum: the greatest number that is allowed.
        choices: the only texts that are allowed; empty for any.
    """

    name: str
    kind: ParameterKind
    required: bool = False
    description: str = ""
    default: Value | None = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()


Numbered = Callable[[Sequence[Passage]], Sequence[Passage]]
"""Gives passages the numbers by which they are cited, in their order."""


def numbered_from_one(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return passages under the numbers 1, 2, 3."""
    return tuple(replace(passage, n=n) for n, passage in enumerate(passages, 1))


@dataclass(frozen=True, slots=True)
class Room:
    """What a result may take.

    Attributes:
        budget: tokens for the result's text.
        count: tokens of a text.
        numbered: gives passages the numbers by which they are cited.
    """

    budget: int
    count: Callable[[str], int]
    numbered: Numbered = numbered_from_one


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call.

    Attributes:
        text: the result in words for the model, never longer than its budget.
        passages: what the text shows of documents, numbered as it is there, so that it can be cited and checked.
        proposal: a change that was proposed and that nobody has accepted yet.
        failed: whether the text says why nothing came of the call.
        difference: what the proposal would change, whole, as a unified diff; for people.
    """

    text: str
    passages: tuple[Passage, ...] = ()
    proposal: Proposal | None = None
    failed: bool = False
    difference: str = ""


@dataclass(frozen=True, slots=True)
class Subroutine:
    """Something that a model can ask the engine to run.

    Attributes:
        name: as the model writes it.
        description: what it does, in words for a model.
        parameters: what it takes, in the order in which they are shown.
        run: does it. Raises ``UsageError`` with words that a model can act on.
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    run: Callable[[Arguments, Room], Outcome] = field(repr=False, compare=False)
