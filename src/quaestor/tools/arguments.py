"""Checking a model's arguments against a tool's parameters.

Models write ``"5"`` for 5 and ``null`` for a missing argument; both are accepted. All errors are reported at once, so
that one more call can correct them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from quaestor.core.errors import UsageError
from quaestor.tools.tool_values import Arguments, Parameter, Value

_INTEGER = re.compile(r"\s*[+-]?\d{1,18}\s*")
_TRUTH: dict[object, bool] = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
_LONGEST_SHOWN = 60
_EXACT = 2**53


def check_arguments(name: str, parameters: Sequence[Parameter], arguments: Mapping[str, object]) -> Arguments:
    """Return the arguments converted to the parameters' types, with defaults for missing ones.

    Args:
        name: the name of the tool.
        parameters: the parameters of the tool.
        arguments: the model's arguments.

    Raises:
        UsageError: arguments are missing, unknown or of the wrong type; the message names all of them.
    """
    known = {parameter.name: parameter for parameter in parameters}
    complaints = [_unknown_argument(key, known) for key in arguments if key not in known]
    checked: dict[str, Value] = {}
    for parameter in parameters:
        value = arguments.get(parameter.name)
        if value is None:
            if parameter.required:
                complaints.append(f"{parameter.name!r} is missing")
            elif parameter.default is not None:
                checked[parameter.name] = parameter.default
            continue
        taken = _convert(parameter, value)
        wrong = _wrong_type(parameter, value) if taken is None else _out_of_bounds(parameter, taken)
        if wrong:
            complaints.append(wrong)
        elif taken is not None:
            checked[parameter.name] = taken
    if complaints:
        raise UsageError(f"{name!r} was not run: {'; '.join(complaints)}. {_list_parameters(name, parameters)}")
    return checked


def nearest(word: str, words: Sequence[str]) -> str | None:
    """Return the word in ``words`` that is most similar to ``word``; None if none is similar."""
    folded = {re.sub(r"[\W_]", "", one).lower(): one for one in words}
    key = re.sub(r"[\W_]", "", word[:_LONGEST_SHOWN]).lower()
    return next((folded[match] for match in get_close_matches(key, folded, n=1, cutoff=0.5)), None)


def brief(value: object) -> str:
    """Return a value as a model wrote it, shortened to one line."""
    shown = repr(value)
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[: _LONGEST_SHOWN - 1]}…"


def _convert(parameter: Parameter, value: object) -> Value | None:
    """Return a value converted to the parameter's type; None if it cannot be converted."""
    if parameter.kind == "string":
        return _text(value)
    if parameter.kind == "boolean":
        return value if isinstance(value, bool) else _TRUTH.get(str(value).strip().lower())
    number = _number(value)
    if number is None or parameter.kind == "number":
        return number
    return int(number) if float(number).is_integer() else None


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    return value if isinstance(value, str) else None


def _number(value: object) -> int | float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        if _INTEGER.fullmatch(value):
            value = int(value)
        else:
            try:
                value = float(value[:_LONGEST_SHOWN])
            except ValueError:
                return None
    if not isinstance(value, int | float):
        return None
    # Beyond this a float cannot tell neighbours apart, and no parameter means anything by it.
    return value if abs(value) <= _EXACT and math.isfinite(value) else None


def _unknown_argument(name: str, known: Mapping[str, Parameter]) -> str:
    like = nearest(str(name), tuple(known))
    return f"there is no argument {brief(name)}" + (f" (perhaps {like!r})" if like else "")


def _wrong_type(parameter: Parameter, value: object) -> str:
    kind = "text" if parameter.kind == "string" else parameter.kind
    article = "" if kind == "text" else "an " if kind == "integer" else "a "
    return f"{parameter.name!r} must be {article}{kind}, not {brief(value)}"


def _out_of_bounds(parameter: Parameter, value: Value) -> str:
    if isinstance(value, str):
        if not parameter.choices or value in parameter.choices:
            return ""
        like = nearest(value, parameter.choices)
        choices = ", ".join(map(repr, parameter.choices))
        return f"{parameter.name!r} is one of {choices}, not {brief(value)}" + (
            f"; did you mean {like!r}?" if like else ""
        )
    if parameter.minimum is not None and value < parameter.minimum:
        return f"{parameter.name!r} must be at least {parameter.minimum:g}, not {brief(value)}"
    if parameter.maximum is not None and value > parameter.maximum:
        return f"{parameter.name!r} must be at most {parameter.maximum:g}, not {brief(value)}"
    return ""


def _list_parameters(name: str, parameters: Sequence[Parameter]) -> str:
    if not parameters:
        return f"{name!r} takes no arguments."
    descriptions = (f"{one.name} ({one.kind}{', required' if one.required else ''})" for one in parameters)
    return f"{name!r} takes {', '.join(descriptions)}."
