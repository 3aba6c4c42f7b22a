"""LangChain: asks for each feature that is named and prints what came of it."""

from __future__ import annotations

import json
import sys
from typing import Any

import openai
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAI, OpenAIEmbeddings
from pydantic import BaseModel

QUESTION = "how often is a request sent?"
HERE: Any = {"base_url": sys.argv[1], "api_key": "none", "max_retries": 0}


class Tries(BaseModel):
    """How often a request is sent."""

    tries: int


@tool
def weather(city: str) -> str:
    """Tell the weather in a city."""
    return "rain"


def model(**more: Any) -> ChatOpenAI:
    return ChatOpenAI(**{"model": "quaestor", **HERE, **more})


def chat() -> Any:
    return {"text": model().invoke(QUESTION).content}


def streaming() -> Any:
    pieces = [str(chunk.content) for chunk in model().stream(QUESTION) if chunk.content]
    return {"text": "".join(pieces), "pieces": len(pieces)}


def tools() -> Any:
    bound = model().bind_tools([weather])
    question = HumanMessage("how is the weather in Graz?")
    first = bound.invoke([question])
    [call] = first.tool_calls
    result = ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"])
    return {"called": call["args"], "text": bound.invoke([question, first, result]).content}


def form() -> Any:
    found: Any = model().with_structured_output(Tries).invoke(QUESTION)
    return {"data": found.model_dump()}


def responses() -> Any:
    return {"text": model(use_responses_api=True).invoke(QUESTION).text}


def responses_streamed() -> Any:
    pieces = [chunk.text for chunk in model(use_responses_api=True).stream(QUESTION) if chunk.text]
    return {"text": "".join(pieces), "pieces": len(pieces)}


def completion() -> Any:
    return {"text": OpenAI(model="quaestor", **HERE).invoke(QUESTION)}


def embeddings() -> Any:
    found = OpenAIEmbeddings(model="quaestor", check_embedding_ctx_length=False, **HERE).embed_documents(["one", "two"])
    return {"vectors": [len(one) for one in found]}


def sources() -> Any:
    [block] = [one for one in model(use_responses_api=True).invoke(QUESTION).content_blocks if one["type"] == "text"]
    return {"paths": [one["title"] for one in block["annotations"]]}


def image() -> Any:
    shown = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aaaa"}}
    return model().invoke([HumanMessage([{"type": "text", "text": "what is this?"}, shown])])


def unknown() -> Any:
    return model(model="cellar").invoke(QUESTION)


def result(feature: str) -> Any:
    try:
        return globals()[feature]()
    except openai.APIStatusError as error:
        return {"refused": error.message}
    except Exception as error:
        return {"failed": repr(error)}


print(json.dumps({feature: result(feature) for feature in sys.argv[2:]}))
