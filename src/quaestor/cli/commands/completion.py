"""``quaestor completion SHELL``: the script that completes commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from quaestor.cli.output import echo


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the shell completion script; add it to your shell's start-up file."""
    from quaestor.cli.click_group import cli  # noqa: PLC0415 - the group imports this module

    completion = get_completion_class(shell)
    assert completion is not None
    echo(completion(cli, {}, "quaestor", "_QUAESTOR_COMPLETE").source())
