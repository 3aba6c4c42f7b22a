"""What is installed for development is pinned to the byte: a version, and the hashes of the very files it may be.

``make audit`` asks a database of known weaknesses about the same list; that needs the network, so it is no test.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
_ENTRY = re.compile(r"^(?P<name>[a-z0-9][a-z0-9._-]*)==(?P<version>[0-9][^ ;\\]*)(?: ; [^\\]+)? \\$")
_HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")


def entries() -> list[list[str]]:
    """Return the lock's entries, each as its lines without comments."""
    found: list[list[str]] = []
    for line in LOCK.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith(" "):
            found.append([])
        found[-1].append(line)
    return found


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry[0].partition(" ")[0])
def test_every_entry_is_a_version_with_hashes_and_comes_from_no_address(entry: list[str]) -> None:
    assert _ENTRY.match(entry[0]), entry[0]
    assert len(entry) > 1
    assert all(_HASH.match(line) for line in entry[1:]), entry[1:]


def test_no_option_of_the_list_loosens_that() -> None:
    assert not re.search(r"^\s*-(?!-hash=)", LOCK, re.MULTILINE)


def test_everything_that_a_user_may_install_is_in_the_list() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    # Torch and what else makes the shipped weights is installed by hand, by whoever trains.
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    wanted += [one for name, these in extras.items() if name != "training" for one in these]
    names = {plain(re.split(r"[<>=!~;\[ ]", one)[0]) for one in wanted}
    locked = {plain(found["name"]) for entry in entries() if (found := _ENTRY.match(entry[0]))}
    assert names - locked == set()


def test_what_is_installed_is_installed_from_the_list() -> None:
    """Nothing in the recipe of the environment takes what the list does not name, but for ourselves without more."""
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("$(STAMP): ")[2].partition("\n\n")[0]
    installs = [line for line in recipe.splitlines() if "pip install" in line]
    assert len(installs) >= 2
    assert all("-r requirements.lock" in line or "--no-deps -e ." in line for line in installs), installs
