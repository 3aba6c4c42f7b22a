"""Options that several commands share, and finding the corpus that is meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from quaestor.config import Configuration, load_configuration
from quaestor.errors import NotFoundError

Command = TypeVar("Command", bound=Callable[..., Any])

path_argument = click.argument("path", required=False, type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


def model_options(command: Command) -> Command:
    """Add the options that choose a model."""
    command = click.option("--base-url", help="OpenAI-compatible endpoint.")(command)
    return click.option("--model", help="Model name at the endpoint.")(command)


def find_root(path: Path | None) -> Path:
    """Return the folder that is meant: the given one, else the nearest repository upwards, else this folder.

    Raises:
        NotFoundError: the path does not exist.
    """
    if path is not None:
        if not path.exists():
            raise NotFoundError(f"There is no {str(path)!r}. Give a folder or a file that exists.")
        return path.resolve()
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def configure(root: Path | None, **flags: object) -> Configuration:
    """Load the settings for a corpus and report what its project file may not set."""
    project = root if root is None or root.is_dir() else root.parent
    configuration = load_configuration(flags, project=project)
    for refusal in configuration.refusals:
        click.echo(f"warning: {refusal.path} sets {refusal.name!r}: {refusal.reason}.", err=True)
    return configuration
