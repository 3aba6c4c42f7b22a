"""Runs the properties of this folder by atheris, guided by which lines an input reaches: ``make fuzz SECONDS=60``.

One process a target, one after the other. What a target has learned stays in its corpus, so that a later run goes on
from there; an input that breaks a property is written to a file, and the run's exit code is 1.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

HERE = Path(__file__).parent
if TYPE_CHECKING:
    from fuzz.parser_properties import Target

_STATISTIC = re.compile(r"^stat::number_of_executed_units: (\d+)", re.MULTILINE)
_PULSE = re.compile(r"^#(\d+)\s", re.MULTILINE)
_ARTIFACT = re.compile(r"Test unit written to (\S+)")
_RAISED = re.compile(r"Uncaught Python exception: ===\n(.*)", re.MULTILINE)
_LONGEST_INPUT = 4096
_SLOWEST_SECONDS = 20
_LARGEST_MB = 2048


class Outcome(NamedTuple):
    """What became of one target."""

    name: str
    executions: int
    seconds: float
    finding: str


def main() -> int:
    """Run all targets, or those whose names hold a text, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--only", default="", help="a part of a target's name")
    parser.add_argument("--folder", type=Path, default=HERE.parents[1] / ".fuzz", help="corpora and findings")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given, rest = parser.parse_known_args()
    if given.one:
        _fuzz(given.one, rest)
    names = [name for name, _ in _targets() if given.only in name]
    outcomes = []
    for name in names:
        outcomes.append(_run(name, given.seconds, given.folder))
        _print(outcomes[-1])
    _print(Outcome("all", sum(one.executions for one in outcomes), sum(one.seconds for one in outcomes), ""))
    return 1 if any(one.finding for one in outcomes) else 0


def _targets() -> Iterator[tuple[str, Target]]:
    for file in sorted(HERE.glob("test_fuzz_*.py")):
        module = import_module(f"fuzz.{file.stem}")
        for name, test in vars(module).items():
            if hasattr(test, "target"):
                yield f"{file.stem.removeprefix('test_fuzz_')}.{name.removeprefix('test_')}", test.target


def _run(name: str, seconds: int, folder: Path) -> Outcome:
    """Run one target in a process of its own."""
    import time  # noqa: PLC0415

    corpus, findings = folder / "corpus" / name, folder / "findings" / name
    for place in (corpus, findings):
        place.mkdir(parents=True, exist_ok=True)
    target = dict(_targets())[name]
    for number, seed in enumerate(target.seeds):
        (corpus / f"seed{number}").write_bytes(seed.encode("utf-8", "surrogatepass"))
    words = folder / "corpus" / f"{name}.dict"
    words.write_text("".join(f'"{_escaped(mark)}"\n' for mark in target.marks if mark), encoding="ascii")
    command = [sys.executable, __file__, "--one", name, str(corpus), f"-dict={words}", f"-artifact_prefix={findings}/"]
    command += [f"-max_total_time={seconds}", f"-max_len={_LONGEST_INPUT}", f"-timeout={_SLOWEST_SECONDS}"]
    command += [f"-rss_limit_mb={_LARGEST_MB}", "-print_final_stats=1"]
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, check=False)
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    counts = _STATISTIC.findall(said) or _PULSE.findall(said) or ["0"]
    finding = ""
    if done.returncode:
        artifact, raised = _ARTIFACT.search(said), _RAISED.search(said)
        finding = f"{raised[1] if raised else said.strip()[-300:]!r} ({artifact[1] if artifact else 'no file'})"
    return Outcome(name, int(counts[-1]), time.monotonic() - began, finding)


def _escaped(mark: str) -> str:
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}"
        for byte in mark.encode("utf-8", "surrogatepass")
    )


def _print(one: Outcome) -> None:
    print(f"{one.executions:>12,} executions {one.seconds:>8.0f} s  {one.name}  {one.finding}", flush=True)


def _fuzz(name: str, arguments: list[str]) -> None:
    """Become the fuzzer of one target; libFuzzer ends the process."""
    import atheris  # type: ignore[import-not-found] # noqa: PLC0415 - in its own environment only

    with atheris.instrument_imports(include=["quaestor"]):
        target = dict(_targets())[name]
    atheris.Setup([__file__, *arguments], lambda data: target.check(target.of_bytes(data)))
    atheris.Fuzz()


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    sys.exit(main())
