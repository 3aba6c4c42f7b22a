"""Compares where answers begin with what a search finds first, for thousands of questions written from single chunks.

    python benchmarks/first_quotes.py --checkouts DIR [--indexes DIR] [--each 6] [--only OWNER/NAME ...] [--show]

The questions are in ``asked/chunks``. ``--checkouts`` has a checkout ``OWNER__NAME`` of each repository, at the commit
that the file names; repositories without one are left out. The writer of a question saw its chunk alone, so other
places may answer it as well: use the shares to compare answers with searches, and versions with each other. All of the
questions have an answer, so every refusal is wrong. ``--show`` prints the questions that a special way of answering
answered without quoting the chunk; these may be misreadings.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from _answers_judge import Place, touches

from answers import answered
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way
from quaestor.assemble import Index
from quaestor.core.config import Settings
from training.asked_questions import Target
from training.judged_searches import documents_of

QUESTIONS = Path(__file__).parent / "asked" / "chunks"
_TEN = 10


@dataclass(frozen=True, slots=True)
class Row:
    """One question, and what came of it.

    Attributes:
        corpus: ``code`` or ``prose``.
        way: the way that answered it, or ``quotes``.
        refused: whether nothing was said to answer it.
        quote: whether the answer's first quote touches the chunk.
        any: whether any quote does.
        hit: whether the first hit of a search does.
        ten: whether any of ten does.
    """

    repository: str
    corpus: str
    question: str
    way: str
    refused: bool
    quote: bool
    any: bool
    hit: bool
    ten: bool


def main() -> None:
    """Ask, and print a line for each corpus and each way."""
    options = parse()
    with TemporaryDirectory(prefix="quaestor-first-quotes-") as folder:
        rows = list(asked_rows(options, options.indexes or Path(folder)))
    if not rows:
        sys.exit(f"No repository of {str(QUESTIONS)!r} has a checkout in {str(options.checkouts)!r}.")
    print(table(rows))


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True, help="has a checkout OWNER__NAME of each repository")
    parser.add_argument("--indexes", type=Path, help="keeps the indexes; a temporary folder by default")
    parser.add_argument("--each", type=int, default=6, help="questions a repository, four times that of prose")
    parser.add_argument("--only", nargs="+", default=[], metavar="OWNER/NAME", help="only these repositories")
    parser.add_argument(
        "--show", action="store_true", help="print questions that a special way answered from elsewhere"
    )
    return parser.parse_args()


def asked_rows(options: argparse.Namespace, indexes: Path) -> Iterator[Row]:
    """Yield what comes of each question, repository by repository."""
    for file in sorted(QUESTIONS.glob("*.json")):
        asked = json.loads(file.read_text("utf-8"))
        root = options.checkouts / asked["repository"].replace("/", "__")
        if not root.is_dir() or (options.only and asked["repository"] not in options.only):
            continue
        if asked["files"]:
            root = documents_of(root, asked["files"], indexes / "documents" / root.name)
        most = options.each * (4 if asked["corpus"] == "prose" else 1)
        chosen = random.Random(3).sample(asked["questions"], min(most, len(asked["questions"])))
        settings = Settings(home=str(indexes.absolute()))
        with Index.build(root, settings=settings) as index:
            for one in chosen:
                row = row_of(asked, one, index, settings)
                if options.show and row.way != "quotes" and not row.any:
                    print(f"{row.repository} {row.way}: {row.question}")
                yield row


def row_of(asked: dict[str, Any], one: Sequence[Any], index: Index, settings: Settings) -> Row:
    """Return what comes of a question: its text, and the path and lines of its chunk."""
    text, path, start, end = one
    chunk = (Target(path, start, end),)
    said, _ = asyncio.run(answered(index, text, settings))
    way = answer_by_way(Question(text), index)
    hits = [Place(hit.path, hit.start_line, hit.end_line) for hit in index.search(text, _TEN)]
    return Row(
        asked["repository"],
        asked["corpus"],
        text,
        "quotes" if way is None else way.way,
        not said.known,
        bool(touches(chunk, said.places[:1])),
        bool(touches(chunk, said.places)),
        bool(touches(chunk, hits[:1])),
        bool(touches(chunk, hits)),
    )


def table(rows: Sequence[Row]) -> str:
    """Return a line for all, each corpus and each way, the commonest first."""
    ways = [way for way, _ in Counter(row.way for row in rows).most_common()]
    groups = {"all": rows} | {name: [row for row in rows if row.corpus == name] for name in ("code", "prose")}
    groups |= {f"  {way}": [row for row in rows if row.way == way] for way in ways}
    lines = [f"{'':12}{'n':>6}  refused  quote 1  any quote  hit 1  hit 10"]
    for name, own in groups.items():
        if own:
            refused, quote, some, hit, ten = (
                statistics.mean(getattr(row, column) for row in own)
                for column in ("refused", "quote", "any", "hit", "ten")
            )
            lines.append(
                f"{name:12}{len(own):6}   {refused:.3f}    {quote:.3f}    {some:.3f}      {hit:.3f}  {ten:.3f}"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
