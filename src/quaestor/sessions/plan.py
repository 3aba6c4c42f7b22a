"""Premeditation: the hidden tag in which a model says what it is about to do, read and checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from quaestor.llm import tags

OPENING = tags.render(tags.Tag.PLAN, {"asked": ""}).removesuffix(f'"}}{tags.CLOSING}')
"""With this a reply is begun for the model, where the server goes on with what it is given."""

_KNOWN = frozenset({"asked", "depends", "subroutines", "edit"})


@dataclass(frozen=True, slots=True)
class Plan:
    """What a model says before it answers.

    Attributes:
        asked: what is asked, in its words.
        depends: what the answer depends on.
        subroutines: what it means to call.
        edit: whether files are to be changed.
        problem: what is wrong with the tag; empty if nothing is.
    """

    asked: str = ""
    depends: str = ""
    subroutines: tuple[str, ...] = ()
    edit: bool = False
    problem: str = ""


def read_plan(attributes: Mapping[str, object], names: Collection[str]) -> Plan:
    """Return the plan of a tag, and say of what is missing, unknown or of another type.

    Args:
        attributes: of the tag.
        names: of the subroutines that there are.
    """
    problems = [f"unknown {key!r}" for key in attributes if key not in _KNOWN]
    asked, depends = _text(attributes, "asked", problems), _text(attributes, "depends", problems)
    if not asked.strip():
        problems.append("'asked' is missing")
    edit = attributes.get("edit", False)
    if not isinstance(edit, bool):
        problems.append("'edit' is neither true nor false")
    wanted = attributes.get("subroutines") or []
    listed = tuple(one for one in wanted if isinstance(one, str)) if isinstance(wanted, list) else ()
    if not isinstance(wanted, list) or len(listed) < len(wanted):
        problems.append("'subroutines' is no list of names")
    problems += [f"there is no subroutine {one!r}" for one in listed if one not in names]
    return Plan(asked, depends, listed, edit is True, "; ".join(problems))


def _text(attributes: Mapping[str, object], key: str, problems: list[str]) -> str:
    value = attributes.get(key) or ""
    if isinstance(value, str):
        return value
    problems.append(f"{key!r} is no text")
    return ""
