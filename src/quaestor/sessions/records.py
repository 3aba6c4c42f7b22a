"""Plain values of a transcript: sessions, turns, requests, calls and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from quaestor.core.documents import Citation
from quaestor.core.messages import Message, Usage
from quaestor.llm import tags
from quaestor.llm.prompts.numbered_passages import Passage

if TYPE_CHECKING:
    from quaestor.tools import Outcome


State = Literal["done", "failed", "cancelled", "unfinished"]
"""``unfinished``: under way, or its process died before it could say more."""

OPENING = tags.render(tags.Tag.PLAN, {"asked": ""}).removesuffix(f'"}}{tags.CLOSING}')
"""The beginning of a reply for servers that continue an assistant message."""

_KNOWN = frozenset({"asked", "depends", "subroutines", "edit"})


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session without its messages, as a list shows it.

    Attributes:
        id: its name on the command line.
        created: ISO 8601 in UTC.
        owner: its user; empty on a machine with one user.
        root: its source, a folder or file.
        title: its given name, else the beginning of its first question.
        turns: number of turns, failed ones included.
        changed: when the latest turn began, ISO 8601 in UTC.
        error: why it cannot be read, or None.
    """

    id: str
    created: str = ""
    owner: str = ""
    root: str = ""
    title: str = ""
    turns: int = 0
    changed: str = ""
    error: str | None = None


@dataclass(frozen=True, slots=True)
class DecisionRun:
    """The decision on one message or passage, or the common decision on neighbours that are left out.

    Attributes:
        kind: message, passage, summary or note.
        first: its index from 0; -1 for an addition of the window.
        last: index of the last one, inclusive.
        action: kept, trimmed, recalled, summarised or dropped.
        section: the section that pays.
        tokens: its tokens in the window.
        full_tokens: its tokens if it were whole.
        reason: the reason in plain words.
    """

    kind: str
    first: int
    last: int
    action: str
    section: str
    tokens: int
    full_tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class SentRequest:
    """One request to a model.

    Attributes:
        turn: the turn's number, from 1.
        at: ISO 8601 in UTC.
        model: the model's name.
        limit: the window, tokens.
        reserve: tokens kept free for the reply.
        tokens: tokens sent, by our count.
        messages: exactly those that were sent.
        sections: tokens by section.
        decisions: why each message and passage was in or out.
        prompts: hash of each prompt by its name.
        parameters: temperature and so on.
        usage: reported by the server, or counted; None if there was no reply.
        finish: why the reply ended, or the error.
    """

    turn: int
    at: str
    model: str
    limit: int
    reserve: int
    tokens: int
    messages: tuple[Message, ...]
    sections: Mapping[str, int]
    decisions: tuple[DecisionRun, ...]
    prompts: Mapping[str, str]
    parameters: Mapping[str, object]
    usage: Usage | None = None
    finish: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a turn.

    Attributes:
        state: done, failed or cancelled.
        messages: those that a finished turn adds to the conversation after its question.
        known: whether an answer was found and at least one of its citations is valid.
        unchecked: whether a model answered and none of its citations is valid.
        quotes: quotes shown beside an unchecked answer.
        model: the model's name.
        error: why it failed, or was ended before the model finished.
        partial: text shown before it failed; never part of the conversation.
        citations: the citations after they were checked.
        unsupported: sentences without support.
        usage: tokens of all requests of the turn.
    """

    state: State
    messages: tuple[Message, ...] = ()
    known: bool = False
    model: str = ""
    error: str = ""
    partial: str = ""
    citations: tuple[Citation, ...] = ()
    unsupported: tuple[str, ...] = ()
    usage: Usage = field(default_factory=lambda: Usage(0, 0, reported=False))
    unchecked: bool = False
    quotes: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Feedback:
    """A person's feedback on an answer.

    Attributes:
        useful: whether the answer was useful.
        words: a comment; may be empty.
    """

    useful: bool
    words: str = ""


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A recorded turn.

    Attributes:
        number: its number, from 1.
        owner: the user.
        began: ISO 8601 in UTC.
        question: the user's words.
        resumes: number of the turn whose question it repeats, or None.
        ending: its end; the state is ``unfinished`` if none was recorded.
        feedback: the latest feedback, or None.
    """

    number: int
    owner: str
    began: str
    question: str
    resumes: int | None
    ending: Ending
    feedback: Feedback | None = None

    @property
    def answer(self) -> str:
        """The visible text of the reply; empty if the turn is not done."""
        return "\n\n".join(
            message.content for message in self.ending.messages if message.role == "assistant" and message.content
        )


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A recorded tool call.

    Attributes:
        turn: the turn's number.
        name: what was called.
        arguments: JSON, or the model's tag if it could not be parsed.
        result: the text for the model.
        failed: whether the call failed.
        numbers: the numbers of the returned passages.
        difference: the proposed change as a unified diff, or "".
        id: its number in the record.
        applied: when the change was applied, ISO 8601 in UTC, or "".
    """

    turn: int
    name: str
    arguments: str
    result: str
    failed: bool
    numbers: tuple[int, ...]
    difference: str = ""
    id: int = 0
    applied: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that was shown in a turn.

    Attributes:
        turn: the turn's number.
        passage: the passage, without its text.
        sha256: of the document's bytes at that time.
        cited: whether the answer cites it.
    """

    turn: int
    passage: Passage
    sha256: str
    cited: bool


