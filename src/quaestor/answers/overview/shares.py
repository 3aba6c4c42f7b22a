"""The languages of a corpus by their share in its bytes."""

from __future__ import annotations

from collections import Counter

from quaestor.answers.overview.material import Material, is_code
from quaestor.answers.overview.statements import Entry, Statement
from quaestor.chunking.languages import PROSE
from quaestor.search.background import is_generated

_MOST = 6
_LEAST = 0.01


def languages(material: Material) -> list[Entry]:
    """Return one line: the languages with a hundredth of the bytes or more, data and vendored files aside."""
    sizes: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path, document in material.documents.items():
        if (
            (is_code(document) or document.language in PROSE)
            and not material.stands_behind(path)
            and not is_generated(document.note)
        ):
            sizes[document.language] += document.size
            files[document.language] += 1
    total = sum(sizes.values()) or 1
    listed = [
        f"{name} {size / total:.0%} ({files[name]:,})"
        for name, size in sizes.most_common(_MOST)
        if size / total >= _LEAST
    ]
    return [Entry(says=Statement(", ".join(listed)))] if listed else []
