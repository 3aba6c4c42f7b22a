"""LlamaIndex: asks for each feature that is named and prints what came of it."""

from __future__ import annotations

import json
import sys
from typing import Any

import openai
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
from llama_index.llms.openai import OpenAIResponses
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel

QUESTION = "how often is a request sent?"
HERE: Any = {"api_base": sys.argv[1], "api_key": "none", "max_retries": 0}


class Tries(BaseModel):
    """How often a request is sent."""

    tries: int


def weather(city: str) -> str:
    """Tell the weather in a city."""
    return "rain"


def model(**more: Any) -> OpenAILike:
    given = {"model": "quaestor", "is_chat_model": True, "is_function_calling_model": True, **HERE, **more}
    return OpenAILike(**given)


def asked(text: str = QUESTION) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text)]


def chat() -> Any:
    return {"text": model().chat(asked()).message.content}


def streaming() -> Any:
    pieces = [chunk.delta for chunk in model().stream_chat(asked()) if chunk.delta]
    return {"text": "".join(pieces), "pieces": len(pieces)}


def tools() -> Any:
    here, tool = model(), FunctionTool.from_defaults(weather)
    messages = asked("how is the weather in Graz?")
    first = here.chat_with_tools([tool], chat_history=messages)
    [call] = here.get_tool_calls_from_response(first)
    result = ChatMessage(role="tool", content="rain", additional_kwargs={"tool_call_id": call.tool_id})
    second = here.chat_with_tools([tool], chat_history=[*messages, first.message, result])
    return {"called": call.tool_kwargs, "text": second.message.content}


def form() -> Any:
    return {"data": model().structured_predict(Tries, PromptTemplate(QUESTION)).model_dump()}


def responses() -> Any:
    return {"text": OpenAIResponses(model="quaestor", context_window=8192, **HERE).chat(asked()).message.content}


def responses_streamed() -> Any:
    stream = OpenAIResponses(model="quaestor", context_window=8192, **HERE).stream_chat(asked())
    pieces = [chunk.delta for chunk in stream if chunk.delta]
    return {"text": "".join(pieces), "pieces": len(pieces)}


def completion() -> Any:
    return {"text": model(is_chat_model=False, is_function_calling_model=False).complete(QUESTION).text}


def embeddings() -> Any:
    found = OpenAILikeEmbedding(model_name="quaestor", **HERE).get_text_embedding_batch(["one", "two"])
    return {"vectors": [len(one) for one in found]}


def sources() -> Any:
    raw: Any = model().chat(asked()).raw
    return {"paths": [one["path"] for one in raw.choices[0].message.model_extra["quaestor"]["citations"]]}


def image() -> Any:
    blocks = [TextBlock(text="what is this?"), ImageBlock(image=b"aaaa", image_mimetype="image/png")]
    return model().chat([ChatMessage(role="user", blocks=blocks)])


def unknown() -> Any:
    return model(model="cellar").chat(asked())


def result(feature: str) -> Any:
    try:
        return globals()[feature]()
    except openai.APIStatusError as error:
        return {"refused": error.message}
    except Exception as error:
        return {"failed": repr(error)}


print(json.dumps({feature: result(feature) for feature in sys.argv[2:]}))
