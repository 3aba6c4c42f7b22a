"""Counts how often a damaged edit is applied rightly, refused, or applied wrongly, by us and by aider's matching.

    python benchmarks/edits.py GIT_DIR... --aider WHEEL --hunks 20 --out benchmarks/results/edits.json

Each GIT_DIR is a (bare) repository with its history. WHEEL is aider's, from `pip download --no-deps aider-chat`;
without it, only ours is measured. The expected result is the file after the commit, byte for byte.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import _machine
from _edit_cases import ONLY_NEW, Case, cases, hunks, name_of
from _edit_peer import Peer

from quaestor.edits import parse, plan

OURS = "quaestor"
GROUPS = ("to be applied", "to be refused", "damage out of sight")
RIGHT, REFUSED, WRONG = "right", "refused", "wrong"


@dataclass(frozen=True, slots=True)
class Scored:
    """One case by one system."""

    system: str
    case: Case
    outcome: str
    why: str
    seconds: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="GIT_DIR")
    parser.add_argument("--aider", type=Path, metavar="WHEEL")
    parser.add_argument("--hunks", type=int, default=20, help="of each repository")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", nargs="*", default=[], help="print the cases of ours with these outcomes or names")
    options = parser.parse_args(arguments)
    peer = Peer(options.aider) if options.aider else None
    scores: list[Scored] = []
    taken = 0
    for repository in options.repositories:
        for hunk in hunks(repository, options.hunks):
            taken += 1
            for case in cases(hunk):
                scores += scored(case, peer)
                if scores[-1 - bool(peer)].outcome in options.show or case.name in options.show:
                    show(scores[-1 - bool(peer)])
    report = reported(scores, options.repositories, taken, peer)
    print(table(report))
    if options.out:
        options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def scored(case: Case, peer: Peer | None) -> list[Scored]:
    """Score a case with every system."""
    reply = "\n".join(
        [case.hunk.path, "```", "<<<<<<< SEARCH", *case.search, "=======", *case.replace, ">>>>>>> REPLACE", "```", ""]
    )
    with TemporaryDirectory() as folder:
        place = Path(folder, case.hunk.path)
        place.parent.mkdir(parents=True, exist_ok=True)
        text = _joined(case, case.file)
        place.write_bytes(text.encode())
        started = time.perf_counter()
        made = plan(Path(folder), parse(reply))
        seconds = time.perf_counter() - started
        new = made.files[0].after if made.files else None
        why = ",".join(refusal.kind for refusal in made.refusals) or ",".join(made.files[0].how)
        result = [Scored(OURS, case, _outcome(case, None if new is None else new.decode()), why, seconds)]
        if peer:
            started = time.perf_counter()
            theirs = peer.applied(place, case.hunk.path, text, reply)
            seconds = time.perf_counter() - started
            if theirs is not None and not case.hunk.ends:
                theirs = theirs.removesuffix("\n")  # it ends every file so; that is not what is measured here
            result.append(Scored(f"aider {peer.version}", case, _outcome(case, theirs), "", seconds))
    return result


def group_of(case: Case) -> str:
    """Return which part of the table a case belongs to."""
    if case.name == ONLY_NEW:
        return GROUPS[2]
    return GROUPS[0] if case.truth is not None else GROUPS[1]


def _outcome(case: Case, new: str | None) -> str:
    if new is None:
        return REFUSED
    return RIGHT if case.truth is not None and new == _joined(case, case.truth) else WRONG


def _joined(case: Case, lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n" * case.hunk.ends


def reported(scores: Sequence[Scored], repositories: Sequence[Path], taken: int, peer: Peer | None) -> dict[str, Any]:
    """Return counts by system and damage, with where they come from."""
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    groups: dict[str, str] = {}
    reasons: Counter[str] = Counter()
    for score in scores:
        counts[score.system][score.case.name][score.outcome] += 1
        groups[score.case.name] = group_of(score.case)
        if score.system == OURS:
            reasons[score.why] += 1
    return {
        "machine": _machine.describe(),
        "peer": peer.version if peer else None,
        "repositories": {name_of(path): _machine.commit(path) for path in repositories},
        "hunks": taken,
        "cases": sum(score.system == OURS for score in scores),
        "groups": groups,
        "outcomes": {system: {name: dict(own) for name, own in named.items()} for system, named in counts.items()},
        "reasons": dict(reasons.most_common()),
        "milliseconds": {system: _median(scores, system) for system in counts},
    }


def _median(scores: Sequence[Scored], system: str) -> float:
    times = sorted(score.seconds for score in scores if score.system == system)
    return round(times[len(times) // 2] * 1000, 2)


def table(report: dict[str, Any]) -> str:
    """Return a row for each damage: right, refused and wrong of each system."""
    systems = list(report["outcomes"])
    lines = [f"{report['cases']} cases of {report['hunks']} hunks of {len(report['repositories'])} repositories"]
    lines.append(f"{'':26}{'cases':>6}  " + "".join(f"{system:>27}" for system in systems))
    lines.append(f"{'':34}" + "".join(f"{'right':>11}{'refused':>8}{'wrong':>8}" for _ in systems))
    for title in GROUPS:
        names = [name for name, group in report["groups"].items() if group == title]
        totals: dict[str, Counter[str]] = {system: Counter() for system in systems}
        for name in names:
            own = {system: Counter(report["outcomes"][system][name]) for system in systems}
            for system in systems:
                totals[system] += own[system]
            lines.append(_row(f"  {name}", own))
        lines.append(_row(title, totals))
    lines.append("median ms a case: " + ", ".join(f"{name} {value}" for name, value in report["milliseconds"].items()))
    return "\n".join(lines)


def _row(name: str, counts: dict[str, Counter[str]]) -> str:
    total = next(iter(counts.values())).total()
    cells = "".join(f"{own[RIGHT]:>11}{own[REFUSED]:>8}{own[WRONG]:>8}" for own in counts.values())
    return f"{name:26}{total:>6}  {cells}"


def show(score: Scored) -> None:
    case = score.case
    print(f"--- {score.outcome} ({score.why}): {case.name}")
    print(f"{case.hunk.repository} {case.hunk.commit[:8]} {case.hunk.path}")
    print("\n".join(f"S|{line}" for line in case.search))
    print("\n".join(f"R|{line}" for line in case.replace))
    print("\n".join(f"F|{line}" for line in case.file[max(0, case.hunk.start - 6) : case.hunk.stop + 6]))


if __name__ == "__main__":
    main()
