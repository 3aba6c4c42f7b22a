"""Options that several commands share, and finding the corpus that is meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from quaestor.assemble import locate
from quaestor.cli.output import remark
from quaestor.config import Configuration, load_configuration

Command = TypeVar("Command", bound=Callable[..., Any])

path_argument = click.argument("path", required=False, type=str)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


def model_options(command: Command) -> Command:
    """Add the options that choose a model."""
    command = click.option("--base-url", help="OpenAI-compatible endpoint.")(command)
    return click.option("--model", help="Model name at the endpoint.")(command)


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
