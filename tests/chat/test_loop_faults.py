"""Servers and models that misbehave during a turn: limits end the turn with an explanation."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest
from chat_parts import answer, ask
from loop_parts import WAYS, Runs, Way, each_way, of_kind, sent_text, talking

from quaestor import Index
from quaestor.chat.events import Called, Composed, Done, Returned, Stopped
from quaestor.core.errors import LimitError, UpstreamError
from quaestor.llm import tags
from quaestor.llm.prompts import load
from scripted_server import Call, Recorded, Reply, StartServer
from servers.turned_loop import TurnedLoop

QUESTION = "how long does the dough rest?"
FOUND = "It is tried three times."
OVER = load("calls_over").render()
CONTINUED, TAGGED, NATIVE = WAYS[1], WAYS[0], WAYS[2]


def returned(events: list[object]) -> list[str]:
    return [event.text for event in events if isinstance(event, Returned)]


@each_way
@pytest.mark.parametrize("style", ["openai", "transformers_serve"])
def test_a_server_that_leaves_the_stop_sequence_in_the_text(
    corpus: Index, scripted_server: StartServer, way: Way, style: str
) -> None:
    server = scripted_server([way.call("search", {"query": "x"}), FOUND], style=style, models=("gpt-4o",))
    assert answer(ask(talking(corpus, server, way), QUESTION)) == FOUND


@each_way
def test_an_unknown_subroutine_is_told_once_with_what_there_is(
    corpus: Index, scripted_server: StartServer, way: Way
) -> None:
    server = scripted_server([way.call("serch", {"query": "x"}), way.call("search", {"query": "x"}), FOUND])
    server.models = ("gpt-4o",)
    runs = Runs(corpus)
    events = ask(talking(corpus, server, way, runs), QUESTION)
    assert answer(events) == FOUND
    assert "did you mean 'search'" in returned(events)[0]
    assert [event.failed for event in of_kind(events, Returned)] == [True, False]
    assert runs.called == [("search", {"query": "x"})]


@each_way
def test_wrong_arguments_are_told_once_and_at_the_second_time_the_model_is_to_answer(
    corpus: Index, scripted_server: StartServer, way: Way
) -> None:
    server = scripted_server([way.call("search", {}), way.call("search", {"k": 3}), FOUND], models=("gpt-4o",))
    runs = Runs(corpus)
    events = ask(talking(corpus, server, way, runs), QUESTION)
    first, second = returned(events)
    assert "'query' is missing" in first
    assert OVER not in first
    assert OVER in second
    assert runs.called == []
    assert answer(events) == FOUND
    assert not of_kind(events, Stopped)


@pytest.mark.parametrize(
    "broken",
    [
        '<|search query={"never closed',
        "<|search query={login",
        "<|search (x)",
        '<|search query={"a"} {',
        "<|search a==",
    ],
)
@pytest.mark.parametrize("way", WAYS[:2], ids=str)
def test_broken_tags_are_told_and_never_shown(
    corpus: Index, scripted_server: StartServer, way: Way, broken: str
) -> None:
    server = scripted_server([f"Look. {broken}|> and on", FOUND], models=("gpt-4o",))
    events = ask(talking(corpus, server, way), QUESTION)
    assert "This was not run" in returned(events)[0]
    assert answer(events) == f"Look. \n\n{FOUND}"
    assert broken in sent_text(server.requests[1])


@pytest.mark.parametrize("arguments", ['{"query": ', "[1]", '"x"', "{'query': 1}", "[" * 100_000])
def test_arguments_that_are_not_json(corpus: Index, scripted_server: StartServer, arguments: str) -> None:
    server = scripted_server([Reply(calls=[Call("search", [arguments])]), FOUND], models=("gpt-4o",))
    events = ask(talking(corpus, server, NATIVE), QUESTION)
    assert "This was not run" in returned(events)[0]
    assert answer(events) == FOUND
    sent = server.requests[1].messages[-2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {}


def wrapped(form: str) -> str:
    call = {"name": "search", "arguments": {"query": "x"}}
    return form % json.dumps(call)


FORMS = ["%s", " %s\n", "<tool_call>\n%s\n</tool_call>", "```json\n%s\n```", "[%s]", "[TOOL_CALLS][%s]"]
FORMS += ['{"type": "function", "function": %s}']


@pytest.mark.parametrize("form", FORMS)
def test_tool_calls_as_text(corpus: Index, scripted_server: StartServer, form: str) -> None:
    server = scripted_server([wrapped(form), FOUND], models=("gpt-4o",))
    runs = Runs(corpus)
    events = ask(talking(corpus, server, NATIVE, runs), QUESTION)
    assert runs.called == [("search", {"query": "x"})]
    assert answer(events) == FOUND
    assert server.requests[1].messages[-2]["tool_calls"][0]["function"]["name"] == "search"


@pytest.mark.parametrize("style", ["llama_server", "llama_cpp_python"])
def test_a_server_that_knows_no_tool_calls(corpus: Index, scripted_server: StartServer, style: str) -> None:
    server = scripted_server([NATIVE.call("search", {"query": "x"}), FOUND], style=style, models=("gpt-4o",))
    runs = Runs(corpus)
    assert answer(ask(talking(corpus, server, NATIVE, runs), QUESTION)) == FOUND
    assert runs.called == [("search", {"query": "x"})]


@pytest.mark.parametrize(
    "text", ['{"name": "other", "arguments": {}}', '{"a": 1} is JSON.', "[1: this] is so.", "```json\n{}\n```\nSo."]
)
def test_json_that_is_no_call_is_an_answer(corpus: Index, scripted_server: StartServer, text: str) -> None:
    server = scripted_server([text], models=("gpt-4o",))
    assert answer(ask(talking(corpus, server, NATIVE), QUESTION)) == text


def test_text_tags_are_understood_where_tool_calls_were_expected(corpus: Index, scripted_server: StartServer) -> None:
    server = scripted_server(['Hm.\n<|search query={"x"}|>', FOUND], models=("gpt-4o",))
    runs = Runs(corpus)
    assert answer(ask(talking(corpus, server, NATIVE, runs), QUESTION)) == f"Hm.\n\n{FOUND}"
    assert runs.called == [("search", {"query": "x"})]


@each_way
def test_endless_calls_end_with_an_explanation(corpus: Index, scripted_server: StartServer, way: Way) -> None:
    def endless(request: Recorded) -> Reply:
        return way.call("search", {"query": f"word{len(server.requests)}"}, "More.")

    server = scripted_server(endless, models=("gpt-4o",))
    runs = Runs(corpus)
    conversation = talking(corpus, server, way, runs, calls=3)
    events = ask(conversation, QUESTION)
    assert len(runs.called) == 3
    assert len(server.requests) == 4
    assert OVER in returned(events)[-1]
    [stopped] = of_kind(events, Stopped)
    assert "after 3 calls" in stopped.reason
    assert answer(events) == "More.\n\nMore.\n\nMore.\n\nMore."
    ending = conversation.transcript.turns()[-1].ending
    assert (ending.state, ending.error) == ("done", stopped.reason)


@each_way
def test_repeated_calls_are_not_run_again(corpus: Index, scripted_server: StartServer, way: Way) -> None:
    server = scripted_server([way.call("search", {"query": "x"})], models=("gpt-4o",))
    runs = Runs(corpus)
    events = ask(talking(corpus, server, way, runs), QUESTION)
    assert len(runs.called) == 1
    assert [event.failed for event in of_kind(events, Returned)] == [False, True, True]
    assert load("call_repeated").render() in returned(events)[1]
    assert len(of_kind(events, Stopped)) == 1
    done = events[-1]
    assert isinstance(done, Done)
    assert not done.known


def test_many_calls_at_once_are_cut_to_what_is_left(corpus: Index, scripted_server: StartServer) -> None:
    calls = [Call("search", [json.dumps({"query": f"w{n}"})], f"c{n}") for n in range(200)]
    server = scripted_server([Reply(calls=calls), FOUND], models=("gpt-4o",))
    runs = Runs(corpus)
    events = ask(talking(corpus, server, NATIVE, runs, calls=4), QUESTION)
    assert len(runs.called) == len(of_kind(events, Called)) == 4
    assert answer(events) == FOUND


@pytest.mark.parametrize("way", WAYS[:2], ids=str)
def test_a_result_of_the_models_own_making_is_discarded(corpus: Index, scripted_server: StartServer, way: Way) -> None:
    server = scripted_server(["It says <|result|>made up", FOUND], style="transformers_serve", models=("gpt-4o",))
    events = ask(talking(corpus, server, way), QUESTION)
    assert "made up" not in answer(events)
    assert answer(events).endswith(FOUND)


@pytest.mark.parametrize("way", WAYS[:2], ids=str)
def test_a_reply_cut_by_its_limit_within_a_tag(corpus: Index, scripted_server: StartServer, way: Way) -> None:
    cut = Reply(pieces=['Look. <|search query={"a'], finish_reason="length")
    server = scripted_server([cut, FOUND], models=("gpt-4o",))
    events = ask(talking(corpus, server, way), QUESTION)
    assert "not closed" in returned(events)[0]
    assert "<|" not in answer(events)


@each_way
def test_a_stream_cut_within_a_call_fails_the_turn_and_shows_no_tag(
    corpus: Index, scripted_server: StartServer, way: Way
) -> None:
    reply = Reply(pieces=["Look at ", "this. ", "<|sea", 'rch query={"x'], cut_after=4)
    server = scripted_server([reply], models=("gpt-4o",))
    conversation = talking(corpus, server, way)
    shown: list[str] = []
    with pytest.raises(UpstreamError):
        ask(conversation, QUESTION)
    [turn] = conversation.transcript.turns()
    shown.append(turn.ending.partial)
    assert turn.ending.state == "failed"
    assert shown == ["Look at this. "]


LIMITS = {
    "1600 tokens": {"tokens": 1600},
    "may cost 0.0045": {"cost": 0.0045, "prompt_price": 2.0, "completion_price": 4.0},
}


@each_way
@pytest.mark.parametrize("words", LIMITS)
def test_what_a_turn_takes_is_limited(corpus: Index, scripted_server: StartServer, way: Way, words: str) -> None:
    server = scripted_server([way.call("search", {"query": "x"}, "Let me look."), FOUND], models=("gpt-4o",))
    events = ask(talking(corpus, server, way, **LIMITS[words]), QUESTION)
    assert len(server.requests) == 1
    [stopped] = of_kind(events, Stopped)
    assert words in stopped.reason
    assert answer(events) == "Let me look."


@each_way
@pytest.mark.parametrize("words", LIMITS)
def test_a_turn_that_has_shown_nothing_fails_at_its_limit(
    corpus: Index, scripted_server: StartServer, way: Way, words: str
) -> None:
    server = scripted_server([way.call("search", {"query": "x"}), FOUND], models=("gpt-4o",))
    conversation = talking(corpus, server, way, **LIMITS[words])
    with pytest.raises(LimitError, match=words):
        ask(conversation, QUESTION)
    assert len(server.requests) == 1
    assert conversation.transcript.turns()[-1].ending.state == "failed"


@each_way
def test_the_time_of_a_turn_is_limited_while_a_subroutine_runs(
    corpus: Index, scripted_server: StartServer, way: Way
) -> None:
    held, loop = threading.Event(), TurnedLoop()

    def takes_an_hour(_: object) -> str:
        loop.turn(3600.0)
        return "x" if held.wait(600) else ""

    server = scripted_server([way.call("search", {"query": "x"})], models=("gpt-4o",))
    conversation = talking(corpus, server, way, Runs(corpus, text=takes_an_hour), seconds=3000.0)

    async def turn() -> None:
        try:
            async for _ in conversation.send(QUESTION):
                pass
        finally:
            held.set()

    with asyncio.Runner(loop_factory=lambda: loop) as runner, pytest.raises(LimitError, match="while 'search' ran"):
        runner.run(turn())


# --- the window -------------------------------------------------------------------------------------------------


@each_way
@pytest.mark.parametrize("limit", [600, 900, 1200, 1700, 2600])
def test_no_request_is_ever_larger_than_the_window(
    corpus: Index, scripted_server: StartServer, way: Way, limit: int
) -> None:
    runs = Runs(corpus, text=lambda arguments: f"{arguments['query']}\n" + "A line of a large result.\n" * 400)

    def searching(request: Recorded) -> Reply | str:
        n = len(server.requests)
        return way.call("search", {"query": f"word{n}"}, f"Part {n}.") if n < 7 else FOUND

    server = scripted_server(searching, models=("gpt-4o",), window=limit)
    events = ask(talking(corpus, server, way, runs, limit=limit), QUESTION)
    for composed, request in zip(of_kind(events, Composed), server.requests, strict=True):
        window = composed.window
        assert request.prompt_tokens <= window.tokens
        assert window.tokens + window.reserve <= limit
        assert QUESTION in sent_text(request)
    assert all(budget < limit for budget in runs.budgets)
    if stopped := of_kind(events, Stopped):
        assert limit < 1200
        assert "ended here" in stopped[0].reason
        return
    assert answer(events).endswith(FOUND)
    assert "word6" in sent_text(server.requests[-1])


def test_what_was_left_out_is_marked_and_the_models_own_words_stay(corpus: Index, scripted_server: StartServer) -> None:
    runs = Runs(corpus, text=lambda arguments: f"{arguments['query']}\n" + "A line of a large result.\n" * 400)
    script = [CONTINUED.call("search", {"query": f"word{n}"}, f"Part {n}.") for n in range(6)]
    server = scripted_server([*script, FOUND], models=("gpt-4o",))
    ask(talking(corpus, server, CONTINUED, runs, limit=1500), QUESTION)
    said = server.requests[-1].messages[-1]["content"]
    assert load("result_left_out").render() in said
    for n in range(6):
        assert f"Part {n}." in said
        assert tags.render("search", {"query": f"word{n}"}) in said
    assert "A line of a large result." in said.rpartition("word5")[2]


@each_way
def test_a_reply_that_repeats_itself_without_end_is_ended(
    corpus: Index, scripted_server: StartServer, way: Way
) -> None:
    sentence = "The server will do what it is asked to do. "
    server = scripted_server([sentence * 1_000], models=("gpt-4o",))
    events = ask(talking(corpus, server, way), QUESTION)
    [stopped] = of_kind(events, Stopped)
    assert "the model repeated itself" in stopped.reason
    assert answer(events).count(sentence.strip()) < 100
    done = events[-1]
    assert isinstance(done, Done)
    assert done.usage.completion_tokens < 2_000, "what was not read is not counted"
