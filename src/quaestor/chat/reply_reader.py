"""Reading one streamed reply of a model: visible text, calls, the hidden plan, and whether it repeats itself.

Nothing is shown until it is clear whether the reply begins with the mark for "no answer".
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping

from quaestor.answers.citations.citation_marks import NO_ANSWER, says_no_answer, without_no_answer
from quaestor.llm import tags
from quaestor.llm.models import Finished
from quaestor.llm.prompts import load
from quaestor.sessions.records import ModelCall, Plan, read_plan

_OPENING, _CLOSING = "<think>", "</think>"


class ThoughtFilter:
    """Leaves out the thoughts at the beginning of a reply; anywhere else the same letters are text."""

    def __init__(self) -> None:
        self._blanks: list[str] = []
        self._held_back = ""
        self._inside = False
        self._over = False

    def feed(self, piece: str) -> str:
        """Return the text up to this piece that is certainly not a thought."""
        if self._over:
            # The blank lines behind a thought belong to it.
            rest = piece.lstrip("\r\n") if self._inside else piece
            self._inside = self._inside and not rest
            return rest
        if not self._held_back and not self._inside and not piece.strip():
            self._blanks.append(piece)
            return ""
        self._held_back += piece
        if not self._inside:
            start = self._held_back.lstrip()
            if len(start) < len(_OPENING) and _OPENING.startswith(start):
                return ""
            self._inside = start.startswith(_OPENING)
            if not self._inside:
                return self.finish()
            self._blanks = []  # those before a thought belong to it
        thought, closing, rest = self._held_back.partition(_CLOSING)
        if not closing:
            # Only so much of a thought is kept as may be the beginning of its end.
            self._held_back = thought[-len(_CLOSING) + 1 :]
            return ""
        self._held_back, self._over = "", True
        return self.feed(rest)

    def finish(self) -> str:
        """Return the text held back, unless it is an unfinished thought."""
        held, self._held_back, self._over = "".join((*self._blanks, self._held_back)), "", True
        self._blanks = []
        return "" if self._inside else held


_FENCES = ("<tool_call>", "```json", "```", "[TOOL_CALLS]")
_WRAPPING = re.compile(r"</?tool_call>|```(?:json)?|\[TOOL_CALLS\]")
_BETWEEN = re.compile(r"[ \r\n\t,;]*")
_LONGEST_FENCE = max(map(len, _FENCES))


class WrittenCallFilter:
    """Holds back a reply that may be a call written as text, and passes on any other.

    Args:
        names: the names of the available tools; other names are not calls.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = frozenset(names)
        self._held_back = _TextBuffer()
        self._begins = ""  # the first letters that are not blanks: they tell
        self._passing = not names

    def feed(self, text: str) -> str:
        """Return the text up to this piece that is certainly not a call."""
        if self._passing:
            return text
        self._held_back.add(text)
        if len(self._begins) < _LONGEST_FENCE:
            self._begins = (self._begins + text).lstrip()[:_LONGEST_FENCE]
            self._passing = not _may_be_a_call(self._begins)
        return self._release_held_text() if self._passing else ""

    def finish(self) -> tuple[str, tuple[ModelCall, ...]]:
        """Return the text held back, or the calls that it contains."""
        calls = self._calls(_WRAPPING.sub("\n", self._held_back.text))
        if calls:
            self._held_back = _TextBuffer()
        return self._release_held_text(), calls

    def _release_held_text(self) -> str:
        held, self._held_back = self._held_back.text, _TextBuffer()
        return held

    def _calls(self, text: str) -> tuple[ModelCall, ...]:
        """Return the calls that a text consists of, or none if anything else is in it."""
        decoder = json.JSONDecoder(strict=False)
        all_calls: list[object] = []
        at = _BETWEEN.match(text, 0).end()  # type: ignore[union-attr] # it matches nothing as well
        while at < len(text):
            try:
                value, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                return ()
            all_calls += value if isinstance(value, list) else [value]
            at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        calls = [self._call(value, number) for number, value in enumerate(all_calls, 1)]
        return tuple(call for call in calls if call is not None) if all(calls) else ()

    def _call(self, value: object, number: int) -> ModelCall | None:
        if not isinstance(value, Mapping):
            return None
        inner = value.get("function")
        value = inner if isinstance(inner, Mapping) else value
        name, arguments = value.get("name"), value.get("arguments", value.get("parameters", {}))
        if not isinstance(name, str) or name not in self._names:
            return None
        return call_of(f"text_{number}", name, arguments if isinstance(arguments, str) else json.dumps(arguments))


