"""Runs the turns of sessions, one at a time per session, in any of the server's processes.

A turn continues even if no client reads its events. Any process can follow it from its first event, and can stop it:
processes exchange events through the database (``_TurnLog``).

Only a few turns are prepared at once, first come, first served (``hold_place``). Preparing a request takes CPU time,
and Python runs one thread at a time: if many turns were prepared side by side, all of them would be ready only when the
last one is.
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
# How often processes publish events and look for those of others.
_LOOK_SECONDS = 0.1
# How long a finished turn's events are kept, for followers in other processes.
_KEPT_SECONDS = 5.0

# More than one, because a search may wait for an embedding server or for changed files to be indexed.
AT_ONCE = 4


class Turns:
    """The running turns, by user and session.

    Args:
        claims: the claims that the server's processes share; None for a single process.
        shared: the database through which processes follow each other's turns; None for a single process.
    """

    def __init__(self, claims: Claims | None = None, shared: Shared | None = None) -> None:
        self._claims = claims or Claims()
        self._log = None if shared is None else _TurnLog(shared)
        self._here: dict[str, tuple[_DetachedTurn, asyncio.Task[None]]] = {}

    def is_running(self, user: str, session: str) -> bool:
        """Return whether a turn of a user's session is running."""
        return self._claims.is_claimed(_KIND, user, session)

    @contextmanager
    def claim_turn(self, user: str, session: str) -> Iterator[None]:
        """Keep other turns of a session from beginning during the block.

        Raises:
            ConflictError: a turn is running.
        """
        with self._claims.attempt(_KIND, user, session) as mine:
            if not mine:
                raise ConflictError(
                    "An answer in this conversation is being written. Wait for its end, or stop it, and try again."
                )
            yield

    async def begin(
        self, user: str, session: str, events: AsyncGenerator[bytes], tasks: set[asyncio.Task[None]]
    ) -> AsyncGenerator[bytes]:
        """Begin a turn that runs in the background, and return its events.

        Args:
            user: the session's user.
            session: the session.
            events: the turn's encoded events.
            tasks: the tasks for which the server waits when it stops; the turn's task is added.

        Raises:
            ConflictError: another turn of the session is running.
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
        """Return the events of a session's running turn, from the first; None if none is running."""
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
        running, published = asyncio.ensure_future(turn.run()), 0
        try:
            while not running.done():
                await asyncio.wait((running,), timeout=_LOOK_SECONDS)
                published = self._publish(self._log, key, turn, published)
                if self._log.is_to_stop(key):
                    running.cancel()
        finally:
            running.cancel()
            await asyncio.wait((running,))
            self._publish(self._log, key, turn, published)
        return None

    def _publish(self, log: _TurnLog, key: str, turn: _DetachedTurn, published: int) -> int:
        """Publish new events to other processes; return the number of published events."""
        if fresh := turn.events_since(published):
            log.add(key, published, b"".join(fresh))
        return published + len(fresh)

    def _end(self, key: str, turn: _DetachedTurn, claim: ExitStack) -> None:
        # First, because a client that reads the last event may ask the next question at once.
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
    """Yield a turn's events; the turn occupies a place until its window is composed or it waits for a model.

    Args:
        places: limits how many turns are prepared at once.
        events: the events of a turn that has not begun; closed with this generator.
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
    """A turn that runs without a reader; it keeps its events, so that later readers get them from the first.

    Args:
        events: the turn's encoded events.
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
        except Exception as error:  # raised by `wait_for_start` if it came before the first event
            self._failure = error

    def end(self) -> None:
        """Tell readers that there are no more events."""
        self._over = True
        self._wake()

    async def wait_for_start(self, patience: float) -> None:
        """Wait for the first event or the turn's end, but at most ``patience`` seconds.

        Raises:
            Exception: the turn failed before its first event.
        """
        if not (self._pieces or self._over):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._more.wait(), patience)
        if self._failure is not None and not self._pieces:
            raise self._failure

    def events_since(self, read: int) -> list[bytes]:
        """Return the events so far, without the first ``read``."""
        return self._pieces[read:]

    async def follow(self) -> AsyncGenerator[bytes]:
        """Yield the turn's events from the first; past events come at once, in one piece."""
        read = 0
        while True:
            more = self._more
            events = self.events_since(read)
            if events:
                read += len(events)
                yield b"".join(events)
            elif self._over:
                return
            else:
                await more.wait()

    def _wake(self) -> None:
        self._more.set()
        self._more = asyncio.Event()


class _TurnLog:
    """The encoded events of turns in the database, by the turn's key.

    Args:
        shared: the database.
    """

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def add(self, turn: str, number: int, piece: bytes) -> None:
        """Publish some events of a turn as one piece; ``number`` grows from piece to piece."""
        with self._shared.step(turn) as rows:
            rows.execute("insert into turn_events values (?, ?, ?)", (turn, number, piece))

    def read(self, turn: str, after: int) -> list[tuple[int, bytes]]:
        """Return the pieces of a turn after the piece numbered ``after``, with their numbers."""
        with self._shared.step(turn) as rows:
            rows_read = rows.execute(
                "select number, piece from turn_events where turn = ? and number > ? order by number", (turn, after)
            ).fetchall()
        return [(number, bytes(piece)) for number, piece in rows_read]

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
