"""What belongs to a name or a document, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

RelatedKind = Literal["definitions", "callers", "tests", "neighbours"]
Role = Literal[
    "definition", "call", "reference", "import", "mention", "named alike", "same file", "imported", "similar"
]
"""How a place belongs to what was asked for.

``call``, ``reference`` and ``import`` are uses of the name in code; ``mention``: it stands there as a word, in prose or
in a language whose syntax is not known. ``named alike``: a test file whose name mirrors the document's. ``imported``:
what the document imports. ``similar``: what is nearest in meaning.
"""

KINDS: tuple[RelatedKind, ...] = get_args(RelatedKind)


@dataclass(frozen=True, slots=True)
class Target:
    """What relatives are looked for.

    Attributes:
        name: a plain name; empty for a whole document.
        scope: what the name was said to belong to, outermost first: ``Client`` of ``Client.send``.
        path: the document that is meant, or that holds the definition that is meant; None for any.
        line: a line of the definition that is meant, 1-based.
    """

    name: str = ""
    scope: tuple[str, ...] = ()
    path: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        return ".".join((*self.scope, self.name)) if self.name else self.path or ""


@dataclass(frozen=True, slots=True)
class Relative:
    """One place that belongs to the target.

    Attributes:
        kind: why it is listed.
        role: how it belongs.
        path: the document's path.
        start_line: first line, 1-based.
        end_line: last line, inclusive.
        text: the lines.
        symbol: what is defined there, or encloses it; qualified.
        language: the document's language.
        sha256: of the document's bytes as they are in the index, lower-case hex.
        fresh: whether the file's bytes were checked to be these just before answering.
    """

    kind: RelatedKind
    role: Role
    path: str
    start_line: int
    end_line: int
    text: str
    symbol: str | None
    language: str
    sha256: str
    fresh: bool = True


@dataclass(frozen=True, slots=True)
class Related:
    """Everything that was found for a target.

    Attributes:
        target: what was asked for, as it was understood.
        relatives: in the order of the kinds, best first.
        total: places per kind, those that are not listed included.
        complete: whether the totals are exact; otherwise there are more.
    """

    target: Target
    relatives: tuple[Relative, ...] = ()
    total: Mapping[RelatedKind, int] = field(default_factory=dict)
    complete: bool = True

    def of(self, kind: RelatedKind) -> tuple[Relative, ...]:
        """Return the relatives of one kind."""
        return tuple(relative for relative in self.relatives if relative.kind == kind)

    def marked(self, fresh: Mapping[str, bool]) -> Related:
        """Return the same, with whether each relative is fresh, by path."""
        return replace(self, relatives=tuple(replace(one, fresh=fresh[one.path]) for one in self.relatives))
