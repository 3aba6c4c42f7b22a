"""A model that searches before it answers: its calls are run and their results sent, by each protocol."""

from __future__ import annotations

import pytest
from chat_parts import Scripted, answer, ask
from loop_parts import WAYS, Runs, Way, each_way, of_kind, sent_text, talking

from quaestor import Index
from quaestor.chat.engine import Conversation
from quaestor.chat.events import Called, Citations, Composed, Done, Proposed, Returned, Stopped, Text
from quaestor.core.messages import Message
from quaestor.llm import tags
from scripted_server import Call, Reply, StartServer

QUESTION = "how long does the dough rest?"
FOUND = "It is tried three times."
pytestmark = pytest.mark.filterwarnings("error")


@each_way
def test_a_call_is_run_and_the_reply_goes_on(corpus: Index, scripted_server: StartServer, way: Way) -> None:
    runs = Runs(corpus)
    server = scripted_server(
        [way.call("search", {"query": "attempts |> {x}"}, "Let me look."), FOUND], models=("gpt-4o",)
    )
    conversation = talking(corpus, server, way, runs)
    events = ask(conversation, QUESTION)
    assert runs.called == [("search", {"query": "attempts |> {x}"})]
    assert [event.name for event in of_kind(events, Called)] == ["search"]
    assert answer(events) == f"Let me look.\n\n{FOUND}"
    assert "".join(event.text for event in of_kind(events, Text)) == answer(events)
    first, second = server.requests
    assert first.body.get("stop") == (None if way.capabilities.native_tools else [tags.CLOSING])
    assert bool(first.body.get("tools")) == way.capabilities.native_tools
    [returned] = of_kind(events, Returned)
    assert "MAX_ATTEMPTS = 3" in returned.text
    assert "MAX_ATTEMPTS = 3" in sent_text(second)
    assert "invented" not in sent_text(second)
    assert conversation.messages[1:] == (Message("user", QUESTION), Message("assistant", answer(events)))


def test_what_is_written_back(corpus: Index, scripted_server: StartServer) -> None:
    said = {}
    for way in WAYS:
        server = scripted_server([way.call("read", {"path": "guide.md"}, "Let me look.\n"), FOUND], models=("gpt-4o",))
        ask(talking(corpus, server, way), QUESTION)
        said[way.name] = [one for one in server.requests[1].messages[1:] if one.get("name") != "passages"][1:]
    tag, guide = '<|read path={"guide.md"}|>', corpus.read("guide.md") or b""
    block = f'<|result of={{"read"}}|>\n{guide.decode()}\n<|/result|>'
    assert said["continued tags"] == [{"role": "assistant", "content": f"Let me look.\n{tag}\n{block}\n"}]
    assert said["tags"] == [
        {"role": "assistant", "content": f"Let me look.\n{tag}"},
        {"role": "user", "content": block, "name": "result"},
    ]
    function = {"name": "read", "arguments": '{"path": "guide.md"}'}
    assert said["tools"] == [
        {
            "role": "assistant",
            "content": "Let me look.\n",
            "tool_calls": [{"id": "call_1_1", "type": "function", "function": function}],
        },
        {"role": "tool", "content": guide.decode(), "tool_call_id": "call_1_1"},
    ]


@each_way
def test_what_a_subroutine_found_is_cited_under_numbers_that_go_on(
    corpus: Index, scripted_server: StartServer, way: Way
) -> None:
    (corpus.root / "cake.md").write_text("# Cake\n\nThe zebra cake bakes for ninety minutes.\n", encoding="utf-8")
    script = [way.call("search", {"query": "zebra cake bakes"}), 'It bakes long [9: "bakes for ninety minutes"].']
    server = scripted_server(script, models=("gpt-4o",))
    conversation = talking(corpus, server, way, passages=1)
    # The number is known only once the search has run.
    server.script = lambda request: (
        script[0]
        if len(server.requests) == 1
        else f'It bakes long [{_number(sent_text(request), "cake.md")}: "bakes for ninety minutes"].'
    )
    events = ask(conversation, "how often is a request sent?")
    [returned] = of_kind(events, Returned)
    numbers = {passage.path: passage.n for passage in returned.passages}
    first = {source.passage.path: source.passage.n for source in conversation.transcript.sources()}
    assert numbers["cake.md"] != 1
    assert first == {**first, **numbers}
    [citations] = of_kind(events, Citations)
    assert [(one.n, one.path, one.start_line, one.status) for one in citations.citations] == [
        (numbers["cake.md"], "cake.md", 3, "verified")
    ]
    sources = conversation.transcript.sources()
    assert [source.passage.path for source in sources if source.cited] == ["cake.md"]


def _number(text: str, path: str) -> str:
    return text.partition(f'" from="{path}')[0].rpartition('n="')[2]


