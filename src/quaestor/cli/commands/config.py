"""``quaestor config show``: every setting, its value and its origin."""

from __future__ import annotations

import click

from quaestor.cli.options import json_option, path_argument
from quaestor.cli.output import print_json, print_table
from quaestor.cli.scope import configure, find_root
from quaestor.core.config import RULES


@click.group("config")
def command() -> None:
    """Show settings and where each value comes from."""


@command.command("show")
@path_argument
@json_option
def show(path: str | None, as_json: bool) -> None:
    """Print every setting with its value and origin; secrets are masked."""
    rows = list(configure(find_root(path)).shown_settings())
    if as_json:
        print_json({name: {"value": value, "origin": origin} for name, value, origin in rows})
        return
    print_table(("setting", "value", "origin", "meaning"), [(*row, RULES[row[0]].help) for row in rows])
