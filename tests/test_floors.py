"""The floors of docs/architecture.md, enforced: a module imports lower floors only."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import quaestor

ROOT = Path(quaestor.__file__).parent

FLOORS: dict[str, int] = {
    "amounts": 0,
    "commands": 0,
    "errors": 0,
    "messages": 0,
    "blake": -1,
    "named": -1,
    "passages": 0,
    "cited": 0,
    "settings": 0,
    "authors": 1,
    "dates": 1,
    "tokens": 1,
    "questions": 1,
    "terms": 1,
    "chatml": 1,
    "tags": 1,
    "prompts": 1,
    "config": 1,
    "endpoints": 1,
    "chunking": 2,
    "embedding": 2,
    "stores": 2,
    "models": 2,
    "history": 2,
    "retrieval": 3,
    "window": 3,
    "ingest": 3,
    "edits": 3,
    "citations": 3,
    "state": 3,
    "accounts": 4,
    "corpus": 4,
    "sites": 4,
    "answers": 5,
    "subroutines": 6,
    "chat": 7,
    "assemble": 8,
    "serving": 9,
    "evaluation": 9,
    "training": 10,
    "cli": 11,
    "__main__": 12,
    "__init__": 12,
}


def package_of(module: str) -> str:
    """Return the floor's inhabitant that a dotted name belongs to: quaestor.stores.embedded -> stores."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield (dotted module, line) for every import of our own code in a file."""
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
    return sorted(found | {path.name for path in ROOT.iterdir() if path.is_dir() and any(path.rglob("*.py"))})


@pytest.mark.parametrize("own", inhabitants())
def test_imports_only_lower_floors(own: str) -> None:
    assert own in FLOORS, f"{own!r} has no floor: give it one here and in docs/architecture.md"
    if own == "__init__":
        return
    files = [ROOT / f"{own}.py"] if (ROOT / f"{own}.py").exists() else sorted((ROOT / own).rglob("*.py"))
    assert [problem for path in files for problem in violations(path, own)] == []


def test_a_violation_is_seen(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("from quaestor.chat import engine\nfrom quaestor.stores import Store\n", encoding="utf-8")
    assert [package_of(module) for module, _ in imports(bad)] == ["chat", "stores"]
    assert FLOORS["chat"] > FLOORS["retrieval"] > FLOORS["stores"]


def test_no_two_files_of_tests_have_one_name() -> None:
    """Folders of tests are no packages: the second of two modules of a name could not be imported beside the first."""
    found = Counter(
        path.name for path in Path(__file__).parent.rglob("*.py") if path.name not in ("conftest.py", "__init__.py")
    )
    assert [name for name, times in found.items() if times > 1] == []
