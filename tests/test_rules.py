"""What CONTRIBUTING.md and docs/architecture.md say of the code, held against the code.

The floors, which say who may import whom, are in ``test_floors.py``.
"""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path

import pytest

from quaestor.cli.click_group import COMMANDS
from quaestor.core.settings import RULES, Settings
from source_trees import FILES, ROOT, tree_of, where

_REASON = re.compile(r"#.*\s- \S")


def module_of(path: Path) -> str:
    return ".".join(("quaestor", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


MODULES = {module_of(path): path for path in FILES}


@pytest.fixture(scope="module", autouse=True)
def _release_trees() -> Iterator[None]:
    """Drop all trees after these tests, and collect no garbage meanwhile, which would look through them each time."""
    gc.disable()
    yield
    tree_of.cache_clear()
    gc.enable()


@cache
def homes_in(module: str) -> Mapping[str, str]:
    """Return where a package that loads lazily gets its names from, as its ``_HOMES`` says; nothing for any other."""
    for node in tree_of(MODULES[module]).body if module in MODULES else ():
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOMES":
            return {name: f"{module}.{home}" for name, home in ast.literal_eval(node.value).items()}
    return {}


def modules_named(node: ast.ImportFrom) -> set[str]:
    """Return which modules of ours an import loads: submodules by their names, or else the module itself."""
    base = node.module or ""
    named = [f"{base}.{alias.name}" for alias in node.names]
    homes = {homes_in(base)[alias.name] for alias in node.names if alias.name in homes_in(base)}
    submodules = {*named} & MODULES.keys() | homes
    return submodules if len(submodules) == len(node.names) else (submodules | {base}) & MODULES.keys()


def own_imports(nodes: list[ast.stmt]) -> Iterator[ast.ImportFrom]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "quaestor":
            yield node


@cache
def imported_with(module: str) -> frozenset[str]:
    """Return the modules that are imported once a module is, its packages among them."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found or name not in MODULES:
            continue
        found.add(name)
        waiting.append(name.rpartition(".")[0])
        for node in own_imports(tree_of(MODULES[name]).body):
            waiting.extend(modules_named(node))
    return frozenset(found)


def blocks_within_functions(path: Path) -> Iterator[list[ast.ImportFrom]]:
    """Yield the imports of our own modules within functions, those that stand together as one list."""
    tree = tree_of(path)
    bodies = [
        body
        for node in ast.walk(tree)
        if not isinstance(node, ast.Module | ast.ClassDef)
        for body in (getattr(node, "body", None), getattr(node, "orelse", None), getattr(node, "finalbody", None))
        if isinstance(body, list)
    ]
    top = {id(node) for guard in tree.body if isinstance(guard, ast.If) for node in ast.walk(guard)}
    for body in bodies:
        block: list[ast.ImportFrom] = []
        for node in body:
            if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in top:
                block.extend(own_imports([node]))
            elif block:
                yield block
                block = []
        if block:
            yield block


def test_an_import_within_a_function_says_why() -> None:
    """Beside one of the imports that stand together, or in a comment on the line before them."""
    unexplained = []
    for path in FILES:
        lines = path.read_text(encoding="utf-8").splitlines()
        for block in blocks_within_functions(path):
            beside = lines[block[0].lineno - 1 : block[-1].end_lineno]
            before = lines[block[0].lineno - 2].strip()
            if not (before.startswith("#") or any(map(_REASON.search, beside))):
                unexplained.append(where(path, block[0].lineno))
    assert unexplained == []


def test_an_import_within_a_function_saves_something() -> None:
    """It imports what the module's own imports do not bring anyway."""
    for_nothing = [
        f"{where(path, node.lineno)} {name}"
        for path in FILES
        for block in blocks_within_functions(path)
        for node in block
        for name in modules_named(node)
        if name in imported_with(module_of(path))
    ]
    assert for_nothing == []


LEAST_SAVED = 200
ALWAYS_LOADED = {"__future__", "abc", "codecs", "io", "os", "stat", "sys", "time"}
"""Python itself loads these."""


def test_an_import_within_a_function_saves_loading_much() -> None:
    """Some two hundred lines of ours take a millisecond to load; a package of others, within them, takes longer."""
    small = []
    for path in FILES:
        had = imported_with(module_of(path))
        for block in blocks_within_functions(path):
            new = frozenset().union(*(imported_with(name) for node in block for name in modules_named(node))) - had
            lines = sum(MODULES[name].read_text(encoding="utf-8").count("\n") for name in new)
            if lines < LEAST_SAVED and not packages_of_others(new) - packages_of_others(had):
                small.append(f"{where(path, block[0].lineno)} {lines}")
    assert small == []


def packages_of_others(modules: AbstractSet[str]) -> set[str]:
    """Return what else some modules import at their top."""
    nodes = [node for name in modules for node in tree_of(MODULES[name]).body]
    plain = {alias.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    partly = {(node.module or "").split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    return (plain | partly) - {"quaestor"} - ALWAYS_LOADED


def test_a_value_is_frozen_or_says_why_not() -> None:
    """A dataclass that changes says ``# mutable:`` and why, beside its decorator."""
    changing = []
    for path in FILES:
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(tree_of(path)):
            for decorator in node.decorator_list if isinstance(node, ast.ClassDef) else ():
                if not ast.unparse(decorator).startswith("dataclass") or "frozen=True" in ast.unparse(decorator):
                    continue
                if "  # mutable: " not in lines[decorator.lineno - 1]:
                    changing.append(where(path, decorator.lineno))
    assert changing == []


def is_pure(path: Path) -> bool:
    return re.search(r"\bpure\b(?! Python)", ast.get_docstring(tree_of(path)) or "", re.IGNORECASE) is not None


def says_pure_of_all(package: Path) -> bool:
    """Return whether a package's docstring has the sentence "Pure.", which is about all of its modules."""
    return re.search(r"\bPure\.", ast.get_docstring(tree_of(package)) or "") is not None


IMPURE = {
    *("asyncio", "glob", "http", "httpx2", "logging", "multiprocessing", "psycopg", "random", "secrets", "shutil"),
    *("socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "uuid"),
}
READING_AND_WRITING = {
    *("cwd", "environ", "expanduser", "getcwd", "getenv", "home", "listdir", "now", "today", "utcnow", "walk"),
    *("exists", "glob", "is_dir", "is_file", "iterdir", "lstat", "mkdir", "open", "read_bytes", "read_text", "rename"),
    *("resolve", "rglob", "rmdir", "scandir", "stat", "symlink_to", "touch", "unlink", "write_bytes", "write_text"),
}


def impurities(path: Path) -> Iterator[str]:
    """Yield what a module imports or calls that reads, writes, waits or draws at random."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from (f"{where(path, node.lineno)} {name}" for name in names if name.split(".")[0] in IMPURE)
        elif isinstance(node, ast.Attribute) and node.attr in READING_AND_WRITING:
            yield f"{where(path, node.lineno)} {node.attr}"
        elif isinstance(node, ast.Name) and node.id in ("input", "open", "print"):
            yield f"{where(path, node.lineno)} {node.id}"


def test_a_module_that_says_it_is_pure_reads_and_writes_nothing() -> None:
    packages = {path.parent for path in FILES if path.name == "__init__.py" and says_pure_of_all(path)}
    pure = [path for path in FILES if (is_pure(path) and path.name != "__init__.py") or path.parent in packages]
    assert len(pure) > 30, "their docstrings say so"
    assert [impurity for path in pure for impurity in impurities(path)] == []


def test_impurities_are_seen() -> None:
    found = list(impurities(ROOT / "core" / "config.py"))
    assert any(one.endswith(" stat") for one in found)


def test_a_command_has_a_file_of_its_own() -> None:
    files = {path.stem for path in (ROOT / "cli" / "commands").glob("*.py")} - {"__init__"}
    assert files == set(COMMANDS)


def test_every_setting_has_one_rule_in_their_order() -> None:
    assert tuple(RULES) == Settings._fields


def test_a_package_says_what_it_does_not_know_and_where_to_begin() -> None:
    """Its docstring's first line says what it owns; ``Begin with`` names a module or a class that is there."""
    lacking = []
    for path in FILES:
        if path.name != "__init__.py" or path.parent == ROOT:
            continue
        text = ast.get_docstring(tree_of(path)) or ""
        begin = re.search(r"Begin with ``([\w/]+)``", text)
        there = begin and (
            (path.parent / f"{begin[1]}.py").exists()
            or (path.parent / begin[1] / "__init__.py").exists()
            or re.search(rf"^class {begin[1]}\b", path.read_text(encoding="utf-8"), re.MULTILINE)
        )
        if not there or not re.search(r"\bdoes\s+not\s+know\b", text):
            lacking.append(where(path, 1))
    assert lacking == []


MOST_FILES, LONGEST_FILE = 520, 500
LONGEST_FUNCTION, LONGEST_OF_MOST = 65, 15


def lengths_of_functions() -> Iterator[tuple[int, str]]:
    """Yield the number of lines of each function, without its docstring, and where it is."""
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                told = node.body[0].end_lineno - node.body[0].lineno + 1 if ast.get_docstring(node) else 0  # type: ignore[operator]
                yield node.end_lineno - node.lineno + 1 - told, where(path, node.lineno)  # type: ignore[operator]


def test_files_are_few_and_short() -> None:
    assert len(FILES) <= MOST_FILES
    assert [path for path in FILES if path.read_text(encoding="utf-8").count("\n") > LONGEST_FILE] == []


def test_functions_are_short() -> None:
    lengths = sorted(lengths_of_functions())
    assert [place for length, place in lengths if length > LONGEST_FUNCTION] == []
    assert lengths[len(lengths) * 9 // 10][0] <= LONGEST_OF_MOST, "nine of ten functions are shorter"


@cache
def errors_for_people() -> frozenset[str]:
    """Return the names of the errors in ``core/errors.py``."""
    return frozenset(one.name for one in tree_of(ROOT / "core" / "errors.py").body if isinstance(one, ast.ClassDef))


def public_functions(body: Iterable[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions and methods whose names, and whose classes' names, begin without an underscore."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node.body)


def test_a_docstring_names_the_errors_that_the_function_raises_itself() -> None:
    """Or says that it does as another one; docstrings of commands and routes are help that users read."""
    silent = []
    for path in (one for one in FILES if not one.relative_to(ROOT).as_posix().startswith(("cli/", "server/"))):
        for function in public_functions(tree_of(path).body):
            raised = {
                node.exc.func.id
                for node in ast.walk(function)
                if isinstance(node, ast.Raise)
                and isinstance(node.exc, ast.Call)
                and isinstance(node.exc.func, ast.Name)
            }
            if raised & errors_for_people() and not re.search("[Rr]aise|as ``", ast.get_docstring(function) or ""):
                silent.append(where(path, function.lineno))
    assert silent == []


# Nouns that end like participles; and names that others rely on: events, public names, schemas of the API.
NOUNS = "Embedding Encoding Ending Field Heading Listing Numbering Quoting Spelling Wording"
EVENTS = "Called Composed Premeditated Proposed Retried Returned Searching Stopped Summarising"
RELIED_ON = "Applied Broken Checked Finished Hidden Limited Related Searched Served Shared Shown Used"


def test_a_class_is_named_by_a_noun() -> None:
    """A participle alone (``Asked``, ``Kept``, ``Told``) says what was done, and not to what."""
    alone = {
        node.name
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ClassDef)
        if re.fullmatch(r"_?[A-Z][a-z]*(?:ed|ing|en|own|old|eld|ept|ost)", node.name)
    }
    assert alone == {*f"{NOUNS} {EVENTS} {RELIED_ON}".split()}


def test_an_error_message_fits_one_line() -> None:
    """Of the errors in ``core/errors.py``, wherever they are raised."""
    ours = errors_for_people()
    broken = [
        where(path, node.lineno)
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ours
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and "\n" in part.value
    ]
    assert broken == []
