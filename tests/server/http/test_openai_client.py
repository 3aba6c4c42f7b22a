"""The official client of OpenAI, unmodified, against our API."""

from __future__ import annotations

import base64
import struct
from typing import Any

import openai
import pytest
from openai_parts import CITED, LISTED, QUESTION, Answering, Open, asked
from served import Running

from scripted_server import Call, Recorded, Reply

WEATHER: Any = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
USAGE: Any = {"include_usage": True}


def test_chat(answering: Answering, open_client: Open) -> None:
    server, upstream = answering([CITED])
    answer = open_client(server).chat.completions.create(model="quaestor", messages=asked(QUESTION))
    [choice] = answer.choices
    assert (choice.message.content, choice.finish_reason, answer.model) == (CITED, "stop", "quaestor")
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0
    extra: Any = choice.message.model_extra
    [citation] = extra["quaestor"]["citations"]
    assert (citation["path"], citation["start_line"], citation["status"]) == ("retry.py", 1, "verified")
    assert extra["quaestor"]["known"] is True
    assert "MAX_ATTEMPTS" in str(upstream.requests[0].messages)


def test_streaming(answering: Answering, open_client: Open) -> None:
    server, _ = answering([CITED])
    chunks = list(
        open_client(server).chat.completions.create(
            model="quaestor", messages=asked(QUESTION), stream=True, stream_options=USAGE
        )
    )
    assert chunks[0].choices[0].delta.role == "assistant"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == CITED
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert [chunk.usage is None for chunk in chunks] == [True] * (len(chunks) - 1) + [False]
    assert chunks[-1].choices == []
    assert len({(chunk.id, chunk.created, chunk.model) for chunk in chunks}) == 1
    last: Any = chunks[-2].model_extra
    assert last["quaestor"]["citations"][0]["status"] == "verified"
    assert last["quaestor"]["window"]["tokens"] > 0


def test_streaming_without_usage(answering: Answering, open_client: Open) -> None:
    server, _ = answering([CITED])
    chunks = list(open_client(server).chat.completions.create(model="quaestor", messages=asked(QUESTION), stream=True))
    assert all(chunk.choices for chunk in chunks)
    assert chunks[-1].choices[0].finish_reason == "stop"


def test_the_stream_helper_of_the_client(answering: Answering, open_client: Open) -> None:
    server, _ = answering([Reply(pieces=["Let me see."], calls=[Call("weather", ["{", "}"], "call_7")])])
    with open_client(server).chat.completions.stream(
        model="quaestor", messages=asked("how is the weather?"), tools=[WEATHER]
    ) as stream:
        for _ in stream:
            pass
        [choice] = stream.get_final_completion().choices
    assert choice.message.content == "Let me see."
    assert choice.message.tool_calls is not None
    assert choice.message.tool_calls[0].function.name == "weather"


def test_tools_go_out_and_calls_come_back(answering: Answering, open_client: Open) -> None:
    server, upstream = answering([Reply(calls=[Call("weather", ['{"city": "Graz"}'], "call_7")]), "It rains in Graz."])
    client = open_client(server)
    messages = asked("how is the weather?")
    first = client.chat.completions.create(
        model="quaestor", messages=messages, tools=[WEATHER], tool_choice="auto", parallel_tool_calls=False
    )
    [choice] = first.choices
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content is None
    [call] = choice.message.tool_calls or []
    assert call.type == "function"
    assert (call.id, call.function.name, call.function.arguments) == ("call_7", "weather", '{"city": "Graz"}')
    sent = upstream.requests[0].body
    assert (sent["tools"], sent["tool_choice"], sent["parallel_tool_calls"]) == ([WEATHER], "auto", False)
    messages += [choice.message, {"role": "tool", "tool_call_id": "call_7", "content": "rain"}]
    second = client.chat.completions.create(model="quaestor", messages=messages, tools=[WEATHER])
    assert second.choices[0].message.content == "It rains in Graz."
    assert [message["role"] for message in upstream.requests[1].messages[-3:]] == ["user", "assistant", "tool"]


