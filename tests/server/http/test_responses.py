"""The Responses API, by the official client of OpenAI; every event is held against the client's types."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from openai.types.responses import Response, ResponseStreamEvent
from openai_parts import CITED, LISTED, QUESTION, Answering, Open, asked
from pydantic import TypeAdapter
from served import Running, stream

from scripted_server import Call, Reply
from servers.event_streams import events

WEATHER: Any = {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}}
EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)


def streamed(server: Running, **body: Any) -> list[tuple[str, Any]]:
    """Return the events of a response, each held against the client's types."""
    body = {"model": "quaestor", "input": QUESTION, "stream": True, **body}
    with stream("POST", f"{server.url}/v1/responses", json=body, timeout=600) as answer:
        assert answer.status_code == 200, answer.read()
        found = list(events(answer.iter_lines()))
    for number, (name, data) in enumerate(found):
        assert (data["type"], data["sequence_number"]) == (name, number)
        EVENT.validate_python(data)
    return found


def test_a_response(answering: Answering, open_client: Open) -> None:
    server, upstream = answering([CITED])
    answer = open_client(server).responses.create(
        model="quaestor", input=QUESTION, instructions="Answer in rhymes.", temperature=0.5, max_output_tokens=200
    )
    Response.model_validate(answer.model_dump(by_alias=True))
    assert (answer.output_text, answer.status, answer.error) == (CITED + LISTED, "completed", None)
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens > 0
    part: Any = answer.output[0]
    [cited] = part.content[0].annotations
    assert (cited.type, cited.filename, cited.index) == ("file_citation", "retry.py", 1)
    extra: Any = answer.model_extra
    assert extra["quaestor"]["citations"][0]["status"] == "verified"
    sent = upstream.requests[0]
    assert sent.messages[1]["content"] == "Answer in rhymes."
    assert (sent.body["temperature"], sent.body["max_tokens"]) == (0.5, 200)


def test_every_event_is_as_the_client_expects(answering: Answering) -> None:
    server, _ = answering([CITED])
    found = streamed(server)
    names = [name for name, _ in found]
    assert list(dict.fromkeys(names)) == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.annotation.added",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    deltas = [data["delta"] for name, data in found if name == "response.output_text.delta"]
    assert "".join(deltas) == CITED + LISTED == found[-1][1]["response"]["output"][0]["content"][0]["text"]


def test_the_stream_helper_of_the_client(answering: Answering, open_client: Open) -> None:
    server, _ = answering([CITED])
    with open_client(server).responses.stream(model="quaestor", input=QUESTION) as helper:
        for _ in helper:
            pass
        assert helper.get_final_response().output_text == CITED + LISTED


def test_calls_come_out_and_results_go_in(answering: Answering, open_client: Open) -> None:
    called = Reply(pieces=["Let me see."], calls=[Call("weather", ['{"city": "Graz"}'], "call_7")])
    server, upstream = answering([called, called, "It rains in Graz."])
    found = streamed(server, tools=[WEATHER])
    items = [data["item"]["type"] for name, data in found if name == "response.output_item.done"]
    assert items == ["message", "function_call"]
    client = open_client(server)
    first = client.responses.create(
        model="quaestor", input=QUESTION, tools=[WEATHER], tool_choice={"type": "function", "name": "weather"}
    )
    assert first.output_text == "Let me see.", "no list of sources before a call"
    call: Any = first.output[1]
    assert (call.type, call.call_id, call.name, call.arguments) == (
        "function_call",
        "call_7",
        "weather",
        '{"city": "Graz"}',
    )
    assert upstream.requests[1].body["tool_choice"] == {"type": "function", "function": {"name": "weather"}}
    kept: Any = [one.model_dump(exclude_none=True) for one in first.output]
    result: Any = {"type": "function_call_output", "call_id": "call_7", "output": "rain"}
    second = client.responses.create(model="quaestor", input=[*asked(QUESTION), *kept, result], tools=[WEATHER])
    assert second.output_text.startswith("It rains in Graz.")
    sent = upstream.requests[2].messages
    assert [message["role"] for message in sent[-4:]] == ["user", "assistant", "assistant", "tool"]
    assert sent[-2]["tool_calls"][0]["id"] == sent[-1]["tool_call_id"] == "call_7"


