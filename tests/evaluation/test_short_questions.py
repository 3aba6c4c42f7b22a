"""The set of short questions: its form, and that nothing is fitted to it."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path[:0] = [str(BENCHMARKS), str(BENCHMARKS / "asked")]

from check import problems  # noqa: E402
from lines import present  # noqa: E402

from training.asked_questions import FITTED, SHORT, read_asked  # noqa: E402

ASKED = list(read_asked(BENCHMARKS / "asked", [SHORT]))
MOST_WORDS = 6


def test_questions_are_a_few_words_long() -> None:
    texts = [question.text for asked in ASKED for question in asked.questions]
    assert len(texts) > 300
    assert [text for text in texts if len(text.split()) > MOST_WORDS] == []


def test_only_what_is_asked_for_is_read_so_that_nothing_is_fitted_to_short_questions() -> None:
    short = {asked.corpus for asked in ASKED}
    assert short == {"short_code", "short_prose"}
    assert {asked.corpus for asked in read_asked(BENCHMARKS / "asked")} == set(FITTED)


def test_what_is_kept_for_the_report_stands_in_no_other_set() -> None:
    others = {asked.repository for asked in read_asked(BENCHMARKS / "asked")}
    kept = {asked.repository for asked in ASKED if asked.part == "report"}
    assert len(kept) >= 6
    assert kept.isdisjoint(others)


@pytest.mark.parametrize("corpus", ["short_code", "short_prose"])
def test_the_questions_about_present_checkouts_are_asked(corpus: str, tmp_path: Path) -> None:
    one = next(asked for asked in ASKED if asked.corpus == corpus and asked.part == "choose")
    (tmp_path / "checkouts" / one.folder).mkdir(parents=True)
    corpora = ["short_code", "short_prose"]
    options = Namespace(data=BENCHMARKS / "asked", checkouts=tmp_path / "checkouts", part="choose", corpora=corpora)
    (tmp_path / "documents").mkdir()
    ((_, questions),) = present(options, tmp_path / "documents")
    assert [question.text for question in questions] == [question.text for question in one.questions]


def test_a_kind_of_another_set_is_named_as_a_problem(tmp_path: Path) -> None:
    file = next((BENCHMARKS / "asked" / "short").glob("*.json"))
    data = json.loads(file.read_text("utf-8"))
    data["questions"] = [{**data["questions"][0], "kind": "trace", "evidence": []}]
    name = data["questions"][0]["id"]
    assert list(problems(data, tmp_path)) == [
        f"{name}: kind 'trace' is none of ['words', 'question']",
        f"{name}: 0 pieces of evidence",
    ]
