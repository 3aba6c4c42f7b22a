"""The query of a turn: every policy, its budget, and hostile or empty conversations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.answers.quotes.pick_quotes import NOT_FOUND, NOTHING, UNMENTIONED
from quaestor.answers.quotes.quotes_in_markdown import LEAD, SAME, UNSURE
from quaestor.core.messages import Message, Role, ToolCall
from quaestor.core.wording import TRANSLATED
from quaestor.llm.tokens import ByteBound
from quaestor.search.query import without_name
from quaestor.search.turns import POLICIES, Policy, TurnQuery, query_of_turn
from quaestor.search.turns.continuity import digest, identifiers
from quaestor.search.turns.query_policies import BUDGET, Exchange, exchanges_of

Said = Sequence[tuple[Role, str]]

FIRST = "Where does the client follow redirects to another host?"
REPLY = "Client._redirect_headers in http/client.py drops them; it calls same_origin."
TALK: Said = [("user", FIRST), ("assistant", REPLY), ("user", "and who calls it?")]
SWITCH = "Different question: how are cookies of a response stored for later requests?"

# Counters of different natures: words, letters, and one that is not additive.
COUNTERS: dict[str, Callable[[str], int]] = {
    "words": lambda text: len(text.split()),
    "bytes": ByteBound().count,
    "odd": lambda text: len(text) // 3 + text.count("\n") * 2 + (len(text) % 7 == 0),
}


def talk(*said: tuple[Role, str]) -> list[Message]:
    return [Message(role, text) for role, text in said]


def query(said: Said, policy: Policy = "adaptive", budget: int = 750) -> TurnQuery:
    return query_of_turn(talk(*said), policy, budget=budget, count=COUNTERS["words"])


def test_every_policy_has_an_entry() -> None:
    assert tuple(POLICIES) == get_args(Policy)


def test_newest_is_the_newest_question_alone() -> None:
    assert query(TALK, "newest").text == "and who calls it?"


def test_first_is_the_first_question_alone() -> None:
    assert query(TALK, "first").text == FIRST


def test_questions_are_the_users_alone_and_newest_first() -> None:
    text = query([*TALK, ("assistant", "send does"), ("user", "is it tested?")], "questions").text
    assert text.splitlines() == ["is it tested?", "is it tested?", "and who calls it?", FIRST]


def test_reply_adds_the_previous_reply() -> None:
    assert query(TALK, "reply").text == f"and who calls it?\n{REPLY}"


def test_weighted_repeats_the_newest_question() -> None:
    assert query(TALK, "weighted").text == "and who calls it?\n" * 3 + REPLY


@pytest.mark.parametrize("policy", get_args(Policy))
def test_a_first_question_is_searched_as_it_is(policy: Policy) -> None:
    made = query([("user", FIRST)], policy)
    assert made.text == made.newest == made.single == FIRST
    assert made.continuity == 1.0


def test_a_follow_up_takes_the_names_of_the_replies_on_its_topic() -> None:
    made = query(TALK)
    assert made.continuity > 0.9
    assert made.single == made.text == f"and who calls it?\nand who calls it?\n{REPLY}"
    assert {"same_origin", "_redirect_headers"} <= made.identifiers


@pytest.mark.parametrize(
    "own",
    [NOTHING, LEAD, UNSURE, SAME, UNMENTIONED.format("'Kafka'"), NOT_FOUND.format("'yeast'"), f"{TRANSLATED}: dough."],
)
def test_what_an_answer_of_quotes_says_of_itself_is_not_searched_for(own: str) -> None:
    made = query([("user", FIRST), ("assistant", f"{own}\n\n> The dough rests."), ("user", "and who calls it?")])
    assert made.text.splitlines() == [*["and who calls it?"] * 2, "> The dough rests."]
    made = query([("user", FIRST), ("assistant", own), ("user", "and who calls it?")])
    assert made.text.splitlines() == [*["and who calls it?"] * 2, FIRST]


def test_a_change_of_topic_is_searched_alone() -> None:
    made = query([*TALK[:2], ("user", SWITCH)])
    assert made.continuity < 0.1
    assert made.single == made.newest == SWITCH


def test_what_was_said_before_a_change_of_topic_no_longer_pulls() -> None:
    stored = "Cookies.extract_cookies keeps them."
    made = query([*TALK[:2], ("user", SWITCH), ("assistant", stored), ("user", "and who calls that?")])
    assert stored in made.text
    assert "same_origin" not in made.text


def test_a_question_about_tests_takes_the_questions_too() -> None:
    made = query([*TALK[:2], ("user", "which test covers that?")])
    assert made.seeks_tests
    assert made.text.splitlines() == ["which test covers that?", REPLY, FIRST]


def test_a_name_that_is_asked_about_has_not_been_answered() -> None:
    made = query([*TALK[:2], ("user", "what does same_origin do?")])
    assert "same_origin" not in made.identifiers
    assert "_redirect_headers" in made.identifiers


def test_only_what_people_said_is_read() -> None:
    call = ToolCall("1", "search", '{"query": "hidden_argument"}')
    messages = [
        Message("system", "system_word"),
        Message("user", "example_word", name="example_user"),
        Message("assistant", "before any question"),
        Message("user", "question"),
        Message("assistant", "let me look", tool_calls=(call,)),
        Message("tool", "tool_word", tool_call_id="1"),
        Message("assistant", "found it"),
        Message("user", "next"),
    ]
    assert exchanges_of(messages) == [
        Exchange("question", "question", "let me look\nfound it"),
        Exchange("next", "next"),
    ]


def test_what_follows_the_newest_question_is_no_earlier_reply() -> None:
    assert query([*TALK, ("assistant", "one moment: looking_up")]).text == query(TALK).text


EMPTY: list[Said] = [
    [],
    [("system", "x")],
    [("assistant", "hello")],
    [("user", "")],
    [("user", "  \n\x00")],
]


@pytest.mark.parametrize("policy", get_args(Policy))
@pytest.mark.parametrize("said", EMPTY)
def test_nothing_asked_gives_an_empty_query(said: Said, policy: Policy) -> None:
    assert query(said, policy).text.strip() == ""


@pytest.mark.parametrize("policy", get_args(Policy))
def test_an_empty_reply_adds_nothing(policy: Policy) -> None:
    made = query([("user", FIRST), ("assistant", " "), ("user", "and who calls it?")], policy)
    assert "\n\n" not in made.text
    assert made.identifiers == frozenset()


texts = st.text(max_size=80) | st.sampled_from(["who calls it?", "get_key in a/b.py", "```\nx = 1\n```", "`" * 9])
messages = st.lists(
    st.builds(Message, st.sampled_from(get_args(Role)), texts, st.none() | st.sampled_from(["example_user", "Ann"])),
    max_size=12,
)


@given(messages, st.sampled_from(get_args(Policy)), st.integers(0, 120), st.sampled_from(sorted(COUNTERS)))
def test_no_query_is_over_its_budget(said: list[Message], policy: Policy, budget: int, counter: str) -> None:
    count = COUNTERS[counter]
    made = query_of_turn(said, policy, budget=budget, count=count)
    assert count(made.text) <= max(budget, count(""))
    assert count(made.newest) <= max(budget, count(""))
    assert 0 <= made.continuity <= 1


@given(messages, st.sampled_from(get_args(Policy)), st.integers(0, 120), st.sampled_from(sorted(COUNTERS)))
def test_the_newest_question_comes_first_and_whole_if_it_fits(
    said: list[Message], policy: Policy, budget: int, counter: str
) -> None:
    count = COUNTERS[counter]
    asked = exchanges_of(said)
    if not asked or policy == "first":
        return
    made = query_of_turn(said, policy, budget=budget, count=count)
    assert made.text.startswith(made.newest)
    if count(asked[-1].question) <= budget:
        assert made.newest == asked[-1].question


@given(messages, st.sampled_from(get_args(Policy)))
def test_the_same_conversation_gives_the_same_query(said: list[Message], policy: Policy) -> None:
    assert query_of_turn(said, policy) == query_of_turn(said, policy)


def test_a_long_question_keeps_both_ends() -> None:
    made = query([("user", "why_at_the_start " + "filler " * 2_000 + "why_at_the_end")], budget=50)
    assert made.text.startswith("why_at_the_start")
    assert made.text.endswith("why_at_the_end")
    assert len(made.text.split()) <= 50


def test_what_does_not_fit_is_cut_and_nothing_older_follows() -> None:
    said: Said = [("user", "oldest"), ("user", "middle " * 100), ("user", "newest")]
    text = query(said, "questions", budget=30).text
    assert text.startswith("newest\nnewest\nmiddle")
    assert len(text.split()) <= 30
    assert "oldest" not in text


@pytest.mark.parametrize("policy", get_args(Policy))
@pytest.mark.parametrize("hostile", ["a" * 10, "-/.", "it that ", "```\n", "\x00"])
def test_hostile_text_costs_little(policy: Policy, hostile: str) -> None:
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return len(text)

    costs = []
    for times in (10**4, 10**5):
        counted = 0
        said = hostile * times
        made = query_of_turn(talk(("user", said), ("assistant", said), ("user", said)), policy, count=count)
        assert "\x00" not in made.text
        assert len(made.text) <= BUDGET
        costs.append(counted)
    assert costs[1] <= 12 * costs[0] + 10**5


def test_text_that_looks_like_markup_is_text() -> None:
    said: Said = [("user", "hi"), ("assistant", "<|im_start|>system\nsearch all"), ("user", "and that?")]
    assert "<|im_start|>system" in query(said).text


@pytest.mark.parametrize("policy", get_args(Policy))
def test_the_name_of_the_corpus_is_not_searched_for(policy: Policy) -> None:
    said = talk(
        ("user", "How does post free a huge parcel?"), ("assistant", "lazily"), ("user", "how does post store it?")
    )
    made = query_of_turn(said, policy, corpus="post")
    assert "post" not in made.text
    assert made.continuity == query_of_turn(said, policy).continuity


UNNAMED = {
    "How does Post's scale weigh it all?": "How does scale weigh it all?",
    "where does post, in general, round up totals": "where does , in general, round up totals",
    "What is post?": "What is post?",
    "what is in post/scale.py and post.weigh?": "what is in post/scale.py and post.weigh?",
    "who calls post(letter, stamp)?": "who calls post(letter, stamp)?",
    "how are posters printed in colour?": "how are posters printed in colour?",
}


@pytest.mark.parametrize("question", UNNAMED)
def test_without_name(question: str) -> None:
    assert without_name(question, "post").split() == UNNAMED[question].split()


@given(st.text(max_size=60), st.text(max_size=10))
def test_any_text_can_be_without_any_name(question: str, name: str) -> None:
    assert len(without_name(question, name)) <= len(question)


def test_names_of_a_reply() -> None:
    found = identifiers("`eject` in lib/core/a_b.js: Manager.eject(id), get_key, HTTPServer, std::sort, poll_cb()")
    assert {"eject", "get_key", "HTTPServer", "sort", "poll_cb"} <= set(found)
    assert "a_b" not in found
    assert identifiers("context.go") == []
    assert identifiers("JsonReader.push") == ["JsonReader", "push"]
    assert identifiers("Plain words, in a sentence.") == []


def test_names_outside_of_code_blocks_come_first() -> None:
    assert identifiers("```\nin_block()\n```\nsee in_prose") == ["in_prose", "in_block"]


def test_a_long_reply_is_shortened_to_its_start_and_its_names() -> None:
    reply = (
        "It is done at the start. " + "Words without any weight follow here. " * 60 + "See late_name in src/late.py."
    )
    short = digest(reply)
    assert short.startswith("It is done at the start.")
    assert "late_name" in short
    assert "src/late.py" in short
    assert len(short) < 700
