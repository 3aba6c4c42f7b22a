"""Prints how far a second reader, who saw only the questions, agrees with ``answers/``, by kind of question.

    python benchmarks/asked/agreement_answers.py [--show]

``second_reader_answers.json`` has an answer to each of some questions of learn and choose, drawn at random: whether the
question can be answered, the answer, its places and commits, and the words that the second reader requires of a right
answer. Each is judged as any other answer (``_answers_judge``), by its own words: those of its places do not count.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from _answers_judge import Place, Said, Verdict, judge, seen_text, share_rested_on, share_said  # noqa: E402
from _answers_set import Question, read_answers  # noqa: E402


@dataclass(frozen=True, slots=True)
class Agreement:
    """What both readers say about one question.

    Attributes:
        answerable: whether both say that it can be answered, or both that it cannot.
        best: whether the second reader's best place, or a commit, is among what is recorded; None where nothing is.
        place: whether any of the second reader's places or commits is; None where nothing is.
        words: whether the second reader's answer has the words that are recorded; None where there are none.
        verdict: what the second reader's answer is worth by what is recorded.
    """

    question: Question
    answerable: bool
    best: bool | None
    place: bool | None
    words: bool | None
    verdict: Verdict

    @property
    def right(self) -> bool:
        """Whether the second reader's answer is right, or its refusal."""
        return self.verdict in {"right", "rightly refused"}


def main() -> None:
    """Print the agreement for each kind of question, and what is not agreed where that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="name the questions whose second answer is not right")
    options = parser.parse_args()
    read = list(agreements(json.loads((HERE / "second_reader_answers.json").read_text("utf-8"))))
    print("\n".join(table(read)))
    if options.show:
        print("\n".join(f"{one.question.id}: {one.verdict}" for one in read if not one.right))


def agreements(rows: Iterable[Mapping[str, Any]]) -> Iterator[Agreement]:
    """Yield what both readers say about each question that the second one answered."""
    second = {(row["repository"], row["id"]): row for row in rows}
    for asked in read_answers(HERE):
        for question in asked.questions:
            if row := second.get((asked.repository, question.id)):
                yield agreement(question, row)


def agreement(question: Question, row: Mapping[str, Any]) -> Agreement:
    """Return what both readers say about a question."""
    text = "\n".join([row["answer"], *row["commits"]])
    said = Said(text, tuple(Place(**place) for place in row["evidence"]), row["answerable"])
    both = question.answerable and said.known
    placed = both and bool(question.evidence or question.commits)
    return Agreement(
        question,
        question.answerable == said.known,
        share_rested_on(question, replace(said, places=said.places[:1])) > 0 if placed else None,
        share_rested_on(question, said) > 0 if placed else None,
        share_said(question.requires, seen_text(said)) == 1 if both and question.requires else None,
        judge(question, said),
    )


def table(read: Sequence[Agreement]) -> Iterator[str]:
    """Yield the lines of a table: a kind of question each, then all of them."""
    yield f"{'':10}questions   answerable   best place   any place   words   right"
    for kind in sorted({one.question.kind for one in read}):
        yield _line(kind, [one for one in read if one.question.kind == kind])
    yield _line("all", read)


def _line(name: str, read: Sequence[Agreement]) -> str:
    answerable, best, place, words, right = (
        share([getattr(one, field) for one in read]) for field in ("answerable", "best", "place", "words", "right")
    )
    return f"{name:10}{len(read):9}   {answerable:>10}   {best:>10}   {place:>9}   {words:>5}   {right:>5}"


def share(values: Sequence[bool | None]) -> str:
    """Return the share of true values among those that are known; nothing where none is."""
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.2f}" if known else ""


if __name__ == "__main__":
    main()
