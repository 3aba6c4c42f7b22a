"""``quaestor ask``: one question, one answer with checked sources."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import click

from quaestor.accounts.purpose import Purpose
from quaestor.assemble import Index, answering, make_model
from quaestor.chat.events import Event, Returned, Searching, Stopped, Text
from quaestor.chat.objects import ask_object, place_of
from quaestor.chat.outcome import TurnOutcome
from quaestor.cli.calls import call_line
from quaestor.cli.meant import Filters, configure, find_root, remark_on, remark_on_unknown
from quaestor.cli.options import filter_options, json_option, model_options, path_argument
from quaestor.cli.output import echo, one_line, print_json, print_remarks, remark, safe, style
from quaestor.cli.progress import indexing_progress
from quaestor.cli.sources import LEGEND, standing_of
from quaestor.config import Settings
from quaestor.corpus.understanding import why_none

UNKNOWN = 1


@click.command("ask")
@click.argument("question")
@path_argument
@model_options
@click.option("-k", "--passages", type=click.IntRange(1, 100), help="Passages to answer from.")
@click.option("--window", type=click.IntRange(256), help="The model's window, tokens.")
@filter_options
@json_option
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    question: str,
    path: str | None,
    model: str | None,
    base_url: str | None,
    passages: int | None,
    window: int | None,
    as_json: bool,
    filters: Filters,
) -> int:
    """Answer a question from the corpus, with checked sources.

    Exit code 1 means that the corpus does not hold the answer.
    """
    root = find_root(path)
    settings = configure(root, model=model, base_url=base_url, passages=passages, window=window).settings
    with Index.ready(root, settings=settings, progress=indexing_progress()) as index:
        outcome = asyncio.run(_answered(index, question, settings, filters, quiet=as_json))
        why = why_none(index.store, filters.where) if filters.where and not outcome.hits else ""
        remarks = index.remarks
    assert outcome.done is not None
    if as_json:
        print_json(ask_object(question, outcome, settings))
    else:
        _print_sources(outcome)
        if why:
            remark(why)
    print_remarks(remarks)
    return 0 if outcome.done.known else UNKNOWN


async def _answered(index: Index, question: str, settings: Settings, filters: Filters, *, quiet: bool) -> TurnOutcome:
    model = make_model(settings, Purpose(kind="ask", source=str(index.root)))
    events = answering(index, model, question, settings, where=filters.where, filters=filters.understand)
    try:
        async with aclosing(events):
            return await _follow(events, quiet=quiet)
    finally:
        if model is not None:
            await model.aclose()


async def _follow(events: AsyncIterator[Event], *, quiet: bool) -> TurnOutcome:
    """Show the answer as it comes, and return what the events add up to."""
    outcome = TurnOutcome()
    async for event in events:
        outcome.take(event)
        match event:
            case Searching(understood=understood, missed=missed, unknown=unknown) if not quiet:
                remark_on(understood, missed)
                remark_on_unknown([one for one in unknown if one.nearest])
            case Returned() if not quiet:
                remark(call_line(outcome.calls[-1], event))
            case Stopped(reason=reason) if not quiet:
                remark(reason)
            case Text(text=text) if not quiet:
                echo(safe(text), nl=False)
    if not quiet:
        echo()
    return outcome


def _print_sources(outcome: TurnOutcome) -> None:
    assert outcome.done is not None
    if not outcome.done.known:
        echo(style("\nNot found in this corpus.", bold=True))
        if outcome.hits:
            echo("Nearest passages:")
        for hit in outcome.nearest:
            echo(f"  {one_line(place_of(hit))}" + (f"  {one_line(hit.symbol)}" if hit.symbol else ""))
        return
    echo(style("\nSources", bold=True))
    for citation in outcome.citations:
        place = style(one_line(f"{citation.path}:{citation.start_line}"), fg="cyan")
        echo(f"  [{citation.n}] {place}  {standing_of(citation.status)}")
        if citation.url:
            echo(f"      {style(one_line(citation.url), dim=True)}")
    if any(citation.status == "verified" for citation in outcome.citations):
        echo(style(f"  {LEGEND}", dim=True))
    if not outcome.citations:
        echo("  none: the model cited nothing, so nothing of this answer was checked")
    for sentence in outcome.unsupported:
        remark(f"without support: {sentence.strip()[:160]}")
