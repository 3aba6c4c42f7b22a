"""``quaestor search``: find code and prose, for people and for programs."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

import click

from quaestor.amounts import amount
from quaestor.assemble import Index
from quaestor.cli.options import Filters, configure, filter_options, find_root, json_option, path_argument, remark_on
from quaestor.cli.output import one_line, print_json, print_remarks, remark, safe
from quaestor.cli.progress import indexing_progress
from quaestor.corpus import Corpus
from quaestor.corpus.objects import search_object
from quaestor.corpus.understanding import why_none
from quaestor.passages import Hit
from quaestor.retrieval.query import read_query
from quaestor.stores import Where
from quaestor.terms import find_words, terms_of_word

NOTHING_FOUND = 1
_EXCERPT_LINES = 6


@click.command("search")
@click.argument("query")
@path_argument
@click.option("-k", "--results", type=click.IntRange(1, 1000), help="Number of hits.")
@filter_options
@click.option(
    "--mode",
    type=click.Choice(["ranked", "fusion", "lexical", "dense"]),
    default="ranked",
    show_default=True,
    help="How hits are scored.",
)
@click.option("--explain", is_flag=True, help="Show each feature's share in a hit's score.")
@json_option
def command(
    query: str,
    path: str | None,
    results: int | None,
    mode: str,
    explain: bool,
    as_json: bool,
    filters: Filters,
) -> int:
    """Find code and prose by words and by meaning.

    Exit code 1 means that nothing was found.
    """
    root = find_root(path)
    settings = configure(root, results=results).settings
    started = time.perf_counter()
    with Index.ready(root, settings=settings, progress=indexing_progress()) as corpus:
        where = filters.where
        hits, asked = corpus.find(query, settings.results, mode=mode, where=where, filters=filters.understand)  # type: ignore[arg-type]
        seconds = time.perf_counter() - started
        if as_json:
            print_json(search_object(query, hits, corpus, seconds, explain=explain, asked=asked))
        else:
            remark_on(asked.phrases, asked.missed)
            _print_hits(query, hits, corpus, explain, where)
        print_remarks(corpus.meaning.remarks)
    return 0 if hits else NOTHING_FOUND


def _print_hits(query: str, hits: Sequence[Hit], corpus: Corpus, explain: bool, only: Where | None) -> None:
    if not hits:
        remark(f"Nothing found for {query[:80]!r} in {amount(corpus.stats().documents, 'document')}.")
        if only and (why := why_none(corpus.store, only)):
            remark(why)
        return
    wanted = frozenset(read_query(query).terms)
    for hit in hits:
        where = click.style(f"{one_line(hit.path)}:{hit.start_line}", fg="cyan", bold=True)
        symbol = click.style(f"  {one_line(hit.symbol)}", fg="yellow") if hit.symbol else ""
        stale = "" if hit.fresh else click.style("  changed since it was indexed", fg="red")
        click.echo(f"{where}{symbol}{stale}")
        if about := byline(hit):
            click.echo(click.style(f"        {about}", dim=True))
        for line in excerpt(hit, wanted):
            click.echo(line)
        if explain:
            click.echo(_explained(hit))
        click.echo()
    if not corpus.freshness.fresh:
        remark("The index was not brought wholly up to date in the time allowed; `quaestor index` does.")


def byline(hit: Hit) -> str:
    """Return what is known of where a hit's document came from, on one line: address, author, date."""
    document = hit.document
    return " · ".join(one_line(part) for part in (document.url, document.author, document.date) if part)


def excerpt(hit: Hit, wanted: frozenset[str], count: int = _EXCERPT_LINES) -> Iterator[str]:
    """Yield the ``count`` neighbouring lines of a hit that hold most of the wanted terms, numbered, marked."""
    lines = hit.text.removesuffix("\n").split("\n")
    weights = [len(wanted & _line_terms(line)) for line in lines]
    # The first line usually names what this is; prefer it among equals.
    best = max(range(max(1, len(lines) - count + 1)), key=lambda start: (sum(weights[start : start + count]), -start))
    for number, line in enumerate(lines[best : best + count], start=hit.start_line + best):
        shown = safe(line.removesuffix("\r"))[:200]
        yield f"{click.style(f'{number:6d}', dim=True)}  {_marked(shown, wanted)}"


def _line_terms(line: str) -> frozenset[str]:
    return frozenset(term for word in find_words(line) for term in terms_of_word(word))


def _marked(line: str, wanted: frozenset[str]) -> str:
    def mark(match: re.Match[str]) -> str:
        word = match.group()
        return click.style(word, bold=True) if wanted.intersection(terms_of_word(word)) else word

    return re.sub(r"[^\W\d]\w*", mark, line)


def _explained(hit: Hit) -> str:
    shares = sorted(hit.features.items(), key=lambda item: -abs(item[1]))
    text = ", ".join(f"{name} {value:+.3f}" for name, value in shares if abs(value) >= 0.0005)
    return click.style(f"        score {hit.score:.3f} = {text}", dim=True)
