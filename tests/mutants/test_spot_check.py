"""Changes that once survived all tests are applied to a copy of the package, and the named test notices each."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LISTED = tomllib.loads((Path(__file__).parent / "spot_check.toml").read_text(encoding="utf-8"))["mutant"]
EQUIVALENT = tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text(encoding="utf-8"))
NOTICED = [one for one in LISTED if "test" in one]


@pytest.mark.parametrize("mutant", LISTED, ids=[one["what"] for one in LISTED])
def test_each_is_a_change_of_the_code_as_it_is(mutant: dict[str, str]) -> None:
    assert (ROOT / mutant["file"]).read_text(encoding="utf-8").count(mutant["was"]) == 1
    assert ("test" in mutant) != ("equivalent" in mutant)
    if "test" in mutant:
        file, _, name = mutant["test"].partition("::")
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")


def test_survivors_change_lines_of_the_code_as_it_is() -> None:
    """A survivor whose line is gone excuses nothing: judge it anew, or take it off the lists.

    Lists name a function's first line without its name, because mutmut gives each mutant a name of its own.
    """
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    lines = {re.sub(r"^((?:async )?def) \w+", r"\1 ", line.strip()) for text in texts for line in text.splitlines()}
    saved = json.loads((ROOT / "benchmarks" / "results" / "mutants.json").read_text(encoding="utf-8"))
    survivors = [one for scope in saved.values() for one in scope["survivors"]]
    modules = {one["mutant"].rpartition(".")[0] for one in survivors}
    assert {one["was"] for one in (*EQUIVALENT["mutant"], *survivors)} - lines == set()
    assert [one["was"] for one in EQUIVALENT["kind"] if not any(map(re.compile(one["was"]).search, lines))] == []
    assert {name for name in modules if not (ROOT / "src" / f"{name.replace('.', '/')}.py").exists()} == set()


def run_tests(source: Path, tests: list[str]) -> subprocess.CompletedProcess[str]:
    # A line may be changed and restored within a second, at the same length: compiled code would be taken for current.
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(source), str(ROOT)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    return subprocess.run(command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("changed")
    shutil.copytree(ROOT / "src", source, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    return source


@pytest.mark.slow
@pytest.mark.parametrize("mutant", NOTICED, ids=[one["what"] for one in NOTICED])
def test_each_is_noticed(package: Path, mutant: dict[str, str]) -> None:
    file = package / Path(mutant["file"]).relative_to("src")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(mutant["was"], mutant["became"]), encoding="utf-8")
    try:
        done = run_tests(package, [mutant["test"]])
        # 1: tests failed, and not that none was found or that pytest did not understand.
        assert done.returncode == 1, done.stdout
    finally:
        file.write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_without_any_change_these_tests_pass(package: Path) -> None:
    done = run_tests(package, sorted({one["test"] for one in NOTICED}))
    assert done.returncode == 0, done.stdout
