"""``quaestor index``: builds an index, brings it up to date, or shows what that would do.

A site is crawled first, with a progress line and a report.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from quaestor.assemble import Index, is_remote
from quaestor.assemble.embedders_by_name import IndexEmbedder, index_embedder, names_transformer
from quaestor.assemble.stores_by_name import is_shared
from quaestor.cli.answer_drawing import waiting
from quaestor.cli.options import embedder_options, json_option, store_option
from quaestor.cli.output import echo, one_line, print_json, remark, size
from quaestor.cli.progress import indexing_progress, looking_for_files
from quaestor.cli.scope import configure, find_corpus
from quaestor.cli.survey_tables import print_skipped, print_survey
from quaestor.core.config import Settings, data_home
from quaestor.core.errors import UsageError
from quaestor.core.wording import amount
from quaestor.corpus import CorpusStats
from quaestor.corpus.corpus_json import survey_object
from quaestor.corpus.descriptions import AS_IF_NOT_SET, ignored_by_setting
from quaestor.crawl.crawl_settings import CrawlProgress, CrawlReport, CrawlState
from quaestor.crawl.fetched_sources import (
    crawl,
    forget_dry_run,
    is_address,
    names_repository,
    note_dry_run,
    put_back,
    was_fetched_by_dry_run,
)
from quaestor.files.indexing_values import READ_ANEW
from quaestor.indexing.indexer import Changes, by_reason, watch

_SHOWN_URL = 60


@click.command("index")
@click.argument("paths", metavar="[PATH]", nargs=-1)
@click.option("--dry-run", is_flag=True, help="Show what would be indexed and what it would cost; index nothing.")
@embedder_options
@store_option
@click.option("--ray", metavar="ADDRESS", help="Chunk and embed on the machines of a Ray cluster, such as HOST:6379.")
@click.option("-y", "--yes", is_flag=True, help="Pay for embedding without asking.")
@click.option("--max-cost", type=click.FloatRange(0), help="Pay no more than this, in the prices' currency.")
@click.option("--rebuild", is_flag=True, help="Discard the index and build it again.")
@click.option("--watch", "keep_watching", is_flag=True, help="Keep the index current until Ctrl-C.")
@click.option("-v", "--verbose", is_flag=True, help="List every file that was left out, and why.")
@click.option("--include", multiple=True, metavar="GLOB", help="For a site: only matching paths, such as '/docs/*'.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="For a site: no matching paths.")
@click.option("--depth", type=click.IntRange(0), help="For a site: how many links deep to crawl.")
@click.option("--max-pages", type=click.IntRange(1), help="For a site: pages to keep at most.")
@click.option("--delay", type=click.FloatRange(0), help="For a site: seconds between requests, at least.")
@click.option("--allow-private", is_flag=True, help="For a site or repository: allow private networks.")
@click.option("--submodules/--no-submodules", default=None, help="For a repository: fetch submodules, now and later.")
@click.option("--drop", is_flag=True, help="For a site: drop pages that are gone, however many.")
@click.option("--restore", is_flag=True, help="For a site: restore pages dropped within a week; fetch nothing.")
@json_option
def command(  # noqa: PLR0913, PLR0917 - one for each option
    paths: Sequence[str],
    dry_run: bool,
    embedder: str | None,
    price: float | None,
    store: str | None,
    ray: str | None,
    yes: bool,
    max_cost: float | None,
    rebuild: bool,
    keep_watching: bool,
    verbose: bool,
    include: Sequence[str],
    exclude: Sequence[str],
    depth: int | None,
    max_pages: int | None,
    delay: float | None,
    allow_private: bool,
    submodules: bool | None,
    drop: bool,
    restore: bool,
    as_json: bool,
) -> int:
    """Build the index of a folder, a file, a site or a git repository, or bring it up to date.

    A site is given by its address. Its pages below that address are fetched, as far as its robots.txt allows, and kept
    as Markdown, so that searching them needs no network. The same command later fetches changes. --dry-run fetches the
    pages, too, because their contents are unknown; the next `quaestor index` uses them.

    A git repository is given by its address (https://host/name.git, git@host:name, its page at GitHub, GitLab, Codeberg
    or Bitbucket), with a branch, tag or commit after '#'. Its present files are fetched without their history, and its
    submodules with --submodules; the same command later fetches changes. Nothing in it is run.

    A transformer on this machine is slow: until all of its vectors are made, the bundled embedder searches the index.
    If the command was stopped, the same command continues.

    A paid embedder is used only after you confirm, or with --yes, and never for more than --max-cost. Texts beyond that
    are found by words alone; the same command later continues.
    """
    if len(paths) > 1:
        raise UsageError(
            f"{len(paths):,} sources were given, but an index holds only one. "
            "Give the folder that holds them, or one at a time."
        )
    path = paths[0] if paths else None
    chosen = {
        "include": tuple(include) or None,
        "exclude": tuple(exclude) or None,
        "depth": depth,
        "max_pages": max_pages,
        "delay": delay,
        "allow_private": allow_private,
        "drop": drop,
    }
    if submodules is not None and not (path is not None and names_repository(path)):
        raise UsageError("--submodules is for repositories only. Give the address of one, or leave the option out.")
    if keep_watching and (names_repository(path) or (path is not None and is_address(path))):
        raise UsageError(
            f"{path!r} is an address, whose changes cannot be watched. Run `quaestor index` again instead."
        )
    report = _fetch_source(path, chosen, submodules, rebuild=rebuild, restore=restore, look=dry_run)
    root = find_corpus(path)
    configuration = configure(root, embedder=embedder, embedder_price=price, store=store, ray=ray)
    settings = configuration.settings
    if dry_run:
        return _survey(root, settings, report, rebuild=rebuild, verbose=verbose, as_json=as_json)
    most = _agree_on_cost(root, settings, rebuild=rebuild, yes=yes, most=max_cost)
    if keep_watching:
        return _watch(root, settings, rebuild, verbose, as_json, most)
    with _build_index(root, settings, rebuild=rebuild, most=most) as index:
        changes = index.last_changes
        if as_json:
            crawl = {} if report is None else {"crawl": report_object(report)}
            print_json({**changes_object(changes), **crawl, "index": index.stats()._asdict()})
        else:
            if report is not None:
                print_report(report, verbose)
            _print_changes(_shown_source(path, root), changes, index.stats(), verbose)
            _print_ignored(changes, configuration.origins["ignore"])
        documents = index.stats().documents
    return _print_unembedded(changes) or _report_refusal(root, changes, documents) or held_back(report)


def _fetch_source(
    path: str | None,
    chosen: Mapping[str, object],
    submodules: bool | None,
    *,
    rebuild: bool,
    restore: bool,
    look: bool,
) -> CrawlReport | None:
    """Fetch a site or repository; return a site's report."""
    flags = {name for name, value in {**chosen, "restore": restore}.items() if value is not None and value is not False}
    if path is not None and names_repository(path):
        if flags - {"allow_private"}:
            raise UsageError(f"{path!r} is a repository, for which only --allow-private is used. Leave the others out.")
        from quaestor.crawl.clone import fetch_repository  # noqa: PLC0415 - with HTTP and TLS, for a repository only

        home = data_home(configure(None).settings)
        fetched = fetch_repository(path, home, allow_private="allow_private" in flags, submodules=submodules)
        for sentence in fetched.missing:
            remark(one_line(sentence))
        remark(f"{path}: {'fetched' if fetched.changed else 'nothing new to fetch'}")
        return None
    if path is None or not is_address(path):
        if flags:
            options = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(flags))
            raise UsageError(f"{options}: for sites only. Give the address of one, or leave the options out.")
        return None
    if restore:
        count = put_back(path, data_home(configure(None).settings))
        remark(f"{amount(count, 'page')} restored; the next `quaestor index` may find them gone again.")
        return None
    return crawl_with_progress(path, configure(None).settings, rebuild=rebuild, chosen=chosen, look=look)


