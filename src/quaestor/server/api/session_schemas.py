"""What the API takes and returns of sessions: their turns, and the windows that were sent."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from quaestor.server.api.api_schemas import (
    CitationObject,
    CorpusName,
    CorpusNames,
    Limited,
    Question,
    Taken,
    UsageObject,
)

Title = Annotated[str, Field(min_length=1, max_length=200)]


class SessionStart(Taken):
    """A session to begin."""

    corpus: CorpusName = ""
    corpora: Annotated[CorpusNames, Field(default_factory=list, description="Several, asked as one; `*` for all.")]
    title: Title | None = None


class SessionChange(Taken):
    """A session's new title."""

    title: Title


class SessionLine(BaseModel):
    """A session in a list."""

    id: str
    title: str
    corpus: Annotated[str, Field(description="Empty where it is about several, or is served no longer.")]
    corpora: Annotated[list[str], Field(description="All that it is about and that are served now.")]
    created: str
    changed: str
    turns: int
    error: Annotated[str | None, Field(description="Why it cannot be read.")] = None


class SessionList(BaseModel):
    """The caller's sessions, the one used last first."""

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


class FeedbackObject(Taken):
    """A person's feedback on an answer."""

    useful: bool
    words: Annotated[str, Field(max_length=2000)] = ""


class TurnObject(BaseModel):
    """A turn as it was recorded."""

    number: int
    began: str
    question: str
    answer: str
    state: Literal["done", "failed", "cancelled", "unfinished"]
    known: bool
    unchecked: Annotated[bool, Field(description="Whether a model answered and no citation of it holds.")]
    quotes: Annotated[list[CitationObject], Field(description="What stands there, beside an unchecked answer.")]
    model: str
    citations: list[CitationObject]
    unsupported: list[str]
    sources: list[SourceObject]
    usage: UsageObject
    error: str
    partial: Annotated[str, Field(description="What had been written when a turn failed or was cancelled.")]
    proposed: Annotated[list[str], Field(description="Changes that the model proposed, as diffs; none is made.")]
    feedback: FeedbackObject | None
    resumes: Annotated[int | None, Field(description="The number of the turn whose question it asks again.")]


class SessionObject(SessionLine):
    """A session with its turns."""

    running: Annotated[bool, Field(description="Whether a turn is under way.")]
    turns: list[TurnObject]  # type: ignore[assignment]


class TurnRequest(Limited):
    """A question, or that the last turn be asked again because it failed, was cancelled or never ended.

    Which documents it is about holds for this turn alone.
    """

    question: Question | None = None
    resume: bool = False
    model: Annotated[str, Field(max_length=400, description="One that may be chosen; the server's own if empty.")] = ""

    @model_validator(mode="after")
    def _one(self) -> TurnRequest:
        if (self.question is None) != self.resume:
            raise ValueError("give a question, or `resume`: true, and not both")
        return self


class MessageObject(BaseModel):
    """A message as it was sent."""

    role: str
    name: str | None
    content: str
    tokens: int


class DecisionObject(BaseModel):
    """Why a message or passage was sent or not, or one and the same reason for neighbours."""

    kind: str
    first: int
    last: int
    action: str
    section: str
    tokens: int
    full_tokens: int
    reason: str
    about: Annotated[str, Field(description="What it is about, for people.")]


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
    """Everything that a turn sent, and why."""

    turn: int
    requests: list[SentObject]


# --- documents and usage --------------------------------------------------------------------------------------------
