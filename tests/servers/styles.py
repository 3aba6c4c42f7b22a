"""How real servers differ, as measured with the same requests; the scripted server imitates each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Overflow = Literal["llama_server", "openai", "vllm", "empty"]
Calls = Literal["scripted", "text", "pieces", "whole"]


@dataclass(frozen=True, slots=True)
class Style:
    """A server's habits.

    Attributes:
        keeps_stop: leaves the stop sequence at the end of the text.
        calls: how tool calls are sent: in the pieces of the script, as text, in 13 deltas each, or whole in one delta.
        begins: how it goes on with an assistant message at the end: unasked, if told to, or not at all.
        overflow: how it says that a prompt is too long.
        reply_limit: what ``max_tokens`` beyond the window does.
        unknown_model: HTTP status for a model that it does not serve.
        bad_json: HTTP status for a body that is not JSON.
        done: ends a stream with ``[DONE]``.
        stream_usage: reports usage in a stream when asked.
        one_stream: a new request cuts off the stream in progress.
        silent: in a stream, it says nothing at all of a request that is too long.
        resets_after_500: the next request on a connection that carried a 500 is reset.
    """

    name: str
    keeps_stop: bool = False
    calls: Calls = "scripted"
    begins: Literal["unasked", "told", "never"] = "never"
    overflow: Overflow = "openai"
    reply_limit: Literal["fine", "clamp", "refuse"] = "fine"
    unknown_model: int = 404
    bad_json: int = 400
    done: bool = True
    stream_usage: bool = True
    one_stream: bool = False
    silent: bool = False
    resets_after_500: bool = False


STYLES: Mapping[str, Style] = {
    style.name: style
    for style in (
        Style("openai"),
        Style("llama_server", calls="text", begins="unasked", overflow="llama_server", unknown_model=200, bad_json=500),
        Style(
            "llama_cpp_python",
            calls="text",
            reply_limit="clamp",
            unknown_model=200,
            bad_json=500,
            stream_usage=False,
            one_stream=True,
            silent=True,
            resets_after_500=True,
        ),
        Style("vllm", calls="pieces", begins="told", overflow="vllm", reply_limit="refuse"),
        Style(
            "transformers_serve",
            keeps_stop=True,
            calls="whole",
            overflow="empty",
            unknown_model=400,
            bad_json=422,
            done=False,
            resets_after_500=True,
        ),
    )
}


def continues_message(style: Style, body: Any) -> bool:
    """Return whether a server of this style goes on with the last message of a chat request."""
    messages = body.get("messages") if isinstance(body, dict) else None
    if not messages or messages[-1].get("role") != "assistant":
        return False
    told = body.get("continue_final_message") is True and body.get("add_generation_prompt") is False
    return style.begins == "unasked" or (style.begins == "told" and told)


def recut(arguments: str, calls: Calls) -> list[str]:
    """Return a call's arguments in the deltas in which a server sends them, the one of its name excepted."""
    if calls == "whole":
        return [arguments]
    size = max(1, -(-len(arguments) // 12))
    return [arguments[start : start + size] for start in range(0, len(arguments), size)]


def overflow_body(style: Style, window: int, prompt: int, reply: int | None) -> dict[str, Any]:
    """Return the JSON body with which a server of this style says that a request does not fit.

    Args:
        window: tokens that fit.
        prompt: tokens of the prompt.
        reply: the ``max_tokens`` of the request.
    """
    if style.overflow == "llama_server":
        error = {
            "code": 400,
            "message": f"request ({prompt} tokens) exceeds the available context size ({window} tokens),"
            " try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": prompt,
            "n_ctx": window,
        }
        return {"error": error}
    asked = prompt + (reply or 0)
    message = (
        f"This model's maximum context length is {window} tokens. However, you requested {asked} tokens"
        f" ({prompt} in the messages, {reply or 0} in the completion). Please reduce the length of the messages"
        " or completion."
    )
    if style.overflow == "vllm":
        return {"error": {"message": message, "type": "BadRequestError", "param": None, "code": 400}}
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": "messages", "code": "context_length_exceeded"}}
