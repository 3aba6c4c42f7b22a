"""Raw strings, for servers that take nothing better; and restoring neutralised text that arrives in pieces."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from quaestor.core.messages import Message
from quaestor.llm.chatml.special_tokens import FORMS, LONGEST, openings
from quaestor.llm.chatml.tokenlist import SpecialToken, render

_LOOKS_SPECIAL = re.compile(openings("0,"))
_LOOKS_NEUTRAL = re.compile(f"(?:{openings('1,')}) ")


def unsafe_string(messages: Sequence[Message], *, partial: bool = False, reply: bool = False) -> str:
    """Return the conversation as one raw string. **Unsafe**: text in it can become special tokens.

    Only for conversations of which every word is trusted, and for showing to people.
    """
    return _joined(render(messages, partial=partial, reply=reply))


def neutral_string(
    messages: Sequence[Message], *, partial: bool = False, reply: bool = False, keep: Collection[str] = ()
) -> str:
    """Return the conversation as one raw string in which only our own special tokens are whole.

    For servers that take nothing but a string and look for special tokens in it. See ``neutralise`` for what
    it promises; prefer ``encode`` wherever a server takes token ids. ``keep`` is for the system's and the
    assistant's words only: what others wrote is broken up whatever it is.
    """
    rendered = render(messages, partial=partial, reply=reply)
    return _joined(
        [item if not isinstance(item, str) else neutralise(item, _tokens_to_keep(item, keep)) for item in rendered]
    )


def neutralise(text: str, keep: Collection[str] = ()) -> str:
    """Return ``text`` with one blank more behind every letter that might open a special token.

    It covers the forms of ``special_tokens``. A visible blank, for tokenizers normalise zero-width ones away. A
    tokenizer with special tokens of another form is **not** covered. ``restore`` gives the exact text back, if it is
    given the same ``keep``: what begins like one of these stays as it is.
    """
    kept = tuple(keep)
    return _LOOKS_SPECIAL.sub(lambda at: at[0] if kept and text.startswith(kept, at.start()) else f"{at[0]} ", text)


def restore(text: str, keep: Collection[str] = (), *, end: int | None = None) -> str:
    """Return the text that ``neutralise`` was given.

    Args:
        text: what it returned.
        keep: what it was given. What would begin so without its blank was not broken up, and keeps the blank.
        end: from where on the text is read but left as it is; None: nowhere.
    """
    until = len(text) if end is None else end

    def joined(found: re.Match[str]) -> str:
        own = any(found[0][0] == one[0] and text.startswith(one[1:], found.end()) for one in keep)
        return found[0] if own or found.start() >= until else found[0][0]

    return _LOOKS_NEUTRAL.sub(joined, text)


def _tokens_to_keep(block: str, keep: Collection[str]) -> Collection[str]:
    return keep if block.startswith(("system", "assistant")) else ()


def _joined(rendered: Iterable[str | SpecialToken]) -> str:
    return "".join(item if isinstance(item, str) else item["token"] for item in rendered)


_OPENINGS = "".join(sorted({re.escape(form.opening) for form in FORMS}))
# Forms hold no blanks: what follows the letters behind the blanks tells whether they are one.
_UNDECIDED = re.compile(rf"[{_OPENINGS}](?: +[^\s]{{0,{LONGEST}}})?\Z")


class Restorer:
    """Passes text on with its special tokens restored, holding back no more than what may be the beginning of one.

    Args:
        keep: as for ``restore``.
    """

    def __init__(self, keep: Collection[str] = ()) -> None:
        self._keep = tuple(keep)
        self._held: list[str] = []

    @property
    def holds(self) -> bool:
        """Whether text is held back."""
        return bool(self._held)

    def feed(self, piece: str) -> str:
        """Return what is restored with this piece."""
        if self._held and not piece.strip(" ") and self._held[-1].endswith(" "):
            # Blanks upon blanks decide nothing, and are not read again for each of them.
            self._held += [piece] if piece else []
            return ""
        text = "".join(self._held) + piece
        found = _UNDECIDED.search(text)
        end = found.start() if found else len(text)
        rest = text[end:]
        self._held = [rest] if rest else []
        # A form may end with a letter that opens another, and so reach into what is held back.
        return restore(text, self._keep, end=end).removesuffix(rest)

    def flush(self) -> str:
        """Return what was held back: the text is over."""
        rest, self._held = "".join(self._held), []
        return restore(rest, self._keep)
