"""What ``run_mutmut.py`` must notice. ``make mutants`` runs these tests first; only its environment has mutmut."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mutmut")
ROOT = Path(__file__).parents[2]
TRY = """
import sys
sys.path.insert(0, "tests/mutants")
import run_mutmut
_, mutated, names, *tests = sys.argv
outcome = run_mutmut._tried({"mutated": [mutated], "names": [names], "tests": tests}, None)
sys.stdout.flush()
print("survived:", *(one.mutant for one in outcome.survivors))
"""


def tried(mutated: str, names: str, *tests: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", TRY, mutated, names, *tests]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_a_module_that_is_named_like_a_test_is_changed() -> None:
    done = tried(
        "src/quaestor/answers/overview/build_and_test.py",
        "*.x_build_lines__mutmut_2",
        "tests/answers/overview/test_manifests_read.py::test_how_a_folder_is_built",
    )
    assert done.stdout.splitlines()[-1:] == ["survived:"], done.stderr


def test_every_test_that_takes_a_fixture_is_tried_on_what_the_fixture_reaches(tmp_path: Path) -> None:
    file = tmp_path / "test_total.py"
    file.write_text(
        "import pytest\nfrom quaestor.evaluation.metrics import path_matches\n"
        "@pytest.fixture(scope='module')\ndef found():\n    return path_matches('a', 'a')\n"
        "def test_first(found):\n    assert found in (True, False)\n"
        "def test_second(found):\n    assert found\n"
    )
    done = tried("src/quaestor/evaluation/metrics.py", "*.x_path_matches__mutmut_2", str(file))
    assert done.stdout.splitlines()[-1:] == ["survived:"], done.stderr


def test_what_was_computed_before_hides_no_mutant() -> None:
    """The patterns of a quote are kept, and the tests' own settings freeze what was imported."""
    done = tried(
        "src/quaestor/answers/citations/quote_match.py",
        "*.x__pattern__mutmut_5",
        "tests/answers/citations/test_quotes_found.py",
    )
    assert done.stdout.splitlines()[-1:] == ["survived:"], done.stderr


def test_where_nothing_can_be_changed_it_says_so() -> None:
    done = tried("src/quaestor/answers/errors/traces.py", "*", "tests/evaluation/test_metrics.py")
    assert done.returncode != 0 and "Nothing was changed in quaestor.answers.errors.traces" in done.stderr


def test_a_saved_survivor_is_found_by_its_lines_whatever_its_number_is_now() -> None:
    import run_mutmut  # noqa: PLC0415 - imports mutmut

    module = "quaestor.evaluation.metrics"
    changed = {module: run_mutmut._Changed.of(ROOT / "src/quaestor/evaluation/metrics.py")}
    name = f"{module}.x_path_matches__mutmut_2"
    was, became = run_mutmut._lines(changed, name)
    assert (
        run_mutmut._name_now(changed, run_mutmut.Survivor(f"{module}.x_path_matches__mutmut_99", was, became)) == name
    )
    assert run_mutmut._name_now(changed, run_mutmut.Survivor(name, was, became)) == name
    assert run_mutmut._name_now(changed, run_mutmut.Survivor(name, "edited", became)) == ""
    assert run_mutmut._name_now({}, run_mutmut.Survivor(name, was, became)) == ""


def test_of_a_fresh_sample_the_counts_stand_beside_the_usual_one(tmp_path: Path) -> None:
    import run_mutmut  # noqa: PLC0415 - imports mutmut

    report = tmp_path / "mutants.json"
    survivor = run_mutmut.Survivor("quaestor.x.x_f__mutmut_1", "a", "b")
    usual, other = (run_mutmut.Outcome("c0ffee", 900, 100, killed, (survivor,)) for killed in (99, 80))
    run_mutmut._save("ways", usual, run_mutmut._SEED, report)
    run_mutmut._save("ways", other, 7, report)
    run_mutmut._save("ways", usual, run_mutmut._SEED, report)
    saved = json.loads(report.read_text(encoding="utf-8"))["ways"]
    assert (saved["share"], len(saved["survivors"])) == (0.99, 1)
    assert saved["fresh"] == {
        "7": {"commit": "c0ffee", "made": 900, "mutants": 100, "killed": 80, "equivalent": 0, "share": 0.8}
    }


@pytest.mark.parametrize(
    ("was", "became", "equivalent"),
    [
        ('a = b.encode("utf-8", errors)', 'a = b.encode("UTF-8", errors)', True),
        ('a = b.encode("utf-8", errors)', 'a = b.encode("XXutf-8XX", errors)', False),
        ('a = headers.get("host", "")', 'a = headers.get("HOST", "")', True),
        ('a = headers.get("host", "")', 'a = headers.get("XXhostXX", "")', False),
        ("for a, b in zip(c, d, strict=True):", "for a, b in zip(c, d, ):", True),
        ("for a, b in zip(c, d, strict=True):", "for a, b in zip(c, d, strict=False):", True),
        ("for a, b in zip(c, d, strict=False):", "for a, b in zip(c, d, strict=True):", False),
        ("for a, b in zip(c, d, strict=True):", "for a, b in zip(c, strict=True):", False),
        ("a = f(b, strict=True)", "a = f(b + 1, strict=True)", False),
        ("a = b", "a = c", False),
    ],
)
def test_mutants_of_a_kind_are_equivalent(was: str, became: str, *, equivalent: bool) -> None:
    import run_mutmut  # noqa: PLC0415 - imports mutmut

    survivors = (run_mutmut.Survivor("quaestor.x.x_f__mutmut_1", was, became),)
    judged = run_mutmut._judged(run_mutmut.Outcome("", 1, 1, 0, survivors))
    assert (judged.equivalent, judged.share) == (int(equivalent), 0.0)
