"""An overview, whose statements are mostly words of a file with their place in it, and how it is written.

It becomes text, plain for terminals and models or Markdown for answers, and JSON objects. The objects, which
``--json``, the API and agents return, have no field for unknown values, never null.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.wording import amount

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_QUOTE_MARKS = re.compile(r"[\"'“”„‟‘’«»`]")
_MARKUP = re.compile(r"([\\*_<>\[\]])")
_CODE_SPAN = re.compile(r"(`[^`]+`)")
_LEAST_QUOTE = 4
_EMPTY = "There are no documents here. `quaestor stats` tells what was left out, and why."


class Source(NamedTuple):
    """The lines of a document that a statement is from.

    Attributes:
        path: the document's path.
        start_line: first line, 1-based.
        end_line: last line, inclusive.
    """

    path: str
    start_line: int
    end_line: int


class Statement(NamedTuple):
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


class Entry(NamedTuple):
    """A line of an overview.

    Attributes:
        name: a path or a command; empty for a line that only says something.
        says: its description, or None.
        depth: levels of folders that the line is indented by.
        further: names of files that need no line of their own; they lie in the folder that the line names.
        also: the other items of the file, if the line cites the first of several.
        command: what to type for the first of them; in an answer, it takes the place of the name.
        about: the date and the author of the document; they are metadata, which the cited lines need not hold.
    """

    name: str = ""
    says: Statement | None = None
    depth: int = 0
    further: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    command: str = ""
    about: str = ""


class Section(NamedTuple):
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


def text_of(overview: Overview, numbers: Sequence[int] = ()) -> str:
    """Return an overview in plain lines; a statement's source is a number in brackets.

    Args:
        overview: the overview.
        numbers: the numbers of the hits, in their order; without them, they count from 1.
    """
    lines = [_head(overview)]
    for section in overview.sections:
        lines += ["", f"{section.title}:"]
        lines += [line_of(entry, _number(entry, overview, numbers)) for entry in section.entries]
        if section.left_out:
            lines.append(f"- … {section.left_out:,} more")
    if not overview.documents:
        lines.append(_EMPTY)
    return "\n".join(lines)


def line_of(entry: Entry, number: int | None) -> str:
    """Return an entry as one line of plain text, even if its parts contain line ends."""
    says = entry.says
    text = "" if says is None else on_one_line(says.text if says.brief is None else says.brief)
    mark = f" [{number}]" if number is not None and says is not None and says.source is not None else ""
    names = ", ".join(map(on_one_line, entry.further)) or on_one_line(entry.name)
    said = f"{text}{mark}{_about(entry)}"
    colon = ": " if names and said and (text or not mark) else ""
    return f"{'  ' * entry.depth}- {names}{colon}{said}"


def _about(entry: Entry) -> str:
    return f"{' — ' if entry.says else ''}{on_one_line(entry.about)}" if entry.about else ""


def pieces_of(overview: Overview) -> Iterator[str | int]:
    """Yield an overview in Markdown; a number stands for the citation mark of that hit, counted from 0.

    Verbatim words of a source get quote marks, so that they are checked character by character.
    """
    yield f"**{escape_markdown(_head(overview))}**\n"
    yield from sections_of(overview)
    if not overview.documents:
        yield f"\n{_EMPTY}\n"


def sections_of(overview: Overview) -> Iterator[str | int]:
    """Yield only the sections from what ``pieces_of`` yields."""
    for section in overview.sections:
        yield f"\n**{section.title}**\n\n"
        for entry in section.entries:
            yield from _pieces_with_marks(entry, overview)
        if section.left_out:
            yield f"- … {section.left_out:,} more\n"


def _pieces_with_marks(entry: Entry, overview: Overview) -> Iterator[str | int]:
    name = entry.command or entry.name
    names = ", ".join(map(code, entry.further)) or (code(name) if name else "")
    yield f"{'  ' * entry.depth}- {names}"
    if entry.says is not None:
        yield f"{': ' if names else ''}{_in_quote_marks(entry.says)}"
        number = _number(entry, overview, ())
        if number is not None:
            yield " "
            yield number - 1
    if entry.about:
        yield f"{': ' if names and entry.says is None else ''}{escape_markdown(_about(entry))}"
    if entry.also:
        yield f", also {', '.join(map(code, entry.also))}"
    yield "\n"


def _in_quote_marks(says: Statement) -> str:
    """Return a statement's text, in quote marks if it can be compared with its source character by character."""
    text = on_one_line(says.text)
    if says.verbatim and _QUOTE_MARKS.search(text) and says.brief is not None:
        # Of a line of code that holds quote marks, what stands between them, unless that is torn from its brackets.
        part = max(_QUOTE_MARKS.split(text), key=len).strip()
        text = text if part.endswith(tuple("[({<")) or part.startswith(tuple("])}>")) else part
    if not says.verbatim or _QUOTE_MARKS.search(text) or len(text) < _LEAST_QUOTE:
        return escape_markdown(on_one_line(says.text))
    return f"“{text}”" if escape_markdown(text) == text else code(text)


def _number(entry: Entry, overview: Overview, numbers: Sequence[int]) -> int | None:
    source = entry.says.source if entry.says else None
    at = None if source is None else overview.position_of(source)
    if at is None:
        return None
    return numbers[at] if numbers else at + 1


def _head(overview: Overview) -> str:
    folder = f" of {on_one_line(overview.folder)}/" if overview.folder else ""
    return f"Overview{folder}: {amount(overview.documents, 'document')}"


def on_one_line(text: str) -> str:
    """Return text of documents without control characters and line ends."""
    return _CONTROL.sub("\ufffd", " ".join(text.split()))


def code(name: str) -> str:
    """Return a path as a code span in Markdown, which no backtick in the path ends."""
    plain = on_one_line(name)
    ticks = "`" * (max((len(run) for run in re.findall(r"`+", plain)), default=0) + 1)
    return f"{ticks} {plain} {ticks}" if "`" in plain else f"{ticks}{plain}{ticks}"


def escape_markdown(text: str) -> str:
    """Return text as Markdown that shows the same characters, without any markup but code between single backticks."""
    # Of runs of several backticks it is not clear at once which of them enclose code, where nothing is escaped.
    parts = [text] if "``" in text else _CODE_SPAN.split(text)
    return "".join(part if at % 2 else _MARKUP.sub(r"\\\1", part) for at, part in enumerate(parts))


def overview_object(overview: Overview) -> dict[str, Any]:
    """Return an overview as an object, with its text and the place of each line that is from a file."""
    return {
        "folder": overview.folder,
        "documents": overview.documents,
        "tokens": overview.tokens,
        "text": overview.text,
        "sections": [
            {
                "title": section.title,
                "lines": [_line(entry, overview) for entry in section.entries],
                "left_out": section.left_out,
            }
            for section in overview.sections
        ],
    }


def _line(entry: Entry, overview: Overview) -> dict[str, Any]:
    line: dict[str, Any] = {
        "names": list(entry.further or ([entry.name] if entry.name else [])),
        "depth": entry.depth,
        "says": f"{entry.says.text if entry.says else ''}{_about(entry)}",
    }
    source = entry.says.source if entry.says else None
    at = None if source is None else overview.position_of(source)
    if at is None:
        return line
    hit = overview.hits[at]
    place = {"path": hit.path, "start_line": hit.start_line, "end_line": hit.end_line}
    return {**line, "n": at + 1, **place, "sha256": hit.document.sha256, "fresh": hit.fresh}