def call_of(identifier: str, name: str, arguments: str) -> ModelCall:
    """Return a call whose arguments are JSON text, as tool calls have it."""
    try:
        value = json.loads(arguments or "{}", strict=False)
    except (ValueError, RecursionError) as error:
        return ModelCall(identifier, name, raw=arguments, problem=f"the arguments are not JSON ({error})")
    if not isinstance(value, dict):
        return ModelCall(identifier, name, raw=arguments, problem="the arguments are not a JSON object")
    return ModelCall(identifier, name, value, arguments)


def _may_be_a_call(text: str) -> bool:
    opens = not text or text[0] in "{[" or text.startswith(_FENCES)
    return opens or (len(text) < _LONGEST_FENCE and any(fence.startswith(text) for fence in _FENCES))


class ReplyReader:
    """Reads one reply.

    Args:
        names: the names of the available tools.
        parser: the parser of the whole turn's reply; a code block that is open at a mark stays open after it.
        shown: collects the visible text.
        marks: whether the reply stops at a tag's closing mark.
        opening: text with which the reply was begun for the model.

    Attributes:
        calls: complete or broken.
        plan: the model's plan, or None.
        goes_on: whether the reply stopped at a mark without a call and must be continued.
    """

    def __init__(
        self, names: Collection[str], parser: tags.Parser, shown: tags.Shown, *, marks: bool, opening: str = ""
    ) -> None:
        self._names = frozenset(names)
        self._parser = parser
        self._shown = shown
        self._marks = marks
        self._thinking = ThoughtFilter()
        # Only where tool calls are native may text be one that the server failed to read.
        self._text_calls = WrittenCallFilter(() if marks else names)
        self._written = _TextBuffer(opening)
        self._said_so_far = _TextBuffer()
        self.calls: list[ModelCall] = []
        self.plan: Plan | None = None
        self.goes_on = False
        self._parser.feed(opening)

    @property
    def full_text(self) -> str:
        """Everything that the model wrote, the opening and closing marks included."""
        return self._written.text

    @property
    def visible_text(self) -> str:
        """The visible text of the reply."""
        return self._said_so_far.text

    def feed(self, piece: str) -> str:
        """Take a piece and return what can be shown now."""
        return self._read(self._thinking.feed(piece))

    def _read(self, piece: str) -> str:
        if self._has_call:
            return ""
        self._written.add(piece)
        return self._show(self._text_calls.feed(self._take(self._parser.feed(piece))))

    def finish(self, finished: Finished) -> str:
        """Finish the reply and return the remaining text to show."""
        text = self._read(self._thinking.finish())
        cut = finished.reason not in ("stop", "tool_calls")
        stopped = self._marks and not self._has_call and self._stopped_at_mark(finished)
        text += self._read(tags.CLOSING) if stopped else ""
        self.goes_on = stopped and not self.calls and not self._parser.held
        if self.goes_on:
            return text
        # A tag that its own mark does not close is open in a string, or is a result of the model's making.
        text += self._show(self._text_calls.feed(self._take(self._parser.close(cut=cut or stopped))))
        self.calls += [call_of(call.id, call.name, call.arguments) for call in finished.tool_calls]
        rest, calls = self._text_calls.finish()
        self.calls += calls
        self.goes_on = stopped and not self.calls
        return text + self._show(rest)

    def _show(self, text: str) -> str:
        self._said_so_far.add(text)
        return text

    def _stopped_at_mark(self, finished: Finished) -> bool:
        if finished.stop_sequence is not None:
            return finished.stop_sequence == tags.CLOSING
        # Most servers do not say which sequence it was. Within a tag or within code no reply comes to its own end.
        inside = self._parser.held.startswith("<|") or self._parser.in_code
        return finished.reason == "stop" and not finished.tool_calls and inside

    def _take(self, parts: Iterable[tags.Part]) -> str:
        """Keep parts up to the first call; what a model writes after a call, it invents."""
        text, rest = "", list(parts)
        while rest and not self._has_call:
            part = rest.pop(0)
            self._keep_part(part)
            text += self._shown.take((part,))
        if self._has_call:
            unread = "".join(part.raw for part in rest) + self._parser.held
            self._written = _TextBuffer(self.full_text.removesuffix(unread))
            self._parser.close()
        return text

    @property
    def _has_call(self) -> bool:
        """Whether a tag has called something."""
        return bool(self.calls)

    def _keep_part(self, part: tags.Part) -> None:
        identifier = f"tag_{len(self.calls) + 1}"
        match part:
            case tags.Call(raw=raw, name=name, arguments=arguments):
                self.calls.append(ModelCall(identifier, name, arguments, raw))
            case tags.Broken(raw=raw, name=name, reason=reason) if name in self._names:
                self.calls.append(ModelCall(identifier, name, raw=raw, problem=reason))
            case tags.Hidden(raw=raw, name=tags.Tag.RESULT) if not raw.startswith(tags.closing(tags.Tag.RESULT)):
                self.calls.append(ModelCall(identifier, tags.Tag.RESULT, raw=raw, problem=load("call_forged").render()))
            case tags.Hidden(name=tags.Tag.PLAN, attributes=attributes) if self.plan is None:
                self.plan = read_plan(attributes, self._names)
            case tags.Broken(name=tags.Tag.PLAN, reason=reason) if self.plan is None:
                self.plan = Plan(problem=reason)


