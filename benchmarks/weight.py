"""Measures an installation: the megabytes of a fresh environment.

    python benchmarks/weight.py [--extra serve]

pip installs Quaestor from this checkout, with its dependencies, and compiles it. Files are counted by their bytes, each
with its distribution.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Collection, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path

import _machine

ROOT = Path(__file__).parents[1]
SHOWN = 10


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extra", action="append", default=[], help="of Quaestor, to be installed as well")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="weight-") as place:
        found = weights(installed(Path(place), options.extra))
    print(table(found))
    print(f"{sys.platform}, Python {sys.version.split()[0]}, commit {_machine.describe()['commit'][:10]}")


def installed(place: Path, extras: Sequence[str]) -> Path:
    """Install Quaestor into an environment in a folder and return where packages lie in it."""
    venv.create(place, with_pip=True)
    what = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    python = place / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", what], check=True)
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(place), "platbase": str(place)}))


def weights(packages: Path) -> dict[str, tuple[int, int]]:
    """Return the bytes of each distribution: as it is unpacked, and of what Python compiled of it."""
    found = {one.name: _bytes(one) for one in distributions(path=[str(packages)])}
    return {name: sizes for name, sizes in found.items() if name not in ("pip", "setuptools")}


def _bytes(distribution: Distribution) -> tuple[int, int]:
    unpacked = compiled = 0
    for file in distribution.files or ():
        path = Path(str(distribution.locate_file(file)))
        size = path.stat().st_size if path.exists() else 0
        if path.suffix == ".pyc":
            compiled += size
        else:
            unpacked += size
    return unpacked, compiled


def table(found: dict[str, tuple[int, int]]) -> str:
    """Return the largest distributions, and the sum of all."""
    rows = sorted(found.items(), key=lambda item: -sum(item[1]))
    others = [sizes for _, sizes in rows[SHOWN:]]
    rows = [*rows[:SHOWN], (f"{len(others)} others", _sum(others)), ("all", _sum(found.values()))]
    lines = [f"{'megabytes':24} unpacked  with what Python compiles"]
    lines += [
        f"{name:24} {unpacked / 1e6:8.1f}  {(unpacked + compiled) / 1e6:8.1f}" for name, (unpacked, compiled) in rows
    ]
    return "\n".join(lines)


def _sum(sizes: Collection[tuple[int, int]]) -> tuple[int, int]:
    return sum(one for one, _ in sizes), sum(other for _, other in sizes)


if __name__ == "__main__":
    main()
