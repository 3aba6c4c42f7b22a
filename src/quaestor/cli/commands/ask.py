"""``quaestor ask``: answers one question with checked sources."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from functools import partial

import click

from quaestor.accounts import Purpose
from quaestor.answers.ask_back import ASKED_BACK
from quaestor.assemble import Index, answer_steps, check_endpoint, make_model
from quaestor.chat.events import Event, Passages, Returned, Searching, Stopped, Text, TurnOutcome
from quaestor.chat.session_json import ask_object
from quaestor.cli.answer_drawing import Answer, new_answer
from quaestor.cli.options import (
    count_option,
    filter_options,
    json_option,
    model_options,
    path_argument,
    store_option,
    window_option,
)
from quaestor.cli.output import echo, print_json, print_remarks, remark, style, wrapped
from quaestor.cli.progress import indexing_progress
from quaestor.cli.scope import Filters, configure, find_corpus, remark_on, remark_on_unknown
from quaestor.cli.turn_details import (
    LEGEND,
    call_line,
    print_citations,
    print_nearest,
    print_unchecked,
    remark_on_sent,
    remark_on_unsupported,
)
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.core.wording import amount
from quaestor.corpus.understood_filters import why_none

UNKNOWN = 1


@click.command("ask")
@click.argument("question")
@path_argument
@model_options()
@count_option(Settings().passages)
@window_option
@store_option
@filter_options
@json_option
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    question: str,
    path: str | None,
    model: str | None,
    base_url: str | None,
    count: int | None,
    window: int | None,
    store: str | None,
    as_json: bool,
    filters: Filters,
) -> int:
    """Answer a question from the corpus, with checked sources.

    Exit code 1 means that the corpus does not hold the answer, or that no citation of the model's answer is valid.
    """
    if not question.strip() and not as_json:  # a program gets an answer to any text
        raise UsageError('The question is empty. Write it in quotation marks: quaestor ask "what is this about?"')
    root = find_corpus(path)
    settings = configure(root, model=model, base_url=base_url, passages=count, window=window, store=store).settings
    check_endpoint(settings)
    with Index.ready(root, settings=settings, progress=indexing_progress()) as index:
        try:
            outcome = asyncio.run(_ask(index, question, settings, filters, quiet=as_json))
        except KeyboardInterrupt:
            remark("\nstopped; a single question is not recorded. `quaestor chat` records questions and answers")
            raise
        why = "" if outcome.hits or (outcome.done and outcome.done.known) else _why_nothing(index, filters)
        remarks = index.remarks
    assert outcome.done is not None
    if as_json:
        print_json(ask_object(question, outcome, settings))
    else:
        if outcome.reserve is not None:
            remark_on_sent(len(outcome.sent), len(outcome.hits))
        _print_sources(outcome)
        if why:
            remark(why)
    print_remarks(remarks)
    return 0 if outcome.done.known else UNKNOWN


def _why_nothing(index: Index, filters: Filters) -> str:
    if not index.store.documents():
        return "There are no documents here. `quaestor stats` tells what was left out, and why."
    return why_none(index.store, filters.where) if filters.where else ""


async def _ask(index: Index, question: str, settings: Settings, filters: Filters, *, quiet: bool) -> TurnOutcome:
    model = make_model(settings, Purpose(kind="ask", source=str(index.root)))
    events = answer_steps(index, model, question, settings, where=filters.where, filters=filters.understand)
    try:
        async with aclosing(events):
            if quiet:
                return await _outcome_of(events)
            with new_answer() as answer:
                return await _outcome_of(events, partial(_show, answer, settings.model))
    finally:
        if model is not None:
            await model.aclose()


async def _outcome_of(
    events: AsyncIterator[Event], show: Callable[[TurnOutcome, Event], None] = lambda outcome, event: None
) -> TurnOutcome:
    """Return the outcome of a turn's events; show each as it arrives."""
    outcome = TurnOutcome()
    async for event in events:
        outcome.take(event)
        show(outcome, event)
    return outcome


def _show(answer: Answer, model: str, outcome: TurnOutcome, event: Event) -> None:
    """Show an event to a person."""
    match event:
        case Searching(understood=understood, missed=missed, unknown=unknown, translated=translated):
            answer.wait_for("searching")
            # An answer made of quotes names the translation itself.
            remark_on(understood, missed, translated if model else ())
            remark_on_unknown([one for one in unknown if one.nearest])
        case Passages(hits=hits):
            answer.wait_for(f"{model} reads {amount(len(hits), 'passage')}" if model else "quoting")
        case Returned():
            remark(call_line(outcome.calls[-1], event), dim=True)
            answer.wait_for(f"{model} continues")
        case Stopped(reason=reason):
            answer.say_below(reason)
        case Text(text=text):
            answer.write(text)


def _print_sources(outcome: TurnOutcome) -> None:
    assert outcome.done is not None
    if outcome.unchecked:
        print_unchecked(outcome.quotes)
    elif not outcome.done.known:
        if outcome.done.answer.startswith(ASKED_BACK.partition("{")[0]):
            return  # nothing was looked for
        # What comes nearest may answer nevertheless.
        echo(
            style("\nNo clear answer in this corpus." if outcome.nearest else "\nNot found in this corpus.", bold=True)
        )
        print_nearest(outcome.nearest)
        return
    if outcome.citations:
        echo(style("\nSources", bold=True))
        print_citations(outcome.citations)
        if any(citation.status == "verified" for citation in outcome.citations):
            for line in wrapped(f"  {LEGEND}"):
                echo(style(line, dim=True))
    remark_on_unsupported(outcome.unsupported)
