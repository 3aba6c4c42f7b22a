"""Changing one table of a TOML text and leaving the rest to the letter. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from quaestor.core.toml_text import read_toml

_HEADER = re.compile(r"^[ \t]*\[\[?[^\[\]\n]+\]\]?[ \t\r]*(?:#[^\n]*)?$", re.MULTILINE)


def with_table(text: str, path: Sequence[str], table: Mapping[str, object]) -> str:
    """Return a text in which the table ``[a.b]`` has these values; a new one stands at the end.

    Args:
        text: empty for a file that does not exist yet.
        path: the table's name, plain words.
        table: texts, numbers, booleans and lists of texts.

    Raises:
        ValueError: the text is not TOML.
    """
    rest = without_table(text, path)
    line_end = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(path)}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    rest = rest.rstrip("\r\n")
    return (rest + 2 * line_end if rest else "") + line_end.join(lines) + line_end


def without_table(text: str, path: Sequence[str]) -> str:
    """Return a text without the table ``[a.b]`` and the tables within it; unchanged if it has none.

    Raises:
        ValueError: the text is not TOML.
    """
    read_toml(text)
    headers = list(_HEADER.finditer(text))
    ends = [*(header.start() for header in headers[1:]), len(text)]
    kept = [
        (header.start(), end) for header, end in zip(headers, ends, strict=False) if not _is_within(header[0], path)
    ]
    if len(kept) == len(headers):
        return text
    rest = text[: headers[0].start()] + "".join(text[start:end] for start, end in kept)
    # The blank line that set the table apart goes with it.
    return re.sub(r"(\r?\n)(?:[ \t]*\r?\n)+\Z", r"\1", rest)


def _is_within(header: str, path: Sequence[str]) -> bool:
    name = header.strip().split("#")[0].strip().strip("[]")
    parts = [part.strip().strip("\"'") for part in name.split(".")]
    return parts[: len(path)] == list(path)
