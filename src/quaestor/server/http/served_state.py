"""The state that every route needs, as one frozen value, ``request.app.state.served``; and models' known windows.

If a model's server reports a smaller window than the settings say, that is used for the next turns.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Request

from quaestor.accounts.rates import Guesses, RateLimiter
from quaestor.accounts.users import User, Users
from quaestor.chat.engine import Conversation
from quaestor.convert import LARGEST
from quaestor.core.config import Settings
from quaestor.llm.models import Model
from quaestor.llm.models.capabilities import KEPT_SECONDS
from quaestor.server.added_sources import AddedFolders, AddedSites
from quaestor.server.http.prometheus import Metrics
from quaestor.server.http.running_turns import AT_ONCE, Turns
from quaestor.server.open_corpora import Corpora
from quaestor.server.single_questions import Starters
from quaestor.sessions.named_sessions import Sessions

MakeModel = Callable[[User, str], Model | None]
"""Returns the model for a user and a request's id, or None."""


@dataclass(frozen=True, slots=True)
class _LearnedWindow:
    """A window in tokens, and when it was reported."""

    limit: int
    at: float


class Windows:
    """The windows that models' servers reported, by the model's name. Threads may share it.

    A window is forgotten after a while, and at once when a larger request succeeds: a server may have been wrong, or
    was restarted with another window.

    Args:
        clock: returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._learned: dict[str, _LearnedWindow] = {}
        self._lock = threading.Lock()

    def limit(self, model: Model | None, limit: int) -> int:
        """Return the window to compose for, in tokens: ``limit``, or less if the model's server reported less."""
        with self._lock:
            known = None if model is None else self._learned.get(model.name)
            if known is None or self._clock() - known.at > KEPT_SECONDS:
                return limit
            return min(limit, known.limit)

    def learn(self, conversation: Conversation, before: int) -> None:
        """Record the window that a model's server reported in a turn.

        Args:
            conversation: the conversation after the turn.
            before: its window before the turn, in tokens.
        """
        if conversation.model is None:
            return
        name = conversation.model.name
        with self._lock:
            known = self._learned.get(name)
            if known is not None and conversation.accepted > known.limit:
                del self._learned[name]
            if conversation.limit < before:
                self._learned[name] = _LearnedWindow(conversation.limit, self._clock())


async def close_nothing() -> None:
    """Do nothing: the default for ``Served.aclose``."""


@dataclass(frozen=True, slots=True)
class Served:
    """Everything that the routes share: corpora, users, models, sessions and limits.

    Attributes:
        corpora: the corpora of all users.
        settings: the server's own settings; a corpus has its own, ``corpora.settings(name)``.
        make_model: returns the model for a user and a request's id; None means that answers are made of quotes, because
            there is no model or its endpoint does not listen yet. Connections are shared: routes do not close it.
        further_models: selectable models at the same endpoint, by name.
        sessions: the recorded conversations of all users.
        users: the users who have a token.
        metrics: the metrics that routes update.
        overview: returns a user's usage and limits; see ``accounts.ledger``.
        rates: limits each user's rate of requests.
        guesses: counts unknown tokens by address.
        windows: known windows of models.
        aclose: closes the connections to models' servers.
        open_to_local: whether callers without a token are allowed while there are no users.
        hosts: names of the server that a Host header may have, in lower case; see also ``any_address``.
        any_address: whether a Host header may hold any IP address, too.
        body_limit: bytes of a request's body at most.
        upload_limit: bytes of an upload at most.
        turns: running turns.
        starters: questions to begin with, by corpus.
        elsewhere: whether users and rates are on another machine, so that looking them up blocks.
        folders: added folders.
        sites: added sites and git repositories.
        places: limits how many turns are prepared at once; see ``running_turns.hold_place``.
    """

    corpora: Corpora
    settings: Settings
    make_model: MakeModel
    sessions: Sessions
    users: Users
    metrics: Metrics
    overview: Callable[[User], dict[str, Any]]
    further_models: Mapping[str, MakeModel] = field(default_factory=dict)
    rates: RateLimiter = field(default_factory=lambda: RateLimiter(0))
    windows: Windows = field(default_factory=Windows)
    aclose: Callable[[], Awaitable[None]] = close_nothing
    guesses: Guesses = field(default_factory=Guesses)
    open_to_local: bool = True
    hosts: frozenset[str] = frozenset({"localhost", "127.0.0.1", "::1"})
    any_address: bool = False
    body_limit: int = 10_000_000
    upload_limit: int = LARGEST
    turns: Turns = field(default_factory=Turns)
    starters: Starters = field(default_factory=Starters)
    folders: AddedFolders = field(default_factory=lambda: AddedFolders(Settings()))
    sites: AddedSites = field(default_factory=lambda: AddedSites(Settings()))
    elsewhere: bool = False
    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))


# Async although they wait for nothing: FastAPI would run plain functions in a thread, with two thread switches each.
async def served(request: Request) -> Served:
    """Return the served state of a request."""
    state = request.app.state.served
    assert isinstance(state, Served)
    return state


async def request_id(request: Request) -> str:
    """Return the request's id, which is also in its response's headers and in the log."""
    return str(request.scope["state"]["request_id"])


ServedHere = Annotated[Served, Depends(served)]
RequestId = Annotated[str, Depends(request_id)]
