"""Reads conversations with questions in LoCoMo's format (snap-research; CC BY-NC 4.0, for evaluation only)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quaestor.core.messages import Message

ADVERSARIAL = 5
_ID = re.compile(r"D\d+:\d+")


@dataclass(frozen=True, slots=True)
class Question:
    """One question; ``evidence`` are places of messages in its conversation."""

    text: str
    category: int
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in order over all sessions, and what is asked about them."""

    name: str
    messages: tuple[Message, ...]
    questions: tuple[Question, ...]


def load(data: Path) -> list[Conversation]:
    """Return the conversations of a JSON file, or of every JSON file in a folder."""
    files = sorted(data.glob("*.json")) if data.is_dir() else [data]
    return [_conversation(raw) for file in files for raw in json.loads(file.read_text(encoding="utf-8"))]


def _conversation(raw: dict[str, Any]) -> Conversation:
    first = raw["conversation"]["speaker_a"]
    said = list(_said(raw["conversation"]))
    places = {one["dia_id"]: place for place, one in enumerate(said)}
    messages = tuple(
        Message("user" if one["speaker"] == first else "assistant", one["text"], name=one["speaker"]) for one in said
    )
    return Conversation(raw["sample_id"], messages, tuple(_questions(raw["qa"], places)))


def _said(conversation: dict[str, Any]) -> Iterator[dict[str, str]]:
    numbers = sorted(int(key.split("_")[1]) for key in conversation if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        yield from conversation[f"session_{number}"]


def _questions(entries: list[dict[str, Any]], places: dict[str, int]) -> Iterator[Question]:
    """Yield what can be judged: adversarial questions and those without evidence are left out.

    Some evidence is written as several ids in one string, some names messages that do not exist; the latter is ignored.
    """
    for entry in entries:
        ids = {found for text in entry["evidence"] for found in _ID.findall(text)}
        evidence = tuple(sorted(places[one] for one in ids if one in places))
        if evidence and entry["category"] != ADVERSARIAL:
            yield Question(entry["question"], entry["category"], evidence)
