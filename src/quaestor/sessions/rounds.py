"""What one request of a turn brought, as plain values: text, premeditation, and calls with what came of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quaestor.llm import tags

if TYPE_CHECKING:
    from quaestor.tools import Outcome

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
        problems.append("'subroutines' is not a list of names")
    problems += [f"there is no subroutine {one!r}" for one in listed if one not in names]
    return Plan(asked, depends, listed, edit is True, "; ".join(problems))


def _text(attributes: Mapping[str, object], key: str, problems: list[str]) -> str:
    value = attributes.get(key) or ""
    if isinstance(value, str):
        return value
    problems.append(f"{key!r} is not text")
    return ""


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
