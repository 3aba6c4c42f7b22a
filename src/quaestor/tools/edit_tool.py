"""``edit``: a change to one document, proposed only. Nothing is written here."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from quaestor.core.errors import UsageError
from quaestor.corpus import Corpus
from quaestor.edits import Change, Proposal, Replace, Whole, diff, plan
from quaestor.edits.edit_paths import confine
from quaestor.llm.prompts import load
from quaestor.tools.tool_results import fit, plural, shown_line
from quaestor.tools.tool_values import Arguments, Outcome, Parameter, Room, Tool, describe

_PARAMETERS = (
    Parameter("path", "string", required=True),
    Parameter("search", "string"),
    Parameter("replace", "string", required=True),
)


def edit_of(corpus: Corpus) -> Tool:
    """Return the tool that proposes changes to the documents of a corpus."""
    description, parameters = describe("edit", _PARAMETERS)
    return Tool("edit", description, parameters, partial(_run, corpus))


def _run(corpus: Corpus, arguments: Arguments, room: Room) -> Outcome:
    root = corpus.root if corpus.root.is_dir() else corpus.root.parent
    proposal = proposal_of(corpus, arguments)
    planned = plan(root, proposal)
    if planned.refusals:
        raise UsageError(" ".join(refusal.message for refusal in planned.refusals))
    difference = diff(planned)
    lines = [shown_line(line) for line in difference.splitlines()]
    mark = load("result_diff_cut")
    head = load("result_edit").template
    fitted = fit(
        [head, *lines], room.budget, room.count, lambda shown: mark.render(lines=plural(len(lines) + 1 - shown, "line"))
    )
    return Outcome(fitted.text, proposal=proposal, difference=difference)


def proposal_of(corpus: Corpus, arguments: Arguments) -> Proposal:
    """Return the proposal in a call's arguments.

    Raises:
        UsageError: the path leads out of the root, or to a file that is not a document.
    """
    root = corpus.root if corpus.root.is_dir() else corpus.root.parent
    proposal = Proposal((_change(arguments),))
    _check_place(corpus, root, str(arguments["path"]))
    return proposal


def _check_place(corpus: Corpus, root: Path, path: str) -> None:
    """Refuse a file that exists and is not a document, because a diff, or even a refusal, reveals its content.

    Raises:
        UsageError: the path leads out of the root, or to a file that is ignored, secret or otherwise not indexed.
    """
    place = confine(path)
    if not isinstance(place, str):
        raise UsageError(place.message)
    corpus.try_refresh()
    if corpus.store.document(place) is None and os.path.lexists(root / place):
        raise UsageError(f"{path!r} is not in this index and stays as it is. Name one of its documents, or a new file.")


def _change(arguments: Arguments) -> Change:
    path, replace = str(arguments["path"]), str(arguments["replace"])
    search = str(arguments.get("search", ""))
    if not search.strip():
        return Whole(path, _whole_lines(replace))
    return Replace(path, _whole_lines(search), _whole_lines(replace))


def _whole_lines(text: str) -> str:
    """Return a text with a line end at its end, which models leave out."""
    return f"{text}\n" if text and not text.endswith("\n") else text
