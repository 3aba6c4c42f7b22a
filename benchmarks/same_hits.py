"""Checks whether a change of the code leaves every hit and every score as it was, to the bit.

    python benchmarks/same_hits.py DIR... --home HOME --save FILE     # with the code before the change
    python benchmarks/same_hits.py DIR... --home HOME --against FILE  # with the code after it

See README.md here.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from _query_kinds_made import make

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.documents import Hit
from training.asked_questions import read_asked

ASKED = Path(__file__).with_name("asked")
SHOWN = 10

Found: TypeAlias = "dict[str, list[list[Any]]]"
"""The hits of each query."""


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    before = json.loads(gzip.decompress(options.against.read_bytes())) if options.against else {}
    found = {}
    for folder in options.folders:
        # What is made of a folder comes from the code itself, so what was saved is asked again.
        queries = list(before[folder.name])[:: options.every] if before else queries_of(folder, options)
        found[folder.name] = search(folder, options.home, queries)
    if options.save:
        options.save.write_bytes(gzip.compress(json.dumps(found).encode()))
        print(f"{sum(map(len, found.values()))} queries in {len(found)} folders")
        return
    others = list(differences(before, found))
    for line in others[: options.shown]:
        print(line)
    print(f"{len(others)} of {sum(map(len, found.values()))} queries in {len(found)} folders find something else")
    raise SystemExit(bool(others))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Check that every hit and every score stays the same.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a folder to search")
    parser.add_argument("--home", required=True, type=Path, help="where both runs have their indexes")
    parser.add_argument("--count", type=int, default=40, help="queries of each kind made from each folder")
    parser.add_argument("--every", type=int, default=1, help="only every so many of the questions in asked/")
    parser.add_argument("--shown", type=int, default=5, help="differences to print")
    purpose = parser.add_mutually_exclusive_group(required=True)
    purpose.add_argument("--save", type=Path, metavar="FILE", help="write what is found")
    purpose.add_argument("--against", type=Path, metavar="FILE", help="compare what is found with what was saved")
    return parser.parse_args(arguments)


def queries_of(folder: Path, options: argparse.Namespace) -> list[str]:
    """Return all questions but those kept for reports, most about other folders, and what is made of this one.

    Of many a question some words stand nowhere in the folder.
    """
    questions = [one.text for asked in read_asked(ASKED) if asked.part != "report" for one in asked.questions]
    return [*questions[:: options.every], *(one.text for one in make(folder, options.count))]


def search(folder: Path, home: Path, queries: Sequence[str]) -> Found:
    """Return what each query finds in a folder."""
    with Index.build(folder, settings=Settings(home=str(home))) as index:
        return {query: list(map(row, index.search(query, SHOWN))) for query in dict.fromkeys(queries)}


def row(hit: Hit) -> list[Any]:
    """Return what is compared of a hit."""
    return [hit.path, hit.chunk.span.start, hit.chunk.span.end, hit.symbol, list(hit.also), hit.score.hex()]


def differences(before: dict[str, Found], now: dict[str, Found]) -> Iterator[str]:
    """Yield a line for each query that does not find what it found."""
    for folder, found in now.items():
        for query, hits in found.items():
            if (old := before[folder].get(query)) != hits:
                yield f"{folder}: {query!r}\n  before {old}\n  now    {hits}"


if __name__ == "__main__":
    main()
