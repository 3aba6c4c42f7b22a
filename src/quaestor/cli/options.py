"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click

from quaestor.cli.scope import Filters
from quaestor.core.settings import Settings

Command = TypeVar("Command", bound=Callable[..., Any])

path_argument = click.argument("path", required=False, type=str)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")

_STATE_STORE = "quaestor.state_store"


def model_options(without: str = "without it, answers are quotes") -> Callable[[Command], Command]:
    """Return a decorator that adds the options that choose a model; ``without`` says what none means."""
    return lambda command: _model_options(command, without)


def _model_options(command: Command, without: str) -> Command:
    command = click.option("--base-url", help="OpenAI-compatible endpoint, such as http://localhost:11434/v1.")(command)
    return click.option("--model", help=f"Name of a model at the endpoint; {without}.")(command)


def store_option(command: Command) -> Command:
    """Add the option for the store of the index."""
    text = "Store of the index: 'embedded', or 'postgresql://USER@HOST/DATABASE'."
    return click.option("--store", metavar="STORE", help=text)(command)


def state_option(command: Command) -> Command:
    """Add the option for the store of users, sessions and the ledger; ``state_store`` returns its value."""
    text = "Store of users and sessions: 'embedded', or 'postgresql://USER@HOST/DATABASE'."

    def remember(context: click.Context, _option: click.Parameter, value: str | None) -> None:
        context.meta[_STATE_STORE] = value

    return click.option("--store", metavar="STORE", help=text, expose_value=False, callback=remember)(command)


def state_store() -> str | None:
    """Return the value of the current command's option from ``state_option``; None if it was not given."""
    store: str | None = click.get_current_context().meta.get(_STATE_STORE)
    return store


def count_option(default: int) -> Callable[[Command], Command]:
    """Return a decorator that adds the option ``-k``, the number of passages to find."""
    return click.option(
        "-k",
        "--results",
        "--passages",
        "count",
        type=click.IntRange(1, 1000),
        help=f"Number of passages to find; {default} by default.",
    )


def window_option(command: Command) -> Command:
    """Add the option for the model's window."""
    text = f"The model's window in tokens; {Settings().window} by default."
    return click.option("--window", type=click.IntRange(256), help=text)(command)


def filter_options(command: Command) -> Command:
    """Add the options that filter documents; the command gets them as one argument ``filters``."""

    @wraps(command)
    def with_filters(
        *arguments: object,
        paths: Sequence[str],
        languages: Sequence[str],
        since: str,
        before: str,
        by: Sequence[str],
        no_filters: bool,
        **others: object,
    ) -> object:
        where = None
        if paths or languages or since or before or by:
            from quaestor.search.filters import make_filter  # noqa: PLC0415 - few searches are with_filters

            where = make_filter(paths, languages, since, before, by)
        return command(*arguments, filters=Filters(where, not no_filters), **others)

    for option in reversed(_FILTERS):
        with_filters = option(with_filters)
    return cast("Command", with_filters)


_FILTERS = (
    click.option("--path", "paths", multiple=True, metavar="GLOB", help="Only paths that match, such as 'src/**'."),
    click.option("--language", "--lang", "languages", multiple=True, metavar="NAME", help="Only this language."),
    click.option("--since", default="", metavar="DATE", help="Only documents dated then or later: 2020, 2020-03."),
    click.option("--before", default="", metavar="DATE", help="Only documents dated earlier."),
    click.option("--by", multiple=True, metavar="NAME", help="Only documents by this author."),
    click.option("--no-filters", is_flag=True, help="Search for words such as 'since 2020' instead of filtering."),
)


def embedder_options(command: Command) -> Command:
    """Add the options that choose an embedder."""
    command = click.option("--price", type=click.FloatRange(0), help="Price of embedding a million tokens.")(command)
    return click.option(
        "--embedder", metavar="NAME", help="'static', 'minilm', 'onnx:FOLDER', 'openai:MODEL', or 'auto'."
    )(command)
