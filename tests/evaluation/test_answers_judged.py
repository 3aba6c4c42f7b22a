"""What the benchmark of answers calls right, and that its set can be read."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from _answers_judge import VERDICTS, Place, Said, judge, share_named, share_said, touches  # noqa: E402
from _answers_model import QuotingServer, reply_to  # noqa: E402
from _answers_set import Question, read_answers  # noqa: E402

from quaestor.llm.prompts.numbered_passages import Passage, show_all  # noqa: E402
from training.asked_questions import Target  # noqa: E402

WORDS = st.text(st.characters(categories=["L"]), min_size=1, max_size=8)
GROUPS = st.lists(st.lists(WORDS, min_size=1, max_size=3).map(tuple), max_size=4).map(tuple)
LINES = st.tuples(st.integers(1, 50), st.integers(0, 20)).map(lambda pair: (pair[0], sum(pair)))

ASKED = Question(
    id="x-1",
    kind="configure",
    text="how long does it wait?",
    answerable=True,
    requires=(("timeout", "time-out"), ("30",)),
    parts=(),
    evidence=(Target("src/a.py", 10, 12),),
    commits=(),
)
HOLDS = Place("src/a.py", 12, 14, "timeout = 30")
MISSES = Place("src/a.py", 20, 24, "pass")


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (Said("The timeout is 30 s.", (HOLDS,), True), "right"),
        (Said("See [1].", (HOLDS,), True), "right"),
        (Said("The TIME-OUT is 30 s.", (MISSES,), True), "partly"),
        (Said("See [1].", (replace(HOLDS, quote="wait"),), True), "partly"),
        (Said("The timeout is 300 s.", (MISSES,), True), "wrong"),
        (Said("The timeout is 30 s.", (HOLDS,), False), "wrongly refused"),
    ],
)
def test_an_answer_is_right_by_its_words_and_its_places(said: Said, verdict: str) -> None:
    assert judge(ASKED, said) == verdict


@given(st.text(), st.booleans(), st.booleans())
def test_only_a_refusal_is_right_where_nothing_is_held(text: str, known: bool, cited: bool) -> None:
    asked = replace(ASKED, answerable=False, requires=(), evidence=())
    said = Said(text, (HOLDS,) if cited else (), known)
    assert judge(asked, said) == ("wrong" if known else "rightly refused")


@given(st.integers(0, 10))
def test_an_overview_is_right_by_its_share_of_parts(named: int) -> None:
    names = [f"part{number}.py" for number in range(10)]
    asked = replace(ASKED, requires=(), evidence=(), parts=tuple((name,) for name in names))
    verdict = judge(asked, Said(" ".join(names[:named]), (), True))
    assert verdict == ("right" if named >= 9 else "partly" if named >= 5 else "wrong")


def test_a_commit_answers_as_a_place_does() -> None:
    asked = replace(ASKED, evidence=(), requires=(("2021-04",),), commits=("0123456789" * 4,))
    assert judge(asked, Said("2021-04, in 0123456 by A", (), True)) == "right"
    assert judge(asked, Said("2021-04, in 9999999 by A", (), True)) == "partly"
    assert judge(asked, Said("2022-04, in 9999999 by A", (), True)) == "wrong"


@given(GROUPS, st.text(max_size=40))
def test_whatever_holds_one_of_each_group_says_all(groups: tuple[tuple[str, ...], ...], rest: str) -> None:
    text = " ".join([*(group[-1] for group in groups), rest])
    assert share_said(groups, text) == share_named(groups, text) == 1


@given(GROUPS, st.text(max_size=40))
def test_what_is_named_is_also_said(groups: tuple[tuple[str, ...], ...], text: str) -> None:
    assert 0 <= share_named(groups, text) <= share_said(groups, text) <= 1


def test_who_asks_for_callers_wants_at_least_half_of_them() -> None:
    calls = tuple(Target(f"src/{name}.py", 5, 5) for name in "abcd")
    asked = replace(ASKED, kind="callers", requires=(("send",),), evidence=calls)
    assert judge(asked, Said("send, in src/a.py:5", (), True)) == "partly"
    assert judge(asked, Said("send, in src/a.py:5 and src/b.py:3-7", (), True)) == "right"
    assert judge(asked, Said("send, in src/a.py:5", (Place("src/d.py", 5, 6),), True)) == "right"
    assert judge(asked, Said("send, in src/a.py:6", (), True)) == "partly"
    assert judge(asked, Said("it, in src/a.py:6", (), True)) == "wrong"


def test_a_part_is_named_by_whole_words_only() -> None:
    assert share_named((("lib",),), "see zlib and library") == 0
    assert share_named((("lib",),), "see `lib/`") == 1


@given(LINES, LINES)
def test_places_touch_where_they_share_a_line(one: tuple[int, int], other: tuple[int, int]) -> None:
    shared = set(range(one[0], one[1] + 1)) & set(range(other[0], other[1] + 1))
    assert touches((Target("a/b.py", *one),), (Place("a/b.py", *other),)) == bool(shared)
    assert not touches((Target("a/b.py", *one),), (Place("a/c.py", *other),))


def passages(text: str) -> str:
    return show_all([Passage(1, "src/b.py", 1, 2, "import os\nfoo = 1"), Passage(2, "src/a.py", 9, 13, text)])


def test_the_quoting_model_cites_the_evidence_that_was_sent() -> None:
    reply = reply_to(ASKED, passages("import time\n\ntimeout = 30\nretries = 2\n"))
    assert '[2: "timeout = 30"]' in reply
    assert judge(ASKED, Said(reply, (Place("src/a.py", 11, 11, "timeout = 30"),), True)) == "right"


def test_the_quoting_model_does_not_know_what_was_not_sent() -> None:
    assert "[no answer]" in reply_to(replace(ASKED, evidence=(Target("src/c.py", 1, 9),)), passages("timeout = 30"))
    assert "[no answer]" in reply_to(replace(ASKED, answerable=False), passages("timeout = 30"))


def test_the_quoting_model_answers_over_a_socket() -> None:
    with QuotingServer() as server:
        server.take(ASKED)
        messages = [{"role": "user", "content": passages("\n\ntimeout = 30\n")}]
        with openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client:
            whole = client.chat.completions.create(model="m", messages=messages)  # type: ignore[arg-type]
            stream = client.chat.completions.create(model="m", messages=messages, stream=True)  # type: ignore[call-overload]
            pieces = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert whole.choices[0].message.content == pieces
    assert "timeout = 30" in pieces


def test_the_set_has_what_it_promises() -> None:
    corpora = list(read_answers(BENCHMARKS / "asked"))
    questions = [question for asked in corpora for question in asked.questions]
    assert len(questions) >= 300
    assert sum(asked.corpus == "code" for asked in corpora) >= 30
    assert sum(asked.corpus == "prose" for asked in corpora) >= 15
    assert {asked.part for asked in corpora} == {"learn", "choose", "report"}
    assert len({question.id for question in questions}) == len(questions)
    for question in questions:
        assert question.answerable == bool(question.requires or question.parts), question.id
        perfect = " ".join(group[0] for group in (*question.requires, *question.parts))
        places = tuple(Place(one.path, one.start_line, one.start_line) for one in question.evidence)
        said = Said(" ".join([perfect, *question.commits]), places, question.answerable)
        assert judge(question, said) == ("right" if question.answerable else "rightly refused"), question.id
        assert judge(question, Said("", (), True)) in VERDICTS
