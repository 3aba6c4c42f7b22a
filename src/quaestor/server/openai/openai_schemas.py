"""Requests and responses in OpenAI's wire format, with the fields that are supported.

Other fields are accepted and ignored, because clients send many.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import PydanticCustomError

from quaestor.server.api.api_schemas import CitationObject

Name = Annotated[str, Field(pattern=r"^[a-zA-Z0-9_.-]{1,64}$")]
Penalty = Annotated[float, Field(ge=-2, le=2, allow_inf_nan=False)]


class RequestPart(BaseModel):
    """A request or a part of one; unknown fields are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore")


class _PassedOn(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")


# --- chat: what is asked -----------------------------------------------------------------------------------------


class ContentPart(RequestPart):
    """A part of a message; only text is supported."""

    type: str
    text: str | None = None


class CalledFunction(RequestPart):
    """The function that an assistant called, with its arguments as JSON text."""

    name: Annotated[str, Field(min_length=1, max_length=256)]
    arguments: str = "{}"


class ToolCallGiven(RequestPart):
    """A call that an assistant made earlier."""

    id: Annotated[str, Field(min_length=1, max_length=256)]
    type: Literal["function"] = "function"
    function: CalledFunction


class ChatMessage(RequestPart):
    """One message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[ContentPart] | None = None
    name: Annotated[str, Field(max_length=64)] | None = None
    tool_calls: list[ToolCallGiven] | None = None
    tool_call_id: Annotated[str, Field(max_length=256)] | None = None


class Function(_PassedOn):
    """A function of the client's own."""

    name: Name
    description: str | None = None
    parameters: dict[str, Any] | None = None


class Tool(_PassedOn):
    """A tool of the client's own."""

    type: Literal["function"]
    function: Function


class StreamOptions(RequestPart):
    """Options of a stream."""

    include_usage: bool | None = None


class ResponseFormat(_PassedOn):
    """The format of the answer; a JSON schema is passed on to the model's server unchanged."""

    type: Literal["text", "json_object", "json_schema"]


class ChatRequest(RequestPart):
    """A whole conversation, with the newest question last or followed by its tool calls and their results."""

    model: str
    messages: Annotated[list[ChatMessage], Field(min_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    stop: Annotated[str, Field(min_length=1)] | list[Annotated[str, Field(min_length=1)]] | None = None
    tools: list[Tool] | None = None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    seed: int | None = None
    presence_penalty: Penalty | None = None
    frequency_penalty: Penalty | None = None
    response_format: ResponseFormat | None = None
    reasoning_effort: str | None = None
    logprobs: Literal[False] | None = None
    functions: list[Any] | None = Field(None, description="refused: use `tools`")
    modalities: list[str] | None = Field(None, description="only `text`")


def wants_usage(request: ChatRequest | CompletionRequest) -> bool:
    """Return whether a stream shall end with the usage."""
    return request.stream_options is not None and bool(request.stream_options.include_usage)


# --- chat: what is answered --------------------------------------------------------------------------------------


class WindowShown(BaseModel):
    """The last request to the model: its window, reserve and sent tokens."""

    limit: int
    reserve: int
    tokens: int
    sections: dict[str, int]
    passages: int = Field(description="passages that were found")
    sent: int = Field(description="passages that the model was sent")
    left_out: int = Field(description="messages of the conversation that were shortened or left out")


class Checked(BaseModel):
    """Our additions, which clients of OpenAI's API may ignore."""

    known: bool = Field(description="whether at least one citation of the answer is verified or repaired")
    unchecked: bool = Field(description="whether a model answered and none of its citations holds")
    quotes: list[CitationObject] = Field(description="quotes of the passages, beside an unchecked answer")
    citations: list[CitationObject]
    unsupported: list[str] = Field(description="sentences that no passage supports")
    model: str = Field(description="the model that wrote the answer")
    window: WindowShown | None
    retrieval_seconds: float = Field(description="how long the search for passages took")


class FunctionCalled(BaseModel):
    """The function that the model calls, for the client to run."""

    name: str
    arguments: str


class ToolCallMade(BaseModel):
    """A call of one of the client's own tools."""

    id: str
    type: Literal["function"] = "function"
    function: FunctionCalled


class AssistantMessage(BaseModel):
    """The answer."""

    role: Literal["assistant"] = "assistant"
    content: str | None
    refusal: None = None
    tool_calls: list[ToolCallMade] | None = None
    quaestor: Checked


FinishReason = Literal["stop", "length", "tool_calls", "content_filter"]


class Choice(BaseModel):
    """The only choice."""

    index: Literal[0] = 0
    message: AssistantMessage
    logprobs: None = None
    finish_reason: FinishReason


class UsageShown(BaseModel):
    """The tokens of all requests to the model for this answer."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatCompletion(BaseModel):
    """A complete answer."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: UsageShown


# --- completions of a text ---------------------------------------------------------------------------------------


Text = Annotated[str, Field(min_length=1)]


class CompletionRequest(RequestPart):
    """A prompt, which is taken as a question."""

    model: str
    prompt: Text | Annotated[list[Text], Field(min_length=1, max_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    best_of: Literal[1] | None = None
    echo: Literal[False] | None = None
    logprobs: Literal[0] | None = None
    suffix: str | None = Field(None, description="refused unless empty: insertion is not supported")
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    stop: Text | list[Text] | None = None
    seed: int | None = None
    presence_penalty: Penalty | None = None
    frequency_penalty: Penalty | None = None


class TextChoice(BaseModel):
    """The only choice."""

    index: Literal[0] = 0
    text: str
    logprobs: None = None
    finish_reason: Literal["stop", "length", "content_filter"]


class TextCompletion(BaseModel):
    """A complete answer to a prompt."""

    id: str
    object: Literal["text_completion"] = "text_completion"
    created: int
    model: str
    choices: list[TextChoice]
    usage: UsageShown
    quaestor: Checked


# --- embeddings and models ---------------------------------------------------------------------------------------


_MOST_TEXTS = 2048


def _legal_input(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    """Validate the input with one error that states the allowed types; pydantic would report one per alternative."""
    try:
        return check(value)
    except ValidationError:
        legal = f"Send a text, or a list of 1 to {_MOST_TEXTS:,} texts; a list of tokens may stand in place of a text"
        raise PydanticCustomError("input", legal) from None


class EmbeddingRequest(RequestPart):
    """Texts to embed; token ids are decoded as ``cl100k_base``, with which clients split texts."""

    model: str
    input: Annotated[
        Annotated[str, Field(min_length=1)]
        | Annotated[list[str], Field(min_length=1, max_length=_MOST_TEXTS)]
        | Annotated[list[int], Field(min_length=1)]
        | Annotated[list[list[int]], Field(min_length=1, max_length=_MOST_TEXTS)],
        WrapValidator(_legal_input),
    ]
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: Annotated[int, Field(ge=1)] | None = None


class Embedding(BaseModel):
    """The vector of one text: numbers, or little-endian 32-bit floats in base64."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingUsage(BaseModel):
    """Tokens of the texts."""

    prompt_tokens: int
    total_tokens: int


class Embeddings(BaseModel):
    """A vector for each text, in order."""

    object: Literal["list"] = "list"
    data: list[Embedding]
    model: str
    usage: EmbeddingUsage


class ModelShown(BaseModel):
    """A corpus or an embedder, by the name that requests give as ``model``."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "quaestor"


class Models(BaseModel):
    """Everything that can be given as ``model``."""

    object: Literal["list"] = "list"
    data: list[ModelShown]


class ErrorShown(BaseModel):
    """What went wrong."""

    message: str
    type: str
    param: str | None
    code: str | None


class Failure(BaseModel):
    """An error in OpenAI's format."""

    error: ErrorShown
