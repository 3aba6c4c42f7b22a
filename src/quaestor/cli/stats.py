"""``quaestor stats``: what an index holds, and what was left out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from quaestor.assemble import Index
from quaestor.cli.options import configure, find_root, json_option, path_argument
from quaestor.cli.output import one_line, print_json, size
from quaestor.cli.progress import indexing_progress
from quaestor.corpus.objects import stats_object
from quaestor.ingest.indexer import Range, Skipped, Survey
from quaestor.tokens import tokenizer_for


@click.command("stats")
@path_argument
@click.option("-v", "--verbose", is_flag=True, help="List every file that was left out, and why.")
@json_option
def command(path: str | None, verbose: bool, as_json: bool) -> int:
    """Tell what an index holds: documents, chunks, words, tokens, and what was left out."""
    root = find_root(path)
    settings = configure(root).settings
    with Index.build(root, settings=settings, progress=indexing_progress()) as index:
        held = index.stats()
        survey = index.indexer.survey(tokenizer_for(settings.model or "gpt-4o").count)
    if as_json:
        print_json(stats_object(str(root), survey, held))
        return 0
    print_survey(root, survey, verbose)
    click.echo(f"index       {size(held.index_bytes)} on disk, {held.store}, embedder {held.embedder}")
    return 0


def print_survey(root: Path, survey: Survey, verbose: bool) -> None:
    """Print what is, or would be, indexed."""
    click.echo(click.style(one_line(str(root)), bold=True))
    click.echo(f"documents   {survey.documents:,} ({_tally(survey.languages)})")
    click.echo(f"chunks      {survey.chunks:,} (documents cut by {_tally(survey.chunkers)})")
    click.echo(f"words       {_range(survey.words)}")
    click.echo(f"size        {size(survey.bytes)}")
    if survey.tokens is not None:
        click.echo(f"tokens      {survey.tokens:,} to embed")
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
    return f"{words.total:,} in all; {words.least:,} least, {words.mean:,.0f} mean, {words.most:,} most in a document"
