"""Runs plain searches without click: ``quaestor search QUERY [SOURCE ...] [--json]``.

Importing click, defining options and parsing the line take a tenth of a cold search. Any other line (other options,
mistakes, help, completion) is left to click, which parses plain searches in the same way.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from quaestor.cli.output import echo

COMMAND = "search"
JSON = "--json"
_COMPLETING = "_QUAESTOR_COMPLETE"


def is_plain(arguments: Sequence[str]) -> bool:
    """Return whether a command line is a search with only a query, sources and ``--json``."""
    if not arguments or arguments[0] != COMMAND or _COMPLETING in os.environ:
        return False
    words = [argument for argument in arguments[1:] if argument != JSON]
    return bool(words) and not any(word.startswith("-") for word in words)


def run_plain(arguments: Sequence[str]) -> int:
    """Run a plain search and return its exit code; it prints and raises the same as with click."""
    from quaestor.cli.hits import SearchArguments  # noqa: PLC0415 - NumPy comes first
    from quaestor.cli.searches import search  # noqa: PLC0415

    query, *sources = (argument for argument in arguments[1:] if argument != JSON)
    try:
        return search(SearchArguments(query, tuple(sources), as_json=JSON in arguments))
    except KeyboardInterrupt:
        echo(err=True)  # ends the line in which a terminal shows ^C
        raise
