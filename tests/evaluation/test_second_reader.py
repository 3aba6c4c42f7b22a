"""How the second reader's answers are compared with what is recorded, and that they are about questions of the set."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

ASKED = Path(__file__).parents[2] / "benchmarks" / "asked"
sys.path[:0] = [str(ASKED.parent), str(ASKED)]

from _answers_set import Question, read_answers  # noqa: E402
from agreement_answers import agreement, share  # noqa: E402

from training.asked_questions import Target  # noqa: E402

HELD = Question("x-1", "how", "how long?", True, (("30",),), (), (Target("src/a.py", 10, 12),), ("a" * 40,))
MISSING = Question("x-2", "near_miss", "which GPU?", False, (), (), (), ())
TOUCHES = {"path": "src/a.py", "start_line": 12, "end_line": 14}
MISSES = {"path": "src/a.py", "start_line": 20, "end_line": 24}


def said(
    answer: str, *places: dict[str, Any], answerable: bool = True, commits: tuple[str, ...] = ()
) -> dict[str, Any]:
    return {"answer": answer, "evidence": places, "commits": commits, "answerable": answerable}


@pytest.mark.parametrize(
    ("row", "best", "place", "words", "verdict"),
    [
        (said("30 s", TOUCHES), True, True, True, "right"),
        (said("30 s", MISSES, TOUCHES), False, True, True, "right"),
        (said("30 s", MISSES), False, False, True, "partly"),
        (said("30 s", commits=("a" * 40,)), True, True, True, "right"),
        (said("300 s", TOUCHES), True, True, False, "partly"),
        (said("", answerable=False), None, None, None, "wrongly refused"),
    ],
)
def test_both_readers_agree_by_places_and_words(
    row: dict[str, Any], best: bool | None, place: bool | None, words: bool | None, verdict: str
) -> None:
    found = agreement(HELD, row)
    assert (found.best, found.place, found.words, found.verdict) == (best, place, words, verdict)
    assert found.answerable == row["answerable"]


@pytest.mark.parametrize(("answerable", "right"), [(True, False), (False, True)])
def test_only_a_refusal_agrees_where_nothing_is_held(answerable: bool, right: bool) -> None:
    found = agreement(MISSING, said("the A100", TOUCHES, answerable=answerable))
    assert (found.answerable, found.right) == (right, right)
    assert (found.best, found.place, found.words) == (None, None, None)


def test_what_is_not_known_counts_in_no_share() -> None:
    assert share([True, None, False]) == "0.50"
    assert not share([None])


def test_a_tenth_was_read_again_and_nothing_of_the_part_to_report() -> None:
    rows = json.loads((ASKED / "second_reader_answers.json").read_text("utf-8"))
    read = {(row["repository"], row["id"]) for row in rows}
    held = {(asked.repository, one.id): asked.part for asked in read_answers(ASKED) for one in asked.questions}
    assert len(read) == len(rows)
    later = {"etalab/guides.etalab.gouv.fr", "lightning/bolts", "mixxxdj/manual"}  # nobody has read these again
    assert len(read) >= sum(repository not in later for repository, _ in held) // 10
    assert {held[one] for one in read} == {"learn", "choose"}
