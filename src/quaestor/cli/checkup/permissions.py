"""Whether nobody else can read what holds keys, and what people asked."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from quaestor.accounts import FILE
from quaestor.cli.checkup.finding import TO_SET_RIGHT, FindingError
from quaestor.core.config import RULES, Settings, config_folder, data_home

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MOST_NAMED = 3
_LARGEST = 1 << 18
_KEYS = tuple(name for name, rule in RULES.items() if rule.secret)
_HOLDS_KEY = re.compile(rf"^\s*[\"']?(?:{'|'.join(_KEYS)})[\"']?\s*=\s*[\"'][^\"']", re.MULTILINE)


def check_permissions(settings: Settings) -> str:
    """Return what was looked at.

    Raises:
        FindingError: other users can read or change some of it, or own it.
    """
    if sys.platform == "win32":
        return "not looked at: Windows keeps them otherwise"
    open_ones = [(place, mode) for place, mode in _modes(settings) if mode & _OTHERS]
    if open_ones:
        named = ", ".join(f"{str(place)!r} ({mode:o})" for place, mode in open_ones[:_MOST_NAMED])
        more = f" and {len(open_ones) - _MOST_NAMED} more" if len(open_ones) > _MOST_NAMED else ""
        raise FindingError(
            f"others than you can read {named}{more}: take that away with `chmod go= FILE`", TO_SET_RIGHT
        )
    return "nobody else can read keys, sessions, accounts, documents"


def _modes(settings: Settings) -> Iterator[tuple[Path, int]]:
    """Yield what holds secrets with its permission bits, as far as it is there."""
    for place in _secret_places(settings):
        with suppress(OSError):
            found = place.stat()
            if found.st_uid not in (os.getuid(), 0):
                raise FindingError(
                    f"{str(place)!r} belongs to another user: make it yours with `chown`, or set QUAESTOR_HOME to a"
                    " folder of yours",
                    TO_SET_RIGHT,
                )
            yield place, stat.S_IMODE(found.st_mode)


def _secret_places(settings: Settings) -> Iterator[Path]:
    home, file = data_home(settings), config_folder() / "config.toml"
    with suppress(OSError, ValueError):
        if _HOLDS_KEY.search(file.read_text(encoding="utf-8")[:_LARGEST]):
            yield file
    yield from (home / FILE, home / f"{FILE}-wal", home / "sessions", home / "documents", home / "edits")