def test_stop_temperature_and_length_are_the_clients(answering: Answering, open_client: Open) -> None:
    server, upstream = answering(["One. Two. STOP Three."])
    client = open_client(server)
    answer = client.chat.completions.create(
        model="quaestor", messages=asked(QUESTION), stop=["STOP"], temperature=0.7, max_tokens=50, seed=7, top_p=0.9
    )
    assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == ("One. Two. ", "stop")
    sent = upstream.requests[0].body
    assert (sent["temperature"], sent["max_tokens"], sent["seed"], sent["top_p"]) == (0.7, 50, 7, 0.9)
    short = client.chat.completions.create(model="quaestor", messages=asked(QUESTION), max_completion_tokens=2)
    assert short.choices[0].finish_reason == "length"


def test_the_clients_instructions_stand_beside_ours(answering: Answering, open_client: Open) -> None:
    server, upstream = answering(["Yes."])
    messages: Any = [
        {"role": "developer", "content": [{"type": "text", "text": "Answer in rhymes."}]},
        *asked("is there a guide?", "There is one.", QUESTION),
    ]
    open_client(server).chat.completions.create(model="quaestor", messages=messages)
    sent = upstream.requests[0].messages
    assert [message["role"] for message in sent[:2]] == ["system", "system"]
    assert sent[1]["content"] == "Answer in rhymes."
    assert [message["content"] for message in sent if message["role"] == "assistant"] == ["There is one."]
    assert {"is there a guide?", QUESTION} <= {message["content"] for message in sent}


def test_without_a_model_answers_are_quotes(shared: Running, open_client: Open) -> None:
    answer = open_client(shared).chat.completions.create(
        model="quaestor", messages=asked("how long does the dough rest?")
    )
    assert "eighteen hours" in str(answer.choices[0].message.content)
    extra: Any = answer.choices[0].message.model_extra
    assert extra["quaestor"]["window"] is None


@pytest.mark.parametrize(("turns", "words"), [(24, 120), pytest.param(200, 12, marks=pytest.mark.slow)])
def test_a_long_conversation_through_a_small_window(
    answering: Answering, open_client: Open, turns: int, words: int
) -> None:
    def reply(request: Recorded) -> str:
        return f"You asked: {request.last} {'The guide says more about it. ' * (words // 6)}"

    server, upstream = answering(reply, window_of=4096)
    client = open_client(server)
    messages: list[Any] = [{"role": "system", "content": "Be kind."}]
    for turn in range(turns):
        messages.append({"role": "user", "content": f"Question {turn}: what about the sourdough, and {QUESTION}"})
        answer = client.chat.completions.create(model="quaestor", messages=messages)
        message = answer.choices[0].message
        assert f"Question {turn}:" in str(message.content)
        messages.append({"role": "assistant", "content": message.content})
    refused = [request for request in upstream.requests if request.prompt_tokens >= 4096]
    # The server is asked for too much once, and that is remembered from then on.
    assert len(refused) == 1
    assert len(upstream.requests) == turns + 1
    assert upstream.counter.text(str(messages)) > 4096


def test_models(answering: Answering, open_client: Open) -> None:
    server, _ = answering([CITED])
    client = open_client(server)
    names = [model.id for model in client.models.list()]
    assert names[0] == "quaestor"
    assert client.models.retrieve("quaestor").id == "quaestor"
    assert client.models.retrieve("kitchen").id == "kitchen"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("cellar")
    with pytest.raises(openai.NotFoundError) as failure:
        client.chat.completions.create(model="cellar", messages=asked(QUESTION))
    assert (failure.value.code, failure.value.param) == ("model_not_found", "model")


def test_embeddings(shared: Running, open_client: Open) -> None:
    client = open_client(shared)
    embedder = shared.served.corpora.get().embedder
    texts = ["the dough rests", "a request is sent"]
    expected = embedder.encode(texts)
    # The client asks for base64 by itself.
    given = client.embeddings.create(model="quaestor", input=texts)
    assert [one.embedding for one in given.data] == [row.tolist() for row in expected]
    assert given.usage.prompt_tokens == given.usage.total_tokens > 0
    plain = client.embeddings.create(model=embedder.name, input=texts[0], encoding_format="float")
    assert plain.data[0].embedding == expected[0].tolist()
    packed: Any = client.embeddings.with_raw_response.create(model="quaestor", input=texts[0], encoding_format="base64")
    raw = packed.http_response.json()["data"][0]["embedding"]
    assert list(struct.unpack(f"<{embedder.dimensions}f", base64.b64decode(raw))) == expected[0].tolist()


