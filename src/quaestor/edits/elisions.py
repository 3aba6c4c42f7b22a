"""Lines that stand for lines that a model was too lazy to write: ``...``, ``# ... existing code ...``."""

from __future__ import annotations

import re

_DOTS = r"(?:\.{3,}|…)"
_LEADER = r"(?:#+|//+|/\*+|<!--|--|;+|%+|\{/\*|\"|')?"
_TRAILER = r"(?:\*/\}?|-->|\"|')?"
_WORDS = re.compile(
    r"\b(?:rest|remain\w*|existing|unchanged|omitted|same|previous|other|as before|more)\b.{0,40}", re.IGNORECASE
)
_ELISION = re.compile(rf"^\s*{_LEADER}\s*(?:{_DOTS}(?:\s+(?P<after>\w.{{0,60}}?))?)\s*{_TRAILER}\s*$")
_WORDY = re.compile(
    r"^\s*(?:#+|//+|/\*+|<!--|--|;+|%+|\{/\*)\s*\(?(?:the )?(?:"
    r"(?:rest|remainder) of (?:the |this |your )?(?:\w+ )?(?:code|file|function|class|method|implementation|module)"
    r"|(?:existing|remaining|previous|other|unchanged) (?:\w+ )?(?:code|methods|functions|imports|lines|content)"
    r")\b[\w\s,.'()-]{0,40}(?:\*/\}?|-->)?\s*$",
    re.IGNORECASE,
)


def is_elision(line: str) -> bool:
    """Return whether a line may stand for others: three dots, in a comment or not, with or without words."""
    found = _ELISION.match(line)
    return bool(_WORDY.match(line)) or (
        found is not None and (not found["after"] or bool(_WORDS.search(found["after"])))
    )


def new_elision(lines: list[str], known: set[str], *, prose: bool = False, dots_are_code: bool = False) -> str | None:
    """Return the first line that leaves something out and that is not among the ``known`` lines.

    Args:
        lines: what would be written.
        known: lines of the file, stripped.
        prose: whether dots without words are ordinary, as in a manual's examples.
        dots_are_code: whether three dots alone are a statement of the file's language.
    """
    for line in lines:
        bare = line.strip()
        found = _ELISION.match(line)
        meant = found is not None and not found["after"] and (prose or (dots_are_code and bare == "..."))
        if is_elision(line) and bare not in known and not meant:
            return line
    return None


def split_at_elisions(lines: list[str]) -> list[list[str]]:
    """Return the runs of lines between elisions; one more than there are elisions."""
    parts: list[list[str]] = [[]]
    for line in lines:
        if is_elision(line):
            parts.append([])
        else:
            parts[-1].append(line)
    return parts
