"""``read``: lines of one document, as they are on disk now."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Protocol

from quaestor.corpus.line_excerpts import Excerpt
from quaestor.llm.prompts import load
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.tools.tool_results import plural, show_passage, shown_line, shown_name
from quaestor.tools.tool_values import Arguments, Outcome, Parameter, Room, Tool, describe

PARAMETERS = (
    Parameter("path", "string", required=True),
    Parameter("start_line", "integer", default=1, minimum=1),
    Parameter("end_line", "integer", minimum=1),
)


class ReadableCorpus(Protocol):
    """A corpus, or several that are read as one."""

    def read_lines(self, path: str, start_line: int = 1, end_line: int | None = None) -> Excerpt:
        """Return lines of a document as they are on disk now."""
        ...


def read_of(corpus: ReadableCorpus) -> Tool:
    """Return the tool that reads documents of a corpus, and nothing else."""
    description, parameters = describe("read", PARAMETERS)
    return Tool("read", description, parameters, partial(_run, corpus))


def _run(corpus: ReadableCorpus, arguments: Arguments, room: Room) -> Outcome:
    last = arguments.get("end_line")
    text = corpus.read_lines(str(arguments["path"]), int(arguments["start_line"]), None if last is None else int(last))
    if not text.lines:
        return Outcome(load("result_empty").render(path=shown_name(text.path)))
    [passage] = room.numbered([_passage(text)])
    lines = [f"{number}|{shown_line(line)}" for number, line in enumerate(text.lines, text.start_line)]
    note = load("result_document").render(path=shown_name(text.path), lines=plural(text.total_lines, "line"))
    noted = room.budget - room.count(f"\n{note}")
    # The note is worth less than the lines: in little room it is left out.
    roomy = noted > room.budget // 2
    shown = show_passage(passage, replace(room, budget=noted) if roomy else room, lines)
    if shown is None:
        return Outcome(note)
    whole = f"{shown.text}\n{note}"
    return Outcome(whole if roomy and room.count(whole) <= room.budget else shown.text, shown.passages)


def _passage(lines: Excerpt) -> Passage:
    return Passage(
        n=1,
        path=lines.path,
        start_line=lines.start_line,
        end_line=lines.end_line,
        text=lines.text,
        title=lines.title,
        url=lines.url,
        language=lines.language,
    )
