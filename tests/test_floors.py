"""The floors of docs/architecture.md, enforced: a module imports lower floors only."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path

import pytest

import quaestor

ROOT = Path(quaestor.__file__).parent

FLOORS: dict[str, int] = {
    "core": 0,
    "chunking": 1,
    "history": 1,
    "install": 1,
    "llm": 1,
    "stores": 1,
    "edits": 2,
    "embedding": 2,
    "files": 2,
    "state": 2,
    "accounts": 3,
    "convert": 3,
    "search": 3,
    "window": 3,
    "crawl": 4,
    "indexing": 4,
    "related": 4,
    "corpus": 5,
    "answers": 6,
    "tools": 7,
    "sessions": 8,
    "chat": 9,
    "assemble": 10,
    "evaluation": 11,
    "server": 11,
    "mcp": 12,
    "tuning": 12,
    "cli": 13,
    "__main__": 14,
    "__init__": 14,
}

ALIASES = ("chatml", "models", "tags", "tokens")
"""Public names of packages under ``llm``; nothing of ours imports them."""


def package_of(module: str) -> str:
    """Return the floor's inhabitant that a dotted name belongs to: quaestor.stores.embedded -> stores."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


@cache
def imports(path: Path) -> Sequence[tuple[str, int]]:
    """Return (dotted module, line) for every import of our own code in a file."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names if alias.name.startswith("quaestor"))
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield f"relative:{node.module}", node.lineno
            elif node.module == "quaestor":
                yield from ((f"quaestor.{alias.name}", node.lineno) for alias in node.names)
            elif node.module and node.module.startswith("quaestor."):
                yield node.module, node.lineno


def violations(path: Path, own: str) -> Iterator[str]:
    for module, line in imports(path):
        where = f"{path.relative_to(ROOT)}:{line}"
        if module.startswith("relative:"):
            yield f"{where} imports relatively"
            continue
        other = package_of(module)
        # `from quaestor import __version__` and the like name an attribute of the package, not a module.
        if other == own or other not in FLOORS:
            continue
        if FLOORS[other] >= FLOORS[own]:
            yield f"{where} ({own}, floor {FLOORS[own]}) imports {other} (floor {FLOORS[other]})"


def inhabitants() -> list[str]:
    found = {path.stem for path in ROOT.glob("*.py")}
    found -= set(ALIASES)
    return sorted(found | {path.name for path in ROOT.iterdir() if path.is_dir() and any(path.rglob("*.py"))})


@pytest.mark.parametrize("own", inhabitants())
def test_imports_only_lower_floors(own: str) -> None:
    assert own in FLOORS, f"{own!r} has no floor: give it one here and in docs/architecture.md"
    if own == "__init__":
        return
    files = [ROOT / f"{own}.py"] if (ROOT / f"{own}.py").exists() else sorted((ROOT / own).rglob("*.py"))
    assert [problem for path in files for problem in violations(path, own)] == []


def test_the_floors_are_drawn_as_they_are() -> None:
    """The drawing in docs/architecture.md: a floor's number, then its rooms, two of them on a line."""
    text = (ROOT.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    [drawing] = re.findall(r"## Rooms\n.*?```text\n(.*?)```", text, re.DOTALL)
    drawn: dict[str, int] = {}
    floor = -1
    for line in drawing.splitlines():
        number, rooms = line[:2].strip(), line[4:]
        floor = int(number) if number else floor
        drawn |= dict.fromkeys(re.findall(r"(?:^|\s{2,})([a-z]+)(?=\s{2,})", rooms), floor)
    assert drawn == {room: floor for room, floor in FLOORS.items() if not room.startswith("__")}


def test_a_violation_is_seen(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("from quaestor.chat import engine\nfrom quaestor.stores import Store\n", encoding="utf-8")
    assert [package_of(module) for module, _ in imports(bad)] == ["chat", "stores"]
    assert FLOORS["chat"] > FLOORS["search"] > FLOORS["stores"]


def test_no_two_files_of_tests_have_one_name() -> None:
    """Folders of tests are not packages: the second of two modules of a name could not be imported beside the first."""
    found = Counter(
        path.name for path in Path(__file__).parent.rglob("*.py") if path.name not in ("conftest.py", "__init__.py")
    )
    assert [name for name, times in found.items() if times > 1] == []


def test_nothing_of_ours_imports_by_a_public_alias() -> None:
    files = [path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py"]
    found = [f"{path}:{line}" for path in files for module, line in imports(path) if package_of(module) in ALIASES]
    assert found == []


def test_no_module_imports_itself_in_a_circle() -> None:
    """Across and within packages; imports within functions and for types count as well."""
    known = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in ROOT.rglob("*.py")
    }
    needs = {name: imported_modules(path, known.keys()) - {name} for name, path in known.items()}
    while leaves := {name for name, others in needs.items() if not others & needs.keys()}:
        needs = {name: others for name, others in needs.items() if name not in leaves}
    assert sorted(needs) == []


def test_the_packages_of_answers_are_in_no_circle() -> None:
    """They have an order; the files beside them are the floor (``way``) and the roof (``ways``) of all of them."""
    folders = [path.parent for path in (ROOT / "answers").glob("*/__init__.py")]
    needs = {
        folder.name: {
            other.name
            for other in folders
            for path in folder.glob("*.py")
            for module, _ in imports(path)
            if folder != other and module.startswith(f"quaestor.answers.{other.name}.")
        }
        for folder in folders
    }
    assert needs["names"]
    while leaves := {name for name, others in needs.items() if not others & needs.keys()}:
        needs = {name: others for name, others in needs.items() if name not in leaves}
    assert sorted(needs) == []


def imported_modules(path: Path, known: AbstractSet[str]) -> set[str]:
    """Return which of the known modules a module imports anywhere."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("quaestor."):
            base = node.module.removeprefix("quaestor.")
            submodules = {f"{base}.{alias.name}" for alias in node.names} & known
            modules |= submodules if len(submodules) == len(node.names) else submodules | {base}
    return modules & known
