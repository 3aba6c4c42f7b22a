"""``quaestor undo``: reverts the last edit, if its files have not changed since."""

from __future__ import annotations

import click

from quaestor.assemble import make_journal
from quaestor.cli.options import json_option, path_argument
from quaestor.cli.output import print_json
from quaestor.cli.proposed_edits import undo_and_print
from quaestor.cli.scope import configure, find_root


@click.command("undo")
@path_argument
@json_option
def command(path: str | None, as_json: bool) -> int:
    """Undo the last edit; run again, it undoes the one before.

    If a file has changed since the edit, the command names it and undoes nothing.
    """
    root = find_root(path)
    root = root if root.is_dir() else root.parent
    undone = undo_and_print(make_journal(root, configure(root).settings))
    if as_json:
        print_json({"undone": list(undone.paths), "record": undone.number})
    return 0
