"""Changes the code a little, thousands of times, and counts how often the tests notice: ``make mutants ONLY=recall``.

mutmut writes all mutants of a scope's files (``scopes.toml``) into these, each to be switched on by its name. The files
are imported so, the tests collected and run once, which tells which of them reach a function; then each mutant is
tried by these tests in a fork of its own, up to the first that fails. Nothing is copied, collected or imported twice.

Only what runs within the tests' own process is changed, not the programs that they start. A mutant that no test kills
is printed as a difference, unless ``equivalent.toml`` says why no test can kill it. The counts, with every survivor,
are saved in ``benchmarks/results/mutants.json``. Of a scope with a ``sample``, that many mutants are tried, drawn by
a seed. Tests are written for the survivors of the usual one, so its share says more of these than of all mutants: of a
sample that ``--seed`` draws anew, only the counts are saved, beside the others.
"""

from __future__ import annotations

import argparse
import functools
import gc
import json
import os
import random
import re
import resource
import subprocess
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings
from mutmut.mutation import trampoline
from mutmut.mutation.file_mutation import MutatedFile, mutate_file_contents
from mutmut.mutation.trampoline import set_mutant_under_test

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
REPORT = ROOT / "benchmarks" / "results" / "mutants.json"
_SEED = 19
# A mutant that takes so many times the processor time of the code itself, and a second, does not end: that is noticed.
_TIMES_SLOWER = 3
_GRACE_SECONDS = 1
_OPTIONS = (
    *("-q", "-p", "no:cacheprovider"),
    # hypothesis is imported before pytest, to say what its profiles take over.
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
    # By default pytest loads every module named like a test itself, unchanged: build_and_test.py, too.
    *("-o", "python_files=test_*.py"),
)


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
    equivalent: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one scope's mutants; those that no test reaches count as survivors.

    Attributes:
        commit: of the code.
        made: how many mutants the scope has.
        mutants: how many of them were tried.
        killed: how many of these were noticed by a test.
        survivors: the others.
    """

    commit: str
    made: int
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
    parser.add_argument("--only", default="", help="names of scopes, by commas; all by default")
    parser.add_argument("--again", action="store_true", help="try the survivors that are saved, on the tests of now")
    parser.add_argument("--judge", action="store_true", help="try nothing, count with what is judged by now")
    parser.add_argument(
        "--seed", type=int, default=_SEED, help="draw another sample than the one that tests were written for"
    )
    given = parser.parse_args()
    scopes = tomllib.loads((HERE / "scopes.toml").read_text(encoding="utf-8"))
    for name in given.only.split(",") if given.only else scopes:
        # A fork for each scope: code that is imported cannot be changed any more.
        if (process := os.fork()) == 0:
            before = _saved(name) if given.again or given.judge else None
            outcome = _judged(before if before and given.judge else _tried(scopes[name], before, given.seed))
            _print(name, outcome)
            _save(name, outcome, given.seed)
            sys.stdout.flush()
            os._exit(0)
        if os.waitpid(process, 0)[1]:
            return 1
    return 0


# --- trying ---------------------------------------------------------------------------------------------------------


def _tried(scope: Mapping[str, Any], before: Outcome | None, seed: int = _SEED) -> Outcome:
    """Return what becomes of a scope's mutants, or of those that survived before."""
    paths = {_module(path): path for glob in scope["mutated"] for path in sorted(ROOT.glob(glob))}
    if before is not None:
        open_ones = [one for one in before.survivors if not one.equivalent]
        known = {one.mutant.rpartition(".")[0] for one in open_ones}
        paths = {name: path for name, path in paths.items() if name in known}
    changed = {name: _Changed.of(path) for name, path in paths.items()}
    gone: list[str] = []
    if before is None:
        every = (f"{module}.{name}" for module, one in changed.items() for name in one.mutated.mutant_names)
        names = sorted(name for name in every if any(fnmatchcase(name, glob) for glob in scope.get("names", ["*"])))
        size = scope.get("sample", len(names))
        chosen = random.Random(seed).sample(names, size) if size < len(names) else names
    else:
        named = [(one, _name_now(changed, one)) for one in open_ones]
        chosen = [name for _, name in named if name]
        gone = [one.mutant for one, name in named if not name]
        print(*(f"{name} is no more: its line was edited" for name in gone), sep="\n", file=sys.stderr)
    trial = _Trial(chosen, list(changed))
    os.chdir(ROOT)
    os.environ["PYTHONHASHSEED"] = "0"
    sys.path.insert(0, str(ROOT / "src"))
    sys.meta_path.insert(0, _Finder(changed))
    # The tests' own profile takes over what it does not say: no failure is made smaller, chance is the same each time.
    settings.register_profile("mutants", derandomize=True, database=None, phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")
    # Folders of its own: pytest would clear away those that earlier runs left, which takes minutes where they are many.
    with TemporaryDirectory() as folder:
        pytest.main([*scope["tests"], *_OPTIONS, f"--basetemp={folder}/tests"], plugins=[trial])
    if trial.unchanged:
        which = ", ".join(trial.unchanged)
        raise SystemExit(f"Nothing was changed in {which}: no test imports it, or something else loaded it.")
    if trial.survivors is None:
        raise SystemExit("The tests fail without any change.")
    survivors = tuple(Survivor(name, *_lines(changed, name)) for name in trial.survivors)
    old = tuple(one for one in before.survivors if one.equivalent) if before else ()
    made, tried = (before.made, before.mutants - len(gone)) if before else (len(names), len(chosen))
    return Outcome(_commit(), made, tried, tried - len(survivors) - len(old), (*old, *survivors))


def _name_now(changed: Mapping[str, _Changed], one: Survivor) -> str:
    """Return the name of the mutant that changes the same lines as a saved one; empty if these or the file are gone.

    mutmut numbers the mutants of a function, so that a name means another one after an edit.
    """
    module, _, own = one.mutant.rpartition(".")
    names = changed[module].mutated.mutant_names if module in changed else ()
    likely = [own] if own in names else []
    same = (name for name in [*likely, *names] if _lines(changed, f"{module}.{name}") == (one.was, one.became))
    return next((f"{module}.{name}" for name in same), "")


@dataclass(frozen=True)
class _Changed:
    """A file with all of its mutants in it."""

    path: Path
    mutated: MutatedFile

    @classmethod
    def of(cls, path: Path) -> _Changed:
        return cls(path, mutate_file_contents(str(path), path.read_text(encoding="utf-8")))

    @functools.cached_property
    def _code_lines(self) -> list[str]:
        return self.mutated.code.splitlines()

    def function(self, name: str) -> list[str]:
        """Return the lines of a mutant, or of its original, without its name."""
        span = self.mutated.line_span_by_function_name[name]
        return [line.strip().replace(name, "") for line in self._code_lines[span.start - 1 : span.end]]


@dataclass(frozen=True, slots=True)
class _Finder(MetaPathFinder):
    """Finds changed modules before others find them as they are."""

    changed: Mapping[str, _Changed]

    def find_spec(self, fullname: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        one = self.changed.get(fullname)
        return spec_from_file_location(fullname, one.path, loader=_Loader(fullname, one)) if one else None


class _Loader(SourceFileLoader):
    def __init__(self, fullname: str, changed: _Changed) -> None:
        super().__init__(fullname, str(changed.path))
        self._code = changed.mutated.code

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._code, self.path, "exec", dont_inherit=True)


@dataclass(slots=True, eq=False)  # mutable: what pytest tells it
class _Trial:
    """A plugin of pytest: runs the tests once as they are, and then for each mutant those that reach it."""

    mutants: Sequence[str]
    modules: Sequence[str]
    survivors: list[str] | None = None
    unchanged: Sequence[str] = ()
    reached: dict[str, list[pytest.Item]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    hits: set[str] = field(default_factory=set)
    fixtures: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try everything, in place of pytest's own loop."""
        if session.testsfailed or not self._observed(session.items):
            return True
        loaders = {name: getattr(sys.modules.get(name), "__loader__", None) for name in self.modules}
        self.unchanged = [name for name, loader in loaders.items() if not isinstance(loader, _Loader)]
        if self.unchanged:
            return True
        for cache in _caches():
            cache.cache_clear()
        print(f"{len(session.items)} tests, {sum(self.seconds.values()):.1f} s", file=sys.stderr, flush=True)
        self.survivors = []
        for number, name in enumerate(self.mutants, 1):
            items = self.reached.get(name.partition("__mutmut_")[0], [])
            if not (items and self._kill(name, items)):
                self.survivors.append(name)
                print(f"{name} survived", file=sys.stderr, flush=True)
            if number % 10 == 0:
                print(f"{number} tried, {len(self.survivors)} survived", file=sys.stderr, flush=True)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Note what a fixture reaches: every test that takes it depends on that, not only the first."""
        before = set(self.hits)
        self.hits.clear()
        try:
            return (yield)
        finally:
            self.fixtures.setdefault((fixturedef.baseid, fixturedef.argname), set()).update(self.hits)
            self.hits.update(before)

    def _observed(self, items: Sequence[pytest.Item]) -> bool:
        """Run each test as it is, note what it reaches and how long it takes; return whether all pass."""
        trampoline.record_trampoline_hit = lambda name, caller=None: self.hits.add(name)
        set_mutant_under_test("stats")
        caches = _caches()
        for item, following in _with_next(items):
            self.hits.clear()
            for cache in caches:
                cache.cache_clear()
            begun = time.process_time()
            if _fails(item, following):
                print(f"{item.nodeid} fails", file=sys.stderr)
                return False
            self.seconds[item.nodeid] = time.process_time() - begun
            for name in self.hits.union(*self._of_fixtures(item)):
                self.reached.setdefault(name, []).append(item)
        return True

    def _of_fixtures(self, item: pytest.Item) -> Iterator[set[str]]:
        taken = getattr(item, "fixturenames", ())
        return (hits for (base, name), hits in self.fixtures.items() if name in taken and item.nodeid.startswith(base))

    def _kill(self, mutant: str, items: Sequence[pytest.Item]) -> bool:
        """Return whether a test notices a mutant: it fails, crashes, or does not come to its end."""
        files = defaultdict[Path, float](float)
        for item in items:
            files[item.path] += self.seconds[item.nodeid]
        # File by file: otherwise a file's fixtures would be made again for each of its tests.
        quick = sorted(items, key=lambda item: (files[item.path], item.path, self.seconds[item.nodeid]))
        if (process := os.fork()) == 0:
            most = int(_GRACE_SECONDS + _TIMES_SLOWER * sum(self.seconds[item.nodeid] for item in items))
            resource.setrlimit(resource.RLIMIT_CPU, (most, most))
            set_mutant_under_test(mutant)
            os._exit(any(_fails(item, following) for item, following in _with_next(quick)))
        return os.waitpid(process, 0)[1] != 0


def _caches() -> list[Any]:
    """Return the caches of our functions: what was computed without a mutant, or for another test, would hide it."""
    gc.unfreeze()  # the tests' conftest.py freezes what was imported, which is not listed then
    wrapped = (one for one in gc.get_objects() if isinstance(one, functools._lru_cache_wrapper))
    return [one for one in wrapped if one.__module__.startswith("quaestor.")]


def _with_next(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=True)


def _fails(item: pytest.Item, following: pytest.Item | None) -> bool:
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


# --- what is told ---------------------------------------------------------------------------------------------------


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")


def _lines(changed: Mapping[str, _Changed], mutant: str) -> tuple[str, str]:
    """Return the lines that a mutant changes, as they were and as they are."""
    module, _, name = mutant.rpartition(".")
    was = changed[module].function(name.partition("__mutmut_")[0] + "__mutmut_orig")
    became = changed[module].function(name)
    while was and became and was[0] == became[0]:
        del was[0], became[0]
    while was and became and was[-1] == became[-1]:
        del was[-1], became[-1]
    return "\n".join(was), "\n".join(became)


def _judged(outcome: Outcome) -> Outcome:
    """Return an outcome with the reasons by which survivors are equivalent."""
    listed = tomllib.loads((HERE / "equivalent.toml").read_text(encoding="utf-8"))
    reasons = {(one["was"], one["became"]): one["reason"] for one in listed["mutant"]}
    kinds = [(re.compile(one["was"]), re.compile(one["became"]), one["reason"]) for one in listed["kind"]]

    def reason(was: str, became: str) -> str:
        alike = (why for old, new, why in kinds if old.search(was) and old.sub("", was) == new.sub("", became))
        return reasons.get((was, became)) or next(alike, "")

    survivors = (Survivor(one.mutant, one.was, one.became, reason(one.was, one.became)) for one in outcome.survivors)
    return Outcome(outcome.commit, outcome.made, outcome.mutants, outcome.killed, tuple(survivors))


def _print(name: str, outcome: Outcome) -> None:
    for one in outcome.survivors:
        if not one.equivalent:
            print(f"{one.mutant}\n    - {one.was}\n    + {one.became}")
    print(
        f"{name:12} {outcome.mutants:5} of {outcome.made:5} mutants  {outcome.killed:5} killed"
        f"  {outcome.equivalent:4} equivalent  {outcome.share:.3f}"
    )


def _commit() -> str:
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _saved(name: str) -> Outcome:
    saved = json.loads(REPORT.read_text(encoding="utf-8"))[name]
    survivors = tuple(Survivor(**one) for one in saved["survivors"])
    made = saved.get("made", saved["mutants"])
    return Outcome(saved["commit"], made, saved["mutants"], saved["killed"], survivors)


def _save(name: str, outcome: Outcome, seed: int, report: Path = REPORT) -> None:
    """Save what came of a scope's usual sample; of another sample only its counts, beside those."""
    saved = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
    counts = {
        "commit": outcome.commit,
        "made": outcome.made,
        "mutants": outcome.mutants,
        "killed": outcome.killed,
        "equivalent": outcome.equivalent,
        "share": round(outcome.share, 3),
    }
    fresh = saved.get(name, {}).get("fresh", {})
    if seed == _SEED:
        saved[name] = {**counts, "survivors": [asdict(one) for one in outcome.survivors], "fresh": fresh}
    else:
        saved[name]["fresh"] = {**fresh, str(seed): counts}
    report.write_text(json.dumps(dict(sorted(saved.items())), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
