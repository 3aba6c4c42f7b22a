"""What a transcript holds, as plain values: sessions, turns, and what each request of a turn brought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from quaestor.core.citation import Citation
from quaestor.core.messages import Message, Usage
from quaestor.llm import tags
from quaestor.llm.prompts.numbered_passages import Passage

if TYPE_CHECKING:
    from quaestor.tools import Outcome


State = Literal["done", "failed", "cancelled", "unfinished"]
"""``unfinished``: under way, or its process died before it could say more."""

OPENING = tags.render(tags.Tag.PLAN, {"asked": ""}).removesuffix(f'"}}{tags.CLOSING}')
"""With this a reply is begun for the model, where the server goes on with what it is given."""

_KNOWN = frozenset({"asked", "depends", "subroutines", "edit"})


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What is known of a session without its messages.

    Attributes:
        id: its name on the command line.
        created: ISO 8601 in UTC.
        owner: whose it is; empty on a machine of one person.
        root: the folder or file that it is about.
        title: as it was named, else the beginning of its first question.
        turns: number of turns, whatever became of them.
        changed: when the latest turn began, ISO 8601 in UTC.
        error: why it cannot be read; None for a sound one.
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
    """The decision on one message or passage, or one and the same on neighbours that are left out.

    Attributes:
        kind: message, passage, summary or note.
        first: its place from 0; -1 for what the window added itself.
        last: the last one's place, inclusive.
        action: kept, trimmed, recalled, summarised or dropped.
        section: the section that pays.
        tokens: what it takes in the window.
        full_tokens: what it would take whole.
        reason: in plain words.
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
class Sent:
    """One request to a model.

    Attributes:
        turn: the turn's number, from 1.
        at: ISO 8601 in UTC.
        model: the model's name.
        limit: the window that was composed for, tokens.
        reserve: tokens kept free for the reply.
        tokens: what was sent, by our count.
        messages: exactly what was sent.
        sections: tokens by section.
        decisions: why each message and passage was in or out.
        prompts: hash of each prompt by its name.
        parameters: temperature and so on.
        usage: as the server reported it or as counted; None if there was no reply.
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
    """What became of a turn.

    Attributes:
        state: done, failed or cancelled.
        messages: what the turn adds to the conversation after its question; only of a turn that is done.
        known: whether an answer was found, and at least one of its citations holds.
        unchecked: whether a model answered and none of its citations holds, so that the answer is its word alone.
        quotes: what was quoted beside such an answer, as it would have been without a model.
        model: what wrote it.
        error: why it failed, or why it was ended before the model had come to its end.
        partial: text that had been shown when it failed; never part of the conversation.
        citations: after they were checked.
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
    """What a person said of an answer.

    Attributes:
        useful: whether it is.
        words: why; may be empty.
    """

    useful: bool
    words: str = ""


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn as it was recorded.

    Attributes:
        number: from 1.
        owner: who asked.
        began: ISO 8601 in UTC.
        question: the user's words.
        resumes: the number of the turn whose question it asks again, or None.
        ending: what became of it; its state is ``unfinished`` where nothing was recorded.
        feedback: what a person said of the answer last; None if nothing.
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
    """A call of a subroutine as it was recorded.

    Attributes:
        turn: the turn's number.
        name: what was called.
        arguments: JSON, or the tag as the model wrote it if it could not be read.
        result: what the model was told.
        failed: whether nothing came of it.
        numbers: of the passages that it returned.
        difference: what it proposed to change, as a unified diff; empty if it proposed nothing.
        id: its number in the record.
        applied: when that change was made, ISO 8601 in UTC; empty if it was not.
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
    """Totals over the turns of a session that are done.

    Attributes:
        answers: turns in which something was answered, checked or not.
        refused: turns in which it was said that the corpus holds no answer.
        uncited: answers without a single citation that holds, which are a model's word alone.
        verified: citations whose quote stands where it was said to stand.
        repaired: citations whose quote stood nearby or in other letters.
        unverified: citations whose quote was not found.
        unsupported: sentences that claim something and that nothing supports.
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
        uncited=sum(all(one.status == "unverified" for one in ending.citations) for ending in answers),
        verified=statuses["verified"],
        repaired=statuses["repaired"],
        unverified=statuses["unverified"],
        unsupported=sum(len(ending.unsupported) for ending in answers),
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """What a model says before it answers.

    Attributes:
        asked: what is asked, in its words.
        depends: what the answer depends on.
        subroutines: what it means to call.
        edit: whether files are to be changed.
        problem: what is wrong with the tag; empty if nothing is.
    """

    asked: str = ""
    depends: str = ""
    subroutines: tuple[str, ...] = ()
    edit: bool = False
    problem: str = ""


def read_plan(attributes: Mapping[str, object], names: Collection[str]) -> Plan:
    """Return the plan of a tag, and say of what is missing, unknown or of another type.

    Args:
        attributes: of the tag.
        names: of the subroutines that there are.
    """
    problems = [f"unknown {key!r}" for key in attributes if key not in _KNOWN]
    asked, depends = _text(attributes, "asked", problems), _text(attributes, "depends", problems)
    if not asked.strip():
        problems.append("'asked' is missing")
    edit = attributes.get("edit", False)
    if not isinstance(edit, bool):
        problems.append("'edit' is neither true nor false")
    wanted = attributes.get("subroutines") or []
    listed = tuple(one for one in wanted if isinstance(one, str)) if isinstance(wanted, list) else ()
    if not isinstance(wanted, list) or len(listed) < len(wanted):
        problems.append("'subroutines' is not a list of names")
    problems += [f"there is no subroutine {one!r}" for one in listed if one not in names]
    return Plan(asked, depends, listed, edit is True, "; ".join(problems))


def _text(attributes: Mapping[str, object], key: str, problems: list[str]) -> str:
    value = attributes.get(key) or ""
    if isinstance(value, str):
        return value
    problems.append(f"{key!r} is not text")
    return ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A call as a model made it.

    Attributes:
        id: by which its result is told from others.
        name: what is called, which may not exist.
        arguments: unchecked.
        raw: the arguments as JSON, or the whole tag.
        problem: in words for the model, why it cannot be run; empty if it can.
    """

    id: str
    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    raw: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """A call with what came of it."""

    asked: Asked
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Round:
    """One request's reply.

    Attributes:
        written: everything that the model wrote, tags and closing marks included.
        said: what of it a person sees.
        answered: its calls; empty for a reply that only stopped at a mark and goes on.
    """

    written: str
    said: str = ""
    answered: tuple[Answered, ...] = ()
