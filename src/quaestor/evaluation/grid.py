"""The configurations to compare: every combination of embedder, chunker and way of searching."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Literal, get_args

from quaestor.core.errors import UsageError
from quaestor.search.retriever import Mode

RetrieverName = Literal["hybrid", "lexical", "dense"]
_LARGEST = 200


@dataclass(frozen=True, slots=True)
class Configuration:
    """One way of indexing and searching.

    Attributes:
        embedder: a value of the setting ``embedder``.
        chunker: a value of the setting ``chunker``.
        search: ``ranked`` (both retrievers, then the ranker), ``fusion`` (both retrievers without the ranker),
            ``lexical`` or ``dense``.
    """

    embedder: str
    chunker: str
    search: Mode

    def __str__(self) -> str:
        """Return the values that distinguish it, for people."""
        return " · ".join((self.embedder, self.chunker, self.search))


@dataclass(frozen=True, slots=True)
class Step:
    """Two configurations that differ in one thing.

    Attributes:
        before: the configuration with the earlier value.
        after: the configuration with the later value.
        what: the field of ``Configuration`` that differs.
    """

    before: Configuration
    after: Configuration
    what: str


def grid(
    embedders: Sequence[str], chunkers: Sequence[str], retrievers: Sequence[RetrieverName], rankers: Sequence[bool]
) -> tuple[Configuration, ...]:
    """Return every combination once, in the order in which the values were given.

    One retriever alone is not ranked. A lexical search uses no vectors, so it is run with the first embedder only.

    Raises:
        UsageError: there are too many combinations, or a retriever is unknown.
    """
    for name in retrievers:
        if name not in get_args(RetrieverName):
            raise UsageError(f"There is no retriever {name!r}. Use 'hybrid', 'lexical' or 'dense'.")
    searches: dict[Mode, None] = {}
    for retriever in retrievers:
        for ranked in rankers:
            searches["lexical" if retriever == "lexical" else _dense_too(retriever, ranked)] = None
    configurations = tuple(
        dict.fromkeys(
            Configuration(embedder, chunker, search)
            for embedder, chunker, search in product(embedders, chunkers, searches)
            if search != "lexical" or embedder == embedders[0]
        )
    )
    if len(configurations) > _LARGEST:
        raise UsageError(
            f"{len(configurations)} configurations are more than {_LARGEST}. Give fewer options to combine."
        )
    return configurations


def _dense_too(retriever: RetrieverName, ranked: bool) -> Mode:
    if retriever == "dense":
        return "dense"
    return "ranked" if ranked else "fusion"


def steps(configurations: Sequence[Configuration]) -> Iterator[Step]:
    """Yield every pair of configurations that differ in one value, of which the first has the first value."""
    for entry in fields(Configuration):
        first = getattr(configurations[0], entry.name) if configurations else None
        for before in configurations:
            if getattr(before, entry.name) != first:
                continue
            for after in configurations:
                if differ_in(before, after) == (entry.name,):
                    yield Step(before, after, entry.name)


def differ_in(one: Configuration, other: Configuration) -> tuple[str, ...]:
    """Return the names of the fields in which two configurations differ."""
    return tuple(
        entry.name for entry in fields(Configuration) if getattr(one, entry.name) != getattr(other, entry.name)
    )
