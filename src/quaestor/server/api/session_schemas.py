"""The schemas of sessions: their turns, and the windows that were sent to a model."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from quaestor.server.api.api_schemas import (
    CitationObject,
    CorpusName,
    CorpusNames,
    Limited,
    Question,
    RequestBody,
    UsageObject,
)

Title = Annotated[str, Field(min_length=1, max_length=200)]


class SessionStart(RequestBody):
    """A session to begin."""

    corpus: CorpusName = ""
    corpora: Annotated[CorpusNames, Field(default_factory=list, description="Several corpora as one; `*` for all.")]
    title: Title | None = None


class SessionChange(RequestBody):
    """A session's new title."""

    title: Title


class SessionLine(BaseModel):
    """A session in a list."""

    id: str
    title: str
    corpus: Annotated[str, Field(description="Empty if there are several, or if it is no longer served.")]
    corpora: Annotated[list[str], Field(description="The session's corpora that are served now.")]
    created: str
    changed: str
    turns: int
    error: Annotated[str | None, Field(description="Why the session cannot be read.")] = None


class SessionList(BaseModel):
    """The caller's sessions, most recently used first."""

    sessions: list[SessionLine]


class SourceObject(BaseModel):
    """A passage that was found for a turn."""

    n: int
    path: str
    start_line: int
    end_line: int
    title: str | None
    url: str | None
    symbol: str | None
    language: str
    sha256: str
    cited: bool


class FeedbackObject(RequestBody):
    """A person's feedback on an answer."""

    useful: bool
    words: Annotated[str, Field(max_length=2000)] = ""


class TurnObject(BaseModel):
    """A recorded turn."""

    number: int
    began: str
    question: str
    answer: str
    state: Literal["done", "failed", "cancelled", "unfinished"]
    known: bool
    unchecked: Annotated[bool, Field(description="Whether a model answered and none of its citations holds.")]
    quotes: Annotated[list[CitationObject], Field(description="Quotes of the passages, beside an unchecked answer.")]
    model: str
    citations: list[CitationObject]
    unsupported: list[str]
    sources: list[SourceObject]
    usage: UsageObject
    error: str
    partial: Annotated[str, Field(description="The answer so far when the turn failed or was cancelled.")]
    proposed: Annotated[list[str], Field(description="Changes that the model proposed, as diffs; none is applied.")]
    feedback: FeedbackObject | None
    resumes: Annotated[int | None, Field(description="The number of the turn whose question it repeats.")]


class SessionObject(SessionLine):
    """A session with its turns."""

    running: Annotated[bool, Field(description="Whether a turn is under way.")]
    turns: list[TurnObject]  # type: ignore[assignment]


class TurnRequest(Limited):
    """A question; or, with `resume`, a request to repeat the last turn, which failed, was cancelled or never ended.

    The limits on documents apply to this turn only.
    """

    question: Question | None = None
    resume: bool = False
    model: Annotated[str, Field(max_length=400, description="A selectable model; the server's default if empty.")] = ""

    @model_validator(mode="after")
    def _check_either(self) -> TurnRequest:
        if (self.question is None) != self.resume:
            raise ValueError("give either a question or `resume`: true")
        return self


class MessageObject(BaseModel):
    """A message as it was sent to a model."""

    role: str
    name: str | None
    content: str
    tokens: int


class DecisionObject(BaseModel):
    """Why a message or passage, or a run of them with the same reason, was sent or left out."""

    kind: str
    first: int
    last: int
    action: str
    section: str
    tokens: int
    full_tokens: int
    reason: str
    about: Annotated[str, Field(description="The message or passage, described for people.")]


class SentObject(BaseModel):
    """One request to a model."""

    at: str
    model: str
    limit: int
    reserve: int
    tokens: int
    sections: dict[str, int]
    messages: list[MessageObject]
    decisions: list[DecisionObject]
    usage: UsageObject | None
    finish: str


class WindowObject(BaseModel):
    """Everything that a turn sent to a model, and why."""

    turn: int
    requests: list[SentObject]


# --- documents and usage --------------------------------------------------------------------------------------------
