"""What a corpus is called where there are several: as short as tells it from the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def short_names(roots: Sequence[Path]) -> dict[str, Path]:
    """Return each root by its folder's name, with as many parents before it as tell it from the others.

    Args:
        roots: real paths; one that is there twice is named once.
    """
    named: dict[str, Path] = {}
    for root in dict.fromkeys(roots):
        others = [other for other in roots if other != root]
        for length in range(1, len(root.parts) + 1):
            name = Path(*root.parts[-length:]).as_posix()
            if all(other.parts[-length:] != root.parts[-length:] for other in others):
                break
        named[name] = root
    return named
