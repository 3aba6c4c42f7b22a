"""What fits and what is kept, to the token: a letter is one token here, and each message costs one more."""

from __future__ import annotations

import numpy as np
import pytest
from conversations import Letters, assistant, system, tool, user
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.errors import UsageError, WindowError
from quaestor.core.messages import Message, ToolCall
from quaestor.window import Recall, Reminder, Settings, Window, compose
from quaestor.window.compose import END, HEAD, PINNED, QUESTION, take_all, take_examples, take_required
from quaestor.window.conversation_costs import (
    ORPHAN,
    RESULT,
    UNANSWERED,
    ConversationCosts,
    Unit,
    units,
)
from quaestor.window.conversation_parts import Frame, frame
from quaestor.window.draft import CUT, Budget, Draft, trim_messages
from quaestor.window.recall import smooth_over_neighbours
from quaestor.window.trim import largest_fitting, trim


def drafted(messages: list[Message], capacity: int) -> tuple[Draft, Frame]:
    reading = ConversationCosts(Letters())
    reading.follow(messages)
    return Draft(reading, capacity, "~"), frame(messages, reading.units)


# --- budget -------------------------------------------------------------------------------------------------------


def test_tokens_are_spent_held_and_given_back() -> None:
    budget = Budget(100)
    assert (budget.capacity, budget.spent, budget.free, budget.sections) == (100, 0, 100, {})
    budget.spend("system", 10)
    budget.spend("recent", 5)
    budget.spend("recent", -2)
    budget.hold(20)
    budget.hold(7)
    assert (budget.spent, budget.free, budget.sections) == (13, 60, {"system": 10, "recent": 3})
    budget.release()
    assert budget.free == 87
    budget.spend("system", 100)
    assert budget.free == -13


# --- units --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([user("a"), assistant("b")], [Unit(0, 1), Unit(1, 2)]),
        ([assistant("a", "1"), tool("x", "1")], [Unit(0, 2)]),
        ([assistant("a", "1", "2"), tool("y", "2"), tool("x", "1"), user("b")], [Unit(0, 3), Unit(3, 4)]),
        ([assistant("a", "1", "2"), tool("x", "1")], [Unit(0, 2, UNANSWERED)]),
        ([assistant("a", "1"), user("b")], [Unit(0, 1, UNANSWERED), Unit(1, 2)]),
        ([assistant("a", "1"), tool("x", "2")], [Unit(0, 1, UNANSWERED), Unit(1, 2, ORPHAN)]),
        ([assistant("a", "1"), tool("x", "1"), tool("x", "1")], [Unit(0, 2), Unit(2, 3, ORPHAN)]),
        ([assistant("a", "1", "1"), tool("x", "1")], [Unit(0, 2, UNANSWERED)]),
        ([tool("x", "1"), user("b")], [Unit(0, 1, ORPHAN), Unit(1, 2)]),
        ([assistant("a"), user("x", RESULT), user("y", RESULT), user("b")], [Unit(0, 3), Unit(3, 4)]),
        ([user("a"), user("x", RESULT)], [Unit(0, 1), Unit(1, 2)]),
        ([assistant("a"), assistant("x")], [Unit(0, 1), Unit(1, 2)]),
        ([assistant("a", "1"), tool("x", "1"), user("y", RESULT)], [Unit(0, 2), Unit(2, 3)]),
        ([], []),
    ],
)
def test_what_is_kept_together(messages: list[Message], expected: list[Unit]) -> None:
    assert units(messages) == expected
    assert units([user("before"), *messages], 1) == [Unit(one.start + 1, one.end + 1, one.fault) for one in expected]


# --- cut short ----------------------------------------------------------------------------------------------------


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_largest_number_that_fits(most: int, bound: int) -> None:
    tried: list[int] = []

    def fits(number: int) -> bool:
        tried.append(number)
        return number <= bound

    assert largest_fitting(most, fits) == min(most, bound)
    assert all(number <= max(4, 2 * bound, 1) for number in tried), "a long text is never counted whole"


