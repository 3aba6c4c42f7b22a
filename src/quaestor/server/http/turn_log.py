"""What processes of a server tell each other of turns: the events of those that go on, and that one is to stop."""

from __future__ import annotations

from quaestor.state.rows import Shared


class TurnLog:
    """Events of turns by the turn's key, as bytes.

    Args:
        shared: where they stand.
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
        """Remove what there is of a turn."""
        with self._shared.step(turn) as rows:
            rows.execute("delete from turn_events where turn = ?", (turn,))
            rows.execute("delete from turn_stops where turn = ?", (turn,))
