"""What belongs to a name or a document: its definitions, callers, tests and neighbours.

The package reads syntax trees and one store; it does not know questions, answers or files on disk.
Begin with ``Related`` below, then ``relative_finder``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

RelatedKind = Literal["definitions", "callers", "tests", "neighbours"]
Role = Literal[
    "definition", "call", "base", "reference", "import", "mention", "named alike", "same file", "imported", "similar"
]
"""How a place is related to the target.

``call``, ``base``, ``reference`` and ``import`` are uses of the name in code, ``base`` where a type inherits from it or
implements it; ``mention``: the word occurs in prose or in a
language whose syntax is not known. ``named alike``: a test file whose name mirrors the document's. ``imported``:
imported by the document. ``similar``: nearest in meaning.
"""

KINDS: tuple[RelatedKind, ...] = get_args(RelatedKind)


@dataclass(frozen=True, slots=True)
class Target:
    """The name or document whose relatives are wanted.

    Attributes:
        name: a plain name; empty for a whole document.
        scope: the name's given scope, outermost first: ``Client`` of ``Client.send``.
        path: the document itself, or the one that holds the definition; None for any.
        line: a line of the definition, 1-based.
    """

    name: str = ""
    scope: tuple[str, ...] = ()
    path: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        return ".".join((*self.scope, self.name)) if self.name else self.path or ""


@dataclass(frozen=True, slots=True)
class Relative:
    """One place that is related to the target.

    Attributes:
        kind: why it is listed.
        role: how it is related.
        path: the document's path.
        start_line: the first line, 1-based.
        end_line: the last line, inclusive.
        text: the lines.
        symbol: the definition there, or the one around it; qualified.
        language: the document's language.
        sha256: the hash of the document's indexed bytes, lower-case hex.
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
    """All relatives of a target.

    Attributes:
        target: the target.
        relatives: the relatives in the order of the kinds, best first.
        total: the number of places per kind, including those that are not listed.
        complete: whether the totals are exact.
        least: the kinds whose total is a lower bound, because the name occurs in more documents than were looked at.
    """

    target: Target
    relatives: tuple[Relative, ...] = ()
    total: Mapping[RelatedKind, int] = field(default_factory=dict)
    complete: bool = True
    least: frozenset[RelatedKind] = frozenset()

    def of(self, kind: RelatedKind) -> tuple[Relative, ...]:
        """Return the relatives of one kind."""
        return tuple(relative for relative in self.relatives if relative.kind == kind)

    def with_freshness(self, fresh: Mapping[str, bool]) -> Related:
        """Return the same, with whether each relative is fresh, by path."""
        return replace(self, relatives=tuple(replace(one, fresh=fresh[one.path]) for one in self.relatives))
