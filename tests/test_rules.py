"""What CONTRIBUTING.md and docs/architecture.md say of the code, held against the code.

The floors, which say who may import whom, are in ``test_floors.py``.
"""

from __future__ import annotations

import ast
import gc
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path

import pytest

import quaestor
from quaestor.cli.click_group import COMMANDS
from quaestor.core.settings import RULES, Settings

ROOT = Path(quaestor.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

_REASON = re.compile(r"#.*\s- \S")


def where(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


def module_of(path: Path) -> str:
    return ".".join(("quaestor", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


MODULES = {module_of(path): path for path in FILES}


@pytest.fixture(scope="module", autouse=True)
def _trees_are_let_go() -> Iterator[None]:
    """Let go of all trees after these tests, and do not look through them for garbage meanwhile."""
    gc.disable()
    yield
    tree_of.cache_clear()
    gc.enable()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


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


LEAST_SAVED = 150


def test_an_import_within_a_function_saves_loading_much() -> None:
    """Some hundred lines of ours load in half a millisecond; a package of others, within them, takes longer."""
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
    return plain | {(node.module or "").split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)} - {
        "quaestor"
    }


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


IMPURE = {
    "asyncio",
    "http",
    "multiprocessing",
    "random",
    "shutil",
    "socket",
    "sqlite3",
    "subprocess",
    "tempfile",
    "time",
}
READING_AND_WRITING = {
    *("exists", "glob", "is_dir", "is_file", "iterdir", "lstat", "mkdir", "open", "read_bytes", "read_text", "rename"),
    *("resolve", "rglob", "rmdir", "scandir", "stat", "symlink_to", "touch", "unlink", "write_bytes", "write_text"),
}


def impurities(path: Path) -> Iterator[str]:
    """Yield what a module imports or calls that reads, writes, waits or draws at random."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from (f"{where(path, node.lineno)} {name}" for name in names if name.split(".")[0] in IMPURE)
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in READING_AND_WRITING:
                yield f"{where(path, node.lineno)} {node.func.attr}"
            elif isinstance(node.func, ast.Name) and node.func.id == "open":
                yield f"{where(path, node.lineno)} open"


def test_a_module_that_says_it_is_pure_reads_and_writes_nothing() -> None:
    pure = [path for path in FILES if is_pure(path) and path.name != "__init__.py"]
    assert len(pure) > 30, "their docstrings say so"
    assert [impurity for path in pure for impurity in impurities(path)] == []


def test_impurities_are_seen() -> None:
    found = list(impurities(ROOT / "core" / "config.py"))
    assert any(one.endswith(" stat") for one in found)


TESTS = sorted(Path(__file__).parent.rglob("*.py"))


def naming(*words: str) -> Iterator[Path]:
    """Yield the files of tests in which one of some words stands anywhere."""
    for path in TESTS:
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield path


def test_nothing_is_tested_by_mocks() -> None:
    """Fakes are functions of their input; a mock answers whatever it is asked."""
    imported = [
        f"{path.name}:{node.lineno}"
        for path in naming("mock")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (getattr(node, "module", None), *(alias.name for alias in node.names))
        if name in ("mock", "unittest.mock", "pytest_mock")
    ]
    assert imported == []


# What tests replace, each with the reason why it cannot be real; nothing of it is what the test is about.
REPLACED = {
    # This machine or this version would have to be another.
    "connections.is_public": "servers of tests are on this machine, whose address is refused as any private one",
    "clone.is_public": "the same for repositories",
    "migrations.steps": "an earlier version of the tables, filled by today's code",
    "ray_cluster._fingerprint": "another machine of the cluster has another version",
    "workers.can_copy": "threads of pytest's own forbid copies, which are tested beside fresh processes",
    "os.supports_dir_fd": "a system that cannot open files from their folder: none that the tests run on",
    "time.time": "a clock that jumps: the machine's own is everybody's; in a process of its own, as the next two",
    "time.time_ns": "the same",
    "datetime.datetime": "the same",
    # What belongs to pytest, and is what a shell would give.
    "sys.stdin": "a real file in place of what pytest lets nobody read",
    "sys.path": "where packages lie: in a folder of the test's own; modules of Python come from where they are",
    "trampoline.record_trampoline_hit": "how mutmut is told what a test reaches; no test",
}

# The bounds that they lower or raise: constants. What reaches the real one within a second does so.
LOWERED = {
    "PostgresStore.open.__func__.__kwdefaults__": "8,193 chunks in PostgreSQL with an index of their vectors",
    "database_health.THRESHOLDS": "the same",
    "quaestor.files.consistent_read.RACY_NS": "two seconds, in each test of a file that was only just written",
    "quaestor.accounts.database._BUSY_SECONDS": "five seconds",
    "leased_work.LEASE_SECONDS": "thirty seconds",
    "quaestor.cli.health_checks.PORT": "another program may have it",
    "module._MOUNTS": "mounts of a machine with NFS and the like; written as the kernel does",
    "xlsx": "sheets of 500,000 cells or of 20 million letters; a parameter names the bound",
    "xlsx.MOST_CELLS": "the same",
    # Several batches, workers and commits, of what would else be megabytes.
    "intake.TASK_FILES": "64 files",
    "batches.TASK_FILES": "the same",
    "intake.POOL_BYTES": "2 MB",
    "commit.COMMIT_CHUNKS": "20,000 chunks",
    "commit.FIRST_COMMIT_CHUNKS": "2,500 chunks",
    "sys.dont_write_bytecode": "whether Python keeps what it compiled",
}


def _replaced(path: Path) -> Iterator[str]:
    """Yield what a test replaces: by ``monkeypatch``, also by another name, or by an assignment to what it imported."""
    nodes = list(ast.walk(tree_of(path)))
    imports = (node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    imported = {one.asname or one.name.partition(".")[0] for node in imports for one in node.names}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            if ast.unparse(node).partition(".")[0] in imported:
                yield ast.unparse(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in ("setattr", "setitem", "delattr", "delitem"):
                continue
            told = [ast.literal_eval(one) if isinstance(one, ast.Constant) else None for one in node.args[:2]]
            holder = told[0] or ast.unparse(node.args[0])
            yield f"{holder}.{told[1]}" if told[0] is None and told[1] and node.func.attr.endswith("attr") else holder


def test_nothing_is_replaced_but_what_is_listed() -> None:
    replacing = re.compile(r"\.(?:set|del)(?:attr|item)\(|^[\w ,.]*\.\w+ [-+|]?= |\bdel \w+\.", re.MULTILINE)
    paths = [path for path in TESTS if replacing.search(path.read_text(encoding="utf-8"))]
    assert {one for path in paths for one in _replaced(path)} == {*REPLACED, *LOWERED}


def test_no_test_bounds_how_long_something_takes() -> None:
    """A benchmark does. What the clock says may raise a bound, as of a rate, but is none itself."""
    bounds = [
        f"{path.name}:{node.lineno}"
        for path in naming("perf_counter", "monotonic", "process_time")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare)
        if re.match(r"time\.(?:perf_counter|monotonic|process_time)\(\)", ast.unparse(node.test.left))
        if any(isinstance(operator, ast.Lt | ast.LtE) for operator in node.test.ops)
    ]
    assert bounds == []


_WAITS = ("join", "result", "select", "wait", "wait_for")
_PAUSES = {"test_crowded_server.py", "test_openai_failures.py", "test_scripted_server.py"}
_BY_HTTPX = tuple(f"httpx.{name}" for name in ("AsyncClient", "Client", "delete", "get", "post", "stream"))
_OTHERWISE = ("transport", None)  # with arguments that stand elsewhere


def test_what_ends_a_hang_leaves_ten_minutes() -> None:
    """No machine is so busy. Less than ten seconds are what a test is about; httpx by itself waits for five."""
    hasty = []
    for path in naming("timeout", "httpx", "wait=", *(f".{name}(" for name in _WAITS)):
        for node in (one for one in ast.walk(tree_of(path)) if isinstance(one, ast.Call)):
            called = ast.unparse(node.func)
            bounds = {
                one.arg: one.value
                for one in node.keywords
                if one.arg and one.arg.startswith(("timeout", "read_", "wait"))
            }
            if isinstance(node.func, ast.Attribute) and node.func.attr in _WAITS and node.args:
                bounds["waits"] = node.args[-1]
            known = [one.value for one in bounds.values() if isinstance(one, ast.Constant)]
            short = any(isinstance(one, int) and 10 <= one < 600 for one in known)
            forgotten = called in _BY_HTTPX and not bounds and {one.arg for one in node.keywords}.isdisjoint(_OTHERWISE)
            if (short and called != "spelt") or forgotten:  # where words are spelt, 40 is a count
                hasty.append(f"{path.name}:{node.lineno}")
    assert hasty == []


def test_a_reply_that_a_test_stops_has_no_end() -> None:
    """A slow machine stops one that lasts for seconds too late; `endless` waits. What pauses is read to its end."""
    paused = {path.name for path in naming("pause=") if path.name not in ("script.py", "test_rules.py")}
    assert paused == _PAUSES


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


HOME = ROOT.parents[1]
NAMED_IN = ("README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/internals.md", "docs/decisions.md")
_OF_USERS = {"config.toml", "quaestor.toml", "tokenizer.json"}  # files that users have


@pytest.mark.parametrize("document", NAMED_IN)
def test_files_that_documents_name_are_there(document: str) -> None:
    """A name in backticks, ``search/query.py`` or ``cli/commands/``, is a file or a folder, or the end of a path."""
    ours = (HOME / name for name in ("src", "tests", "training", "benchmarks", ".ci"))
    there = {f"/{path.relative_to(HOME).as_posix()}" for folder in ours for path in folder.rglob("*")}
    there |= {f"/{path.name}" for path in HOME.iterdir()}
    text = (HOME / document).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./-]+\.(?:css|js|json|lock|py|sql|toml))`|`([\w-]+(?:/[\w-]+)*)/`", text))
    missing = {one for file, folder in named for one in [file or folder] if not any(map(_ends(one), there))}
    assert missing <= _OF_USERS


def _ends(name: str) -> Callable[[str], bool]:
    return lambda path: path.endswith(f"/{name}")


def test_the_targets_of_make_are_those_that_contributing_lists() -> None:
    makefile = (HOME / "Makefile").read_text(encoding="utf-8")
    [targets] = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    text = (HOME / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(r"^make (\w+)", text, re.MULTILINE)
    assert sorted(listed) == sorted(set(targets.split()) - {"demo", "clean"})
    documents = [HOME / "README.md", HOME / "CONTRIBUTING.md", *(HOME / "docs").glob("*.md")]
    named = {name for path in documents for name in re.findall(r"`make (\w+)", path.read_text(encoding="utf-8"))}
    assert named <= set(targets.split())


def test_variables_that_contributing_names_are_read() -> None:
    """Of make or of tests: QUAESTOR_ROUNDS, WRITE_README, MINUTES."""
    text = (HOME / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\b([A-Z_]{4,})=", text))
    read = (HOME / "Makefile").read_text(encoding="utf-8") + "".join(p.read_text(encoding="utf-8") for p in TESTS)
    assert named
    assert [name for name in named if not re.search(rf"\$\({name}\)|\"{name}\"", read)] == []


def test_warnings_are_errors_in_tests() -> None:
    options = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert options["filterwarnings"] == ["error"]


def test_what_is_not_in_the_wheel() -> None:
    """Only the package is: neither ``training`` nor ``benchmarks`` nor the tests."""
    build = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert build["targets"]["wheel"]["packages"] == ["src/quaestor"]


def test_a_test_with_rounds_says_how_many() -> None:
    """What takes the fixture ``trial`` has the mark ``fault`` with ``few`` and ``many``."""
    silent = [
        f"{path.name}:{node.lineno}"
        for path in naming("trial")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        if "trial" in {one.arg for one in node.args.args}
        if not any("mark.fault(" in (mark := ast.unparse(one)) and "many=" in mark for one in node.decorator_list)
    ]
    assert silent == []


def test_every_package_has_a_folder_of_tests() -> None:
    """By its name; what ``core`` holds is tested beside this file."""
    packages = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    folders = {path.name for path in Path(__file__).parent.iterdir() if any(path.glob("**/test_*.py"))}
    assert packages - {"core"} <= folders


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
