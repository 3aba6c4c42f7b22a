"""Asks headings of guides as questions, and counts how often their section comes first and is quoted first.

    python benchmarks/headings.py DIR... [--each 12] [--indexes DIR] [--show]

"## Adding a tag" becomes "how do i add a tag?". Asked are headings in Markdown, in English, that begin with a verb and
occur once in the checkout; changelogs and translations are left out. Nothing of ours decides what is right, but another
section may answer as well: compare the columns with each other.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from _answers_judge import Place, touches

from answers import answered
from quaestor.answers.overview.prose_lines import parts_of
from quaestor.assemble import Index
from quaestor.core.config import Settings
from training.asked_questions import Target

MODES = ("ranked", "fusion", "lexical")
_TEN = 10
_LEFT_OUT = re.compile(
    r"(^|/)(changelog|changes|history|news|releases?)|(^|/)\.|node_modules|vendor|/[a-z]{2}(-[a-z]{2})?/"
)
_WORDS, _LONGEST = (2, 7), 60
_MARKUP = re.compile(r"[<>{}|$?]")
_VERBS = frozenset(
    """access add apply avoid build cancel change check combine compare configure connect convert copy create customize
    debug declare define delete deploy disable download edit embed enable execute export extend fetch filter find format
    generate get handle hide import include insert install integrate invoke limit link list load log make manage measure
    merge mock move open override parse pass print publish query raise read register remove rename render replace reset
    restore retry return run save schedule search select send serve set share show sign skip sort split start stop store
    stream subscribe switch sync test throw track translate trigger update upgrade upload use validate verify view wrap
    write""".split()
)


class Asked(NamedTuple):
    """A question, and the section whose heading it is."""

    question: str
    section: Target


class Row(NamedTuple):
    """Whether the first hit, and any of ten, touches the section, by mode, and whether the first and any quote does."""

    first: dict[str, bool]
    ten: dict[str, bool]
    quote: bool
    quotes: bool


def main() -> None:
    """Ask, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path, nargs="+", help="folders with guides in Markdown")
    parser.add_argument("--each", type=int, default=12, help="headings of each checkout")
    parser.add_argument("--indexes", type=Path, help="keeps the indexes; a temporary folder by default")
    parser.add_argument("--show", action="store_true", help="print the questions whose first quote is of another place")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="quaestor-headings-") as folder:
        settings = Settings(home=str((options.indexes or Path(folder)).absolute()))
        rows = [row for root in options.checkouts for row in rows_of(root, settings, options)]
    print(table(rows))


def rows_of(root: Path, settings: Settings, options: argparse.Namespace) -> Iterator[Row]:
    """Yield what comes of each question about one checkout."""
    chosen = questions(root)
    random.Random(5).shuffle(chosen)
    if not chosen:
        return
    with Index.build(root, settings=settings) as index:
        for question, section in chosen[: options.each]:
            said, _ = asyncio.run(answered(index, question, settings))
            hits = {mode: index.search(question, _TEN, mode=mode) for mode in MODES}  # type: ignore[arg-type]
            places = {mode: [Place(one.path, one.start_line, one.end_line) for one in hits[mode]] for mode in MODES}
            row = Row(
                {mode: touches((section,), places[mode][:1]) for mode in MODES},
                {mode: touches((section,), places[mode]) for mode in MODES},
                touches((section,), said.places[:1]),
                touches((section,), said.places),
            )
            if options.show and not row.quote:
                print(f"{root.name}: {question} {section.path}:{section.start_line}")
            yield row


def questions(root: Path) -> list[Asked]:
    """Return the questions that headings of a checkout's guides make, each heading once."""
    found = [one for path in sorted(root.rglob("*.md*")) if path.is_file() for one in _of_file(path, root)]
    counts = Counter(one.question for one in found)
    return [one for one in found if counts[one.question] == 1]


def _of_file(path: Path, root: Path) -> Iterator[Asked]:
    name = path.relative_to(root).as_posix()
    if path.suffix not in (".md", ".mdx", ".markdown") or _LEFT_OUT.search(f"/{name.lower()}"):
        return
    for part in parts_of(path.read_text("utf-8", "replace").splitlines()):
        question = question_of(part.title)
        if question and part.last > part.first:
            yield Asked(question, Target(name, part.first - 1, part.last))


def question_of(heading: str) -> str:
    """Return a heading that begins with a verb as a question; empty for any other."""
    words = heading.strip("`*_ .:").lower().split()
    plain = len(heading) <= _LONGEST and heading.isascii() and not _MARKUP.search(heading)
    if not plain or not _WORDS[0] <= len(words) <= _WORDS[1]:
        return ""
    first = next((one for one in _stems(words[0]) if one in _VERBS), "")
    return f"how do i {' '.join((first, *words[1:]))}?" if first else ""


def _stems(word: str) -> Sequence[str]:
    """Return a word and what it may be a gerund of: adding, making, running."""
    stem = word.removesuffix("ing")
    return (word,) if stem == word else (word, stem, f"{stem}e", stem[:-1])


def table(rows: Sequence[Row]) -> str:
    """Return a line for each mode, and one for the answers."""
    lines = [f"{len(rows)} headings   first  in ten"]
    for mode in MODES:
        first, ten = statistics.mean(row.first[mode] for row in rows), statistics.mean(row.ten[mode] for row in rows)
        lines.append(f"  {mode:12}   {first:.3f}   {ten:.3f}")
    quote, quotes = statistics.mean(row.quote for row in rows), statistics.mean(row.quotes for row in rows)
    return "\n".join([*lines, f"first quote {quote:.3f}, any quote {quotes:.3f}"])


if __name__ == "__main__":
    main()
