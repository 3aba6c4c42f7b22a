"""Writing a session out, for other programs or for people."""

from __future__ import annotations

from pathlib import Path

from quaestor.core.errors import UsageError
from quaestor.sessions.export import Form, exported
from quaestor.sessions.transcript import Transcript


def write_export(transcript: Transcript, path: Path, form: Form) -> None:
    """Write a session to a new file.

    Raises:
        UsageError: the file exists.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(exported(transcript, form))
    except FileExistsError:
        raise UsageError(f"{str(path)!r} exists; give the name of a new file") from None
