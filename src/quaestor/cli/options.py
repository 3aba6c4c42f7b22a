"""Options that several commands share, and finding the corpus that is meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import click

from quaestor.assemble import locate
from quaestor.cli.output import one_line, remark
from quaestor.config import Configuration, load_configuration
from quaestor.stores import Where

Command = TypeVar("Command", bound=Callable[..., Any])

path_argument = click.argument("path", required=False, type=str)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


def model_options(command: Command) -> Command:
    """Add the options that choose a model."""
    command = click.option("--base-url", help="OpenAI-compatible endpoint.")(command)
    return click.option("--model", help="Model name at the endpoint.")(command)


class Filters(NamedTuple):
    """Which documents a command is about.

    Attributes:
        where: as the options say; None for all.
        understand: whether the question's own words may limit them as well.
    """

    where: Where | None
    understand: bool


def filter_options(command: Command) -> Command:
    """Add the options that say which documents are meant; the command gets them as one argument ``filters``."""

    @wraps(command)
    def filtered(
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
            from quaestor.retrieval.filters import make_filter  # noqa: PLC0415 - few searches are filtered

            where = make_filter(paths, languages, since, before, by)
        return command(*arguments, filters=Filters(where, not no_filters), **others)

    for option in reversed(_FILTERS):
        filtered = option(filtered)
    return cast("Command", filtered)


_FILTERS = (
    click.option("--path", "paths", multiple=True, metavar="GLOB", help="Only paths that match, such as 'src/**'."),
    click.option("--language", "--lang", "languages", multiple=True, metavar="NAME", help="Only this language."),
    click.option("--since", default="", metavar="DATE", help="Only documents of this date or later: 2020, 2020-03."),
    click.option("--before", default="", metavar="DATE", help="Only documents of an earlier date."),
    click.option("--by", multiple=True, metavar="NAME", help="Only documents by this author."),
    click.option("--no-filters", is_flag=True, help="Search for words such as 'since 2020' instead of obeying them."),
)


def remark_on(understood: Sequence[str], missed: Sequence[str]) -> None:
    """Tell what of a question was taken for a filter, and what would have been."""
    if understood:
        named = ", ".join(f"{one_line(phrase)!r}" for phrase in understood)
        remark(f"understood as a filter: {named}; put it in quotes, or use --no-filters, to search for the words")
    if missed:
        named = ", ".join(f"{one_line(phrase)!r}" for phrase in missed)
        remark(f"not used as a filter, for nothing would be left: {named}")


def embedder_options(command: Command) -> Command:
    """Add the options that choose an embedder."""
    command = click.option("--price", type=click.FloatRange(0), help="Price of a million tokens embedded.")(command)
    return click.option("--embedder", metavar="NAME", help="'static', 'onnx:FOLDER', 'openai:MODEL', or 'auto'.")(
        command
    )


def find_root(path: str | None) -> Path:
    """Return the folder that is meant: the given one, else the nearest repository upwards, else this folder.

    Raises:
        NotFoundError: the path does not exist.
        UsageError: the path cannot be one, or is an address of no site.
    """
    if path is not None:
        return locate(path)
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def configure(root: Path | None, **flags: object) -> Configuration:
    """Load the settings for a corpus and report what its project file may not set."""
    project = root if root is None or root.is_dir() else root.parent
    configuration = load_configuration(flags, project=project)
    for refusal in configuration.refusals:
        remark(f"warning: {refusal.path} sets {refusal.name!r}: {refusal.reason}.")
    return configuration