def _build_index(root: Path, settings: Settings, *, rebuild: bool, most: float | None) -> Index:
    """Build the index, and say if it has another embedder than before; if the user stops it, print what was kept."""
    before = index_embedder(root, settings)
    try:
        with looking_for_files():
            index = Index.build(root, settings=settings, progress=indexing_progress(), rebuild=rebuild, max_cost=most)
    except KeyboardInterrupt:
        remark("\nstopped; the files indexed so far are kept. `quaestor index` continues from there")
        raise
    _report_embedder(root, settings, before)
    return index


def _agree_on_cost(root: Path, settings: Settings, *, rebuild: bool, yes: bool, most: float | None) -> float | None:
    """Return how much embedding may cost, after asking if needed; None if the embedder is free."""
    if not is_remote(root, settings):
        return None
    # Most updates have nothing to embed and need neither import.
    from quaestor.assemble.estimate import estimate_update  # noqa: PLC0415
    from quaestor.cli.costs import agreed_cost  # noqa: PLC0415

    estimate = estimate_update(root, settings, rebuild=rebuild)
    return None if estimate is None else agreed_cost(estimate, settings, yes=yes, most=most)


def _report_refusal(root: Path, changes: Changes, documents: int) -> int:
    """Print why the only file that was named is not indexed; return the exit code."""
    if documents or not changes.skipped or not root.is_file():
        return 0
    why = changes.skipped[0]
    reason = f"{why.reason}{': ' if why.detail else ''}{one_line(why.detail)}"
    remark(f"error: {str(root)!r} is not indexed ({reason}).")
    return 1


