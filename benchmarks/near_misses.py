"""Whether `ask` without a model refuses near misses, and nothing that is answered beside them.

    python benchmarks/near_misses.py QUESTIONS --checkouts DIR [--part choose|report] [--home DIR]

A near miss asks for something close to what a repository is about, and not in it. Each is paired with a question of the
same wording that the repository answers. Prints the shares of both that are refused, in all and of those whose evidence
is among the passages read, and the same if another worth were the least that is answered.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from refusals import area

from quaestor import Index
from quaestor.answers.quotes.passage_order import without_restated
from quaestor.answers.quotes.pick_quotes import answer
from quaestor.core.config import Settings
from quaestor.llm.prompts.numbered_passages import number

_PASSAGES = 10
_LEAST = (-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a question.

    Attributes:
        answerable: whether the repository answers it.
        read: whether a passage that was read holds its evidence.
        refused: whether it is refused.
        worth: how surely the passages answer, below 0 where it is refused.
    """

    answerable: bool
    read: bool
    refused: bool
    worth: float


def asked(index: Index, question: str, path: str = "", match: str = "") -> Asked:
    """Ask a question; ``path`` and a regular expression say where its evidence is, if it is answerable."""
    hits = without_restated(question, index.search(question, _PASSAGES))
    doubt = index.doubt(question, hits)
    encode = index.meaning.local_embedder.encode
    said = answer(question, number(hits), encode, missing=doubt.names, refused=doubt.refuses, hits=hits)
    read = bool(path) and any(hit.path == path and re.search(match, hit.text) for hit in hits)
    worth = 0.0 if doubt.worth is None else doubt.worth
    return Asked(bool(path), read, not said.known, worth if said.known else min(worth, -0.01))


def rows(questions: Path, checkouts: Path, part: str, home: Path) -> Iterator[Asked]:
    """Yield what comes of each question of a part."""
    for about in json.loads(questions.read_text(encoding="utf-8")):
        checkout = checkouts / about["repository"].replace("/", "__")
        if about["part"] != part:
            continue
        if not checkout.is_dir():
            print(f"no checkout of {about['repository']}", file=sys.stderr)
            continue
        with Index.build(checkout, settings=Settings(home=str(home))) as index:
            for pair in about["pairs"]:
                yield asked(index, pair["near_miss"])
                yield asked(index, pair["answerable"], pair["path"], pair["match"])


def report(found: Sequence[Asked]) -> Iterator[str]:
    """Yield the figures as lines."""
    near, answered = ([one for one in found if one.answerable is wanted] for wanted in (False, True))
    read = [one for one in answered if one.read]
    for name, part in (("near misses", near), ("answerable", answered), ("evidence read", read)):
        yield f"{name:14} {sum(one.refused for one in part):3} of {len(part):3} refused"
    low, high = (np.array([one.worth for one in part]) for part in (near, read))
    yield f"told apart     {area(low, high):.3f}"
    for least in _LEAST:
        shares = float((low < least).mean()), float((high < least).mean())
        yield f"if worth {least:+.2f} is the least: {shares[0]:.3f} refused, falsely {shares[1]:.3f}"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--part", choices=("choose", "report"), default="choose")
    parser.add_argument("--home", type=Path, help="keeps the indexes; a temporary folder by default")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        found = list(rows(given.questions, given.checkouts, given.part, given.home or Path(place)))
    print("\n".join(report(found)))


if __name__ == "__main__":
    main()
