"""``quaestor install``: one entry in a coding agent's settings."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import click

from quaestor.cli.output import echo, remark, safe
from quaestor.cli.scope import find_root
from quaestor.core.errors import UsageError
from quaestor.install import CLIENTS, Change, Place, install
from quaestor.llm.prompts import load

_Decorated = Callable[..., None]


def client_options(command: _Decorated) -> _Decorated:
    """Add what ``install`` and ``uninstall`` take alike."""
    command = click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")(command)
    command = click.option("--project", is_flag=True, help="Change this project's settings instead of yours.")(command)
    return click.argument("client", type=click.Choice([*CLIENTS, "skill"]))(command)


@click.command("install")
@client_options
@click.argument("paths", nargs=-1, type=str)
def command(client: str, project: bool, dry_run: bool, paths: tuple[str, ...]) -> None:
    """Tell CLIENT how to start `quaestor mcp`, for PATHS or for the folder that it is used in.

    Everything else in its settings stays unchanged, and a backup is kept. `skill` prints a text for AGENTS.md.
    """
    if client == "skill":
        echo(load("skill").template)
        return
    # A program without a folder of its own is told of the one that this is run in.
    wanted = paths or ((None,) if not CLIENTS[client].works_in_folder else ())
    arguments = ["mcp", *(str(find_root(path)) for path in wanted)]
    change = install(CLIENTS[client], place(project), program(), arguments, write=not dry_run)
    say(change, dry_run, f"{CLIENTS[client].title} knows Quaestor now; start it anew.")


def place(project: bool) -> Place:
    """Return the place of the settings: the user's or a project's."""
    roaming = os.environ.get("APPDATA")
    root = find_root(None) if project else None
    return Place(Path.home(), sys.platform, root, Path(roaming) if roaming else None, os.environ)


def program() -> str:
    """Return the full path of this command: editors are not started with a shell's PATH.

    Raises:
        UsageError: it is not installed as a command.
    """
    beside = shutil.which("quaestor", path=str(Path(sys.executable).parent))
    found = beside or shutil.which("quaestor")
    if found is None:
        raise UsageError(
            "The command 'quaestor' is not installed. Run `uv tool install quaestor` or `pip install quaestor`."
        )
    return found


def say(change: Change, dry_run: bool, done: str) -> None:
    """Print the change that was made, or would be."""
    if not change.changed:
        remark(f"Nothing to do: {change.path} is already so.")
    elif dry_run:
        echo(safe(change.diff()), nl=False)
    elif change.after is None:
        remark(f"Removed {change.path}, in which nothing else was.")
        remark(done)
    else:
        remark(f"Wrote {change.path}." + (f" Its earlier text is in {change.backup}." if change.backup else ""))
        remark(done)
