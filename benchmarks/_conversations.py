"""Reads the benchmark's conversations: the messages before each question, and the places that answer it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _metrics import Target

from quaestor.core.messages import Message

KINDS = ("first", "followup", "switch", "followup_after_switch")


@dataclass(frozen=True, slots=True)
class Turn:
    """One question in its conversation.

    Attributes:
        conversation: the conversation's id.
        kind: one of ``KINDS``.
        messages: everything said so far, the question last.
        targets: files with lines that answer it.
    """

    conversation: str
    kind: str
    messages: tuple[Message, ...]
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository that conversations are about.

    Attributes:
        name: ``owner/name``.
        commit: the commit that was annotated.
        root: the folder to index, relative to the checkout; empty for all of it.
    """

    name: str
    commit: str
    root: str

    def folder(self, repositories: Path) -> Path:
        """The checkout of this repository: ``owner__name`` or ``name``."""
        whole = repositories / self.name.replace("/", "__")
        return whole if whole.is_dir() else repositories / self.name.rpartition("/")[2]


def load(path: Path) -> dict[Repository, list[Turn]]:
    """Read a file of conversations, their turns by repository."""
    turns: dict[Repository, list[Turn]] = {}
    for raw in json.loads(path.read_text(encoding="utf-8")):
        repository = Repository(raw["repo"], raw["commit"], raw.get("root") or "")
        turns.setdefault(repository, []).extend(_turns(raw))
    return turns


def _turns(raw: dict[str, Any]) -> Iterator[Turn]:
    messages: list[Message] = []
    for turn in raw["turns"]:
        messages.append(Message("user", turn["user"]))
        targets = tuple(Target(one["path"], one.get("start_line"), one.get("end_line")) for one in turn["targets"])
        yield Turn(raw["id"], turn["kind"], tuple(messages), targets)
        messages.append(Message("assistant", turn["assistant"]))