@pytest.mark.parametrize(
    ("text", "budget", "expected"),
    [
        ("abcdefgh", 8, "abcdef\n~"),
        ("abcdefgh", 3, "a\n~"),
        ("abcdefgh", 2, None),
        # A line end, or else a blank, in the last quarter.
        ("abcdef\ng hij", 10, "abcdef\n~"),
        ("abcde fghij", 10, "abcde fg\n~"),
        ("abcdef ghij", 10, "abcdef\n~"),
        ("ab\ncdefghij", 10, "ab\ncdefg\n~"),
        ("abcdefghijklm n op", 18, "abcdefghijklm n\n~"),
        ("abcdefghijklm\nn\nop", 18, "abcdefghijklm\nn\n~"),
        ("abcdefgh\nij", 10, "abcdefgh\n~"),
        ("      xy", 7, None),
        ("a      bcd", 7, "a\n~"),
        ("", 5, None),
    ],
)
def test_a_text_is_cut_at_a_line_or_a_word(text: str, budget: int, expected: str | None) -> None:
    assert trim(text, budget, len, "~") == expected


@given(st.text(alphabet="ab \n", max_size=60), st.integers(0, 70))
def test_what_is_cut_fits_and_is_a_beginning(text: str, budget: int) -> None:
    cut = trim(text, budget, len, "~")
    if cut is None:
        # Not even its first letter fits.
        assert len(text[: len(text) - len(text.lstrip()) + 1]) + 2 > budget or not text.strip()
        return
    assert len(cut) <= budget
    assert cut.endswith("\n~")
    assert text.startswith(cut.removesuffix("\n~"))
    most = min(budget - 2, len(text))
    assert len(cut) - 2 >= len(text[: int(most * 0.75)].rstrip()) - 1


def test_long_messages_share_what_short_ones_leave() -> None:
    reading = ConversationCosts(Letters())
    messages = [user("a" * 30), user("bb"), user("c" * 30)]
    cut = trim_messages(messages, 3 + 2 + 2 * 20, reading, "~")
    assert cut is not None
    assert [len(one.content) for one in cut] == [20, 2, 20]
    assert [one.role for one in cut] == ["user"] * 3
    assert trim_messages(messages, 3 + 62, reading, "~") == messages
    assert trim_messages(messages, 3 + 2 + 2 * 2, reading, "~") is None, "not even a letter beside the mark"
    call = [assistant("", "1"), tool("x" * 20, "1")]
    kept = trim_messages(call, 1 + 2 + 1 + 10, reading, "~")
    assert kept is not None
    assert (kept[0], len(kept[1].content), kept[1].tool_call_id) == (call[0], 10, "1")
    assert trim_messages([assistant("", "1", "2")], 4, reading, "~") is None, "calls are never cut"


# --- drafts -------------------------------------------------------------------------------------------------------


def test_what_costs_as_much_as_is_free_fits() -> None:
    messages = [user("a" * 9), user("b" * 9), assistant("", "1")]
    for capacity, fits in ((20, True), (19, False)):
        draft, _ = drafted(messages, capacity)
        assert draft.take_if_it_fits(0, "recent", "why", budget=10)
        assert draft.take_if_it_fits(0, "system", "again"), "it is in"
        assert draft.take_if_it_fits(1, "recent", "why") == fits
        assert draft.budget.spent == (20 if fits else 10)
        assert not draft.take_if_it_fits(2, "recent", "why"), "it can never be sent"
        assert draft.left_out(range(3)) == ([] if fits else [1])
    draft, _ = drafted(messages, 100)
    assert not draft.take_if_it_fits(0, "recent", "why", budget=9)
    assert draft.take_if_it_fits(0, "recalled", "because", action="recalled")
    one = draft.chosen[0]
    assert (one.messages, one.tokens, one.section) == ((messages[0],), (10,), "recalled")
    assert (one.action, one.reason) == ("recalled", "because")
    assert draft.take_trimmed(1, "recent", 5)
    two = draft.chosen[1]
    assert (two.messages, two.tokens, two.action, two.reason) == ((user("bb\n~"),), (5,), "trimmed", CUT)
    assert draft.whole_messages == [messages[0]]
    assert draft.budget.sections == {"recalled": 10, "recent": 5}
    assert not drafted(messages, 100)[0].take_trimmed(0, "recent", 2)