def test_embeddings_of_tokens(shared: Running, open_client: Open) -> None:
    from quaestor.llm.tokens import load_encoding  # noqa: PLC0415 - only here

    client = open_client(shared)
    tokens = load_encoding("cl100k_base").encode_ordinary("the dough rests")
    expected = client.embeddings.create(model="quaestor", input="the dough rests").data[0].embedding
    assert client.embeddings.create(model="quaestor", input=[tokens]).data[0].embedding == expected
    assert client.embeddings.create(model="quaestor", input=tokens).data[0].embedding == expected
    with pytest.raises(openai.BadRequestError):
        client.embeddings.create(model="quaestor", input=[[2**40]])


@pytest.mark.parametrize("given", [[], "", 7, {"text": "x"}, ["x", 7], ["x"] * 2049])
def test_what_cannot_be_embedded_is_told_what_can(shared: Running, open_client: Open, given: Any) -> None:
    with pytest.raises(openai.BadRequestError) as failure:
        open_client(shared).embeddings.create(model="quaestor", input=given)
    assert failure.value.param == "input"
    assert "'input': Send a text, or a list of 1 to 2,048 texts" in str(failure.value)


def test_dimensions_are_the_embedders(shared: Running, open_client: Open) -> None:
    client = open_client(shared)
    own = shared.served.corpora.get().embedder.dimensions
    assert len(client.embeddings.create(model="quaestor", input="x", dimensions=own).data[0].embedding) == own
    with pytest.raises(openai.BadRequestError) as failure:
        client.embeddings.create(model="quaestor", input="x", dimensions=own - 1)
    assert failure.value.param == "dimensions"


SCHEMA: Any = {
    "type": "json_schema",
    "json_schema": {"name": "tries", "strict": True, "schema": {"type": "object", "properties": {}}},
}


@pytest.mark.parametrize("form", [SCHEMA, {"type": "json_object"}])
def test_a_form_of_the_answer_is_the_models(answering: Answering, open_client: Open, form: Any) -> None:
    server, upstream = answering(['{"tries": [3]}'], subroutines="on", premeditation="on", source_list="on")
    answer = open_client(server).chat.completions.create(
        model="quaestor", messages=asked(QUESTION), response_format=form
    )
    assert answer.choices[0].message.content == '{"tries": [3]}', "nothing stands behind JSON"
    [sent] = upstream.requests
    assert sent.body["response_format"] == form
    assert "tools" not in sent.body
    assert "<|search" not in str(sent.messages), "no subroutine is told of"


def test_quotes_have_no_form(shared: Running, open_client: Open) -> None:
    client = open_client(shared)
    with pytest.raises(openai.BadRequestError, match="answers are quotes") as failure:
        client.chat.completions.create(
            model="quaestor", messages=asked(QUESTION), response_format={"type": "json_object"}
        )
    assert failure.value.param == "response_format"
    plain: Any = {"type": "text"}
    assert client.chat.completions.create(model="quaestor", messages=asked(QUESTION), response_format=plain).choices
    odd: Any = {"type": "xml"}
    with pytest.raises(openai.BadRequestError) as failure:
        client.chat.completions.create(model="quaestor", messages=asked(QUESTION), response_format=odd)
    assert failure.value.param == "response_format.type"


@pytest.mark.parametrize(("setting", "listed"), [("auto", ""), ("off", ""), ("on", LISTED)])
def test_the_sources_may_stand_behind_the_answer(
    answering: Answering, open_client: Open, setting: str, listed: str
) -> None:
    server, upstream = answering([CITED, CITED, "Yes."], source_list=setting)
    client = open_client(server)
    answer = client.chat.completions.create(model="quaestor", messages=asked(QUESTION))
    said = answer.choices[0].message.content
    assert said == CITED + listed
    stream = client.chat.completions.create(model="quaestor", messages=asked(QUESTION), stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == said
    client.chat.completions.create(model="quaestor", messages=asked(QUESTION, str(said), "really?"))
    sent = [message["content"] for message in upstream.requests[-1].messages if message["role"] == "assistant"]
    assert sent == [CITED], "what comes back is without the list"
