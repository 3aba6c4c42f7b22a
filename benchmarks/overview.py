"""Measures how many of the parts and entry points that a repository's own documents name an overview names.

    python benchmarks/overview.py --repositories DIR [--part learn|choose] [--tokens 1500] [--missing] [--out FILE]

`asked/overview/OWNER__NAME.json` holds, for each of 20 repositories, the folders and files that its README, its guide
for contributors (or for agents) or its description of the architecture names, each with the line; written down before
any of it was tuned. A checkout is in DIR/OWNER__NAME. For comparison: the plain tree of folders, two levels deep, cut
to the same number of tokens (gpt-4o's), as `tree -L 2` prints it. Repositories are divided by name
(`training.asked_questions.part_of`): weights were tuned on `learn`; `choose` shows whether that carries over.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import _machine

ASKED = Path(__file__).parent / "asked" / "overview"
RESULT = Path(__file__).parent / "results" / "overview.json"
_LINE = re.compile(r"^(?P<indent> *)- (?P<names>.+?)(?:: .*| \[\d+\])?$")
_PATH = re.compile(r"[\w@+.][\w@+./-]*")

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Score:
    """One way of showing one repository.

    Attributes:
        named: what the documents name, and `found` how much of it is named within the budget.
        tokens: what the text takes.
        seconds: of one overview from an index that is up to date.
    """

    repository: str
    part: str
    way: str
    named: int
    found: int
    entries: int
    found_entries: int
    tokens: int
    seconds: float
    documents: int

    @property
    def share(self) -> float:
        return self.found / self.named


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--repositories", type=Path, required=True, metavar="DIR")
    parser.add_argument("--part", choices=("learn", "choose"))
    parser.add_argument("--tokens", type=int, default=1500)
    parser.add_argument("--missing", action="store_true", help="list what is not named")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    from training.asked_questions import part_of  # noqa: PLC0415

    scores: list[Score] = []
    with TemporaryDirectory() as home:
        os.environ.setdefault("QUAESTOR_HOME", home)
        for file in sorted(ASKED.glob("*.json")):
            asked = json.loads(file.read_text("utf-8"))
            part = part_of(asked["repository"])
            if options.part in (None, part):
                scores += measured(asked, part, options.repositories / file.stem, options.tokens, options.missing)
    print(table(scores))
    if options.out:
        about = {"machine": _machine.describe(), "tokens": options.tokens, "table": table(scores).split("\n")}
        about["scores"] = [asdict(score) for score in scores]
        options.out.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def measured(asked: dict[str, object], part: str, folder: Path, budget: int, missing: bool) -> Iterator[Score]:
    from quaestor import Index  # noqa: PLC0415 - reads QUAESTOR_HOME
    from quaestor.llm.tokens import tokenizer_for  # noqa: PLC0415

    count = tokenizer_for("gpt-4o").count
    named = asked["named"]
    assert isinstance(named, list)
    with Index.build(folder) as index:
        paths = list(index.store.documents())
        index.overview(tokens=budget)
        started = time.perf_counter()
        ours = index.overview(tokens=budget)
        seconds = time.perf_counter() - started
        for way, text, took in (
            ("overview", ours.text, seconds),
            ("two levels", cut(two_levels(paths), budget, count), 0.0),
        ):
            shown = paths_in(text, paths)
            found = [one for one in named if one["path"] in shown]
            entries = [one for one in named if one["kind"] == "entry"]
            if missing and way == "overview":
                gone = [one["path"] for one in named if one not in found]
                print(f"{asked['repository']}: {', '.join(gone) or 'all named'}", file=sys.stderr)
            found_entries = sum(one in found for one in entries)
            yield Score(
                str(asked["repository"]), part, way, len(named), len(found), len(entries), found_entries,
                count(text), round(took, 3), len(paths),
            )  # fmt: skip


def paths_in(text: str, paths: Sequence[str]) -> frozenset[str]:
    """Return the files and folders that a text names: as whole paths, or as lines of a tree."""
    known = set(paths) | {folder for path in paths for folder in parents(path)}
    found: set[str] = set()
    above: list[tuple[int, str]] = []
    for line in text.split("\n"):
        for word in _PATH.findall(line):
            found |= {word.strip("/").rstrip(".")} & known
        drawn = _LINE.match(line)
        if drawn is None:
            above = []
            continue
        indent = len(drawn["indent"])
        above = [(at, folder) for at, folder in above if at < indent]
        base = f"{above[-1][1]}/" if above else ""
        names = [name.strip().strip("/") for name in drawn["names"].split(", ")]
        found |= {f"{base}{name}" for name in names} & known
        if len(names) == 1:
            above.append((indent, f"{base}{names[0]}"))
    return frozenset(found | {folder for path in found for folder in parents(path)})


def parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def two_levels(paths: Sequence[str]) -> str:
    """Return all folders and files of the first two levels as a tree, in the order of their names."""
    lines: dict[str, None] = {}
    for path in sorted(paths):
        parts = path.split("/")
        for depth in range(min(2, len(parts))):
            lines["/".join(parts[: depth + 1]) + ("/" if depth + 1 < len(parts) else "")] = None
    drawn = (
        (line.rstrip("/").count("/"), line.rstrip("/").rpartition("/")[2] + "/" * line.endswith("/")) for line in lines
    )
    return "\n".join(f"{'  ' * depth}- {name}" for depth, name in drawn)


def cut(text: str, budget: int, count: Count) -> str:
    lines = text.split("\n")
    while count("\n".join(lines)) > budget:
        lines = lines[: max(1, int(len(lines) * 0.97))]
    return "\n".join(lines)


def table(scores: Sequence[Score]) -> str:
    rows = [["repository", "part", "named", "overview", "two levels", "entries", "tokens", "seconds", "documents"]]
    ours = [score for score in scores if score.way == "overview"]
    peers = {score.repository: score for score in scores if score.way != "overview"}
    for one in sorted(ours, key=lambda score: (score.part, score.repository)):
        rows.append(_row(one.repository, one.part, [one], [peers[one.repository]]))
    for part in ("learn", "choose"):
        own = [score for score in ours if score.part == part]
        if own:
            rows.append(_row("mean of repositories", part, own, [peers[score.repository] for score in own]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _row(name: str, part: str, ours: Sequence[Score], peers: Sequence[Score]) -> list[str]:
    entries = sum(score.entries for score in ours)
    return [
        name,
        part,
        str(sum(score.named for score in ours)),
        f"{statistics.mean(score.share for score in ours):.2f}",
        f"{statistics.mean(score.share for score in peers):.2f}",
        f"{sum(score.found_entries for score in ours)} of {entries}" if entries else "-",
        f"{statistics.mean(score.tokens for score in ours):.0f}",
        f"{statistics.mean(score.seconds for score in ours):.2f}",
        f"{statistics.mean(score.documents for score in ours):.0f}",
    ]


if __name__ == "__main__":
    main()
