"""What CONTRIBUTING.md says of the tests, held against them."""

from __future__ import annotations

import ast
import gc
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from source_trees import HOME, ROOT, TESTS, naming, tree_of


@pytest.fixture(scope="module", autouse=True)
def _release_trees() -> Iterator[None]:
    """Drop all trees after these tests, and collect no garbage meanwhile, which would look through them each time."""
    gc.disable()
    yield
    tree_of.cache_clear()
    gc.enable()


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
    "os.fsync": "a file system that cannot write folders to disk",
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
    paused = {path.name for path in naming("pause=") if path.name not in ("script.py", Path(__file__).name)}
    assert paused == _PAUSES


def test_warnings_are_errors_in_tests() -> None:
    options = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert options["filterwarnings"] == ["error"]


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


LONGEST_FILE = 500


def test_files_of_tests_are_short() -> None:
    assert [path.name for path in TESTS if path.read_text(encoding="utf-8").count("\n") > LONGEST_FILE] == []


def test_every_package_has_a_folder_of_tests() -> None:
    """By its name; what ``core`` holds is tested beside this file."""
    packages = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    folders = {path.name for path in Path(__file__).parent.iterdir() if any(path.glob("**/test_*.py"))}
    assert packages - {"core"} <= folders


def test_tests_of_one_room_of_answers_lie_in_it() -> None:
    """Those of several rooms lie beside the rooms. To check the citations of an answer is no test of citations."""
    astray = []
    for path in (Path(__file__).parent / "answers").rglob("test_*.py"):
        rooms = set(re.findall(r"from quaestor\.answers\.(\w+)[. ]", path.read_text(encoding="utf-8")))
        rooms = {room for room in rooms if (ROOT / "answers" / room).is_dir() and room != "citations"}
        folder = path.parent.name
        if (len(rooms) == 1 if folder == "answers" else rooms and folder not in rooms) and folder != "citations":
            astray.append(f"{folder}/{path.name}: {rooms}")
    assert astray == []
