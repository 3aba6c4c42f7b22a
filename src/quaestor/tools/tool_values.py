"""Plain values of tools: a tool, its parameters, and the outcome of a call."""

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
    """One argument of a tool.

    Attributes:
        name: as the model writes it, ``start_line``.
        kind: the JSON type.
        required: whether a call without it is refused.
        description: for the model.
        default: its value if it is missing.
        minimum: the least allowed number.
        maximum: the greatest allowed number.
        choices: the allowed texts; empty for any.
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
    """The limits of a result.

    Attributes:
        budget: tokens for the result's text.
        count: tokens of a text.
        numbered: numbers passages for citations.
    """

    budget: int
    count: Callable[[str], int]
    numbered: Numbered = numbered_from_one


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call.

    Attributes:
        text: the result for the model, within its budget.
        passages: the passages in the text, with their numbers, so that they can be cited and checked.
        proposal: a proposed change that is not applied.
        failed: whether the call failed; the text says why.
        difference: the proposal as a complete unified diff, for people.
    """

    text: str
    passages: tuple[Passage, ...] = ()
    proposal: Proposal | None = None
    failed: bool = False
    difference: str = ""


@dataclass(frozen=True, slots=True)
class Subroutine:
    """A tool: something that a model can ask the engine to run.

    Attributes:
        name: as the model writes it.
        description: for the model.
        parameters: in the order of their description.
        run: the function. Raises ``UsageError`` with advice for the model.
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    run: Callable[[Arguments, Room], Outcome] = field(repr=False, compare=False)
