"""Whether a corpus's own index is whole."""

from __future__ import annotations

from pathlib import Path

from quaestor.assemble.source_paths import index_folder
from quaestor.cli.checkup.finding import FindingError
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError
from quaestor.core.wording import command
from quaestor.stores.embedded.examine import examine
from quaestor.stores.embedded.sqlite_failures import REBUILD


def check_index(root: Path, settings: Settings) -> str:
    """Return what is to be said of a whole index, or of none.

    Raises:
        FindingError: it is damaged.
        IndexBusyError: another process has locked it.
    """
    folder = index_folder(root, settings)
    if not folder.exists():
        return f"none of {str(root)!r} yet: {command('index', root)} makes it, and so does a first search"
    anew = command("index", root, "--rebuild")
    try:
        damaged = examine(folder)
    except IndexUnusableError as error:
        raise type(error)(str(error).replace(REBUILD, f"run {anew}")) from error
    if damaged:
        raise FindingError(
            f"{' and '.join(damaged)} in {str(folder)!r} changed on the disk: whatever search reads them makes them"
            f" anew, and {anew} does so now"
        )
    return f"every row and every file of {str(folder)!r} agrees with its checksum"
