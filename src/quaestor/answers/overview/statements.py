"""The parts of an overview: statements, most of them words of a file with their place in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from quaestor.core.documents import Hit


@dataclass(frozen=True, slots=True)
class Source:
    """The lines of a document that a statement is from.

    Attributes:
        path: the document's path.
        start_line: first line, 1-based.
        end_line: last line, inclusive.
    """

    path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that an overview says.

    Attributes:
        text: its words on one line; if ``verbatim``, the words of its source.
        source: the lines by which it can be checked; None for a count.
        verbatim: whether the text occurs unchanged in one line of the source.
        brief: a shorter text for where space is scarce; None for the text itself.
    """

    text: str
    source: Source | None = None
    verbatim: bool = False
    brief: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of an overview.

    Attributes:
        name: a path or a command; empty for a line that only says something.
        says: its description, or None.
        depth: levels of folders that the line is indented by.
        further: names of files that need no line of their own; they lie in the folder that the line names.
        also: the other items of the file, if the line cites the first of several.
    """

    name: str = ""
    says: Statement | None = None
    depth: int = 0
    further: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """Some lines of an overview under a heading.

    Attributes:
        title: the heading.
        entries: the lines, in order.
        left_out: the number of lines that there was no room for.
    """

    title: str
    entries: tuple[Entry, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Overview:
    """A description of a corpus or one of its folders, within a budget.

    Attributes:
        folder: the folder; empty for the whole corpus.
        documents: the number of documents in it.
        sections: the sections in order; none is empty.
        hits: the lines that its statements are from, each once, in the order of the statements.
        tokens: the number of tokens that the text takes.
        budget: the number of tokens that it may take.
        text: the overview in plain lines.
    """

    folder: str
    documents: int
    sections: tuple[Section, ...]
    hits: tuple[Hit, ...] = ()
    tokens: int = 0
    budget: int = 0
    text: str = ""
    _numbers: dict[Source, int] = field(default_factory=dict, repr=False, compare=False)

    def position_of(self, source: Source) -> int | None:
        """Return the position of a statement's source among the hits, from 0; None if the index does not hold it."""
        return self._numbers.get(source)


def sources_of(sections: tuple[Section, ...]) -> Iterator[Source]:
    """Yield the sources of all statements in order, each once."""
    sources = (entry.says.source for section in sections for entry in section.entries if entry.says is not None)
    yield from dict.fromkeys(source for source in sources if source is not None)
