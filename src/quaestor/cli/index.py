"""``quaestor index``: build an index, bring it up to date, or say what that would mean."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from quaestor.assemble import Index, survey_folder
from quaestor.cli import crawling
from quaestor.cli.options import configure, find_root, json_option, path_argument
from quaestor.cli.output import amount, one_line, print_json, size
from quaestor.cli.progress import indexing_progress
from quaestor.cli.stats import print_skipped, print_survey
from quaestor.config import Settings
from quaestor.corpus import CorpusStats
from quaestor.corpus.objects import survey_object
from quaestor.errors import UsageError
from quaestor.ingest.indexer import Changes, by_reason
from quaestor.ingest.watch import watch
from quaestor.sites import is_address
from quaestor.tokens import tokenizer_for

_SHOWN_PATHS = 10


@click.command("index")
@path_argument
@click.option("--dry-run", is_flag=True, help="Say what would be indexed, and write nothing.")
@click.option("--rebuild", is_flag=True, help="Throw the old index away and begin anew.")
@click.option("--watch", "keep_watching", is_flag=True, help="Keep the index current until Ctrl-C.")
@click.option("-v", "--verbose", is_flag=True, help="List every file that was left out, and why.")
@click.option("--include", multiple=True, metavar="GLOB", help="Of a site: only paths like this, such as '/docs/*'.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Of a site: no paths like this.")
@click.option("--depth", type=click.IntRange(0), help="Of a site: links to follow from the start.")
@click.option("--max-pages", type=click.IntRange(1), help="Of a site: pages to keep.")
@click.option("--delay", type=click.FloatRange(0), help="Of a site: least seconds between two requests.")
@click.option("--allow-private", is_flag=True, help="Of a site: its host may lie in a private network.")
@json_option
def command(  # noqa: PLR0913, PLR0917 - one for each option
    path: str | None,
    dry_run: bool,
    rebuild: bool,
    keep_watching: bool,
    verbose: bool,
    include: Sequence[str],
    exclude: Sequence[str],
    depth: int | None,
    max_pages: int | None,
    delay: float | None,
    allow_private: bool,
    as_json: bool,
) -> int:
    """Build the index of a folder, a file or a site, or bring it up to date.

    A site is given by its address. Its pages are fetched now, below the start only, as its robots.txt allows, and kept
    as Markdown; searching them needs no network. The same command later fetches what changed.
    """
    report = None
    if path is not None and is_address(path) and not dry_run:
        if keep_watching:
            raise UsageError(f"{path!r} is a site, which tells nobody of changes. Run `quaestor index` again instead.")
        chosen = {
            "include": tuple(include) or None,
            "exclude": tuple(exclude) or None,
            "depth": depth,
            "max_pages": max_pages,
            "delay": delay,
            "allow_private": allow_private,
        }
        report = crawling.crawled(path, configure(None).settings, rebuild=rebuild, chosen=chosen)
    elif include or exclude or depth is not None or max_pages is not None or delay is not None or allow_private:
        raise UsageError("--include, --exclude, --depth, --max-pages, --delay and --allow-private are for sites only.")
    root = find_root(path)
    settings = configure(root).settings
    if dry_run:
        return _survey(root, settings, verbose, as_json)
    if keep_watching:
        return _watch(root, settings, rebuild, verbose, as_json)
    with Index.build(root, settings=settings, progress=indexing_progress(), rebuild=rebuild) as index:
        changes = index.last_changes
        if as_json:
            crawl = {} if report is None else {"crawl": crawling.report_object(report)}
            print_json({**changes_object(changes), **crawl, "index": asdict(index.stats())})
        else:
            if report is not None:
                crawling.print_report(report, verbose)
            _print_changes(root, changes, index.stats(), verbose)
    return 0


def _watch(root: Path, settings: Settings, rebuild: bool, verbose: bool, as_json: bool) -> int:
    """Bring the index up to date again and again, and say what changed; ends with Ctrl-C."""
    if rebuild:
        Index.build(root, settings=settings, progress=indexing_progress(), rebuild=True).close()
    with Index.ready(root, settings=settings, progress=indexing_progress()) as index:
        for changes in watch(index.refresh):
            if as_json:
                print_json(changes_object(changes))
            else:
                _print_changes(root, changes, index.stats(), verbose)
            sys.stdout.flush()
    return 0


def changes_object(changes: Changes) -> dict[str, object]:
    """Return what a refresh did, for programs."""
    return {
        "added": changes.added,
        "changed": changes.changed,
        "touched": changes.touched,
        "removed": changes.removed,
        "unchanged": changes.unchanged,
        "stale": changes.stale,
        "skipped": [asdict(entry) for entry in changes.skipped],
        "seconds": round(changes.seconds, 3),
    }


def _advice(changes: Changes) -> str:
    if changes.skipped:
        return "`quaestor index --verbose` tells why each file is left out."
    return "Give a folder that holds code or documents."


def _survey(root: Path, settings: Settings, verbose: bool, as_json: bool) -> int:
    survey = survey_folder(root, settings, tokenizer_for(settings.model or "gpt-4o").count)
    if as_json:
        print_json(survey_object(str(root), survey))
    else:
        print_survey(root, survey, verbose)
    return 0


def _print_changes(root: Path, changes: Changes, held: CorpusStats, verbose: bool) -> None:
    parts = [
        f"{len(paths):,} {word}"
        for paths, word in (
            (changes.added, "new"),
            (changes.changed, "changed"),
            (changes.removed, "removed"),
        )
        if paths
    ]
    click.echo(
        f"{one_line(str(root))}: {amount(held.documents, 'document')}, {amount(held.chunks, 'chunk')} "
        f"({', '.join(parts) or 'nothing changed'}; read {size(changes.bytes)} in {changes.seconds:.2f} s)"
    )
    if not held.documents:
        click.echo(f"Nothing here can be indexed. {_advice(changes)}", err=True)
    if changes.stale:
        click.echo(f"{amount(len(changes.stale), 'file')} kept changing and will be read at the next search.")
    print_skipped(by_reason(changes.skipped), changes.skipped if verbose else ())
    for detail in dict.fromkeys(entry.detail for entry in changes.skipped if entry.reason == "needs an extra"):
        click.echo(f"To read what needs an extra, {detail}")
