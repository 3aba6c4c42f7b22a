"""``quaestor related``: shows definitions, callers, tests and neighbours of a name or file."""

from __future__ import annotations

import time
from dataclasses import asdict

import click

from quaestor.assemble import Index
from quaestor.cli.options import json_option, path_argument
from quaestor.cli.output import echo, one_line, print_json, print_remarks, remark, safe, style
from quaestor.cli.progress import indexing_progress
from quaestor.cli.scope import configure, find_corpus
from quaestor.corpus import Corpus
from quaestor.related import KINDS, Related, RelatedKind, Relative

NOTHING_FOUND = 1
_HEADINGS: dict[RelatedKind, str] = {
    "definitions": "Definitions",
    "callers": "Callers and other uses, by name",
    "tests": "Tests",
    "neighbours": "Neighbours",
}


@click.command("related")
@click.argument("target")
@path_argument
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind; may be repeated.")
@click.option("-k", "--results", "limit", type=click.IntRange(1, 1000), default=10, help="Results of each kind.")
@json_option
def command(target: str, path: str | None, kinds: tuple[RelatedKind, ...], limit: int, as_json: bool) -> int:
    """Show what belongs to a name or a file: definitions, callers, tests, neighbours.

    TARGET is a name (send, Client.send), a path, or a path with a line (src/a.py:12). Uses are found by name, so they
    may include uses of another definition with the same name. Exit code 1 means that nothing was found.
    """
    root = find_corpus(path)
    settings = configure(root).settings
    started = time.perf_counter()
    with Index.ready(root, settings=settings, progress=indexing_progress()) as corpus:
        related = corpus.related(target, kinds or None, limit)
        if as_json:
            print_json(as_object(target, related, corpus, time.perf_counter() - started))
        else:
            _print(related, corpus)
        print_remarks(corpus.remarks)
    return 0 if related.relatives else NOTHING_FOUND


def as_object(target: str, related: Related, corpus: Corpus, seconds: float) -> dict[str, object]:
    """Return relatives as JSON values."""
    return {
        "target": target,
        "name": related.target.name,
        "path": related.target.path,
        "related": [asdict(relative) for relative in related.relatives],
        "total": dict(related.total),
        "complete": related.complete,
        "index": {"fresh": corpus.freshness.fresh, "checked_at": corpus.freshness.checked_at},
        "seconds": round(seconds, 4),
    }


def _print(related: Related, corpus: Corpus) -> None:
    if not related.relatives:
        remark(f"Nothing belongs to {str(related.target)[:80]!r}.")
    for kind in KINDS:
        relatives = related.of(kind)
        if not relatives:
            continue
        echo(style(f"{_HEADINGS[kind]}{_more(related, kind)}", bold=True))
        for relative in relatives:
            echo(_line(relative))
        echo()
    if not corpus.freshness.fresh and not corpus.freshness.hindrance:
        remark("The index could not be brought fully up to date in the time allowed; run `quaestor index`.")


def _more(related: Related, kind: RelatedKind) -> str:
    """Return how many of the places are listed, as far as their number is known; "" if all are."""
    count = len(related.of(kind))
    total = related.total.get(kind, count)
    if kind in related.least:
        return f" ({count} of some {total:,} or more: the name is too common to look at every place)"
    roughly = "" if related.complete else "about "
    return f" ({count} of {roughly}{total:,})" if total > count else ""


def _line(relative: Relative) -> str:
    where = style(f"{one_line(relative.path)}:{relative.start_line}", fg="cyan")
    symbol = style(f"  {one_line(relative.symbol)}", fg="yellow") if relative.symbol else ""
    text = next((line.strip() for line in relative.text.split("\n") if line.strip()), "")
    stale = "" if relative.fresh else style("  changed since it was indexed", fg="red")
    role = style(f"  {relative.role}", dim=True)
    return f"  {where}{symbol}{role}{stale}\n      {safe(text)[:160]}"
