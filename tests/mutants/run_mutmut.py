"""Changes the code a little, thousands of times, and counts how often the tests notice: ``make mutants ONLY=recall``.

Each scope of ``scopes.toml`` is copied to a folder of its own, where mutmut changes one expression at a time and runs
the tests that reach it. A mutant that no test kills is printed as a difference, unless ``equivalent.toml`` says why no
test can kill it. The counts, with every survivor, are saved in ``benchmarks/results/mutants.json``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
REPORT = ROOT / "benchmarks" / "results" / "mutants.json"
# pytest's code for failed tests, and for an error of its own; both mean that the mutant was noticed.
_KILLED = (1, 3)
# mutmut's codes for a mutant that ran out of time: an endless loop is noticed, too.
_TIMED_OUT = (-24, 24, 36, 152, 255)
_NO_TESTS = (5, 33)


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that no test killed.

    Attributes:
        mutant: mutmut's name for it, such as ``quaestor.window.recall.x_spread__mutmut_3``.
        was: the line as it is.
        became: the line as it was changed.
        equivalent: why nobody can tell the two apart; empty for one that a test should kill.
    """

    mutant: str
    was: str
    became: str
    equivalent: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one scope's mutants; those that no test reaches count as survivors."""

    mutants: int
    killed: int
    survivors: tuple[Survivor, ...]

    @property
    def equivalent(self) -> int:
        """The number of survivors that were judged equivalent."""
        return sum(bool(one.equivalent) for one in self.survivors)

    @property
    def share(self) -> float:
        """The share killed, of those that are not equivalent."""
        return self.killed / max(1, self.mutants - self.equivalent)


def main() -> int:
    """Run the scopes that are asked for; print and save what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / ".mutants", help="where the copies are changed")
    parser.add_argument("--only", default="", help="names of scopes, by commas; all by default")
    parser.add_argument("--judge", action="store_true", help="read the last run again, with what is judged by now")
    given = parser.parse_args()
    scopes = tomllib.loads((HERE / "scopes.toml").read_text(encoding="utf-8"))
    for name in given.only.split(",") if given.only else scopes:
        work = given.folder.absolute() / "work" / name
        if not given.judge:
            _mutate(work, scopes[name])
        outcome = _outcome(work)
        _print(name, outcome)
        _save(name, work, outcome)
    return 0


def _mutate(work: Path, scope: dict[str, list[str]]) -> None:
    """Copy the tree and run mutmut in it."""
    shutil.rmtree(work, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [path for path in listed.split("\0") if path and (ROOT / path).is_file()]
    for path in paths:
        target = work / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, target)
    others = sorted({path.split("/")[0] for path in paths} - {"src", "tests", "pyproject.toml"})
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True)
    (work / "commit").write_text(commit.stdout.strip(), encoding="utf-8")
    (work / "setup.cfg").write_text(_configuration(scope, others), encoding="utf-8")
    with (work / "mutmut.log").open("w", encoding="utf-8") as log:
        command = [_mutmut(), "run", "--max-children", "1"]
        done = subprocess.run(command, check=False, cwd=work, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise SystemExit(f"mutmut failed with {done.returncode}. Read {log.name!r}.")


def _configuration(scope: dict[str, list[str]], others: Sequence[str]) -> str:
    """Return mutmut's settings as an INI file; lists have a line for each item."""
    lists = {
        "source_paths": ["src"],
        "only_mutate": scope["mutated"],
        "pytest_add_cli_args_test_selection": scope["tests"],
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-p", "no:xdist"],
        "also_copy": others,
    }
    lines = [line for name, items in lists.items() for line in (f"{name} =", *(f"    {item}" for item in items))]
    return "\n".join(["[mutmut]", *lines, "track_dependencies = false", ""])


def _mutmut() -> str:
    return str(Path(sys.executable).with_name("mutmut"))


def _outcome(work: Path) -> Outcome:
    codes: dict[str, int | None] = {}
    for file in sorted((work / "mutants" / "src").rglob("*.meta")):
        codes |= json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"]
    if None in codes.values():
        raise SystemExit(f"Some mutants in {str(work)!r} were not tried. Run the scope again.")
    killed = Counter(code in _KILLED or code in _TIMED_OUT for code in codes.values())[True]
    judged = _judged()
    survivors = []
    for name in (name for name, code in codes.items() if code not in (*_KILLED, *_TIMED_OUT)):
        was, became = _difference(work, name)
        survivors.append(Survivor(name, was, became, judged.get((was, became), "")))
    return Outcome(len(codes), killed, tuple(survivors))


def _judged() -> dict[tuple[str, str], str]:
    """Return the reasons by which mutants are equivalent, by the line as it is and as it was changed."""
    listed = tomllib.loads((HERE / "equivalent.toml").read_text(encoding="utf-8"))["mutant"]
    return {(one["was"], one["became"]): one["reason"] for one in listed}


def _difference(work: Path, mutant: str) -> tuple[str, str]:
    shown = subprocess.run([_mutmut(), "show", mutant], cwd=work, check=True, capture_output=True, text=True).stdout
    return "\n".join(_changed(shown, "-")), "\n".join(_changed(shown, "+"))


def _changed(difference: str, sign: str) -> Iterator[str]:
    for line in difference.splitlines():
        if line.startswith(sign) and not line.startswith(sign * 3):
            yield line[1:].strip()


def _print(name: str, outcome: Outcome) -> None:
    for one in outcome.survivors:
        if not one.equivalent:
            print(f"{one.mutant}\n    - {one.was}\n    + {one.became}")
    print(
        f"{name:12} {outcome.mutants:5} mutants  {outcome.killed:5} killed  {outcome.equivalent:4} equivalent  "
        f"{outcome.share:.3f}",
        flush=True,
    )


def _save(name: str, work: Path, outcome: Outcome) -> None:
    saved = json.loads(REPORT.read_text(encoding="utf-8")) if REPORT.exists() else {}
    saved[name] = {
        "commit": (work / "commit").read_text(encoding="utf-8"),
        "mutants": outcome.mutants,
        "killed": outcome.killed,
        "equivalent": outcome.equivalent,
        "share": round(outcome.share, 3),
        "survivors": [asdict(one) for one in outcome.survivors],
    }
    REPORT.write_text(json.dumps(dict(sorted(saved.items())), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
