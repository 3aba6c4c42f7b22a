"""One reply of a model read as it arrives: what a person sees, what is called, what was premeditated."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from quaestor.chat.growing import Growing
from quaestor.chat.textcalls import TextCalls, call_of
from quaestor.chat.thinking import Thinking
from quaestor.llm import tags
from quaestor.llm.models import Finished
from quaestor.llm.prompts import load
from quaestor.sessions.plan import Plan, read_plan
from quaestor.sessions.rounds import Asked


class Reading:
    """Reads one reply.

    Args:
        names: of the subroutines that there are.
        parser: follows the reply of the whole turn; code that is open at a mark stays open behind it.
        shown: follows what a person sees of it.
        marks: whether the reply stops at the closing mark of a tag.
        opening: what the reply was begun with for the model.

    Attributes:
        calls: complete or broken.
        plan: what was premeditated; None if nothing was.
        goes_on: whether the reply stopped at a mark that called nothing, so that it is to go on.
    """

    def __init__(
        self, names: Collection[str], parser: tags.Parser, shown: tags.Shown, *, marks: bool, opening: str = ""
    ) -> None:
        self._names = frozenset(names)
        self._parser = parser
        self._shown = shown
        self._marks = marks
        self._thinking = Thinking()
        # Only where tool calls are native may text be one that the server failed to read.
        self._text_calls = TextCalls(() if marks else names)
        self._written = Growing(opening)
        self._said_so_far = Growing()
        self.calls: list[Asked] = []
        self.plan: Plan | None = None
        self.goes_on = False
        self._parser.feed(opening)

    @property
    def written(self) -> str:
        """Everything that the model wrote, the opening and closing marks included."""
        return self._written.text

    @property
    def said(self) -> str:
        """What of that a person sees."""
        return self._said_so_far.text

    def feed(self, piece: str) -> str:
        """Take a piece and return what can be shown now."""
        return self._read(self._thinking.feed(piece))

    def _read(self, piece: str) -> str:
        if self._called:
            return ""
        self._written.add(piece)
        return self._say(self._text_calls.feed(self._take(self._parser.feed(piece))))

    def finish(self, finished: Finished) -> str:
        """Take the end of the reply and return the rest of what can be shown."""
        text = self._read(self._thinking.finish())
        cut = finished.reason not in ("stop", "tool_calls")
        stopped = self._marks and not self._called and self._stopped_at_mark(finished)
        text += self._read(tags.CLOSING) if stopped else ""
        self.goes_on = stopped and not self.calls and not self._parser.held
        if self.goes_on:
            return text
        # A tag that its own mark does not close is open in a string, or is a result of the model's making.
        text += self._say(self._text_calls.feed(self._take(self._parser.close(cut=cut or stopped))))
        self.calls += [call_of(call.id, call.name, call.arguments) for call in finished.tool_calls]
        rest, calls = self._text_calls.finish()
        self.calls += calls
        self.goes_on = stopped and not self.calls
        return text + self._say(rest)

    def _say(self, text: str) -> str:
        self._said_so_far.add(text)
        return text

    def _stopped_at_mark(self, finished: Finished) -> bool:
        if finished.stop_sequence is not None:
            return finished.stop_sequence == tags.CLOSING
        # Most servers do not say which sequence it was. Within a tag or within code no reply comes to its own end.
        inside = self._parser.held.startswith("<|") or self._parser.in_code
        return finished.reason == "stop" and not finished.tool_calls and inside

    def _take(self, parts: Iterable[tags.Part]) -> str:
        """Keep what parts say, up to the first call: what a model writes behind it, it could only invent."""
        text, rest = "", list(parts)
        while rest and not self._called:
            part = rest.pop(0)
            self._keep(part)
            text += self._shown.take((part,))
        if self._called:
            unread = "".join(part.raw for part in rest) + self._parser.held
            self._written = Growing(self.written.removesuffix(unread))
            self._parser.close()
        return text

    @property
    def _called(self) -> bool:
        """Whether a tag has called something."""
        return bool(self.calls)

    def _keep(self, part: tags.Part) -> None:
        identifier = f"tag_{len(self.calls) + 1}"
        match part:
            case tags.Call(raw=raw, name=name, arguments=arguments):
                self.calls.append(Asked(identifier, name, arguments, raw))
            case tags.Broken(raw=raw, name=name, reason=reason) if name in self._names:
                self.calls.append(Asked(identifier, name, raw=raw, problem=reason))
            case tags.Hidden(raw=raw, name=tags.Tag.RESULT) if not raw.startswith(tags.closing(tags.Tag.RESULT)):
                self.calls.append(Asked(identifier, tags.Tag.RESULT, raw=raw, problem=load("call_forged").render()))
            case tags.Hidden(name=tags.Tag.PLAN, attributes=attributes) if self.plan is None:
                self.plan = read_plan(attributes, self._names)
            case tags.Broken(name=tags.Tag.PLAN, reason=reason) if self.plan is None:
                self.plan = Plan(problem=reason)
