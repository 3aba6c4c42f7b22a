"""``quaestor`` under a clock that jumps: it is as many seconds off as a file says, from one moment to the next.

    python jumping_server.py OFFSET ARGUMENT...

The clock that only goes forward, by which waits are measured, is the system's own: nobody can set it.
"""

from __future__ import annotations

import datetime
import sys
import time
from pathlib import Path

_OFFSET = Path(sys.argv[1])
_true_time, _true_datetime = time.time, datetime.datetime


def offset() -> float:
    return float(_OFFSET.read_text("ascii") or 0)


class Jumping(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return _true_datetime.fromtimestamp(_true_time() + offset(), tz)


if __name__ == "__main__":
    time.time = lambda: _true_time() + offset()
    time.time_ns = lambda: int((_true_time() + offset()) * 10**9)
    datetime.datetime = Jumping  # type: ignore[misc]
    from quaestor.cli import run

    sys.exit(run(sys.argv[2:]))
