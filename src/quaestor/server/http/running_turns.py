"""Running turns of sessions: one at a time for each session, in any of the server's processes.

A turn continues when no client reads its events. Any process can follow it from its first event, and stop it: processes
exchange events through the database (``_TurnLog``).

Only a few turns are prepared at once, first come, first served, so that a crowd is answered one after the other
(``hold_place``). Preparing a request takes processor time, and Python runs one thread at a time: if all turns were
prepared side by side, all would be ready only when the last one is.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, aclosing, contextmanager, suppress

from quaestor.chat.events import Event, Passages, Searching
from quaestor.core.errors import ConflictError
from quaestor.server.process_claims import Claims
from quaestor.state.rows import Shared

_KIND = "turn"
_BEGIN_SECONDS = 10.0
# How often processes look for what others tell, and tell it.
_LOOK_SECONDS = 0.1
# Followers elsewhere have read a turn's last events by then.
_KEPT_SECONDS = 5.0

# More than one: a search may wait for an embedder elsewhere, or for files that have changed.
AT_ONCE = 4


class Turns:
    """The turns that are under way, by user and session.

    Args:
        claims: of the server; None: of this process alone.
        shared: where other processes of the server read of this one's turns; None: there are none.
    """

    def __init__(self, claims: Claims | None = None, shared: Shared | None = None) -> None:
        self._claims = claims or Claims()
        self._log = None if shared is None else _TurnLog(shared)
        self._here: dict[str, tuple[_DetachedTurn, asyncio.Task[None]]] = {}

    def running(self, user: str, session: str) -> bool:
        """Return whether a turn of a user's session is under way."""
        return self._claims.is_claimed(_KIND, user, session)

    @contextmanager
    def claim_turn(self, user: str, session: str) -> Iterator[None]:
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
        """Begin a turn that runs in the background, and return its events.

        Args:
            user: the session's user.
            session: the session.
            events: of the turn, as they are sent.
            tasks: tasks that the server waits for when it stops.

        Raises:
            ConflictError: another turn of the session is under way.
            Exception: the turn fails before its first event.
        """
        key, claim, turn = secrets.token_hex(8), ExitStack(), _DetachedTurn(events)
        claim.enter_context(self.claim_turn(user, session))
        self._claims.publish(key, _KIND, user, session)
        task = asyncio.create_task(self._until_stopped(key, turn))
        self._here[key] = (turn, task)
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        task.add_done_callback(lambda _: self._end(key, turn, claim))
        await turn.wait_for_start(_BEGIN_SECONDS)
        return turn.follow()

    def follow(self, user: str, session: str) -> AsyncGenerator[bytes] | None:
        """Return the events of the turn that is under way, from the first; None if none is."""
        key = self._claims.published_text(_KIND, user, session)
        if key in self._here:
            return self._here[key][0].follow()
        return self._follow_elsewhere(self._log, key, user, session) if key and self._log is not None else None

    def stop(self, user: str, session: str) -> None:
        """Stop the running turn, if there is one; its answer so far is recorded."""
        key = self._claims.published_text(_KIND, user, session)
        if key in self._here:
            self._here[key][1].cancel()
        elif key and self._log is not None:
            self._log.stop(key)

    async def _until_stopped(self, key: str, turn: _DetachedTurn) -> None:
        """Run a turn to its end, or until another process asks to stop it; publish its events to other processes."""
        if self._log is None:
            return await turn.run()
        running, told = asyncio.ensure_future(turn.run()), 0
        try:
            while not running.done():
                await asyncio.wait((running,), timeout=_LOOK_SECONDS)
                told = self._publish(self._log, key, turn, told)
                if self._log.is_to_stop(key):
                    running.cancel()
        finally:
            running.cancel()
            await asyncio.wait((running,))
            self._publish(self._log, key, turn, told)
        return None

    def _publish(self, log: _TurnLog, key: str, turn: _DetachedTurn, told: int) -> int:
        """Publish new events to other processes; return the number of published events."""
        if fresh := turn.events_since(told):
            log.add(key, told, b"".join(fresh))
        return told + len(fresh)

    def _end(self, key: str, turn: _DetachedTurn, claim: ExitStack) -> None:
        # Who reads the last event may ask the next question at once.
        claim.close()
        del self._here[key]
        turn.end()
        if self._log is not None:
            asyncio.get_running_loop().call_later(_KEPT_SECONDS, self._log.forget, key)

    async def _follow_elsewhere(self, log: _TurnLog, key: str, user: str, session: str) -> AsyncGenerator[bytes]:
        """Yield the events of a turn that another process runs."""
        after = -1
        while True:
            goes_on = self._claims.published_text(_KIND, user, session) == key
            for number, piece in log.read(key, after):
                after = number
                yield piece
            if not goes_on:
                return
            await asyncio.sleep(_LOOK_SECONDS)


