"""``history``: answers from git's history and the changelogs on a question, a path or a name."""

from __future__ import annotations

from functools import partial

from quaestor.answers.history_answer import history_of as ask_history
from quaestor.corpus import Corpus
from quaestor.llm.prompts.numbered_passages import number
from quaestor.tools.tool_results import cut_to_budget, show_passages, shown_line
from quaestor.tools.tool_values import Arguments, Outcome, Parameter, Room, Tool, describe

PARAMETERS = (
    Parameter("about", "string", required=True),
    Parameter("since", "string"),
    Parameter("until", "string"),
    Parameter("limit", "integer", default=8, minimum=1, maximum=50),
)
_MOST_HEADS = 4


def history_of(corpus: Corpus) -> Tool:
    """Return the tool that answers questions from a corpus's history."""
    description, parameters = describe("history", PARAMETERS)
    return Tool("history", description, parameters, partial(_run, corpus))


def _run(corpus: Corpus, arguments: Arguments, room: Room) -> Outcome:
    answer = ask_history(
        corpus,
        str(arguments["about"]),
        since=str(arguments.get("since", "")),
        until=str(arguments.get("until", "")),
        limit=int(arguments["limit"]),
    )
    # Where each stands is said by the passages themselves.
    heads = [shown_line(" ".join(head.split())) for head in answer.heads][:_MOST_HEADS]
    if not answer.hits:
        return Outcome(cut_to_budget("\n".join(heads), room.budget, room.count))
    shown = show_passages(room.numbered(number(answer.hits)), room, heads)
    return Outcome(shown.text, shown.passages)