HEADED = [system("s" * 9), user("q" * 9)]


def required(messages: list[Message], limit: int, reserve: int = 0, floor: int = 0) -> Draft:
    draft, parts = drafted(messages, limit - reserve)
    take_required(draft, parts, limit, reserve, floor)
    return draft


def test_what_must_be_kept_may_take_the_whole_window() -> None:
    draft = required([user("old"), *HEADED[1:]], 10)
    assert list(draft.chosen) == [1]
    draft = required(HEADED, 20)
    assert [(one.section, one.reason) for one in draft.chosen.values()] == [("system", HEAD), ("question", QUESTION)]
    with pytest.raises(WindowError) as caught:
        required(HEADED, 24, reserve=5)
    assert (caught.value.needed, caught.value.limit) == (25, 24)
    assert str(caught.value) == (
        "what must be kept takes 20 tokens (system 10, question 10) and 5 are reserved for the reply, but the window"
        " holds 24; shorten it by 1 tokens, lower the reserve, or use a model with a window of 25 or more"
    )


def test_the_end_of_the_turn_is_cut_and_leaves_passages_their_floor() -> None:
    result = [*HEADED, assistant("", "1"), tool("x" * 30, "1")]
    # 20 for head and question, 3 for the call, 31 for its result.
    whole = required(result, 54)
    assert whole.chosen[2].action == "kept"
    assert (whole.chosen[2].section, whole.chosen[2].reason) == ("question", END)
    cut = required(result, 53)
    assert (cut.chosen[2].action, cut.chosen[2].section, cut.budget.free) == ("trimmed", "question", 0)
    floored = required(result, 54, floor=10)
    assert (floored.chosen[2].action, floored.budget.free) == ("trimmed", 10)
    assert required(result, 64, floor=10).chosen[2].action == "kept"
    # Without room for a floor, none is kept free.
    assert required(result, 30, floor=10).budget.free == 0
    with pytest.raises(WindowError):
        required(result, 25, floor=10)
    # What the server is to go on with leaves no floor.
    begun = [*HEADED, assistant("y" * 29)]
    assert required(begun, 50, floor=10).chosen[2].action == "kept"


def test_examples_are_taken_in_pairs_while_they_fit() -> None:
    examples = [system("e" * 4, f"example_{who}") for _ in range(3) for who in ("user", "assistant")]
    messages = [system("s"), *examples, user("q")]
    for budget, taken in ((30, 6), (29, 4), (20, 4), (19, 2), (10, 2), (9, 0)):
        draft, parts = drafted(messages, 1000)
        take_examples(draft, parts, budget)
        assert len(draft.chosen) == taken
        assert all(one.section == "examples" and "example" in one.reason for one in draft.chosen.values())


def test_all_that_can_be_sent() -> None:
    messages = [
        *[system("s"), system("u", "example_user"), system("a", "example_assistant"), tool("lost", "9"), user("old")],
        *[user("q"), assistant("", "1"), tool("x", "1"), assistant("begun")],
    ]
    draft, parts = drafted(messages, 1000)
    take_all(draft, parts)
    assert {number: one.section for number, one in draft.chosen.items()} == {
        **{0: "system", 1: "examples", 2: "examples", 4: "recent"},
        **{5: "question", 6: "recent", 7: "question"},
    }
    assert [draft.chosen[number].reason for number in (0, 5, 7)] == [HEAD, QUESTION, END]


# --- windows ------------------------------------------------------------------------------------------------------

TALK = [user("a" * 39), assistant("b" * 39)]
ASKED = [system("s" * 9), *TALK, user("q" * 9)]
PLAIN = Settings(marks=False)


