"""Requests and responses of OpenAI's Responses API, with the fields that are supported.

Other fields are accepted and ignored, because clients send many.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from quaestor.server.openai.openai_schemas import Checked, ContentPart, Name, RequestPart

_Number = Annotated[str, Field(min_length=1, max_length=256)]


# --- what is asked -----------------------------------------------------------------------------------------------


class InputItem(RequestPart):
    """A message, an earlier tool call, or its result."""

    type: str | None = None
    role: Literal["system", "developer", "user", "assistant"] | None = None
    content: str | list[ContentPart] | None = None
    call_id: _Number | None = None
    name: _Number | None = None
    arguments: str | None = None
    output: str | list[ContentPart] | None = None


class ResponseTool(RequestPart):
    """A tool of the client's own; tools that OpenAI runs are refused."""

    type: str
    name: Name | None = None
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class TextFormat(RequestPart):
    """The format of the answer."""

    type: Literal["text", "json_object", "json_schema"]
    name: Name | None = None
    description: str | None = None
    schema_: dict[str, Any] | None = Field(None, alias="schema")
    strict: bool | None = None


class TextWanted(RequestPart):
    """Options of the answer's text."""

    format: TextFormat | None = None


class ReasoningWanted(RequestPart):
    """How much the model shall think."""

    effort: str | None = None


class ToolNamed(RequestPart):
    """The tool that the model must call."""

    type: Literal["function"]
    name: Name


class ResponseRequest(RequestPart):
    """A whole conversation; no state is kept between requests."""

    model: str
    input: Annotated[str, Field(min_length=1)] | Annotated[list[InputItem], Field(min_length=1)]
    instructions: str | None = None
    stream: bool | None = None
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    tools: list[ResponseTool] | None = None
    tool_choice: Literal["none", "auto", "required"] | ToolNamed | None = None
    parallel_tool_calls: bool | None = None
    text: TextWanted | None = None
    reasoning: ReasoningWanted | None = None
    metadata: dict[str, str] | None = None
    top_logprobs: Literal[0] | None = None
    background: Literal[False] | None = None
    previous_response_id: str | None = Field(None, description="refused: no state is kept between requests")
    conversation: Any = Field(None, description="refused: no state is kept between requests")
    prompt: Any = Field(None, description="refused: there are no stored prompts")


# --- what is answered --------------------------------------------------------------------------------------------


class FileCitation(BaseModel):
    """A place in the corpus that the answer cites."""

    type: Literal["file_citation"] = "file_citation"
    file_id: str
    filename: str
    index: int


class OutputText(BaseModel):
    """The text of an answer."""

    type: Literal["output_text"] = "output_text"
    text: str
    annotations: list[FileCitation]
    logprobs: list[None]


class OutputItem(BaseModel):
    """A message with the answer, or a call of one of the client's own tools."""

    type: Literal["message", "function_call"]
    id: str
    status: Literal["in_progress", "completed", "incomplete"]
    role: Literal["assistant"] | None = None
    content: list[OutputText] | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None


class ResponseUsage(BaseModel):
    """The tokens of all requests to the model for this answer."""

    input_tokens: int
    input_tokens_details: dict[str, int]
    output_tokens: int
    output_tokens_details: dict[str, int]
    total_tokens: int


class ResponseShown(BaseModel):
    """A complete response."""

    id: str
    object: Literal["response"] = "response"
    created_at: int
    status: Literal["completed", "incomplete"]
    model: str
    output: list[OutputItem]
    incomplete_details: dict[str, str] | None
    error: None
    usage: ResponseUsage
    quaestor: Checked
