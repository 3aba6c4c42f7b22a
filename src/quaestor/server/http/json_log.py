"""Writes logs as lines of JSON, without the messages of errors, which may quote a question or a key."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any


def fault(error: BaseException) -> dict[str, Any]:
    """Return an error's type and traceback, without its message, which may quote a question."""
    frames = traceback.extract_tb(error.__traceback__)
    return {"type": type(error).__name__, "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]}


class JsonLines(logging.Formatter):
    """Formats a log record as one line of JSON.

    Args:
        worker: the number of this process among the server's; 0 if it is the only one.
    """

    def __init__(self, worker: int = 0) -> None:
        super().__init__()
        self._worker = {"worker": worker} if worker else {}

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        entry: dict[str, Any] = {"at": at, "level": record.levelname.lower(), "event": record.getMessage()}
        entry |= getattr(record, "data", {}) | self._worker
        if record.exc_info and record.exc_info[1] is not None:
            entry["fault"] = fault(record.exc_info[1])
        return json.dumps(entry, ensure_ascii=True, default=str)


def log_as_json(*, requests: bool = False, worker: int = 0) -> None:
    """Write the logs of the server and of uvicorn as JSON to standard error.

    Args:
        requests: whether to log each request and each start of a worker; otherwise only failures are logged.
        worker: the number of this process, as in ``JsonLines``.
    """
    writing = logging.StreamHandler(sys.stderr)
    writing.setFormatter(JsonLines(worker))
    for name, level in (("quaestor", logging.INFO if requests else logging.WARNING), ("uvicorn", logging.WARNING)):
        log = logging.getLogger(name)
        log.handlers = [writing]
        log.propagate = False
        log.setLevel(level)