def composed(messages: list[Message], limit: int, reserve: int = 0, **more: object) -> Window:
    settings = more.pop("settings", PLAIN)
    return compose(messages, limit=limit, reserve=reserve, tokenizer=Letters(), settings=settings, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("reserve", "tools"), [(0, 0), (7, 0), (0, 2), (7, 2)])
def test_a_conversation_that_fits_to_the_token_is_kept_whole(reserve: int, tools: int) -> None:
    # 3 for the reply's start, 20 for head and question, 80 for the talk, 10 for each tool.
    limit = 103 + reserve + 10 * tools
    schemas = [{"type": "function"}] * tools
    whole = composed(ASKED, limit, reserve, tools=schemas)
    assert whole.messages == tuple(ASKED)
    assert (whole.tokens, whole.limit, whole.reserve) == (limit - reserve, limit, reserve)
    assert {name: tokens for name, tokens in whole.sections.items() if tokens} == {
        **{"reply": 3, "system": 10, "question": 10, "recent": 80},
        **({"tools": 10 * tools} if tools else {}),
    }
    short = composed(ASKED, limit - 1, reserve, tools=schemas)
    assert len(short.messages) < len(ASKED) or short.messages != tuple(ASKED)
    assert short.tokens <= limit - 1 - reserve


@pytest.mark.parametrize(("limit", "reserve"), [(0, 0), (-1, 0), (10, -1)])
def test_limits_that_make_no_sense(limit: int, reserve: int) -> None:
    with pytest.raises(UsageError, match=f"limit {limit} and reserve {reserve} are not possible"):
        composed(ASKED, limit, reserve)


def test_policies_that_are_none() -> None:
    with pytest.raises(UsageError, match="there is no policy 'best'; use one of 'sliding', "):
        composed(ASKED, 1000, policy="best")
    assert composed([user("q")], 5).tokens == 5


def test_passages_that_fit_beside_everything_are_shown_and_paid_for() -> None:
    window = composed(ASKED, 1000, passages=["the lake is blue"])
    [shown] = [message for message in window.messages if message not in ASKED]
    assert "the lake is blue" in shown.content
    assert window.messages.index(shown) == len(ASKED) - 1, "before the question"
    assert window.sections["passages"] == Letters().message(shown)
    exact = composed(ASKED, window.tokens, passages=["the lake is blue"])
    assert exact.messages == window.messages
    tight = composed(ASKED, window.tokens - 1, passages=["the lake is blue"])
    assert tight.tokens <= window.tokens - 1
    assert tight.messages != window.messages


def test_a_passage_in_the_conversation_is_not_shown_again_and_its_message_stays() -> None:
    fact = "the lake is blue " * 3
    talk = [user(fact), *[assistant("z" * 30) for _ in range(30)]]
    window = composed([system("s"), *talk, user("which lake?")], 300, passages=[fact])
    assert [message for message in window.messages if fact in message.content] == [talk[0]]
    decision = window.decisions[-1]
    assert "already in the window" in decision.reason
    assert window.sections.get("passages", 0) == 0


def test_history_makes_room_for_a_passage_that_does_not_fit_beside_it() -> None:
    messages = [system("s" * 9), user("a" * 217), assistant("b" * 300), user("q" * 9)]
    # All messages fit to the token; the passage does not.
    window = composed(messages, 3 + 10 + 218 + 301 + 10, passages=["c" * 80])
    assert any("c" * 80 in message.content for message in window.messages)
    assert messages[1] not in window.messages


def test_history_is_not_left_out_for_a_passage_that_it_shows_itself() -> None:
    fact = "the lake is blue"
    messages = [system("s" * 9), user(fact), assistant("b" * 30), user("q" * 9)]
    # The second passage does not fit, even without the history; the first stands there.
    window = composed(messages, 3 + 10 + 17 + 31 + 10 + 240, passages=[fact, "c" * 900])
    assert window.messages == tuple(messages)


