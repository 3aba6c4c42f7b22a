"""Shared by the tests of the loop: three protocols of calls, and one script for all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from quaestor import Index
from quaestor.chat.chat_settings import ConversationSettings
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Event
from quaestor.llm import tags
from quaestor.llm.models.capabilities import Capabilities
from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
from quaestor.llm.prompts.numbered_passages import number, show
from quaestor.tools import Arguments, Outcome, Parameter, Registry, Room, Tool
from servers.script import Call, Recorded, Reply, in_pieces
from servers.scripted import ScriptedServer

Kind = TypeVar("Kind", bound=Event)


@dataclass(frozen=True)
class Way:
    """One way of calling: what the model is known to do, and how it writes a call."""

    name: str
    capabilities: Capabilities

    def call(self, name: str, arguments: Mapping[str, Any] | None = None, said: str = "", id: str = "x") -> Reply:
        """Return a reply that calls; text tags are followed by what a model would go on to invent."""
        if self.capabilities.native_tools:
            pieces = in_pieces(json.dumps(arguments or {}))
            return Reply(pieces=in_pieces(said), calls=[Call(name, pieces, id)])
        tag = tags.render(name, arguments)
        return Reply(pieces=in_pieces(f"{said}{tag}\n<|result|>invented<|/result|>\nIt is invented."))

    def __str__(self) -> str:
        return self.name


WAYS = (
    Way("tags", Capabilities()),
    Way("continued tags", Capabilities(continues_assistant=True)),
    Way("tools", Capabilities(native_tools=True)),
)
each_way = pytest.mark.parametrize("way", WAYS, ids=str)


class Runs:
    """Subroutines over an index that keep what they were called with."""

    def __init__(self, index: Index, *, text: Callable[[Arguments], str] | None = None) -> None:
        self.index = index
        self.called: list[tuple[str, Mapping[str, object]]] = []
        self.budgets: list[int] = []
        self._text = text
        query = (Parameter("query", "string", required=True, description="what to look for"),)
        path = (Parameter("path", "string", required=True, description="whose"),)
        self.registry = Registry(
            [
                Tool("search", "Search the corpus.", query, self._search),
                Tool("read", "Read a file.", path, self._read),
                Tool("edit", "Propose a change.", path, self._edit),
            ]
        )

    def _search(self, arguments: Arguments, room: Room) -> Outcome:
        self._keep("search", arguments, room)
        if self._text is not None:
            return Outcome(self._text(arguments))
        passages = tuple(room.numbered(number(self.index.search(str(arguments["query"]), 2))))
        return Outcome("\n".join(map(show, passages)), passages)

    def _read(self, arguments: Arguments, room: Room) -> Outcome:
        self._keep("read", arguments, room)
        data = self.index.read(str(arguments["path"]))
        return Outcome("" if data is None else data.decode())

    def _edit(self, arguments: Arguments, room: Room) -> Outcome:
        self._keep("edit", arguments, room)
        return Outcome("proposed", proposal=("change", arguments["path"]))

    def _keep(self, name: str, arguments: Arguments, room: Room) -> None:
        self.called.append((name, dict(arguments)))
        self.budgets.append(room.budget)


def talking(
    index: Index, server: ScriptedServer, way: Way, runs: Runs | None = None, *, limit: int = 4096, **settings: Any
) -> Conversation:
    """Return a conversation whose model calls in one way."""
    model = OpenAICompatibleModel("gpt-4o", base_url=server.base_url, capabilities=way.capabilities)
    return Conversation(
        index,
        model,
        limit=limit,
        settings=ConversationSettings(**settings),
        subroutines=(runs or Runs(index)).registry,
    )


def of_kind(events: Sequence[Event], kind: type[Kind]) -> list[Kind]:
    return [event for event in events if isinstance(event, kind)]


def sent_text(request: Recorded) -> str:
    """Return everything that a request says, calls included."""
    return "\n".join(f"{message.get('content')} {message.get('tool_calls', '')}" for message in request.messages)