def test_what_was_thought_is_skipped_and_what_was_said_is_without_its_list(
    answering: Answering, open_client: Open
) -> None:
    server, upstream = answering(["Yes."])
    said: Any = [
        {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {
            "type": "message",
            "role": "assistant",
            "id": "msg_1",
            "status": "completed",
            "content": [{"type": "output_text", "text": CITED + LISTED, "annotations": []}],
        },
        {"role": "user", "content": "really?"},
    ]
    open_client(server).responses.create(model="quaestor", input=said)
    assert [message["content"] for message in upstream.requests[0].messages if message["role"] == "assistant"] == [
        CITED
    ]


def test_a_form_of_the_answer_is_the_models(answering: Answering, open_client: Open) -> None:
    server, upstream = answering(['{"tries": 3}'])
    schema: Any = {"type": "json_schema", "name": "tries", "schema": {"type": "object"}, "strict": True}
    answer = open_client(server).responses.create(
        model="quaestor", input=QUESTION, text={"format": schema}, reasoning={"effort": "low"}
    )
    assert json.loads(answer.output_text) == {"tries": 3}
    form = {"name": "tries", "schema": {"type": "object"}, "strict": True}
    assert upstream.requests[0].body["response_format"] == {"type": "json_schema", "json_schema": form}
    assert upstream.requests[0].body["reasoning_effort"] == "low"


def test_a_response_that_is_cut_off_is_incomplete(answering: Answering, open_client: Open) -> None:
    server, _ = answering(["one two three four five six"])
    answer = open_client(server).responses.create(model="quaestor", input=QUESTION, max_output_tokens=2)
    assert answer.status == "incomplete"
    assert answer.incomplete_details is not None and answer.incomplete_details.reason == "max_output_tokens"
    assert streamed(server, max_output_tokens=2)[-1][0] == "response.incomplete"


IMAGE: Any = {"role": "user", "content": [{"type": "input_image", "image_url": "http://x"}]}


@pytest.mark.parametrize(
    ("given", "param", "said"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id", "No state is kept"),
        ({"conversation": "conv_1"}, "conversation", "No state is kept"),
        ({"prompt": {"id": "p"}}, "prompt", "no stored prompts"),
        ({"background": True}, "background", "Input should be False"),
        ({"top_logprobs": 3}, "top_logprobs", "Input should be 0"),
        ({"tools": [{"type": "web_search"}]}, "tools[0]", "'web_search' are not supported"),
        ({"input": [*asked("a"), IMAGE]}, "input[1].content[0]", "'input_image' is not supported"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "input[0].type", "'item_reference' is not supported"),
        ({"input": [{"type": "function_call_output", "call_id": "x"}]}, "input[0]", "needs 'call_id' and 'output'"),
        ({"input": [{"type": "function_call", "name": "x"}]}, "input[0]", "needs 'call_id' and 'name'"),
        ({"input": [{"role": "user"}]}, "input[0]", "needs 'role' and 'content'"),
        ({"instructions": "x", "input": [{"role": "assistant", "content": "a"}]}, "input", "no user message"),
        ({"instructions": "x", "input": asked("a", "b", " ")}, "input[2]", "newest question is empty"),
        ({"text": {"format": {"type": "json_object"}}}, "text.format", "answers are quotes"),
        ({"text": {"format": {"type": "json_schema"}}}, "text.format", "needs 'name' and 'schema'"),
        ({"model": "cellar"}, "model", "no model 'cellar'"),
    ],
)
def test_what_is_not_done_here_is_refused_with_the_reason(
    shared: Running, open_client: Open, given: Any, param: str, said: str
) -> None:
    with pytest.raises(openai.APIStatusError, match=said) as failure:
        open_client(shared).responses.create(**{"model": "quaestor", "input": QUESTION, **given})
    assert failure.value.status_code in (400, 404)
    assert failure.value.param == param


def test_a_failure_before_the_stream_is_an_answer(answering: Answering, open_client: Open) -> None:
    server, _ = answering([Reply(status=400, error="top_p is not for me")])
    with pytest.raises(openai.BadRequestError, match="top_p is not for me"):
        open_client(server).responses.create(model="quaestor", input=QUESTION, top_p=0.5, stream=True)


def test_a_failure_in_the_stream_is_its_last_event_and_is_raised(answering: Answering, open_client: Open) -> None:
    server, _ = answering([Reply(pieces=["It is tried ", "three"], cut_after=1)])
    assert streamed(server)[-1][0] == "error"
    with pytest.raises(openai.APIError, match="cut the reply"):
        list(open_client(server).responses.create(model="quaestor", input=QUESTION, stream=True))


def test_a_response_cannot_be_had_again_and_it_says_why(answering: Answering, open_client: Open) -> None:
    server, _ = answering([CITED])
    client = open_client(server)
    made = client.responses.create(model="quaestor", input=QUESTION)
    with pytest.raises(openai.NotFoundError, match="responses are not stored"):
        client.responses.retrieve(made.id)