def test_without_marks_nothing_is_reserved_for_them() -> None:
    messages = [system("s" * 9), *[assistant("z" * 9) for _ in range(10)], user("q" * 9)]
    window = composed(messages, 3 + 20 + 40)
    assert (len(window.messages), window.tokens) == (6, 63)


def test_the_results_of_a_call_leave_a_passage_its_floor() -> None:
    window = composed([*HEADED, assistant("", "1"), tool("x" * 3000, "1")], 2000, passages=["c" * 20])
    assert window.sections["passages"] > 0
    assert any("c" * 20 in message.content for message in window.messages)


def test_what_is_cut_short_says_so() -> None:
    messages = [*HEADED, assistant("", "1"), tool("x" * 300, "1")]
    assert composed(messages, 150).messages[-1].content.endswith(f"x\n{PLAIN.wording.trimmed}")


def test_reminders_are_given_room() -> None:
    settings = Settings(marks=False, reminder=Reminder("be brief", every=20))
    messages = [system("s"), *[assistant("z" * 30) for _ in range(60)], user("q")]
    window = composed(messages, 600, settings=settings)
    reminders = [message for message in window.messages if message.content == "be brief"]
    assert reminders
    assert window.tokens <= 600


# --- recall -------------------------------------------------------------------------------------------------------


def test_scores_flow_five_messages_far_and_fade() -> None:
    scores = np.zeros(13)
    scores[6] = 1.0
    later = [0.6 * 0.55**distance for distance in range(5)]
    earlier = [0.42 * 0.55**distance for distance in range(5)]
    assert smooth_over_neighbours(scores).tolist() == pytest.approx([0, *earlier[::-1], 1, *later, 0])
    assert smooth_over_neighbours(np.array([2.0])).tolist() == [2.0]
    assert smooth_over_neighbours(np.array([1.0, 0.0])).tolist() == pytest.approx([1.0, 0.6])
    assert smooth_over_neighbours(np.array([0.0, 1.0])).tolist() == pytest.approx([0.42, 1.0])


def test_scores_are_standard_ones() -> None:
    messages = [*[user(f"remark {number} on rain") for number in range(20)], user("a kayak came"), user("kayak?")]
    scores = Recall().score(messages, 21)
    assert scores.mean() == pytest.approx(0, abs=1e-5)
    assert scores.std() == pytest.approx(1, abs=1e-5)
    assert Recall().score(messages, 3).shape == (3,)


def test_what_is_indexed_is_told() -> None:
    messages = [user(f"remark {number}") for number in range(5)]
    recall = Recall()
    assert (recall.indexed_count, recall.count_indexed(messages)) == (0, 0)
    recall.score(messages, 4)
    assert (recall.indexed_count, recall.count_indexed(messages)) == (4, 4)
    assert recall.count_indexed([*messages[:2], user("another")]) == 2


def test_names_and_arguments_of_calls_are_indexed_too() -> None:
    filler = [user(f"small talk {number}") for number in range(20)]
    call = Message("assistant", "", tool_calls=(ToolCall("1", "weather", '{"town": "Oslo"}'),))
    for question in ("weather", "oslo"):
        messages = [*filler[:7], call, *filler[7:], user(question)]
        assert int(np.argmax(Recall().score(messages, 21))) == 7
    named = [*filler[:7], user("hello", "zoe"), *filler[7:], user("zoe")]
    assert int(np.argmax(Recall().score(named, 21))) == 7


def test_a_question_of_one_word_leans_on_the_turn_before() -> None:
    filler = [user(f"small talk {number}") for number in range(20)]
    messages = [user("parser grammar"), *filler, user("parser grammar"), assistant("indeed"), user("where?")]
    assert Recall().score(messages, 23)[0] > 1
    own = [*messages[:-1], user("which rain, which wind?")]
    assert not Recall().score(own, 23).any(), "words of its own are looked for alone"
    far = [
        user("parser grammar"),
        *filler,
        user("parser grammar"),
        assistant("indeed"),
        assistant("so"),
        user("where?"),
    ]
    assert Recall().score(far, 24)[0] < 1, "two messages count"


