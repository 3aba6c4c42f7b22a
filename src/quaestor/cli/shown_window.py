"""Showing a window: tokens by section as bars, the decisions with their reasons, the messages themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from quaestor.chat.session_json import subject_of
from quaestor.cli.output import echo, one_line, safe, style
from quaestor.core.messages import Message
from quaestor.sessions.records import DecisionRun

_WIDTH = 40
_COLOURS = {"kept": "green", "recalled": "cyan", "trimmed": "yellow", "summarised": "magenta", "dropped": "red"}


def print_sections(sections: Mapping[str, int], *, tokens: int, limit: int, reserve: int) -> None:
    """Print a bar for each section of a window of ``limit`` tokens."""
    rows = [(name, count) for name, count in sections.items() if count]
    rows += [("reserve", reserve), ("free", limit - reserve - tokens)]
    wide = max(len(name) for name, _ in rows)
    for name, count in rows:
        bar = "█" * max(round(count / limit * _WIDTH), 1 if count else 0)
        echo(f"  {name.ljust(wide)}  {count:>7,}  {style(bar, dim=name in ('reserve', 'free'))}".rstrip())


def print_decisions(decisions: Iterable[DecisionRun], messages: Sequence[Message], passages: Sequence[str]) -> None:
    """Print what became of each message and passage, and why.

    Args:
        decisions: as they were recorded.
        messages: the conversation that they are about.
        passages: where each passage is from.
    """
    for run in decisions:
        action = style(run.action.ljust(10), fg=_COLOURS.get(run.action))
        cost = f"{run.tokens:>6,}" if run.tokens == run.full_tokens else f"{run.tokens:>6,} of {run.full_tokens:,}"
        echo(f"  {action} {cost}  {one_line(subject_of(run, messages, passages))}: {one_line(run.reason)}")


def print_messages(messages: Iterable[Message]) -> None:
    """Print messages whole, as they are sent."""
    for message in messages:
        name = f" ({one_line(message.name)})" if message.name else ""
        echo(style(f"--- {message.role}{name} ", bold=True).ljust(60, "-"))
        echo(safe(message.content))
        for call in message.tool_calls:
            echo(safe(f"{call.name}({call.arguments})"))
