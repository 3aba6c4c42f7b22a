"""Why one path is left out of an index, asked without a walk."""

from __future__ import annotations

import os
from pathlib import Path

from quaestor.files.deny import Reason, deny_file, deny_folder
from quaestor.files.source_settings import IngestSettings
from quaestor.files.walk_decisions import Decisions
from quaestor.files.walk_rules import Folder, Rules


def left_out(root: Path, path: str, settings: IngestSettings | None = None) -> Reason | None:
    """Return why a file is not indexed by its path; None if it is. The file need not exist.

    Args:
        root: real path of the source's folder.
        path: of the file, relative to the root, with ``/`` and without ``..``.
        settings: ignore patterns.
    """
    rules = Rules(root, settings or IngestSettings(), Decisions())
    folder = Folder("", str(root))
    *folders, name = path.split("/")
    for part in folders:
        names = _names(folder.place)
        if reason := deny_folder(part, names):
            return reason
        below = rules.enters(rules.enter(folder, names), folder.prefix + part, part, f"{folder.place}/{part}")
        if below is None:
            return "ignored"
        folder = below
    here = rules.enter(folder, _names(folder.place))
    return deny_file(name, folder.name) or (None if rules.takes(here, path, name) else "ignored")


def _names(place: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(place))  # noqa: PTH208
    except OSError:
        return frozenset()
