"""``quaestor search``: finds code and prose by words and by meaning."""

from __future__ import annotations

import click

from quaestor.cli.hits import SearchArguments
from quaestor.cli.options import count_option, filter_options, json_option, store_option
from quaestor.cli.scope import Filters
from quaestor.cli.searches import search
from quaestor.core.settings import Settings
from quaestor.search.retriever import Mode


@click.command("search")
@click.argument("query")
@click.argument("sources", nargs=-1, type=str, metavar="[SOURCE]...")
@count_option(Settings().results)
@filter_options
@store_option
@click.option(
    "--mode",
    type=click.Choice(["ranked", "fusion", "lexical", "dense"]),
    default="ranked",
    show_default=True,
    help="How hits are found and scored.",
)
@click.option("--explain", is_flag=True, help="Show each feature's share in a hit's score.")
@json_option
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    query: str,
    sources: tuple[str, ...],
    count: int | None,
    mode: Mode,
    explain: bool,
    as_json: bool,
    store: str | None,
    filters: Filters,
) -> int:
    """Find code and prose by words and by meaning, in folders or indexed sites, in one ranking.

    Without a SOURCE, the current repository is searched. Exit code 1 means that nothing was found.
    """
    return search(SearchArguments(query, sources, count, mode, explain, as_json, filters, store))
