"""``quaestor stats``: what an index holds, and what was left out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from quaestor.assemble import Index
from quaestor.assemble.estimate import survey_and_estimate
from quaestor.assemble.tuned import Tuning, checked_tuning
from quaestor.cli.options import configure, embedder_options, find_root, json_option, path_argument
from quaestor.cli.output import one_line, print_json, size
from quaestor.cli.paying import estimate_object, print_estimate
from quaestor.cli.progress import indexing_progress
from quaestor.config import Settings
from quaestor.corpus import CorpusStats
from quaestor.corpus.objects import survey_object
from quaestor.ingest.counts import Bin, Range
from quaestor.ingest.indexer import Skipped, Survey

_BAR = 30


@click.command("stats")
@path_argument
@embedder_options
@click.option("-v", "--verbose", is_flag=True, help="List every file that was left out, and why.")
@json_option
def command(path: str | None, embedder: str | None, price: float | None, verbose: bool, as_json: bool) -> int:
    """Tell what a corpus and its index hold, and what embedding it would take.

    With --embedder, what that embedder would take: nothing is sent to it, and the index stays as it is.
    """
    root = find_root(path)
    settings = configure(root, embedder=embedder, embedder_price=price).settings
    held = _held(root, settings) if embedder is None else None
    tuning = Tuning() if held is None else checked_tuning(root, settings)
    survey, estimate = survey_and_estimate(root, settings)
    if as_json:
        index = {} if held is None else {"index": held._asdict(), "tuned": asdict(tuning) if tuning.embedder else None}
        print_json({**survey_object(str(root), survey), "estimate": estimate_object(estimate), **index})
        return 0
    print_survey(root, survey, verbose)
    print_estimate(estimate)
    if held is not None:
        click.echo(f"index       {size(held.index_bytes)} on disk, {held.store}, embedder {held.embedder}")
        if tuning.embedder:
            click.echo(f"tuned       {tuning.line()}")
    return 0


def _held(root: Path, settings: Settings) -> CorpusStats:
    """Return what the index holds, after bringing it up to date at no more than the cost that nobody is asked for."""
    with Index.build(root, settings=settings, progress=indexing_progress()) as index:
        return index.stats()


def print_survey(root: Path, survey: Survey, verbose: bool) -> None:
    """Print what is, or would be, indexed."""
    click.echo(click.style(one_line(str(root)), bold=True))
    click.echo(f"documents   {survey.documents:,} ({_tally(survey.languages)})")
    click.echo(f"chunks      {survey.chunks:,} (documents cut by {_tally(survey.chunkers)})")
    click.echo(f"words       {_range(survey.words)}")
    for line in bars(survey.words.histogram):
        click.echo(f"            {line}")
    click.echo(f"size        {size(survey.bytes)}")
    if survey.notes:
        click.echo("notes       " + "; ".join(f"{count:,} {one_line(note)}" for note, count in survey.notes.items()))
    print_skipped(survey.skipped_by_reason, survey.skipped if verbose else ())


def print_skipped(reasons: Mapping[str, int], skipped: Iterable[Skipped]) -> None:
    """Print what was left out: a line by reason, and each path if given."""
    if reasons:
        click.echo("left out    " + _tally(reasons))
    for entry in skipped:
        detail = f": {entry.detail}" if entry.detail else ""
        click.echo(f"  {one_line(entry.path)}  ({entry.reason}{one_line(detail)})")


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def _range(words: Range) -> str:
    return (
        f"{words.total:,} in all; {words.least:,} least, {words.mean:,.0f} mean, {words.median:,.0f} median,"
        f" {words.most:,} most in a document"
    )


def bars(histogram: Sequence[Bin]) -> list[str]:
    """Return a histogram in lines: how many words, how many documents, and a bar of them."""
    most = max((one.number for one in histogram), default=1)
    labels = [_label(one) for one in histogram]
    width = max(map(len, labels), default=0)
    digits = max((len(f"{one.number:,}") for one in histogram), default=0)
    return [
        f"{label:>{width}}  {one.number:>{digits},}  {'█' * -(-one.number * _BAR // most)}".rstrip()
        for label, one in zip(labels, histogram, strict=True)
    ]


def _label(one: Bin) -> str:
    if one.last is None:
        return f"{one.first:,} and more"
    return f"{one.first:,}" if one.first == one.last else f"{one.first:,} to {one.last:,}"
