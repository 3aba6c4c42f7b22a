"""``list`` and ``read``: the documents of a corpus as a tree, and the lines of one as they are on disk now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Protocol

from quaestor.corpus import Corpus
from quaestor.corpus.document_paths import Folder
from quaestor.corpus.line_excerpts import Excerpt
from quaestor.llm.prompts import load
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.tools.tool_results import count_up_to, fit, plural, show_passage, shown_line, shown_name
from quaestor.tools.tool_values import Arguments, Outcome, Parameter, Room, Tool, describe

READ_PARAMETERS = (
    Parameter("path", "string", required=True),
    Parameter("start_line", "integer", default=1, minimum=1),
    Parameter("end_line", "integer", minimum=1),
)
_LIST_PARAMETERS = (
    Parameter("path", "string"),
    Parameter("depth", "integer", default=2, minimum=1, maximum=20),
)
# Documents shown in one folder. Where all of it is too much, every folder loses some before any level goes.
_MOST = (200, 40, 12, 4, 0)


class ReadableCorpus(Protocol):
    """A corpus, or several that are read as one."""

    def read_lines(self, path: str, start_line: int = 1, end_line: int | None = None) -> Excerpt:
        """Return lines of a document as they are on disk now."""
        ...


def read_of(corpus: ReadableCorpus) -> Tool:
    """Return the tool that reads documents of a corpus, and nothing else."""
    description, parameters = describe("read", READ_PARAMETERS)
    return Tool("read", description, parameters, partial(_run_read, corpus))


def _run_read(corpus: ReadableCorpus, arguments: Arguments, room: Room) -> Outcome:
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


def list_of(corpus: Corpus) -> Tool:
    """Return the tool that lists the documents of a corpus."""
    description, parameters = describe("list", _LIST_PARAMETERS)
    return Tool("list", description, parameters, partial(_run_list, corpus))


def _run_list(corpus: Corpus, arguments: Arguments, room: Room) -> Outcome:
    folder = str(arguments.get("path", ""))
    if folder.strip("./ ") == "" and not corpus.store.documents():
        return Outcome(load("result_no_documents").template)
    tree = corpus.tree(folder, int(arguments["depth"]))
    for depth in range(int(arguments["depth"]), 0, -1):
        for most in _MOST:
            text = "\n".join(tree_lines(tree, depth, most))
            if count_up_to(text, room.budget, room.count):
                return Outcome(text)
    lines = list(tree_lines(tree, 1, 0))
    mark = load("result_tree_cut")
    return Outcome(
        fit(lines, room.budget, room.count, lambda shown: mark.render(lines=plural(len(lines) - shown, "line"))).text
    )


def tree_lines(folder: Folder, depth: int, most: int, level: int = 0) -> Iterator[str]:
    """Yield a tree, a line for each folder with its number of documents, up to ``most`` documents in each."""
    indent = "  " * level
    name = folder.path if level == 0 else folder.name
    yield f"{indent}{shown_name(name) or '.'}/ ({plural(folder.count, 'document')})"
    if depth <= 0:
        return
    for one in folder.folders:
        yield from tree_lines(one, depth - 1, most, level + 1)
    for document in folder.documents[:most]:
        yield f"{indent}  {shown_name(document)}"
    omitted = len(folder.documents) - most
    if omitted > 0:
        more = plural(omitted, "document") if not most else f"{omitted} more"
        yield f"{indent}  {load('result_folder_more').render(count=more, path=shown_name(folder.path) or '.')}"
