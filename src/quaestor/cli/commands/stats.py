"""``quaestor stats``: shows an index's contents, and the files left out of it."""

from __future__ import annotations

from pathlib import Path

import click

from quaestor.assemble import Index
from quaestor.assemble.estimate import Estimate, survey_and_estimate
from quaestor.assemble.tuned_index import IndexTuning, checked_tuning
from quaestor.cli.costs import estimate_object, print_estimate
from quaestor.cli.options import embedder_options, json_option, path_argument
from quaestor.cli.output import echo, one_line, print_json, size
from quaestor.cli.progress import indexing_progress
from quaestor.cli.scope import configure, find_corpus
from quaestor.cli.survey_tables import print_survey
from quaestor.core.config import Settings
from quaestor.core.wording import command as the_command
from quaestor.corpus import CorpusStats
from quaestor.corpus.corpus_json import coming_object, survey_object
from quaestor.corpus.descriptions import VectorProgress
from quaestor.files.indexing_values import Survey


@click.command("stats")
@path_argument
@embedder_options
@click.option("-v", "--verbose", is_flag=True, help="List every file that was left out, and why.")
@json_option
def command(path: str | None, embedder: str | None, price: float | None, verbose: bool, as_json: bool) -> int:
    """Show the contents of a corpus and its index, and the cost of embedding it.

    --embedder shows the cost with that embedder: nothing is sent to it, and the index is not changed.
    """
    root = find_corpus(path)
    settings = configure(root, embedder=embedder, embedder_price=price).settings
    if embedder is None:
        survey, estimate, index_stats, vector_progress = _index_contents(root, settings)
    else:
        survey, estimate = survey_and_estimate(root, settings)
        index_stats, vector_progress = None, None
    tuning = IndexTuning() if index_stats is None else checked_tuning(root, settings)
    if as_json:
        index = (
            {}
            if index_stats is None
            else {
                "index": index_stats._asdict(),
                "tuned": tuning._asdict() if tuning.embedder else None,
                "coming": coming_object(vector_progress),
            }
        )
        print_json({**survey_object(str(root), survey), "estimate": estimate_object(estimate), **index})
        return 0
    print_survey(root, survey, verbose)
    print_estimate(estimate)
    if index_stats is not None:
        echo(
            f"index       {size(index_stats.index_bytes)} on disk, {index_stats.store}, embedder {index_stats.embedder}"
        )
        if tuning.embedder:
            echo(f"tuned       {tuning.line()}")
        if vector_progress is not None:
            share = (
                f"{vector_progress.done:,} of {vector_progress.total:,} vectors are made"
                if vector_progress.total
                else "no vectors are made yet"
            )
            doing = (
                "they are being made"
                if vector_progress.busy
                else f"{the_command('index', root, '--embedder', vector_progress.embedder)} continues"
            )
            echo(f"coming      {one_line(vector_progress.embedder)}: {share}; {doing}")
    return 0


def _index_contents(root: Path, settings: Settings) -> tuple[Survey, Estimate, CorpusStats, VectorProgress | None]:
    """Return the index's contents, after bringing it up to date within the cost that needs no confirmation."""
    with Index.ready(root, settings=settings, progress=indexing_progress(), whole=True) as index:
        index.refresh(progress=indexing_progress())
        return *survey_and_estimate(root, settings, index=index), index.stats(), index.meaning.vector_progress
