"""Reading TOML that a stranger may have written, in linear time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MOST_DOTS = 200


def read_toml(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Args:
        text: with or without a byte order mark.
        parse_float: converts the digits of a number with a fraction.

    Raises:
        tomllib.TOMLDecodeError: the text is not TOML; it is a ValueError.
        ValueError: it is nested too deeply, a line has too many dots, or a number too many digits.
    """
    # The parser takes quadratic time in the dots of a key, which is within one line.
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise ValueError(f"a line has more than {_MOST_DOTS} dots")
    import tomllib  # noqa: PLC0415 - costs 10 ms, and most runs read no TOML

    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=parse_float)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
