"""A model's calls of subroutines, one line each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from quaestor.chat.events import Returned
from quaestor.cli.output import echo, one_line
from quaestor.core.wording import amount
from quaestor.sessions.plan import Plan
from quaestor.sessions.records import CallRecord

_LONGEST = 80


def call_line(call: Mapping[str, object], returned: Returned) -> str:
    """Return what was called and what came of it: ``→ search "login" (5 passages)``.

    Args:
        call: its ``name`` and ``arguments``.
        returned: how it ended.
    """
    arguments = call["arguments"]
    values = list(arguments.values()) if isinstance(arguments, Mapping) else []
    told = " ".join(json.dumps(value, ensure_ascii=False) for value in values)
    told = told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"
    return one_line(f"→ {call['name']} {told} ({_outcome(returned)})")


def _outcome(returned: Returned) -> str:
    if returned.failed:
        return "failed: " + returned.text.partition("\n")[0][:_LONGEST]
    number = len(returned.passages)
    return f"{number} passage{'' if number == 1 else 's'}" if number else "done"


def print_why(plan: Plan | None, calls: Sequence[CallRecord]) -> None:
    """Print what a model premeditated and called in a turn."""
    if plan is None:
        echo("  the model said nothing beforehand")
    else:
        wanted = ", ".join(plan.subroutines) or "nothing"
        rows = [("asked", plan.asked), ("depends on", plan.depends), ("would call", wanted)]
        rows += [("would edit", "yes")] * plan.edit + [("problem", plan.problem)] * bool(plan.problem)
        for name, text in rows:
            echo(f"  {name.ljust(10)}  {one_line(text)}")
    for call in calls:
        end = "failed" if call.failed else amount(len(call.numbers), "passage") if call.numbers else "done"
        echo(f"  called      {one_line(f'{call.name} {call.arguments}')} ({end})")
