"""How the window divides itself and what it says in its own words."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from quaestor.llm.prompts import load


@dataclass(frozen=True, slots=True)
class Wording:
    """Every sentence that the window itself shows to a model.

    Attributes:
        recalled: stands before messages recalled from earlier.
        recent: stands between those and the latest messages.
        skipped: stands where older messages were left out and none was recalled.
        summary: heading of a summary.
        trimmed: ends a text that was cut short.
    """

    recalled: str
    recent: str
    skipped: str
    summary: str
    trimmed: str


@cache
def default_wording() -> Wording:
    """Return the wording of the prompts that travel with the package."""
    names = ("recalled", "recent", "skipped", "summary", "trimmed")
    return Wording(**{name: load(f"window_{name}").render() for name in names})


@dataclass(frozen=True, slots=True)
class Reminder:
    """Instructions repeated as the window fills, because a system message's influence wanes with distance.

    Attributes:
        text: what is repeated.
        every: tokens of conversation after which it is said again.
    """

    text: str
    every: int = 2000

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"a reminder every {self.every} tokens is not possible; use 1 or more")


@dataclass(frozen=True, slots=True)
class Settings:
    """Shares of what the must-keep messages leave free. What a section does not use flows on to the next.

    Attributes:
        turn: at most this share for what happened since the question, its end excepted, which is always kept.
        examples: at most this share for few-shot examples.
        passages: at most this share for passages while there is a conversation to keep as well.
        floor: at least this share for passages, whatever else wants room but instructions, question and a begun reply.
        summary: at most this share for a summary.
        recent: at least this share for the latest messages when others are recalled.
        last: the message before the question is kept whole up to this share, and trimmed beyond it.
        marks: say to the model where messages are left out.
        reminder: instructions to repeat, or None.
        wording: what the window says in its own words.
    """

    turn: float = 0.6
    examples: float = 0.25
    passages: float = 0.5
    floor: float = 0.25
    summary: float = 0.12
    recent: float = 0.08
    last: float = 0.4
    marks: bool = True
    reminder: Reminder | None = None
    wording: Wording = field(default_factory=default_wording)

    def __post_init__(self) -> None:
        for name in ("turn", "examples", "passages", "floor", "summary", "recent", "last"):
            share = getattr(self, name)
            if not 0 <= share <= 1:
                raise ValueError(f"the share {name!r} is {share}; use a number from 0 to 1")
