"""The hidden plan that a model states before its answer: it is requested, parsed, checked, recorded, never shown."""

from __future__ import annotations

import pytest
from chat_parts import answer, ask
from loop_parts import WAYS, Way, each_way, of_kind, talking

from quaestor import Index
from quaestor.chat.events import Premeditated, Text
from quaestor.llm import tags
from quaestor.llm.prompts import load
from quaestor.sessions.records import OPENING, Plan, read_plan
from scripted_server import Recorded, Reply, StartServer

QUESTION = "how long does the dough rest?"
FOUND = "It is tried three times."
ATTRIBUTES = {"asked": "how long", "depends": "the |> guide", "subroutines": ["search"], "edit": False}
PLAN = Plan("how long", "the |> guide", ("search",))
WRITTEN = tags.render("plan", ATTRIBUTES)


def test_the_opening_begins_a_plan() -> None:
    assert OPENING == '<|plan asked={"'
    assert WRITTEN.startswith(OPENING)


def script(way: Way) -> list[str | Reply]:
    """Return what a model says that premeditates, calls and answers; what was begun for it is not said again."""
    if way.capabilities.native_tools:
        return [way.call("search", {"query": "x"}, f"{WRITTEN}\nLet me look."), FOUND]
    begun = OPENING if way.capabilities.continues_assistant else ""
    return [WRITTEN.removeprefix(begun), way.call("search", {"query": "x"}, "\nLet me look."), FOUND]


@each_way
def test_a_plan_is_recorded_and_never_shown(corpus: Index, scripted_server: StartServer, way: Way) -> None:
    server = scripted_server(script(way), models=("gpt-4o",))
    conversation = talking(corpus, server, way, premeditation=True)
    events = ask(conversation, QUESTION)
    assert of_kind(events, Premeditated) == [Premeditated(PLAN)]
    assert "".join(event.text for event in of_kind(events, Text)) == answer(events) == f"Let me look.\n\n{FOUND}"
    assert conversation.transcript.plan(1) == PLAN
    first = server.requests[0].messages
    assert "<|plan asked=" in first[0]["content"]
    begun = way.capabilities.continues_assistant
    assert (first[-1] == {"role": "assistant", "content": OPENING}) == begun


def test_the_reply_goes_on_behind_the_plan(corpus: Index, scripted_server: StartServer) -> None:
    for way in WAYS[:2]:
        server = scripted_server([*script(way)[:1], FOUND], models=("gpt-4o",))
        assert answer(ask(talking(corpus, server, way, premeditation=True), QUESTION)) == FOUND
        last = server.requests[1].messages[-1]
        if way.capabilities.continues_assistant:
            assert last == {"role": "assistant", "content": WRITTEN}
        else:
            assert server.requests[1].messages[-2]["content"] == WRITTEN
            assert last == {"role": "user", "content": load("go_on").render(), "name": "result"}


@each_way
def test_without_premeditation_nothing_is_asked_or_begun(corpus: Index, scripted_server: StartServer, way: Way) -> None:
    server = scripted_server([FOUND], models=("gpt-4o",))
    conversation = talking(corpus, server, way)
    assert answer(ask(conversation, QUESTION)) == FOUND
    assert "<|plan" not in str(server.requests[0].body)
    assert conversation.transcript.plan(1) is None


@each_way
def test_a_model_that_does_not_premeditate_answers_all_the_same(
    corpus: Index, scripted_server: StartServer, way: Way
) -> None:
    server = scripted_server([f'x"}}|>{FOUND}' if way.capabilities.continues_assistant else FOUND], models=("gpt-4o",))
    if way.capabilities.continues_assistant:
        server.script = ['x"}', FOUND]
    events = ask(talking(corpus, server, way, premeditation=True), QUESTION)
    assert answer(events) == FOUND


@pytest.mark.parametrize("way", WAYS[:2], ids=str)
@pytest.mark.parametrize(("rest", "problem"), [('how long"} subroutines=|>', "braces"), ("how long|>", "not closed")])
def test_a_broken_plan_is_recorded_with_its_problem(
    corpus: Index, scripted_server: StartServer, way: Way, rest: str, problem: str
) -> None:
    first = rest if way.capabilities.continues_assistant else OPENING + rest
    server = scripted_server([first, FOUND], models=("gpt-4o",))
    conversation = talking(corpus, server, way, premeditation=True)
    assert answer(ask(conversation, QUESTION)) == FOUND
    plan = conversation.transcript.plan(1)
    assert plan is not None
    assert problem in plan.problem


@pytest.mark.parametrize("way", WAYS[:2], ids=str)
def test_a_model_that_never_stops_premeditating_is_stopped(
    corpus: Index, scripted_server: StartServer, way: Way
) -> None:
    def endless(_: Recorded) -> str:
        return WRITTEN.removeprefix(OPENING) if len(server.requests) == 1 and way is WAYS[1] else WRITTEN

    server = scripted_server(endless, models=("gpt-4o",))
    conversation = talking(corpus, server, way, premeditation=True, calls=2)
    ask(conversation, QUESTION)
    assert len(server.requests) < 40
    assert "called nothing" in conversation.transcript.turns()[-1].ending.error


@pytest.mark.parametrize(
    ("attributes", "problem"),
    [
        (ATTRIBUTES, ""),
        ({}, "'asked' is missing"),
        ({"asked": 5}, "'asked' is not text"),
        ({"asked": "x", "edit": "no"}, "'edit' is neither"),
        ({"asked": "x", "subroutines": "search"}, "not a list"),
        ({"asked": "x", "subroutines": [1]}, "not a list"),
        ({"asked": "x", "subroutines": ["dance"]}, "no subroutine 'dance'"),
        ({"asked": "x", "mood": "good"}, "unknown 'mood'"),
    ],
)
def test_plans_are_checked(attributes: dict[str, object], problem: str) -> None:
    found = read_plan(attributes, ("search",)).problem
    assert problem in found if problem else found == ""
