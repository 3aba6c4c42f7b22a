"""``overview`` and ``history``: ways of answering that a model can call.

An overview is what the corpus is, its entry points and main parts, as a map to begin with. A history answers a
question, a path or a name from git's history and the changelogs.
"""

from __future__ import annotations

from functools import partial

from quaestor.answers.history.history_answer import history_of as ask_history
from quaestor.answers.overview.overview_text import text_of
from quaestor.corpus import Corpus
from quaestor.llm.prompts.numbered_passages import number
from quaestor.tools.tool_results import cut_to_budget, show_passages, shown_line
from quaestor.tools.tool_values import Arguments, Outcome, Parameter, Room, Tool, describe

OVERVIEW_PARAMETERS = (Parameter("path", "string"),)
HISTORY_PARAMETERS = (
    Parameter("about", "string", required=True),
    Parameter("since", "string"),
    Parameter("until", "string"),
    Parameter("limit", "integer", default=8, minimum=1, maximum=50),
)
_MOST_HEADS = 4
# Numbers of citations may be longer than those that the overview was fitted with.
_SLACK = 0.96


def overview_of(corpus: Corpus) -> Tool:
    """Return the tool that gives an overview of a corpus."""
    description, parameters = describe("overview", OVERVIEW_PARAMETERS)
    return Tool("overview", description, parameters, partial(_run_overview, corpus))


def _run_overview(corpus: Corpus, arguments: Arguments, room: Room) -> Outcome:
    from quaestor.answers.overview.make_overview import BUDGET, make_overview  # noqa: PLC0415 - few turns need it

    budget = int(min(room.budget, BUDGET) * _SLACK)
    overview = make_overview(corpus, str(arguments.get("path", "")), budget=budget, count=room.count)
    passages = tuple(room.numbered(number(overview.hits)))
    text = text_of(overview, [passage.n for passage in passages])
    return Outcome(text, passages)


def history_of(corpus: Corpus) -> Tool:
    """Return the tool that answers questions from a corpus's history."""
    description, parameters = describe("history", HISTORY_PARAMETERS)
    return Tool("history", description, parameters, partial(_run_history, corpus))


def _run_history(corpus: Corpus, arguments: Arguments, room: Room) -> Outcome:
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
