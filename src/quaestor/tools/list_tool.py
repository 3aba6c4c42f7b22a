"""``list``: the documents of a corpus as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from quaestor.corpus import Corpus
from quaestor.corpus.document_paths import Folder
from quaestor.llm.prompts import load
from quaestor.tools.tool_results import count_up_to, fit, plural, shown_name
from quaestor.tools.tool_values import Arguments, Outcome, Parameter, Room, Tool, describe

_PARAMETERS = (
    Parameter("path", "string"),
    Parameter("depth", "integer", default=2, minimum=1, maximum=20),
)
# Documents shown in one folder. Where all of it is too much, every folder loses some before any level goes.
_MOST = (200, 40, 12, 4, 0)


def list_of(corpus: Corpus) -> Tool:
    """Return the tool that lists the documents of a corpus."""
    description, parameters = describe("list", _PARAMETERS)
    return Tool("list", description, parameters, partial(_run, corpus))


def _run(corpus: Corpus, arguments: Arguments, room: Room) -> Outcome:
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
