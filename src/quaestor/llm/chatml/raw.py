"""Raw strings: for servers and people that take nothing better."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from quaestor.core.messages import Message
from quaestor.llm.chatml.special_tokens import openings
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
