"""Numbers and commands as messages show them."""

from __future__ import annotations

WITHOUT_MODEL = "No language model is configured"
NOT_ASKED = "The model was not asked"
"""Says the same where there is a model, but too little was found to ask it."""
TRANSLATED = "Searched for in English"
"""The beginning of a line about translation above an answer of quotes."""


def amount(number: int, noun: str, *, least: bool = False) -> str:
    """Return ``1 file``, ``2,000 files``; ``2,000 or more files`` where the number is the least that there are."""
    return f"{number:,} {'or more ' if least else ''}{noun}{'' if number == 1 and not least else 's'}"


def command(*words: object) -> str:
    """Return a command of ours between backticks, quoted so that it can be copied into a shell."""
    import shlex  # noqa: PLC0415 - a search that goes well shows no command

    return f"`{shlex.join(['quaestor', *map(str, words)])}`"