def test_a_question_names_words_that_only_rare_words_widen() -> None:
    """What many messages say says nothing of the best one."""
    common = [user("rain again"), user("wind again")] * 20
    messages = [user("kayak beside rain"), *common, user("kayak or canoe?")]
    scores = Recall().score(messages, 41)
    assert int(np.argmax(scores)) == 0
    assert scores[20:40:2] == pytest.approx(scores[21:41:2])


def test_one_word_is_enough_to_widen_a_question() -> None:
    same = [user("small talk")] * 20
    messages = [user("kayak zeppelin"), *same, user("zeppelin talk"), *same, user("kayak or canoe?")]
    scores = Recall().score(messages, 42)
    assert scores[21] > scores[40]
    assert Recall().score([user("kayak"), user("kayak lake?")], 1).shape == (1,)


# --- what is read and told ----------------------------------------------------------------------------------------


def test_conversations_with_one_beginning_are_read_side_by_side() -> None:
    counter = Letters()
    for tail in ("one", "two", "three", "one more"):
        messages = [*ASKED[:3], user(tail)]
        window = compose(messages, limit=1000, reserve=0, tokenizer=counter, settings=PLAIN)
        assert window.messages == tuple(messages)


def test_a_decision_tells_what_each_message_takes_and_would_take() -> None:
    messages = [system("s"), *[assistant("z" * 30) for _ in range(60)], user("q")]
    costs = [Letters().message(message) for message in messages]
    for limit in (10_000, 600):
        window = composed(messages, limit)
        assert [one.full_tokens for one in window.decisions] == costs
        kept = [one for one in window.decisions if one.action == "kept"]
        assert all(one.tokens == one.full_tokens for one in kept)
        assert {one.tokens for one in window.decisions if one.action == "dropped"} == ({0} if limit == 600 else set())


def test_what_does_not_fit_says_how_much_it_takes() -> None:
    with pytest.raises(WindowError) as caught:
        composed(ASKED, 25, reserve=7)
    # 3 for the reply's start and 20 for head and question.
    assert (caught.value.needed, caught.value.limit) == (30, 25)
    assert "and 7 are reserved for the reply, but the window holds 25" in str(caught.value)
    assert compose(ASKED, limit=1000, tokenizer=Letters()).reserve == 500


def test_passages_have_all_that_is_free_where_there_is_no_conversation() -> None:
    passages = ["lake " * 20 for _ in range(10)]
    passages = [f"{number} {text}" for number, text in enumerate(passages)]
    alone = composed([system("s"), user("q")], 600, passages=passages)
    assert alone.sections["passages"] > 0.6 * 600
    beside = composed([system("s"), *[assistant("z" * 30) for _ in range(60)], user("q")], 600, passages=passages)
    assert 0 < beside.sections["passages"] < alone.sections["passages"]
    for window in (alone, beside):
        [shown] = [message for message in window.messages if "lake" in message.content]
        assert window.sections["passages"] == Letters().message(shown)
        assert sum(window.sections.values()) == window.tokens
        assert set(window.sections) <= {"reply", "tools", "system", "question", "passages", "recent", "recalled"}


def test_a_passage_in_a_message_that_cannot_be_sent_is_shown() -> None:
    messages = [system("s"), tool("the lake is blue", "9"), user("which lake?")]
    window = composed(messages, 1000, passages=["the lake is blue"])
    assert [message.role for message in window.messages if "the lake is blue" in message.content] == ["user"]


def test_the_message_that_shows_a_passage_stays_for_that_reason() -> None:
    fact = "the lake is blue " * 3
    messages = [system("s"), user(fact), *[assistant("z" * 30) for _ in range(30)], user("which lake?")]
    window = composed(messages, 300, passages=[fact], settings=Settings(marks=False, passages=0.5))
    pinned = window.decisions[1]
    assert (pinned.section, pinned.action) == ("recent", "kept")
    assert pinned.reason == PINNED
