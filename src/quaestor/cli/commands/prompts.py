"""``quaestor prompts show``: prints every prompt that is sent to a model."""

from __future__ import annotations

import click

from quaestor.cli.options import json_option
from quaestor.cli.output import echo, print_json, style
from quaestor.llm.prompts.loader import load, names


@click.group("prompts")
def command() -> None:
    """Show every word that is sent to a model."""


@command.command("show")
@click.argument("name", required=False)
@json_option
def show(name: str | None, as_json: bool) -> None:
    """Print one prompt, or all of them, with their hashes.

    {{names}} are filled in when a prompt is sent."""
    chosen = [load(name)] if name else [load(one) for one in names()]
    if as_json:
        print_json({prompt.name: {"template": prompt.template, "sha256": prompt.sha256} for prompt in chosen})
        return
    for prompt in chosen:
        echo(style(f"# {prompt.name}  (sha256 {prompt.sha256[:12]})", bold=True))
        echo(f"{prompt.template}\n")
