"""``quaestor uninstall``: takes our entry back from a coding agent's settings."""

from __future__ import annotations

import click

from quaestor.cli.commands.install import client_options, place, say
from quaestor.core.errors import UsageError
from quaestor.install import CLIENTS, uninstall


@click.command("uninstall")
@client_options
def command(client: str, project: bool, dry_run: bool) -> None:
    """Take Quaestor out of CLIENT's settings; everything else stays as it is."""
    if client == "skill":
        raise UsageError("'skill' was only printed; take it out of the file that you put it into.")
    change = uninstall(CLIENTS[client], place(project), write=not dry_run)
    say(change, dry_run, f"{CLIENTS[client].title} knows nothing of Quaestor any more.")
