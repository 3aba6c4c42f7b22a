"""Crawling a site from the command line: how far it is, and what came of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import asdict

from quaestor.cli.output import echo, one_line, remark, size
from quaestor.core.config import Settings, data_home
from quaestor.core.wording import amount
from quaestor.crawl.crawl_settings import CrawlProgress, CrawlReport, CrawlState
from quaestor.crawl.sites import crawl, forget_look, note_look, was_looked_at

_SHOWN_URL = 60


def fetched(
    url: str, settings: Settings, *, rebuild: bool, chosen: Mapping[str, object], look: bool = False
) -> CrawlReport | None:
    """Crawl a site, showing how far it is; None if it was looked at lately and its pages are taken as they are.

    Args:
        url: the site.
        settings: where sites lie.
        rebuild: throw away what is there.
        chosen: options of the crawl; any of them has the site crawled.
        look: whether the pages are only looked at, and not indexed now.
    """
    home = data_home(settings)
    if not rebuild and all(value is None or value is False for value in chosen.values()) and was_looked_at(url, home):
        remark("The pages were fetched lately by a dry run, and are taken as they are.")
        if not look:
            forget_look(url, home)
        return None
    report = crawl(url, home, chosen, crawling_progress(), rebuild=rebuild)
    if look and not report.unfinished:
        note_look(url, home)
    else:
        forget_look(url, home)
    return report


def held_back(report: CrawlReport | None) -> int:
    """Say that a site's pages are kept that are gone, and return the exit code of that."""
    if report is None or not report.held:
        return 0
    remark(
        f"error: {amount(report.held, 'page')} of {one_line(report.start)} would be gone, which is more than a fifth, "
        "and are kept as they were. If the site is as it should be, give --drop."
    )
    return 1


def report_object(report: CrawlReport) -> dict[str, object]:
    """Return what a crawl did, for programs."""
    examples = [{"url": url, "reason": reason, "detail": detail} for url, reason, detail in report.examples]
    return {**asdict(report), "examples": examples, "seconds": round(report.seconds, 3)}


def print_report(report: CrawlReport, verbose: bool) -> None:
    """Print what a crawl did, and what was left out."""
    counts = (
        (report.new, "new"),
        (report.changed, "changed"),
        (report.gone, "gone"),
        (report.unchanged, "unchanged"),
        (report.unanswered, "not answered, kept as they were"),
    )
    done = ", ".join(f"{count:,} {word}" for count, word in counts if count) or "nothing new"
    echo(
        f"{one_line(report.start)}: {amount(report.pages, 'page')} ({done}; {amount(report.requests, 'request')}, "
        f"{size(report.bytes)} in {report.seconds:.1f} s)"
    )
    if report.gone:
        echo(f"what is gone can be had back for seven days: `quaestor index {one_line(report.start)} --restore`")
    if report.skipped:
        echo("left out    " + ", ".join(f"{one_line(reason)} {n:,}" for reason, n in report.skipped.items()))
    for url, reason, detail in report.examples if verbose else ():
        echo(f"  {one_line(url)}  ({one_line(reason)}{': ' if detail else ''}{one_line(detail)})")
    if report.unfinished:
        echo(f"Not finished: {one_line(report.unfinished)}. Run the same command again to go on.", err=True)


def crawling_progress() -> CrawlProgress:
    """Return a callable that tells how far a crawl is, on a terminal only."""
    last = 0.0

    def draw(state: CrawlState) -> None:
        nonlocal last
        now = time.monotonic()
        finished = not state.waiting
        if not sys.stderr.isatty() or (now - last < 0.1 and not finished):
            return
        last = now
        echo(
            f"\r\x1b[K{state.kept:,} pages, {state.waiting:,} to ask for, {state.skipped:,} left out  "
            f"{one_line(state.url)[:_SHOWN_URL]}",
            nl=finished,
            err=True,
        )

    return draw
