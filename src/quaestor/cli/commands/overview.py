"""``quaestor overview``: shows a corpus's purpose, entry points and main parts."""

from __future__ import annotations

import time

import click

from quaestor.answers.overview.make_overview import BUDGET, LEAST, make_overview
from quaestor.answers.overview.overview_text import Overview, overview_object
from quaestor.assemble import Index
from quaestor.cli.options import json_option, path_argument
from quaestor.cli.output import echo, fill_lines, one_line, print_json, print_remarks, safe, style, wrapped
from quaestor.cli.progress import indexing_progress
from quaestor.cli.scope import configure, find_corpus
from quaestor.corpus import Corpus
from quaestor.llm.tokens import tokenizer_for

NOTHING_FOUND = 1
_MOST_TOKENS = 100_000


@click.command("overview")
@path_argument
@click.option("--folder", default="", metavar="FOLDER", help="Only this folder of the corpus.")
@click.option(
    "--tokens",
    type=click.IntRange(LEAST, _MOST_TOKENS),
    default=BUDGET,
    show_default=True,
    help="Tokens that the text may take, without the list of sources.",
)
@json_option
def command(path: str | None, folder: str, tokens: int, as_json: bool) -> int:
    """Show what a corpus is: its README's summary, entry points, main parts, how it is built.

    For documents: their titles, sections, dates and authors. Numbers in brackets are sources, listed below. No model is
    used. Exit code 1 means that there are no documents.
    """
    root = find_corpus(path)
    settings = configure(root).settings
    started = time.perf_counter()
    with Index.ready(root, settings=settings, progress=indexing_progress()) as corpus:
        overview = make_overview(corpus, folder, budget=tokens, count=tokenizer_for(settings.model or "gpt-4o").count)
        if as_json:
            print_json(as_object(overview, corpus, time.perf_counter() - started))
        else:
            _print(overview)
        print_remarks(corpus.remarks)
    return 0 if overview.documents else NOTHING_FOUND


def as_object(overview: Overview, corpus: Corpus, seconds: float) -> dict[str, object]:
    """Return an overview as JSON values."""
    return {
        **overview_object(overview),
        "index": {"fresh": corpus.freshness.fresh, "checked_at": corpus.freshness.checked_at},
        "seconds": round(seconds, 4),
    }


def _print(overview: Overview) -> None:
    for text in overview.text.split("\n"):
        title = bool(text) and not text.lstrip().startswith("-")
        for line in wrapped(safe(text)):
            echo(style(line, bold=True) if title else line)
    if overview.hits:
        echo()
        echo(style("Sources:", bold=True))
        places = (
            _format_place(number, hit.path, hit.start_line, hit.end_line) for number, hit in enumerate(overview.hits, 1)
        )
        for line in fill_lines(places):
            echo(line)


def _format_place(number: int, path: str, start: int, end: int) -> str:
    return f"[{number}] {one_line(path)}:{start}" + (f"-{end}" if end > start else "")
