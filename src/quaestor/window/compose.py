"""From messages, passages and a limit to a window: the messages to send, with a decision on each.

The must-keep messages come first: system messages at the head, the newest question, and the end of its turn. The rest
of the limit is divided among examples, passages, summary, recalled and latest messages; an unused share goes to the
next. A conversation that fits whole is kept whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quaestor.core.errors import UsageError, WindowError
from quaestor.core.messages import Message
from quaestor.llm.tokens import Tokenizer
from quaestor.window.conversation_costs import ConversationCosts, Counter, as_counter, reading_of
from quaestor.window.conversation_parts import Frame, frame
from quaestor.window.draft import Draft
from quaestor.window.passage_placing import PassagePlacer, Placement, passages_in_messages
from quaestor.window.recall import SharedRecall
from quaestor.window.summary import Summary
from quaestor.window.window_messages import (
    WindowLayout,
    explain_messages,
    explain_passages,
    explain_summary,
    mark_messages,
)
from quaestor.window.window_policies import POLICIES, Choice, take_latest
from quaestor.window.window_values import PassageLike, Policy, Recaller, Settings, Summarise, Window

PINNED = "shows a passage that bears on the newest question"
# For callers that give none; what it remembers of their conversations saves time only.
_by_words = SharedRecall()
# Reminders may take this share of the window, however often they are wanted.
_REMINDERS = 0.1

HEAD = "the instructions: always kept"
QUESTION = "the newest question: always kept"
END = "the end of the newest turn: always kept"
EXAMPLE = "few-shot example"
WHOLE = "everything fits"


def compose(  # noqa: PLR0913 - the public contract
    messages: Sequence[Message],
    *,
    limit: int,
    reserve: int = 500,
    tokenizer: Tokenizer | Counter | None = None,
    policy: Policy = "blend",
    passages: Sequence[PassageLike] = (),
    recall: Recaller | None = None,
    summarise: Summarise | None = None,
    tools: Sequence[Mapping[str, object]] = (),
    settings: Settings | None = None,
) -> Window:
    """Return the window of a conversation.

    Composing ``window.messages`` again under the same limit returns them unchanged. Readings of long conversations are
    cached between calls, so that the next window costs in proportion to the new messages.

    Args:
        messages: the whole conversation, the newest question last or followed by its turn.
        limit: the model's window, tokens.
        reserve: tokens kept free for the reply.
        tokenizer: counts texts (``Tokenizer``) or whole messages (``MessageCounter``); None: OpenAI's current
            encoding.
        policy: how history is chosen; ``recall`` and ``blend`` use ``recall``, ``summary`` and ``blend``
            ``summarise``.
        passages: evidence for the newest question, best first.
        recall: scores earlier messages; None recalls them by their words. Give one ``Recall`` to all windows of a
            conversation.
        summarise: summarises messages that are left out; with None, ``summary`` takes the most central sentences,
            ``blend`` none.
        tools: function schemas of the request.
        settings: shares, marks, reminders and wording.

    Raises:
        WindowError: the must-keep messages do not fit.
        UsageError: an invalid limit or policy.
    """
    _check(limit, reserve, policy)
    with reading_of(messages, as_counter(tokenizer)) as reading:
        composing = _Composition(reading, settings or Settings(), limit, reserve, tools, passages=bool(passages))
        placing = PassagePlacer(passages, reading.counter.message, composing.settings.wording.trimmed)
        choice = Choice(policy, recall or _by_words, summarise)
        return composing.window_with_everything(passages, placing) or composing.window_by_policy(
            passages, placing, choice
        )


def _check(limit: int, reserve: int, policy: str) -> None:
    if limit < 1 or reserve < 0:
        raise UsageError(f"limit {limit} and reserve {reserve} are not possible; use a limit above 0, a reserve from 0")
    if policy not in POLICIES:
        raise UsageError(f"there is no policy {policy!r}; use one of {', '.join(map(repr, POLICIES))}")


class _Composition:
    """One composition under way."""

    def __init__(
        self,
        reading: ConversationCosts,
        settings: Settings,
        limit: int,
        reserve: int,
        tools: Sequence[Mapping[str, object]],
        *,
        passages: bool,
    ) -> None:
        self.reading = reading
        self.settings = settings
        self.limit = limit
        self.reserve = reserve
        self.frame: Frame = frame(reading.messages, reading.units)
        self._tool_tokens = reading.counter.tools(tools)
        self._floor = int(self.settings.floor * max(0, limit - reserve)) if passages else 0

    def window_with_everything(self, passages: Sequence[PassageLike], placer: PassagePlacer) -> Window | None:
        """Return the window with every message in it, or None if messages or passages do not fit whole."""
        draft = self._empty_draft()
        room = draft.budget.free - sum(self.reading.unit_tokens)
        if room < 0:
            return None
        absent = passages_in_messages(passages, self.reading.sendable_messages()) if passages else frozenset()
        placement = placer.place(
            room - self._reserved_for_marks() if self.frame.carries else room, absent, trimming=False
        )
        if placement.is_crowded and not self.frame.carries and self._passages_beside(placer, absent):
            return None
        take_all(draft, self.frame)
        draft.budget.spend("passages", placement.tokens)
        return self._window(draft, placer, placement)

    def window_by_policy(self, passages: Sequence[PassageLike], placer: PassagePlacer, choice: Choice) -> Window:
        """Return the window with what the policy chooses."""
        draft, placement = self._draft(placer, frozenset(), choice)
        absent = passages_in_messages(passages, draft.whole_messages)
        if absent:
            # What shows them anyway must stay; what they would have taken flows on.
            pinned = self._units_showing([passages[place] for place in sorted(absent)], draft)
            draft, placement = self._draft(placer, absent, choice, pinned)
        return self._window(draft, placer, placement, choice.summary, absent)

    def _draft(
        self, placer: PassagePlacer, left_out: frozenset[int], choice: Choice, pinned: Sequence[int] = ()
    ) -> tuple[Draft, Placement]:
        draft = self._draft_before_passages(pinned)
        placement = placer.place(self._budget_of_passages(draft), left_out)
        draft.budget.spend("passages", placement.tokens)
        choice.fill(draft, self.frame, self.settings)
        placement = self._place_in_free_room(draft, placer, placement, left_out)
        draft.budget.release()
        return draft, placement

    def _place_in_free_room(
        self, draft: Draft, placer: PassagePlacer, placement: Placement, left_out: frozenset[int]
    ) -> Placement:
        """Fill the remaining room with passages."""
        if not placement.is_crowded or draft.budget.free <= 0:
            return placement
        grown = placer.place(placement.tokens + draft.budget.free, left_out)
        draft.budget.spend("passages", grown.tokens - placement.tokens)
        return grown

    def _draft_before_passages(self, pinned: Sequence[int] = ()) -> Draft:
        """Return a draft with all that comes before passages and history."""
        draft = self._empty_draft()
        take_required(draft, self.frame, self.limit, self.reserve, self._floor)
        draft.budget.hold(self._reserved_for_marks())
        # No more than there is: what must be kept comes first.
        floor = min(self._floor, max(0, draft.budget.free))
        draft.budget.hold(floor)
        take_latest(draft, self.frame.turn, int(self.settings.turn * max(0, draft.budget.free)))
        take_examples(draft, self.frame, int(self.settings.examples * max(0, draft.budget.free)))
        for number in pinned:
            draft.take_if_it_fits(number, "recent", PINNED)
        draft.budget.hold(-floor)
        return draft

    def _passages_beside(self, placer: PassagePlacer, left_out: frozenset[int]) -> bool:
        """Return whether any passage would be shown if only history were left out for it."""
        draft = self._empty_draft()
        draft.budget.hold(self._reserved_for_marks() + sum(self.reading.unit_tokens))
        draft.budget.hold(-sum(self.reading.unit_tokens[number] for number in self.frame.history))
        return placer.place(self._budget_of_passages(draft), left_out).message is not None

    def _budget_of_passages(self, draft: Draft) -> int:
        share = self.settings.passages if self.frame.history else 1.0
        free = max(0, draft.budget.free)
        return max(int(share * free), min(self._floor, free))

    def _empty_draft(self) -> Draft:
        """Return an empty draft that has paid for the reply's start and the tools."""
        draft = Draft(self.reading, self.limit - self.reserve, self.settings.wording.trimmed)
        draft.budget.spend("reply", self.reading.counter.messages(()))
        draft.budget.spend("tools", self._tool_tokens)
        return draft

    def _reserved_for_marks(self) -> int:
        """Return the most tokens that marks and reminders may take."""
        count = self.reading.counter.message
        recalled, recent, skipped = mark_messages(self.settings)
        marks = max(count(recalled) + count(recent), count(skipped)) if self.settings.marks else 0
        reminder = self.settings.reminder
        if reminder is None:
            return marks
        reminders = (self.limit // reminder.every) * count(Message("system", reminder.text))
        return marks + min(reminders, int(_REMINDERS * self.limit))

    def _units_showing(self, passages: Sequence[PassageLike], draft: Draft) -> list[int]:
        """Return the units of the history that show any of ``passages``."""
        history = (number for number in draft.chosen if number in self.frame.history)
        return [number for number in history if passages_in_messages(passages, draft.chosen[number].messages)]

    def _window(
        self,
        draft: Draft,
        placer: PassagePlacer,
        placement: Placement,
        summary: Summary | None = None,
        left_out: frozenset[int] | None = None,
    ) -> Window:
        """Return the finished window; with ``left_out`` given, passages may still grow."""
        closing = WindowLayout(draft, self.frame, self.settings)
        written = summary.message if summary else None
        before, rest = closing.lay_out(written)
        if left_out is not None:
            placement = self._place_in_free_room(draft, placer, placement, left_out)
        messages = [*before, *([placement.message] if placement.message else ()), *rest]
        decisions = explain_messages(draft, summarised=written is not None)
        return Window(
            messages=tuple(messages),
            tokens=draft.budget.spent,
            limit=self.limit,
            reserve=self.reserve,
            decisions=(*decisions, *explain_passages(placer, placement)),
            added=(*explain_summary(summary), *closing.added),
            sections=draft.budget.sections,
        )


def take_required(draft: Draft, frame: Frame, limit: int, reserve: int, floor: int = 0) -> None:
    """Take the must-keep messages; cut the end of the turn short if they do not fit.

    Args:
        draft: takes them.
        frame: the parts of the conversation.
        limit: the model's window, tokens.
        reserve: tokens kept free for the reply.
        floor: tokens that a tool result at the end of the turn leaves to the passages.

    Raises:
        WindowError: they do not fit even so.
    """
    for number in frame.head:
        draft.take(number, "system", HEAD)
    if frame.question is not None:
        draft.take(frame.question, "question", QUESTION)
    if frame.last is not None:
        _take_end(draft, frame.last, floor)
    if draft.budget.free < 0:
        raise _too_small(draft, limit, reserve)


def _take_end(draft: Draft, last: int, floor: int) -> None:
    """Take the end of the turn: whole if it leaves the passages their floor, then cut, then without a floor."""
    free = draft.budget.free
    # What the server is to go on with cannot be cut; a result can, and the passages are as good as it.
    rooms = (free - floor, free) if draft.reading.is_result(last) else (free,)
    for room in rooms:
        if draft.take_if_it_fits(last, "question", END, budget=room):
            return
        if room > 0 and draft.take_trimmed(last, "question", room):
            return
    draft.take(last, "question", END)


def take_examples(draft: Draft, frame: Frame, budget: int) -> None:
    """Take the first few-shot examples that fit ``budget`` tokens, in pairs."""
    for group in frame.examples:
        budget -= sum(draft.reading.unit_tokens[number] for number in group)
        if budget < 0:
            return
        for number in group:
            draft.take(number, "examples", EXAMPLE)


def take_all(draft: Draft, frame: Frame) -> None:
    """Take every message that can be sent."""
    head, examples = set(frame.head), {number for group in frame.examples for number in group}
    for number, unit in enumerate(draft.reading.units):
        if unit.fault:
            continue
        if number in head:
            draft.take(number, "system", HEAD)
        elif number in examples:
            draft.take(number, "examples", EXAMPLE)
        elif number in (frame.question, frame.last):
            draft.take(number, "question", QUESTION if number == frame.question else END)
        else:
            draft.take(number, "recent", WHOLE)


def _too_small(draft: Draft, limit: int, reserve: int) -> WindowError:
    needed = draft.budget.spent + reserve
    sections = ", ".join(f"{name} {tokens}" for name, tokens in draft.budget.sections.items() if tokens)
    return WindowError(
        f"what must be kept takes {draft.budget.spent} tokens ({sections}) and {reserve} are reserved for the reply,"
        f" but the window holds {limit}; shorten it by {needed - limit} tokens, lower the reserve, or use a model with"
        f" a window of {needed} or more",
        needed=needed,
        limit=limit,
    )
