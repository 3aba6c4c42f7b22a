"""Raw strings: for servers and people that take nothing better."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from quaestor.core.messages import Message
from quaestor.llm.chatml.tokenlist import SpecialToken, render

# <|...  <｜...  <<...  <name>  </name>  <name|>  [INST]  [/TOOL_CALLS]  [gMASK]  [unused1]  [|Human|]
_OPENS = (
    r"<(?= {%s}(?:[|｜<]|/?[\w▁:.-]{1,64}[|｜]?>))"
    r"|\[(?= {%s}(?:[|｜]|/?(?:[a-z]?[A-Z][A-Z_]\w*|unused\d+)\]))"
)
_LOOKS_SPECIAL = re.compile(_OPENS.replace("%s", "0,"))
_LOOKS_NEUTRAL = re.compile(f"(?:{_OPENS.replace('%s', '1,')}) ")


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
    return _joined([item if not isinstance(item, str) else neutralise(item, _kept(item, keep)) for item in rendered])


def neutralise(text: str, keep: Collection[str] = ()) -> str:
    """Return ``text`` with one blank more behind every ``<`` or ``[`` that might open a special token.

    It covers every token written as ``<|...``, ``<｜...``, ``<<...``, ``<name>``, ``</name>``, ``<name|>``, ``[NAME]``
    or ``[|...``, which are the forms of all families known to us; ordinary markup (``<div>``) gets the blank as well. A
    visible blank, for tokenizers normalise zero-width ones away. A tokenizer with special tokens of another form is
    **not** covered. ``restore`` gives the exact text back. What begins like one of ``keep`` stays as it is.
    """
    kept = tuple(keep)
    return _LOOKS_SPECIAL.sub(lambda at: at[0] if kept and text.startswith(kept, at.start()) else f"{at[0]} ", text)


def restore(text: str) -> str:
    """Return the text that ``neutralise`` was given."""
    return _LOOKS_NEUTRAL.sub(lambda found: found[0][0], text)


def _kept(block: str, keep: Collection[str]) -> Collection[str]:
    return keep if block.startswith(("system", "assistant")) else ()


def _joined(rendered: Iterable[str | SpecialToken]) -> str:
    return "".join(item if isinstance(item, str) else item["token"] for item in rendered)