@dataclass(frozen=True, slots=True)
class Support:
    """Totals over the finished turns of a session.

    Attributes:
        answers: turns with an answer, checked or not.
        refused: turns without an answer in the corpus.
        uncited: answers without a valid citation.
        verified: citations whose quote is where they point.
        repaired: citations whose quote was nearby or differed slightly.
        unverified: citations whose quote was not found.
        unsupported: sentences with an unsupported claim.
    """

    answers: int = 0
    refused: int = 0
    uncited: int = 0
    verified: int = 0
    repaired: int = 0
    unverified: int = 0
    unsupported: int = 0


def support_of(turns: Iterable[TurnRecord]) -> Support:
    """Return the totals of turns."""
    endings = [turn.ending for turn in turns if turn.ending.state == "done"]
    answers = [ending for ending in endings if ending.known or ending.unchecked]
    statuses = Counter(citation.status for ending in answers for citation in ending.citations)
    return Support(
        answers=len(answers),
        refused=len(endings) - len(answers),
        uncited=sum(not any(one.holds for one in ending.citations) for ending in answers),
        verified=statuses["verified"],
        repaired=statuses["repaired"],
        unverified=statuses["unverified"],
        unsupported=sum(len(ending.unsupported) for ending in answers),
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """A model's plan before it answers; the fields are named as the attributes of its tag.

    Attributes:
        asked: the question in the model's words.
        depends: the information that the answer depends on.
        subroutines: the tools that it intends to call.
        edit: whether it intends to change files.
        problem: the tag's error, or "".
    """

    asked: str = ""
    depends: str = ""
    subroutines: tuple[str, ...] = ()
    edit: bool = False
    problem: str = ""


def read_plan(attributes: Mapping[str, object], names: Collection[str]) -> Plan:
    """Return the plan of a tag, with the missing, unknown and mistyped attributes as its problem.

    Args:
        attributes: the attributes of the tag.
        names: the names of the available tools.
    """
    problems = [f"unknown {key!r}" for key in attributes if key not in _KNOWN]
    question, depends = _text(attributes, "asked", problems), _text(attributes, "depends", problems)
    if not question.strip():
        problems.append("'asked' is missing")
    edit = attributes.get("edit", False)
    if not isinstance(edit, bool):
        problems.append("'edit' is neither true nor false")
    wanted = attributes.get("subroutines") or []
    texts = tuple(one for one in wanted if isinstance(one, str)) if isinstance(wanted, list) else ()
    if not isinstance(wanted, list) or len(texts) < len(wanted):
        problems.append("'subroutines' is not a list of names")
    problems += [f"there is no subroutine {one!r}" for one in texts if one not in names]
    return Plan(question, depends, texts, edit is True, "; ".join(problems))


def _text(attributes: Mapping[str, object], key: str, problems: list[str]) -> str:
    value = attributes.get(key) or ""
    if isinstance(value, str):
        return value
    problems.append(f"{key!r} is not text")
    return ""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A tool call as a model made it.

    Attributes:
        id: identifies its result.
        name: the name of the tool, which may not exist.
        arguments: unchecked.
        raw: the arguments as JSON, or the whole tag.
        problem: why it cannot be run, for the model, or "".
    """

    id: str
    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    raw: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CallResult:
    """A call with its result."""

    call: ModelCall
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Round:
    """One request's reply.

    Attributes:
        written: everything that the model wrote, tags and closing marks included.
        visible: the visible text.
        results: its calls with their results; empty for a reply that stopped at a mark and continues.
    """

    written: str
    visible: str = ""
    results: tuple[CallResult, ...] = ()