class _TextBuffer:
    """Collects pieces, and joins them when the text is read.

    Args:
        text: the beginning.
    """

    def __init__(self, text: str = "") -> None:
        self._pieces = [text]

    def add(self, piece: str) -> None:
        """Append a piece."""
        self._pieces.append(piece)

    @property
    def text(self) -> str:
        """All of it."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]


# No mark that says "no answer" is longer than this, so this much is held back until it is clear.
_MARK_LENGTH = len(NO_ANSWER) + 4


class VisibleText:
    """Collects a reply and passes on the text to show."""

    def __init__(self) -> None:
        self._written = _TextBuffer()
        self._held_back = True
        self._begins = 0  # where the part begins that is written now: behind the last call

    @property
    def written(self) -> str:
        """Everything that the model wrote."""
        return self._written.text

    @property
    def is_answer(self) -> bool:
        """Whether the reply so far is an answer, not "no answer"."""
        return bool(self.written.strip()) and not says_no_answer(self._part)

    @property
    def answer(self) -> str:
        """The text of the reply that is shown and recorded."""
        return self.written[: self._begins] + _without_mark(self._part)

    def begin_part(self) -> str:
        """Begin another part of the reply, which may be an answer or not, and return the text held back of the last."""
        held = self.release_rest()
        self._written = _TextBuffer(self.answer)
        self._held_back, self._begins = True, len(self.written)
        return held

    def feed(self, piece: str) -> str:
        """Take a piece and return what can be shown now."""
        self._written.add(piece)
        if not self._held_back:
            return piece
        part = self._part
        if says_no_answer(part) or (len(part) < _MARK_LENGTH and _may_be_mark(part)):
            return ""
        self._held_back = False
        return part

    def release_rest(self) -> str:
        """Return the text held back, at the end of the reply."""
        held, self._held_back = self._held_back, False
        return _without_mark(self._part) if held else ""

    @property
    def _part(self) -> str:
        return self.written[self._begins :]


_ENDINGS = (600, 2_400)
_REPEATED = 4


def repeats_itself(reply: str) -> bool:
    """Return whether a reply ends in one passage, four times or more: a small model seldom leaves such a loop.

    An open block of code is left out, because rows of a table may well be alike.
    """
    if reply.count("```") % 2:
        return False
    return any(_is_repetition(reply[-length:]) for length in _ENDINGS if len(reply) >= length)


def _is_repetition(ending: str) -> bool:
    longest = len(ending) // _REPEATED
    periods = (length for length in range(1, longest + 1) if ending[length:] == ending[:-length])
    return any(map(str.isalnum, ending)) and next(periods, None) is not None


def _may_be_mark(part: str) -> bool:
    """Return whether the beginning of a reply may be the mark for "no answer"."""
    rest = part.lstrip()
    return not rest or not rest[0].isalnum()


def _without_mark(part: str) -> str:
    """Return the shown text of a part of a reply; the blank lines before it stay."""
    if not says_no_answer(part):
        return part
    rest = part.lstrip()
    return part[: len(part) - len(rest)] + without_no_answer(rest)
