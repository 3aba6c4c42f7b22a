"""Tools as plain values (a tool, its parameters, the outcome of a call), and their descriptions for a model.

A description has two forms, made from the same values: for native calls, the ``tools`` of a request; for text tags, a
list of the tags that the model may write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from quaestor.core.errors import UsageError
from quaestor.core.light_imports import NamedTuple
from quaestor.llm.prompts import load
from quaestor.llm.prompts.numbered_passages import Passage

if TYPE_CHECKING:
    from quaestor.edits import Proposal


ParameterKind = Literal["string", "integer", "number", "boolean"]
Value = str | int | float | bool
Arguments = Mapping[str, Value]
"""Checked arguments by name. An optional one that was not given is there only if it has a default."""


class Parameter(NamedTuple):
    """One argument of a tool.

    Attributes:
        name: the name as the model writes it, ``start_line``.
        kind: the JSON type.
        required: whether a call without it is refused.
        description: the description for the model.
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


NumberPassages = Callable[[Sequence[Passage]], Sequence[Passage]]
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
        numbered: gives passages their numbers for citations.
    """

    budget: int
    count: Callable[[str], int]
    numbered: NumberPassages = numbered_from_one


class Outcome(NamedTuple):
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
class Tool:
    """A tool: something that a model can ask the engine to run.

    Attributes:
        name: the name as the model writes it.
        description: the description for the model.
        parameters: the parameters in the order of their description.
        run: the function. Raises ``UsageError`` with advice for the model.
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    run: Callable[[Arguments, Room], Outcome] = field(repr=False, compare=False)


_ITEM = re.compile(r"^- ([a-z_]+): (.+)$", re.MULTILINE)


def describe(name: str, parameters: Iterable[Parameter]) -> tuple[str, tuple[Parameter, ...]]:
    """Return a tool's description, and its parameters with theirs.

    Raises:
        NotFoundError: there is no such prompt.
        UsageError: the prompt does not describe exactly these parameters.
    """
    text = load(f"subroutine_{name}").template
    words: dict[str, str] = dict(_ITEM.findall(text))
    all_parameters = tuple(parameters)
    if set(words) != {parameter.name for parameter in all_parameters}:
        names = ", ".join(parameter.name for parameter in all_parameters)
        raise UsageError(f"prompt {f'subroutine_{name}'!r} describes {', '.join(words)}; describe {names}")
    text_about = " ".join(_ITEM.sub("", text).split())
    return text_about, tuple(parameter._replace(description=words[parameter.name]) for parameter in all_parameters)


def tool_schema(tool: Tool, *, short: bool = False) -> dict[str, Any]:
    """Return one entry of the ``tools`` of an OpenAI chat request; ``short`` keeps only its first clause."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": _gist(tool) if short else tool.description,
            "parameters": arguments_schema(tool.parameters, short=short),
        },
    }


def arguments_schema(parameters: Iterable[Parameter], *, short: bool = False) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments: one object, no union types; ``short`` says types alone."""
    all_parameters = tuple(parameters)
    return {
        "type": "object",
        "properties": {parameter.name: _property(parameter, short=short) for parameter in all_parameters},
        "required": [parameter.name for parameter in all_parameters if parameter.required],
        "additionalProperties": False,
    }


def tag(tool: Tool) -> str:
    """Return a tool's tag with the arguments that it must have: ``<|search query={"..."}|>``."""
    return "".join((f"<|{tool.name}", *(f" {_attribute(one)}" for one in tool.parameters if one.required), "|>"))


def tag_list(tools: Iterable[Tool], *, short: bool = False) -> str:
    """Return the description of the tools for a model that writes tags; ``short`` gives each one line."""
    if short:
        return "\n".join(f"{tag(one)} {_gist(one)}" for one in tools)
    return "\n\n".join(map(_tag_entry, tools))


def _gist(tool: Tool) -> str:
    """Return the first clause of a tool's description."""
    return re.split(r"[.:,;]\s", tool.description, maxsplit=1)[0].rstrip(".")


def _tag_entry(tool: Tool) -> str:
    optional = " ".join(_attribute(one) for one in tool.parameters if not one.required)
    words = {"tag": tag(tool), "description": tool.description}
    if not optional:
        return load("subroutine_tag").render(**words)
    return load("subroutine_tag_optional").render(**words, optional=optional)


def _property(parameter: Parameter, *, short: bool) -> dict[str, Any]:
    if short:
        return {"type": parameter.kind}
    wanted: dict[str, Any] = {"type": parameter.kind, "description": parameter.description}
    bounds = {"default": parameter.default, "minimum": parameter.minimum, "maximum": parameter.maximum}
    wanted.update({key: value for key, value in bounds.items() if value is not None})
    if parameter.choices:
        wanted["enum"] = list(parameter.choices)
    return wanted


def _attribute(parameter: Parameter) -> str:
    """Return an argument as written in a tag, with its default or its type."""
    if parameter.default is not None:
        return f"{parameter.name}={{{json.dumps(parameter.default)}}}"
    value = '"..."' if parameter.kind == "string" else "true" if parameter.kind == "boolean" else "..."
    if parameter.choices:
        value = "|".join(map(json.dumps, parameter.choices))
    return f"{parameter.name}={{{value}}}"
