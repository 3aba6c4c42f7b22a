"""The official client for Python: asks for each feature that is named and prints what came of it."""

from __future__ import annotations

import json
import sys
from typing import Any

import openai

QUESTION = "how often is a request sent?"
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FORM = {"type": "object", "properties": {"tries": {"type": "integer"}}, "required": ["tries"]}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aaaa"}}

client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)


def asked(text: str = QUESTION) -> Any:
    return [{"role": "user", "content": text}]


def chat() -> Any:
    return {"text": client.chat.completions.create(model="quaestor", messages=asked()).choices[0].message.content}


def streaming() -> Any:
    chunks = client.chat.completions.create(model="quaestor", messages=asked(), stream=True)
    pieces = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices[0].delta.content]
    return {"text": "".join(pieces), "pieces": len(pieces)}


def tools() -> Any:
    tool: Any = {"type": "function", "function": {"name": "weather", "parameters": PARAMETERS}}
    messages = asked("how is the weather in Graz?")
    [choice] = client.chat.completions.create(model="quaestor", messages=messages, tools=[tool]).choices
    [call] = choice.message.tool_calls
    messages += [choice.message, {"role": "tool", "tool_call_id": call.id, "content": "rain"}]
    second = client.chat.completions.create(model="quaestor", messages=messages, tools=[tool])
    return {"called": json.loads(call.function.arguments), "text": second.choices[0].message.content}


def form() -> Any:
    wanted: Any = {"type": "json_schema", "json_schema": {"name": "tries", "schema": FORM}}
    answer = client.chat.completions.create(model="quaestor", messages=asked(), response_format=wanted)
    return {"data": json.loads(answer.choices[0].message.content)}


def responses() -> Any:
    return {"text": client.responses.create(model="quaestor", input=QUESTION).output_text}


def responses_streamed() -> Any:
    pieces = []
    with client.responses.stream(model="quaestor", input=QUESTION) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                pieces.append(event.delta)
        whole = stream.get_final_response().output_text
    return {"text": whole, "pieces": len(pieces)}


def completion() -> Any:
    return {"text": client.completions.create(model="quaestor", prompt=QUESTION).choices[0].text}


def embeddings() -> Any:
    found = client.embeddings.create(model="quaestor", input=["one", "two"]).data
    return {"vectors": [len(one.embedding) for one in found]}


def models() -> Any:
    return {"names": [one.id for one in client.models.list()]}


def sources() -> Any:
    message: Any = client.chat.completions.create(model="quaestor", messages=asked()).choices[0].message
    return {"paths": [one["path"] for one in message.model_extra["quaestor"]["citations"]]}


def image() -> Any:
    messages: Any = [{"role": "user", "content": [{"type": "text", "text": "what is this?"}, IMAGE]}]
    return client.chat.completions.create(model="quaestor", messages=messages)


def unknown() -> Any:
    return client.chat.completions.create(model="cellar", messages=asked())


def result(feature: str) -> Any:
    try:
        return globals()[feature]()
    except openai.APIStatusError as error:
        return {"refused": error.message}
    except Exception as error:
        return {"failed": repr(error)}


print(json.dumps({feature: result(feature) for feature in sys.argv[2:]}))