async def hold_place(places: asyncio.Semaphore, events: AsyncGenerator[Event]) -> AsyncGenerator[Event]:
    """Yield a turn's events; it occupies a place until its window is composed or it waits for a model.

    Args:
        places: of turns in preparation.
        events: of a turn that has not begun; closed with this generator.
    """
    await places.acquire()
    ready = False
    try:
        async with aclosing(events):
            async for event in events:
                if not ready and not isinstance(event, Searching | Passages):
                    ready = True
                    places.release()
                yield event
    finally:
        if not ready:
            places.release()


class _DetachedTurn:
    """The events of a running turn, kept so that later readers get them from the first.

    Args:
        events: of the turn, as they are sent.
    """

    def __init__(self, events: AsyncGenerator[bytes]) -> None:
        self._events = events
        self._pieces: list[bytes] = []
        self._over = False
        self._failure: Exception | None = None
        self._more = asyncio.Event()

    async def run(self) -> None:
        """Run the turn to its end; cancelling this stops the turn."""
        try:
            async with aclosing(self._events) as events:
                async for piece in events:
                    self._pieces.append(piece)
                    self._wake()
        except Exception as error:  # told to whoever began the turn
            self._failure = error

    def end(self) -> None:
        """Tell readers that there are no more events."""
        self._over = True
        self._wake()

    async def wait_for_start(self, patience: float) -> None:
        """Wait for the first event, the turn's end, or a number of seconds.

        Raises:
            Exception: the turn failed before its first event.
        """
        if not (self._pieces or self._over):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._more.wait(), patience)
        if self._failure is not None and not self._pieces:
            raise self._failure

    def events_since(self, read: int) -> list[bytes]:
        """Return the events so far, from an index."""
        return self._pieces[read:]

    async def follow(self) -> AsyncGenerator[bytes]:
        """Yield the turn's events from the first, past ones at once."""
        read = 0
        while True:
            more = self._more
            found = self.events_since(read)
            if found:
                read += len(found)
                yield b"".join(found)
            elif self._over:
                return
            else:
                await more.wait()

    def _wake(self) -> None:
        self._more.set()
        self._more = asyncio.Event()


class _TurnLog:
    """Events of turns by the turn's key, as bytes.

    Args:
        shared: the database.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def add(self, turn: str, number: int, piece: bytes) -> None:
        """Let others read some events of a turn; ``number`` grows from piece to piece."""
        with self._shared.step(turn) as rows:
            rows.execute("insert into turn_events values (?, ?, ?)", (turn, number, piece))

    def read(self, turn: str, after: int) -> list[tuple[int, bytes]]:
        """Return the pieces of a turn behind a place, with their numbers."""
        with self._shared.step(turn) as rows:
            found = rows.execute(
                "select number, piece from turn_events where turn = ? and number > ? order by number", (turn, after)
            ).fetchall()
        return [(number, bytes(piece)) for number, piece in found]

    def stop(self, turn: str) -> None:
        """Ask the process that runs a turn to stop it."""
        with self._shared.step(turn) as rows:
            rows.execute("insert into turn_stops values (?) on conflict do nothing", (turn,))

    def is_to_stop(self, turn: str) -> bool:
        """Return whether a turn was asked to stop."""
        with self._shared.step(turn) as rows:
            return rows.execute("select 1 from turn_stops where turn = ?", (turn,)).fetchone() is not None

    def forget(self, turn: str) -> None:
        """Remove a turn's events."""
        with self._shared.step(turn) as rows:
            rows.execute("delete from turn_events where turn = ?", (turn,))
            rows.execute("delete from turn_stops where turn = ?", (turn,))