def _report_embedder(root: Path, settings: Settings, before: IndexEmbedder | None) -> None:
    """Say that the index has another embedder than before, which everybody who searches a database has from now on."""
    now = index_embedder(root, settings)
    if before is not None and now is not None and now.name != before.name:
        all_of = " This holds for everybody who uses this database." if is_shared(settings) else ""
        remark(f"The index now has the embedder {one_line(now.name)} instead of {one_line(before.name)}.{all_of}")


def _print_ignored(changes: Changes, origin: str) -> None:
    """Print how many files the project's own settings leave out; the user's own are not mentioned."""
    if origin.startswith("project file") and (ignored := ignored_by_setting(changes)):
        few = "file or folder is" if ignored == 1 else "files and folders are"
        echo(f"{ignored:,} {few} left out by 'ignore' of {one_line(origin)}; {AS_IF_NOT_SET}.")


def _print_unembedded(changes: Changes) -> int:
    """Print why not everything was embedded; return the exit code."""
    if changes.failure is None:
        return 0
    remark(f"error: {changes.failure}")
    return changes.failure.exit_code


def _watch(root: Path, settings: Settings, rebuild: bool, verbose: bool, as_json: bool, most: float | None) -> int:
    """Keep the index up to date, and print what changed, until Ctrl-C."""
    if rebuild or most is not None or names_transformer(settings):
        Index.build(root, settings=settings, progress=indexing_progress(), rebuild=rebuild, max_cost=most).close()
    with Index.ready(root, settings=settings, progress=indexing_progress(), whole=True) as index:
        for changes in watch(index.refresh, report_failure=lambda error: remark(f"warning: {error}")):
            if as_json:
                print_json(changes_object(changes))
            else:
                _print_changes(str(root), changes, index.stats(), verbose)
            sys.stdout.flush()
    return 0


def changes_object(changes: Changes) -> dict[str, object]:
    """Return the changes of a refresh as JSON values."""
    return {
        "added": changes.added,
        "changed": changes.changed,
        "touched": changes.touched,
        "removed": changes.removed,
        "unchanged": changes.unchanged,
        "stale": changes.stale,
        "embedded": changes.embedded,
        "cut": changes.cut,
        "cost": changes.spent / 1_000_000,
        "pending": changes.pending,
        "elsewhere": changes.elsewhere,
        "anew": changes.anew,
        "failure": None if changes.failure is None else str(changes.failure),
        "skipped": [entry._asdict() for entry in changes.skipped],
        "seconds": round(changes.seconds, 3),
    }


def _advice(changes: Changes) -> str:
    if changes.skipped:
        return "`quaestor index --verbose` shows why each file is left out."
    return "Give a folder that holds code or documents."


def _survey(
    root: Path, settings: Settings, report: CrawlReport | None, *, rebuild: bool, verbose: bool, as_json: bool
) -> int:
    from quaestor.assemble.estimate import survey_and_estimate  # noqa: PLC0415 - as in _agree_on_cost
    from quaestor.cli.costs import estimate_object, print_estimate  # noqa: PLC0415

    with waiting("reading what is to be indexed", quiet=as_json):
        survey, estimate = survey_and_estimate(root, settings, rebuild=rebuild)
    if as_json:
        crawl = {} if report is None else {"crawl": report_object(report)}
        print_json({**survey_object(str(root), survey), "estimate": estimate_object(estimate), **crawl})
        return held_back(report)
    if report is not None:
        print_report(report, verbose)
    print_survey(root, survey, verbose)
    print_estimate(estimate)
    return held_back(report)


def _print_embedded(changes: Changes) -> None:
    paid = f" for {changes.spent / 1_000_000:.6f}" if changes.spent else ""
    cut = f"; {amount(changes.cut, 'text')} too long for the model, cut" if changes.cut else ""
    echo(f"embedded    {amount(changes.embedded, 'text')}{paid}{cut}")
    if changes.pending:
        waiting = amount(len(changes.pending), "document")
        echo(f"waiting     {waiting}: found by words alone until `quaestor index` embeds them")


def _shown_source(path: str | None, root: Path) -> str:
    """Return the address of what was fetched, whose folder says nothing to a person; otherwise the folder."""
    return path if path is not None and (is_address(path) or names_repository(path)) else str(root)


