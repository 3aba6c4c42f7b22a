"""The words that describe a subroutine to a model: one prompt each, ``subroutine_NAME.md``.

First what it does, then a list with one line for each parameter: ``- path: a document's path``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from quaestor.core.errors import UsageError
from quaestor.llm.prompts import load
from quaestor.tools.tool_values import Parameter

_ITEM = re.compile(r"^- ([a-z_]+): (.+)$", re.MULTILINE)


def described(name: str, parameters: Iterable[Parameter]) -> tuple[str, tuple[Parameter, ...]]:
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
