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


# What tests replace beside bounds and sizes, which are constants: nothing that the test is about.
REPLACED = {
    # Ours: what sees to it that something is not asked, or is asked once, and does the same.
    "quaestor.files.ignore.Level.decide": "fails: a decision that still holds is not taken again",
    "EmbeddedStore.known_vectors": "fails: a cheap embedder's vectors are not looked up",
    "scan.walk": "counts, and walks",
    "grammars._Slices": "counts, and gives slices",
    "index.indexer.refresh": "refreshes, and changes a file before anything is searched",
    # Ours: what this machine, or this version, would have to be another for.
    "connections.is_public": "servers of tests are on this machine, where no site may be",
    "clone.is_public": "servers of tests are on this machine, where no repository may be",
    "workers.can_copy": "chooses one of the two ways to start a worker",
    "ray_cluster._fingerprint": "another machine's version",
    "migrations.steps": "one more step, which fails",
    "quaestor.files.deny.find_spec": "a package that is missing",
    # Other people's: what a terminal, a system, a driver or a missing package would do.
    "sys.stdin": "what a person types",
    "sys.stderr": "a terminal",
    "sys.path": "a program that is run from its folder",
    "sys.modules": "a package that is missing",
    "importlib.import_module": "a package that is missing",
    "audit_dependencies.distributions": "packages that are installed",
    "os.getuid": "another user",
    "os.supports_dir_fd": "a system that cannot open files from their folder",
    "reading.os.fstat": "a file that changes between two looks",
    "tempfile.tempdir": "a folder for temporary files of one's own",
    "socket.getaddrinfo": "fails: nobody is contacted",
    "socket.socket": "fails: nobody is contacted",
    "PostgresStore.open.__func__.__kwdefaults__": "small sizes, where an index opens the store",
    "psycopg.Connection.commit": "a connection that is lost amid a commit",
    "httpcore2.default_ssl_context": "the certificates that the system trusts",
    "openai_public.load_tiktoken_bpe": "gives the ranks that travel with the package, in place of a download",
    "tiktoken.Encoding.encode_ordinary": "counts, and encodes",
}


def _replaced(path: Path) -> Iterator[str]:
    """Yield what a test replaces by ``monkeypatch``, without constants."""
    for node in ast.walk(tree_of(path)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if ast.unparse(node.func.value) != "monkeypatch" or node.func.attr not in ("setattr", "setitem", "delattr"):
            continue
        told = [ast.literal_eval(one) if isinstance(one, ast.Constant) else None for one in node.args[:2]]
        holder = told[0] or ast.unparse(node.args[0])
        named = told[1] if told[0] is None and node.func.attr != "setitem" else None
        full = f"{holder}.{named}" if named else holder
        if not full.rpartition(".")[2].lstrip("_").isupper() and full != "xlsx":  # bounds, named by a parameter
            yield full


def test_nothing_is_replaced_but_what_is_listed() -> None:
    assert {one for path in naming("monkeypatch") for one in _replaced(path)} == REPLACED.keys()


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
