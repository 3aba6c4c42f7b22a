"""``quaestor history``: answers questions from git's history and the changelogs."""

from __future__ import annotations

import time

import click

from quaestor.answers.history.history_answer import HistoryAnswer, history_object
from quaestor.assemble import Index
from quaestor.cli.options import json_option, path_argument
from quaestor.cli.output import echo, one_line, print_json, print_remarks, safe, style, wrapped
from quaestor.cli.progress import indexing_progress
from quaestor.cli.scope import configure, find_root

NOTHING_FOUND = 1


@click.command("history")
@click.argument("question", metavar="[QUESTION]", default="")
@path_argument
@click.option("--since", default="", metavar="DATE", help="Only changes on this date or later: 2024, 2024-03.")
@click.option("--until", default="", metavar="DATE", help="Only changes on this date or earlier.")
@click.option("-n", "--commits", "limit", type=click.IntRange(1, 200), default=10, help="Number of commits to list.")
@json_option
def command(question: str, path: str | None, since: str, until: str, limit: int, as_json: bool) -> int:
    """Show what changed, when, why and by whom, from git's history and the changelogs.

    QUESTION is a question ("what changed in 1.2", "when was send added", "who wrote src/a.py"), a path, a name, or
    words of commit messages; without it, the newest commits are shown. "quaestor history HASH" shows a cited commit.
    Exit code 1 means that nothing was found.
    """
    root = find_root(path)
    settings = configure(root).settings
    started = time.perf_counter()
    with Index.ready(root, settings=settings, progress=indexing_progress()) as corpus:
        answer = corpus.history(question, since=since, until=until, limit=limit)
        if as_json:
            print_json(history_object(question, answer, time.perf_counter() - started))
        else:
            _print(answer)
        print_remarks(corpus.remarks)
    return 0 if answer.known else NOTHING_FOUND


def _print(answer: HistoryAnswer) -> None:
    for line in wrapped(safe(answer.text(range(1, len(answer.hits) + 1)))):
        echo(line)
    if answer.hits:
        echo(style("\nSources", bold=True))
    for number, hit in enumerate(answer.hits, 1):
        title = f"  {one_line(hit.document.title)}" if hit.document.title else ""
        echo(f"  [{number}] {style(one_line(f'{hit.path}:{hit.start_line}'), fg='cyan')}{title[:100]}")