@each_way
def test_several_calls_and_what_is_on_record(corpus: Index, scripted_server: StartServer, way: Way) -> None:
    script = [
        way.call("search", {"query": "dough"}, "First."),
        way.call("read", {"path": "guide.md"}, "Then."),
        way.call("search", {"query": "attempts"}),
        FOUND,
    ]
    server = scripted_server(script, models=("gpt-4o",))
    conversation = talking(corpus, server, way)
    events = ask(conversation, QUESTION)
    assert answer(events) == f"First.\n\nThen.\n\n{FOUND}"
    transcript = conversation.transcript
    assert [(one.name, one.arguments, one.failed) for one in transcript.calls(1)] == [
        ("search", '{"query": "dough"}', False),
        ("read", '{"path": "guide.md"}', False),
        ("search", '{"query": "attempts"}', False),
    ]
    assert [one.result for one in transcript.calls()] == [event.text for event in of_kind(events, Returned)]
    assert len(transcript.requests(1)) == len(server.requests) == 4
    for sent, request in zip(transcript.requests(1), server.requests, strict=True):
        assert [message.content for message in sent.messages] == [one["content"] for one in request.messages]
    for composed, request in zip(of_kind(events, Composed), server.requests, strict=True):
        assert composed.window.tokens >= request.prompt_tokens
    usage = events[-1].usage if isinstance(events[-1], Done) else None
    assert usage is not None
    assert usage.prompt_tokens == sum(request.prompt_tokens for request in server.requests)


def test_parallel_tool_calls(corpus: Index, scripted_server: StartServer) -> None:
    way = WAYS[2]
    calls = [Call("search", ['{"query": "dough"}'], "a"), Call("read", ['{"path": "guide.md"}'], "a")]
    server = scripted_server([Reply(pieces=["Both."], calls=calls), FOUND], models=("gpt-4o",))
    runs = Runs(corpus)
    events = ask(talking(corpus, server, way, runs), QUESTION)
    assert [name for name, _ in runs.called] == ["search", "read"]
    assert [message["role"] for message in server.requests[1].messages[-3:]] == ["assistant", "tool", "tool"]
    assert answer(events) == f"Both.\n\n{FOUND}"


@each_way
def test_a_turn_may_propose_several_changes(corpus: Index, scripted_server: StartServer, way: Way) -> None:
    edits = [
        way.call("edit", {"path": path}, said) for path, said in (("guide.md", "I add it."), ("menu.md", "Here too."))
    ]
    server = scripted_server([*edits, "That is all."], models=("gpt-4o",))
    events = ask(talking(corpus, server, way), "add a button")
    changes = [("change", "guide.md"), ("change", "menu.md")]
    assert [proposed.proposal for proposed in of_kind(events, Proposed)] == changes
    done = events[-1]
    assert isinstance(done, Done)
    assert (list(done.proposals), done.known) == (changes, True)
    assert done.answer.split("\n\n") == ["I add it.", "Here too.", "That is all."]
    assert len(server.requests) == 3


@each_way
def test_a_proposal_outlives_a_server_that_fails_afterwards(
    corpus: Index, scripted_server: StartServer, way: Way
) -> None:
    script = [way.call("edit", {"path": "guide.md"}, "I add it."), Reply(status=400)]
    events = ask(talking(corpus, scripted_server(script, models=("gpt-4o",)), way), "add a button")
    done = events[-1]
    assert isinstance(done, Done)
    assert done.proposals == (("change", "guide.md"),)
    assert of_kind(events, Stopped)


@pytest.mark.parametrize("way", WAYS[:2], ids=str)
@pytest.mark.parametrize("style", ["openai", "transformers_serve"])
def test_a_mark_in_code_is_no_call(corpus: Index, scripted_server: StartServer, way: Way, style: str) -> None:
    script = ["So:\n```elixir\nxs |>", " map()\n```\nDone."]
    server = scripted_server(script, style=style, models=("gpt-4o",))
    events = ask(talking(corpus, server, way), QUESTION)
    assert answer(events) == "So:\n```elixir\nxs |> map()\n```\nDone."
    assert not of_kind(events, Called)
    assert not of_kind(events, Stopped)
    last = server.requests[1].messages[-1]
    if way.capabilities.continues_assistant:
        assert last == {"role": "assistant", "content": "So:\n```elixir\nxs |>"}
    else:
        assert last["name"] == "result"


@each_way
def test_a_quoted_tag_is_text(corpus: Index, scripted_server: StartServer, way: Way) -> None:
    script = ['Write `<|search query={"x"}|>', "` to search."]
    script = ["".join(script)] if way.capabilities.native_tools else script
    runs = Runs(corpus)
    server = scripted_server(script, models=("gpt-4o",))
    events = ask(talking(corpus, server, way, runs), QUESTION)
    assert answer(events) == 'Write `<|search query={"x"}|>` to search.'
    assert runs.called == []


@each_way
def test_no_answer_after_a_call_is_said_without_its_mark(corpus: Index, scripted_server: StartServer, way: Way) -> None:
    script = [way.call("search", {"query": "x"}, "Let me look."), "[no answer] Nothing is said of it."]
    events = ask(talking(corpus, scripted_server(script, models=("gpt-4o",)), way), QUESTION)
    done = events[-1]
    assert isinstance(done, Done)
    assert (done.known, done.answer) == (False, "Let me look.\n\nNothing is said of it.")
    assert "".join(event.text for event in of_kind(events, Text)) == done.answer


def test_what_is_written_behind_a_call_is_dropped(corpus: Index) -> None:
    # A model of somebody's own may pay no heed to stop sequences.
    for capabilities in (way.capabilities for way in WAYS):
        first = 'Look.\n<|search query={"dough"}|>\n<|result|>no<|/result|>\nIt is so. <|read path={"x"}|>'
        model = Scripted(first, FOUND)
        model.capabilities = capabilities
        runs = Runs(corpus)
        events = ask(Conversation(corpus, model, subroutines=runs.registry), QUESTION)
        assert answer(events) == f"Look.\n\n{FOUND}"
        assert runs.called == [("search", {"query": "dough"})]
        assert "It is so" not in str(model.requests[1].messages)
