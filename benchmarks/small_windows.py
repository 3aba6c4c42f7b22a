"""Measures how many of the passages found fit a short window, and how many tokens the prompt takes.

    python benchmarks/small_windows.py [DIR] [--windows 1024 2048 4096 8192] [--model gpt-4o]

A conversation of six turns about a folder, by default this repository, as `quaestor chat` holds it: without
subroutines, with subroutines as text, and with native tools. Nothing is sent: the model is a script that answers each
question in 60 words. Tokens are exact for a model whose encoding is known, and an upper bound for any other.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import _machine

from quaestor import Index
from quaestor.assemble import conversation_settings, make_subroutines
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Composed, Passages
from quaestor.core.config import Settings
from quaestor.llm.models import Delta, Finished, Request, TextDelta
from quaestor.llm.models.capabilities import Capabilities
from quaestor.sessions.session_rows import passages_shown, runs
from quaestor.window import Window

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_name("results")
QUESTIONS = (
    "What happens when a server says that a prompt is too long?",
    "And how is the window learned that it really has?",
    "Where are citations checked against the file?",
    "What is a quote that is repaired?",
    "How does a search take in files that changed?",
    "And what happens if there is not time enough for that?",
)
WAYS = {"none": ("off", "text"), "text": ("auto", "text"), "native": ("auto", "native")}
REPLY = " ".join(["It is told in the passages that were found, and the parts of it work together."] * 4)


class Script:
    """A model that answers everything alike, at once."""

    def __init__(self, name: str, *, native: bool) -> None:
        self.name = name
        self.capabilities = Capabilities(native_tools=native)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        yield TextDelta(REPLY)
        yield Finished(reason="stop")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn sent."""

    window: Window
    found: int

    @property
    def sent(self) -> int:
        return len(passages_shown(runs(self.window.decisions)))

    @property
    def prompt(self) -> int:
        return sum(self.window.sections.get(name, 0) for name in ("system", "examples", "tools", "notes", "reply"))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure how many passages fit short windows.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT)
    parser.add_argument("--windows", nargs="+", type=int, default=[1024, 2048, 4096, 8192], help="tokens")
    parser.add_argument("--model", default="gpt-4o", help="whose encoding counts")
    parser.add_argument("--out", type=Path, default=RESULTS / "small_windows.json")
    options = parser.parse_args(arguments)
    rows = []
    with Index.build(options.folder) as index:
        for limit in options.windows:
            for way in WAYS:
                rows.append(row(limit, way, asyncio.run(talk(index, options.model, limit, way))))
    print(f"six turns with {options.model}; tokens of the first turn and, after the slash, the median of the others\n")
    print(
        f"{'window':>7}  {'subroutines':<12}{'told':<7}{'prompt':>12}{'passages':>13}{'sent of found':>16}"
        f"{'none sent':>11}"
    )
    for one in rows:
        print(
            f"{one['window']:>7,}  {one['way']:<12}{one['told']:<7}{pair(one['prompt']):>12}{pair(one['passages']):>13}"
            f"{pair(one['sent']) + ' of ' + str(one['found']):>16}{one['none_sent']:>9}/6"
        )
    result = {"benchmark": "small_windows", "machine": _machine.describe(), "model": options.model, "rows": rows}
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


async def talk(index: Index, name: str, limit: int, way: str) -> tuple[str, list[Turn]]:
    """Hold the talk; return which subroutines were told, and what each turn sent."""
    subroutines, _ = WAYS[way]
    model = Script(name, native=WAYS[way][1] == "native")
    settings = Settings(window=limit, subroutines=subroutines)
    registry = make_subroutines(index, model, settings, edits=True)
    conversation = Conversation(
        index, model, limit=limit, settings=conversation_settings(settings), subroutines=registry
    )
    told = "-" if registry is None else f"{len(registry.names)}{' short' if registry.short else ''}"
    return told, [await ask(conversation, question) for question in QUESTIONS]


async def ask(conversation: Conversation, question: str) -> Turn:
    found, window = 0, None
    async for event in conversation.send(question):
        if isinstance(event, Passages):
            found = len(event.hits)
        if isinstance(event, Composed):
            window = event.window
    assert window is not None
    assert window.tokens + window.reserve <= window.limit
    return Turn(window, found)


def row(limit: int, way: str, held: tuple[str, list[Turn]]) -> dict[str, object]:
    told, turns = held

    def both(values: Sequence[int]) -> list[int]:
        return [values[0], round(statistics.median(values[1:]))]

    return {
        "window": limit,
        "way": way,
        "told": told,
        "prompt": both([turn.prompt for turn in turns]),
        "passages": both([turn.window.sections.get("passages", 0) for turn in turns]),
        "sent": both([turn.sent for turn in turns]),
        "found": turns[0].found,
        "none_sent": sum(turn.sent == 0 for turn in turns),
    }


def pair(values: object) -> str:
    assert isinstance(values, list)
    return "/".join(f"{one:,}" for one in values)


if __name__ == "__main__":
    main()
