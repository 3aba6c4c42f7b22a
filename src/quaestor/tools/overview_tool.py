"""``overview``: what the corpus is, its entry points and main parts, as a map to begin with."""

from __future__ import annotations

from functools import partial

from quaestor.corpus import Corpus
from quaestor.llm.prompts.numbered_passages import number
from quaestor.tools.tool_values import Arguments, Outcome, Parameter, Room, Tool, describe

PARAMETERS = (Parameter("path", "string"),)
# Numbers of citations may be longer than those that the overview was fitted with.
_SLACK = 0.96


def overview_of(corpus: Corpus) -> Tool:
    """Return the tool that gives an overview of a corpus."""
    description, parameters = describe("overview", PARAMETERS)
    return Tool("overview", description, parameters, partial(_run, corpus))


def _run(corpus: Corpus, arguments: Arguments, room: Room) -> Outcome:
    from quaestor.answers.overview.make_overview import BUDGET, make_overview  # noqa: PLC0415 - few turns need it
    from quaestor.answers.overview.overview_text import text_of  # noqa: PLC0415

    budget = int(min(room.budget, BUDGET) * _SLACK)
    overview = make_overview(corpus, str(arguments.get("path", "")), budget=budget, count=room.count)
    passages = tuple(room.numbered(number(overview.hits)))
    text = text_of(overview, [passage.n for passage in passages])
    return Outcome(text, passages)
