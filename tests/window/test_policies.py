"""What each policy keeps, and what it says about it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from quaestor.core.documents import Chunk, Document, Hit, Span
from quaestor.core.messages import Message, ToolCall
from quaestor.llm.tokens import counter_for, tokenizer_for
from quaestor.window import (
    Policy,
    Recall,
    Reminder,
    RollingSummary,
    Settings,
    central_sentences,
    compose,
    default_wording,
)

SYSTEM = Message("system", "You are brief.")
WORDING = default_wording()


def chatter(number: int) -> list[Message]:
    return [
        Message("user" if n % 2 == 0 else "assistant", f"Remark {n} about the weather, which was mild and grey again.")
        for n in range(number)
    ]


FACT = Message("user", "By the way, my locker code at the pool is 4711.")
ASKED = Message("user", "What is my locker code?")
LONG_AGO = [SYSTEM, Message("user", "Hello"), Message("assistant", "Hello!"), FACT, *chatter(400), ASKED]


@pytest.mark.parametrize("policy", ["recall", "blend"])
def test_what_was_said_long_ago_is_recalled(policy: Policy) -> None:
    window = compose(LONG_AGO, limit=1024, policy=policy, recall=Recall())
    assert FACT in window.messages
    assert window.decisions[3].action == "recalled"
    assert "bears on" in window.decisions[3].reason
    assert window.messages[0] == SYSTEM
    assert window.messages[-1] == ASKED


def test_the_window_says_where_time_was_skipped() -> None:
    contents = [message.content for message in compose(LONG_AGO, limit=1024, recall=Recall()).messages]
    assert contents.index(WORDING.recalled) < contents.index(FACT.content) < contents.index(WORDING.recent)
    sliding = compose(LONG_AGO, limit=1024, policy="sliding").messages
    assert sliding[1].content == WORDING.skipped
    unmarked = compose(LONG_AGO, limit=1024, recall=Recall(), settings=Settings(marks=False)).messages
    assert not {WORDING.recalled, WORDING.recent} & {message.content for message in unmarked}


def test_sliding_keeps_the_latest_without_a_gap() -> None:
    window = compose(LONG_AGO, limit=1024, policy="sliding")
    kept = [decision.index for decision in window.decisions if decision.action == "kept"][1:]
    assert kept == list(range(kept[0], len(LONG_AGO)))
    assert window.free < 30
    assert {decision.reason for decision in window.decisions if decision.action == "dropped"} != {""}


@pytest.mark.parametrize("policy", ["blend", "recall"])
def test_who_gives_nothing_that_recalls_is_recalled_for(policy: Policy) -> None:
    window = compose(LONG_AGO, limit=1024, policy=policy)
    assert FACT in window.messages
    assert window == compose(LONG_AGO, limit=1024, policy=policy, recall=Recall())
    assert compose(LONG_AGO, limit=1024).messages == compose(LONG_AGO, limit=1024, policy="blend").messages
    assert FACT not in compose(LONG_AGO, limit=1024, policy="sliding").messages


@pytest.mark.parametrize("limit", [1024, 2048, 4096])
def test_passages_keep_their_floor(limit: int) -> None:
    """Examples, a long talk, and calls with their results may not take the room of passages."""
    examples = [Message("system", "Say it. " * 40, name=f"example_{who}") for who in ("user", "assistant")]
    talk = [Message("user" if turn % 2 == 0 else "assistant", f"Remark {turn}. " * 20) for turn in range(60)]
    calls = [
        one
        for turn in range(6)
        for one in (
            Message("assistant", "", tool_calls=(ToolCall(f"c{turn}", "search", "{}"),)),
            Message("tool", "found this " * 200, tool_call_id=f"c{turn}"),
        )
    ]
    messages = [Message("system", "Be brief."), *examples, *talk, Message("user", "And the kayak?"), *calls]
    passages = [f"The kayak of shed {n} is blue. " * 10 for n in range(10)]
    window = compose(messages, limit=limit, reserve=limit // 4, passages=passages)
    assert window.sections["passages"] > 0.8 * Settings().floor * (limit - limit // 4)
    without = compose(messages, limit=limit, reserve=limit // 4, passages=passages, settings=Settings(floor=0.0))
    assert without.sections["passages"] < window.sections["passages"]


def test_blend_keeps_the_turn_before_the_question() -> None:
    assert compose(LONG_AGO, limit=1024, recall=Recall()).messages[-3:] == tuple(LONG_AGO[-3:])


def test_everything_is_kept_while_it_fits() -> None:
    window = compose(LONG_AGO, limit=100_000, recall=Recall())
    assert list(window.messages) == LONG_AGO
    assert {decision.action for decision in window.decisions} == {"kept"}


def test_a_recaller_of_ones_own() -> None:
    class Third:
        def score(self, messages: Sequence[Message], question: int) -> NDArray[np.float32]:
            scores = np.zeros(question, dtype=np.float32)
            scores[3] = 1
            return scores

    window = compose(LONG_AGO, limit=1024, policy="recall", recall=Third())
    assert [decision.index for decision in window.decisions if decision.action == "recalled"] == [3]


def test_repetitions_are_recalled_once() -> None:
    again = [message for pair in zip([FACT] * 40, chatter(400)[::10], strict=True) for message in pair]
    window = compose([*again, *chatter(300), ASKED], limit=1024, policy="recall", recall=Recall())
    assert window.messages.count(FACT) == 1
    assert sum("says the same" in decision.reason for decision in window.decisions) > 30


def test_examples_have_a_section_of_their_own_and_stay_in_pairs() -> None:
    examples = [
        Message("system", f"Example {n} " * 20, name=f"example_{who}")
        for n in range(9)
        for who in ("user", "assistant")
    ]
    window = compose([SYSTEM, *examples, *chatter(100), ASKED], limit=1500)
    kept = [message for message in window.messages if message.name]
    assert kept == examples[: len(kept)]
    assert 0 < len(kept) < len(examples)
    assert len(kept) % 2 == 0
    assert window.sections["examples"] <= 0.25 * 1000


def test_a_call_and_its_results_are_one() -> None:
    call = Message("assistant", "", tool_calls=(ToolCall("a", "search", '{"query": "locker code"}'),))
    result = Message("tool", "locker code 4711", tool_call_id="a")
    window = compose([SYSTEM, call, result, *chatter(300), ASKED], limit=1024, recall=Recall())
    assert (call in window.messages) and window.messages[window.messages.index(call) + 1] == result


# --- passages ---------------------------------------------------------------------------------------------------


def hit(text: str) -> Hit:
    document = Document("src/a.py", "0" * 64, len(text), 0, "python")
    return Hit(document, Chunk(Span(0, len(text), 10, 12), text), 1.0)


def test_passages_stand_before_the_question_in_the_users_role() -> None:
    window = compose([SYSTEM, ASKED], limit=4096, passages=[hit("def retry(): ..."), "A note."])
    shown = window.messages[1]
    assert (shown.role, shown.name) == ("user", "passages")
    assert "src/a.py:10-12" in shown.content
    assert "A note." in shown.content
    assert [decision.kind for decision in window.decisions] == ["message", "message", "passage", "passage"]
    assert sum(decision.tokens for decision in window.decisions[2:]) == window.sections["passages"]


def test_passages_share_the_window_with_the_conversation() -> None:
    passages = [f"Passage {n}. " + "evidence " * 150 for n in range(20)]
    window = compose([SYSTEM, *chatter(300), ASKED], limit=4096, passages=passages, recall=Recall())
    assert 0.4 * 3500 < window.sections["passages"] < 0.55 * 3500
    actions = [decision.action for decision in window.decisions[-20:]]
    assert actions == sorted(actions, key=["kept", "trimmed", "dropped"].index)


def test_a_passage_in_the_window_is_not_paid_for_twice() -> None:
    text = "def retry():\n    wait(2)\n" * 10
    call = Message("assistant", "", tool_calls=(ToolCall("a", "search", "{}"),))
    turn = [ASKED, call, Message("tool", f"Found:\n{text}", tool_call_id="a")]
    for history in ([], chatter(300)):
        window = compose([SYSTEM, *history, *turn], limit=2048, passages=[text, "Other evidence."])
        assert sum(text.strip() in message.content for message in window.messages) == 1
        assert window.decisions[-2].action == "dropped"
        assert "already in the window" in window.decisions[-2].reason
        assert window.decisions[-1].action == "kept"


def test_the_same_passage_twice_is_shown_once() -> None:
    window = compose([ASKED], limit=2048, passages=["Evidence.", "Evidence.", " \n"])
    assert [decision.action for decision in window.decisions[1:]] == ["kept", "dropped", "dropped"]


# --- summaries --------------------------------------------------------------------------------------------------


def test_a_summary_stands_for_what_is_left_out() -> None:
    seen: list[int] = []

    def summarise(messages: Sequence[Message]) -> str:
        seen.append(len(messages))
        return "They spoke about the weather."

    window = compose(LONG_AGO, limit=1024, policy="summary", summarise=summarise)
    summary = window.messages[1]
    assert summary.content == f"{WORDING.summary}\nThey spoke about the weather."
    assert summary.role == "user"
    assert window.added[0].kind == "summary"
    assert window.decisions[3].action == "summarised"
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "empty"), (" \n", "empty"), ("long " * 20_000, "replace only")],
)
def test_a_bad_summary_is_discarded(text: str, reason: str) -> None:
    window = compose(LONG_AGO, limit=1024, policy="summary", summarise=lambda messages: text)
    assert reason in window.added[0].reason
    assert all(message.name != "summary" for message in window.messages)
    assert window.decisions[3].action == "dropped"
    assert window.free < 30, "what the summary did not use flows on"


def test_a_summary_that_fails_is_discarded() -> None:
    def summarise(messages: Sequence[Message]) -> str:
        raise TimeoutError("no answer")

    window = compose(LONG_AGO, limit=1024, recall=Recall(), summarise=summarise)
    assert "TimeoutError: no answer" in window.added[0].reason


def test_a_summary_over_its_share_is_cut_short() -> None:
    window = compose(LONG_AGO, limit=1024, policy="summary", summarise=lambda messages: "The weather was mild. " * 60)
    assert window.messages[1].content.endswith(WORDING.trimmed)


def test_without_a_model_the_most_central_sentences_summarise() -> None:
    window = compose(LONG_AGO, limit=2048, policy="summary")
    assert "the weather" in window.messages[1].content
    assert window.messages[1].content.startswith(WORDING.summary)


def test_central_sentences_fit_and_keep_their_order() -> None:
    count = tokenizer_for("gpt-4o").count
    messages = [Message("user", f"The pump number {n} leaks oil. Do you know?") for n in range(50)]
    text = central_sentences(messages, 60, count)
    numbers = [int(line.split("number ")[1].split()[0]) for line in text.splitlines()]
    assert numbers == sorted(numbers)
    assert numbers
    assert count(text) <= 60
    assert central_sentences([], 60, count) == ""


def test_a_rolling_summary_is_asked_only_when_much_is_new() -> None:
    asked: list[int] = []

    def summarise(messages: Sequence[Message]) -> str:
        asked.append(len(messages))
        return f"summary {len(asked)}"

    rolling = RollingSummary(summarise, every=10)
    conversation = chatter(50)
    assert [rolling(conversation[:n]) for n in (20, 25, 29, 30, 35)] == ["summary 1"] * 3 + ["summary 2"] * 2
    assert asked == [20, 11], "the second time the summary and the ten new messages"
    rolling(chatter(3))
    assert asked[-1] == 3


# --- reminders --------------------------------------------------------------------------------------------------


def test_reminders_are_repeated_as_the_window_fills() -> None:
    reminder = Message("system", "Cite your sources.")
    settings = Settings(reminder=Reminder(reminder.content, every=400))
    messages = [SYSTEM, *chatter(100), ASKED]
    window = compose(messages, limit=100_000, settings=settings)
    assert 3 <= window.messages.count(reminder) <= 5
    assert reminder not in compose([SYSTEM, *chatter(4), ASKED], limit=100_000, settings=settings).messages
    counter = counter_for("gpt-4o")
    distance = 0
    for message in window.messages[1:-1]:
        distance = 0 if message == reminder else distance + counter.message(message)
        assert distance < 400 + 40


def test_a_reminder_needs_a_distance() -> None:
    with pytest.raises(ValueError, match="every 0"):
        Reminder("x", every=0)
