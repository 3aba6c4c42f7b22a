"""One decision for every message and every passage."""

from __future__ import annotations

from quaestor.core.messages import Message
from quaestor.window.draft import Chosen, Draft
from quaestor.window.evidence import Placement, Placing
from quaestor.window.summarising import Summary
from quaestor.window.window_values import Action, Decision, Section

OUT = "does not fit: newer messages, or such as bear more on the question, take the room"
WHOLE_PART = "kept whole beside others that were cut short"
SUMMARISED = "does not fit; a summary stands for it"


def explain_messages(draft: Draft, *, summarised: bool) -> list[Decision]:
    """Return the decision on every message, in order."""
    reading = draft.reading
    if summarised:
        decisions = reading.decisions("summarised", "left out", SUMMARISED)
    else:
        decisions = reading.decisions("dropped", "left out", OUT)
    for number in reading.faulty:
        _put_out(decisions, reading.units[number].start, reading.units[number].fault or "")
    for number, reason in draft.refused.items():
        if number not in draft.chosen:
            _put_out(decisions, reading.units[number].start, reason)
    for number, chosen in draft.chosen.items():
        for place in range(len(chosen.messages)):
            index = reading.units[number].start + place
            decisions[index] = _inside(chosen, place, index, reading.messages[index], reading.tokens[index])
    return decisions


def explain_passages(placing: Placing, placement: Placement) -> list[Decision]:
    """Return the decision on every passage, in order. What the passages share falls to the first one shown."""
    decisions: list[Decision] = []
    before = 0
    for index, (action, reason) in enumerate(placement.outcomes):
        after = placing.tokens_of(placement.shown[: index + 1])
        shown = placement.shown[index] is not None
        section: Section = "passages" if shown else "left out"
        decisions.append(
            Decision("passage", index, action, section, after - before, placing.full_tokens(index), reason)
        )
        before = after
    return decisions


def explain_summary(summary: Summary | None) -> list[Decision]:
    """Return the decision on a summary, where one was wanted."""
    if summary is None:
        return []
    if summary.message is None:
        return [Decision("summary", -1, "dropped", "left out", 0, 0, summary.note)]
    return [Decision("summary", -1, "kept", "summary", summary.tokens, summary.tokens, summary.note)]


def _put_out(decisions: list[Decision], index: int, reason: str) -> None:
    decisions[index] = Decision("message", index, "dropped", "left out", 0, decisions[index].full_tokens, reason)


def _inside(chosen: Chosen, place: int, index: int, whole: Message, full_tokens: int) -> Decision:
    # Of a unit that was trimmed, some messages may be whole.
    action: Action = "kept" if chosen.action == "trimmed" and chosen.messages[place] == whole else chosen.action
    reason = WHOLE_PART if action != chosen.action else chosen.reason
    return Decision("message", index, action, chosen.section, chosen.tokens[place], full_tokens, reason)
