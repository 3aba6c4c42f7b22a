"""Turns of sessions that are under way: each session has one at a time, whichever of the server's processes runs it.

A turn goes on when nobody reads its events any more. Any process can follow it from its first event, and stop it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, contextmanager

from quaestor.core.errors import ConflictError
from quaestor.server.http.detached_turn import DetachedTurn
from quaestor.server.http.turn_log import TurnLog
from quaestor.server.process_claims import Claims
from quaestor.state.rows import Shared

_KIND = "turn"
_BEGIN_SECONDS = 10.0
# How often processes look for what others tell, and tell it.
_LOOK_SECONDS = 0.1
# Followers elsewhere have read a turn's last events by then.
_KEPT_SECONDS = 5.0


class Turns:
    """The turns that are under way, by user and session.

    Args:
        claims: of the server; None: of this process alone.
        shared: where other processes of the server read of this one's turns; None: there are none.
    """

    def __init__(self, claims: Claims | None = None, shared: Shared | None = None) -> None:
        self._claims = claims or Claims()
        self._log = None if shared is None else TurnLog(shared)
        self._here: dict[str, tuple[DetachedTurn, asyncio.Task[None]]] = {}

    def running(self, user: str, session: str) -> bool:
        """Return whether a turn of a user's session is under way."""
        return self._claims.taken(_KIND, user, session)

    @contextmanager
    def claimed(self, user: str, session: str) -> Iterator[None]:
        """Let no other turn begin inside.

        Raises:
            ConflictError: one is under way.
        """
        with self._claims.attempt(_KIND, user, session) as mine:
            if not mine:
                raise ConflictError(
                    "An answer of this conversation is being written. Wait for its end, or stop it, and try again."
                )
            yield

    async def begin(
        self, user: str, session: str, events: AsyncGenerator[bytes], tasks: set[asyncio.Task[None]]
    ) -> AsyncGenerator[bytes]:
        """Begin a turn that goes on by itself, and return its events.

        Args:
            user: whose session it is.
            session: the session.
            events: of the turn, as they are sent.
            tasks: what the server waits for when it stops.

        Raises:
            ConflictError: another turn of the session is under way.
            Exception: the turn fails before its first event.
        """
        key, claim, turn = secrets.token_hex(8), ExitStack(), DetachedTurn(events)
        claim.enter_context(self.claimed(user, session))
        self._claims.say(key, _KIND, user, session)
        task = asyncio.create_task(self._until_stopped(key, turn))
        self._here[key] = (turn, task)
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        task.add_done_callback(lambda _: self._end(key, turn, claim))
        await turn.begun(_BEGIN_SECONDS)
        return turn.follow()

    def follow(self, user: str, session: str) -> AsyncGenerator[bytes] | None:
        """Return the events of the turn that is under way, from the first; None if none is."""
        key = self._claims.said(_KIND, user, session)
        if key in self._here:
            return self._here[key][0].follow()
        return self._followed(self._log, key, user, session) if key and self._log is not None else None

    def stop(self, user: str, session: str) -> None:
        """Stop the turn that is under way, if one is; what there is of it stays on record."""
        key = self._claims.said(_KIND, user, session)
        if key in self._here:
            self._here[key][1].cancel()
        elif key and self._log is not None:
            self._log.stop(key)

    async def _until_stopped(self, key: str, turn: DetachedTurn) -> None:
        """Let a turn go on to its end, or until another process asks for it to be stopped; tell them how it goes on."""
        if self._log is None:
            return await turn.run()
        running, told = asyncio.ensure_future(turn.run()), 0
        try:
            while not running.done():
                await asyncio.wait((running,), timeout=_LOOK_SECONDS)
                told = self._tell(self._log, key, turn, told)
                if self._log.is_to_stop(key):
                    running.cancel()
        finally:
            running.cancel()
            await asyncio.wait((running,))
            self._tell(self._log, key, turn, told)
        return None

    def _tell(self, log: TurnLog, key: str, turn: DetachedTurn, told: int) -> int:
        """Let other processes read what has come since; return the number of events that they can read by now."""
        if fresh := turn.since(told):
            log.add(key, told, b"".join(fresh))
        return told + len(fresh)

    def _end(self, key: str, turn: DetachedTurn, claim: ExitStack) -> None:
        # Who reads the last event may ask the next question at once.
        claim.close()
        del self._here[key]
        turn.end()
        if self._log is not None:
            asyncio.get_running_loop().call_later(_KEPT_SECONDS, self._log.forget, key)

    async def _followed(self, log: TurnLog, key: str, user: str, session: str) -> AsyncGenerator[bytes]:
        """Yield the events of a turn that another process runs."""
        after = -1
        while True:
            goes_on = self._claims.said(_KIND, user, session) == key
            for number, piece in log.read(key, after):
                after = number
                yield piece
            if not goes_on:
                return
            await asyncio.sleep(_LOOK_SECONDS)