def _print_changes(source: str, changes: Changes, stats: CorpusStats, verbose: bool) -> None:
    parts = [
        f"{len(paths):,} {word}"
        for paths, word in (
            (changes.added, "new"),
            (changes.changed, "changed"),
            (changes.removed, "removed"),
        )
        if paths
    ]
    if changes.elsewhere:
        parts.append(f"{changes.elsewhere:,} by other processes")
    echo(
        f"{one_line(source)}: {amount(stats.documents, 'document')}, {amount(stats.chunks, 'chunk')} "
        f"({', '.join(parts) or 'nothing changed'}; read {size(changes.bytes)} in {changes.seconds:.2f} s)"
    )
    if changes.anew:
        echo(READ_ANEW)
    if not stats.documents and not Path(source).is_file():
        echo(f"Nothing here can be indexed. {_advice(changes)}", err=True)
    if changes.embedded or changes.pending:
        _print_embedded(changes)
    if changes.stale:
        echo(f"{amount(len(changes.stale), 'file')} kept changing and will be read at the next search.")
    print_skipped(by_reason(changes.skipped), changes.skipped if verbose else ())
    for detail in dict.fromkeys(entry.detail for entry in changes.skipped if entry.reason == "needs an extra"):
        echo(f"To read what needs an extra, {detail}")


def crawl_with_progress(
    url: str, settings: Settings, *, rebuild: bool, chosen: Mapping[str, object], look: bool = False
) -> CrawlReport | None:
    """Crawl a site with a progress line; return None if a dry run has just fetched its pages and they are used.

    Args:
        url: the site's address.
        settings: name the data folder.
        rebuild: whether to delete the present pages first.
        chosen: options of the crawl; if they differ from those of the dry run, the site is crawled again.
        look: whether this is a dry run.
    """
    home = data_home(settings)
    if not rebuild and was_fetched_by_dry_run(url, home, chosen):
        remark("A recent dry run fetched the pages; they are used.")
        if not look:
            forget_dry_run(url, home)
        return None
    report = crawl(url, home, chosen, crawling_progress(), rebuild=rebuild)
    if look and not report.unfinished:
        note_dry_run(url, home, chosen)
    else:
        forget_dry_run(url, home)
    return report


def held_back(report: CrawlReport | None) -> int:
    """Print that pages missing from a site were kept, if they were too many to drop; return the exit code."""
    if report is None or not report.held:
        return 0
    remark(
        f"error: {amount(report.held, 'page')} of {one_line(report.start)}, more than a fifth, seem to be gone and "
        "were kept. If they were really removed, give --drop."
    )
    return 1


def report_object(report: CrawlReport) -> dict[str, object]:
    """Return a crawl's report as JSON values."""
    examples = [{"url": url, "reason": reason, "detail": detail} for url, reason, detail in report.examples]
    return {**asdict(report), "examples": examples, "seconds": round(report.seconds, 3)}


def print_report(report: CrawlReport, verbose: bool) -> None:
    """Print a crawl's report."""
    counts = (
        (report.new, "new"),
        (report.changed, "changed"),
        (report.gone, "gone"),
        (report.unchanged, "unchanged"),
        (report.unanswered, "without a response, kept"),
    )
    done = ", ".join(f"{count:,} {word}" for count, word in counts if count) or "nothing new"
    echo(
        f"{one_line(report.start)}: {amount(report.pages, 'page')} ({done}; {amount(report.requests, 'request')}, "
        f"{size(report.bytes)} in {report.seconds:.1f} s)"
    )
    if report.gone:
        echo(f"removed pages can be restored for seven days: `quaestor index {one_line(report.start)} --restore`")
    if report.skipped:
        echo("left out    " + ", ".join(f"{one_line(reason)} {n:,}" for reason, n in report.skipped.items()))
    for url, reason, detail in report.examples if verbose else ():
        echo(f"  {one_line(url)}  ({one_line(reason)}{': ' if detail else ''}{one_line(detail)})")
    if report.unfinished:
        echo(f"Not finished: {one_line(report.unfinished)}. Run the same command again to continue.", err=True)


def crawling_progress() -> CrawlProgress:
    """Return a function that shows a crawl's progress, if stderr is a terminal."""
    last = 0.0

    def draw(state: CrawlState) -> None:
        nonlocal last
        now = time.monotonic()
        finished = not state.waiting
        if not sys.stderr.isatty() or (now - last < 0.1 and not finished):
            return
        last = now
        echo(
            f"\r\x1b[K{state.kept:,} pages, {state.waiting:,} to fetch, {state.skipped:,} left out  "
            f"{one_line(state.url)[:_SHOWN_URL]}",
            nl=finished,
            err=True,
        )

    return draw
