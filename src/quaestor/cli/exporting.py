"""Writing a session out, for other programs or for people."""

from __future__ import annotations

import json
from pathlib import Path

from quaestor.chat.portable import as_json, as_markdown
from quaestor.chat.transcript import Transcript
from quaestor.errors import UsageError


def write_export(transcript: Transcript, path: Path, *, as_object: bool) -> None:
    """Write a session to a new file.

    Raises:
        UsageError: the file exists.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(exported(transcript, as_object=as_object))
    except FileExistsError:
        raise UsageError(f"{str(path)!r} exists; give the name of a new file") from None


def exported(transcript: Transcript, *, as_object: bool) -> str:
    """Return a session as JSON, or as Markdown."""
    return json.dumps(as_json(transcript), indent=1) + "\n" if as_object else as_markdown(transcript.turns())
