"""Descriptions of tools for a model in two forms, made from the same definitions.

For native calls, the ``tools`` of a request; for text tags, a list of the tags that it may write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from quaestor.core.errors import UsageError
from quaestor.llm.prompts import load
from quaestor.tools.tool_values import Parameter, Subroutine

_ITEM = re.compile(r"^- ([a-z_]+): (.+)$", re.MULTILINE)


def describe(name: str, parameters: Iterable[Parameter]) -> tuple[str, tuple[Parameter, ...]]:
    """Return a subroutine's description, and its parameters with theirs.

    Raises:
        NotFoundError: there is no such prompt.
        UsageError: the prompt does not describe exactly these parameters.
    """
    text = load(f"subroutine_{name}").template
    words: dict[str, str] = dict(_ITEM.findall(text))
    listed = tuple(parameters)
    if set(words) != {parameter.name for parameter in listed}:
        names = ", ".join(parameter.name for parameter in listed)
        raise UsageError(f"prompt {f'subroutine_{name}'!r} describes {', '.join(words)}; describe {names}")
    about = " ".join(_ITEM.sub("", text).split())
    return about, tuple(replace(parameter, description=words[parameter.name]) for parameter in listed)


def tool(subroutine: Subroutine, *, short: bool = False) -> dict[str, Any]:
    """Return one entry of the ``tools`` of an OpenAI chat request; ``short`` keeps only its first clause."""
    return {
        "type": "function",
        "function": {
            "name": subroutine.name,
            "description": _gist(subroutine) if short else subroutine.description,
            "parameters": schema(subroutine.parameters, short=short),
        },
    }


def schema(parameters: Iterable[Parameter], *, short: bool = False) -> dict[str, Any]:
    """Return the JSON Schema of a subroutine's arguments: one object, no union types; ``short`` says types alone."""
    listed = tuple(parameters)
    return {
        "type": "object",
        "properties": {parameter.name: _property(parameter, short=short) for parameter in listed},
        "required": [parameter.name for parameter in listed if parameter.required],
        "additionalProperties": False,
    }


def tag(subroutine: Subroutine) -> str:
    """Return a subroutine's tag with the arguments that it must have: ``<|search query={"..."}|>``."""
    return "".join(
        (f"<|{subroutine.name}", *(f" {_attribute(one)}" for one in subroutine.parameters if one.required), "|>")
    )


def tag_list(subroutines: Iterable[Subroutine], *, short: bool = False) -> str:
    """Return the description of the tools for a model that writes tags; ``short`` gives each one line."""
    if short:
        return "\n".join(f"{tag(subroutine)} {_gist(subroutine)}" for subroutine in subroutines)
    return "\n\n".join(map(_tag_entry, subroutines))


def _gist(subroutine: Subroutine) -> str:
    """Return the first clause of a tool's description."""
    return re.split(r"[.:,;]\s", subroutine.description, maxsplit=1)[0].rstrip(".")


def _tag_entry(subroutine: Subroutine) -> str:
    optional = " ".join(_attribute(one) for one in subroutine.parameters if not one.required)
    words = {"tag": tag(subroutine), "description": subroutine.description}
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
