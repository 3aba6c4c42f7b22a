"""Programs of Python for which a package is not installed, whatever is on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run_without(package: str, folder: Path, code: str, *arguments: object) -> str:
    """Run code where ``package`` cannot be imported and return what it printed.

    Args:
        package: its name in imports.
        folder: an empty folder of the test's own; it gets links to everything else that is installed.
        code: the program; ``sys.argv[1:]`` are the arguments.
    """
    folder.mkdir()
    installed = [Path(place) for place in sys.path if Path(place).name in ("site-packages", "dist-packages")]
    for place in (one for site in installed for one in site.iterdir()):
        if place.name.partition(".")[0] != package and not (folder / place.name).exists():
            (folder / place.name).symlink_to(place)
    path = [str(folder), *(place for place in sys.path if place and Path(place) not in installed)]
    # -S: what is installed is not added to the path.
    command = [sys.executable, "-S", "-c", code, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout
