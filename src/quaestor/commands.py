"""Commands as messages show them: to be copied into a shell as they stand."""

from __future__ import annotations


def command(*words: object) -> str:
    """Return a command of ours between backticks, with what a shell would take apart in quotes."""
    import shlex  # noqa: PLC0415 - a search that goes well shows none

    return f"`{shlex.join(['quaestor', *map(str, words)])}`"
