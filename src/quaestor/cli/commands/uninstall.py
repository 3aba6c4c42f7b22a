"""``quaestor uninstall``: removes our entry from a coding agent's settings."""

from __future__ import annotations

import click

from quaestor.cli.commands.install import client_options, place, say
from quaestor.core.errors import UsageError
from quaestor.install import CLIENTS, uninstall


@click.command("uninstall")
@client_options
def command(client: str, project: bool, dry_run: bool) -> None:
    """Remove Quaestor from CLIENT's settings; everything else stays unchanged.

    CLIENT is claude-code, claude-desktop, cursor, vscode, codex, gemini, opencode or zed.
    """
    if client == "skill":
        raise UsageError("'skill' was only printed; remove it from the file into which you put it.")
    change = uninstall(CLIENTS[client], place(project), write=not dry_run)
    say(change, dry_run, f"{CLIENTS[client].title} no longer starts Quaestor.")
