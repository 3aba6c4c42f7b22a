"""``quaestor install``: adds an entry to a coding agent's settings."""

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
    """Add the options that ``install`` and ``uninstall`` share."""
    command = click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")(command)
    command = click.option("--project", is_flag=True, help="Change this project's settings instead of yours.")(command)
    return click.argument("client", metavar="CLIENT", type=click.Choice([*CLIENTS, "skill"]))(command)


@click.command("install")
@client_options
@click.argument("paths", nargs=-1, type=str)
def command(client: str, project: bool, dry_run: bool, paths: tuple[str, ...]) -> None:
    """Tell CLIENT how to start `quaestor mcp`, for PATHS or for the folder in which it is used.

    CLIENT is claude-code, claude-desktop, cursor, vscode, codex, gemini, opencode or zed.

    Everything else in its settings stays unchanged, and a backup is kept. `skill` prints a text for AGENTS.md.
    """
    if client == "skill":
        echo(load("skill").template)
        return
    # For a client that does not start servers in its working folder, the entry names the current folder.
    wanted = paths or ((None,) if not CLIENTS[client].works_in_folder else ())
    arguments = ["mcp", *(str(find_root(path)) for path in wanted)]
    change = install(CLIENTS[client], place(project), program(), arguments, write=not dry_run)
    say(change, dry_run, f"{CLIENTS[client].title} is set up to start Quaestor; restart it.")


def place(project: bool) -> Place:
    """Return the values that decide the path of a settings file: the user's, or this project's."""
    roaming = os.environ.get("APPDATA")
    root = find_root(None) if project else None
    return Place(Path.home(), sys.platform, root, Path(roaming) if roaming else None, os.environ)


def program() -> str:
    """Return the full path of the command ``quaestor``, because editors are not started with a shell's PATH.

    Raises:
        UsageError: the command is not installed.
    """
    beside = shutil.which("quaestor", path=str(Path(sys.executable).parent))
    executable = beside or shutil.which("quaestor")
    if executable is None:
        raise UsageError(
            "The command 'quaestor' is not installed. Run `uv tool install quaestor` or `pip install quaestor`."
        )
    return executable


def say(change: Change, dry_run: bool, done: str) -> None:
    """Print the change that was made or, in a dry run, would be made."""
    if not change.changes_text:
        remark(f"Nothing to do: {change.path} is up to date.")
    elif dry_run:
        echo(safe(change.diff()), nl=False)
    elif change.after is None:
        remark(f"Removed {change.path}, which held nothing else.")
        remark(done)
    else:
        remark(f"Wrote {change.path}." + (f" Its earlier text is in {change.backup}." if change.backup else ""))
        remark(done)
