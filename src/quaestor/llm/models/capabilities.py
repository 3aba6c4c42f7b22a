"""What an endpoint can do beyond text in and text out: known for some by their address, and settable for all.

The loop that runs subroutines chooses its protocol by this. What is not known is assumed to be missing, for text tags
and whole messages work everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from quaestor.core.errors import UsageError

# Hosted services whose documentation promises tool calls. None of them goes on with any assistant message it is given.
_TAKE_TOOLS = (
    "openai.com",
    "azure.com",
    "anthropic.com",
    "googleapis.com",
    "mistral.ai",
    "deepseek.com",
    "groq.com",
    "x.ai",
    "together.xyz",
    "fireworks.ai",
    "openrouter.ai",
    "cerebras.ai",
    "cohere.ai",
    "aliyuncs.com",
)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an endpoint can do.

    Attributes:
        native_tools: it takes function schemas as ``tools`` and answers with ``tool_calls``.
        continues_assistant: it goes on with an assistant message at the end of a request, instead of beginning another.
        keeps_stop: it leaves the stop sequence that ended a reply in the text. Our models cut it out all the same, and
            then ``Finished.stop_sequence`` says which it was; of a server that removes it, that is often not known.
    """

    native_tools: bool = False
    continues_assistant: bool = False
    keeps_stop: bool = False


COMPLETION = Capabilities(continues_assistant=True)
"""A plain completion endpoint: it goes on with whatever it is given, and knows no tools."""

_TOOLS = {"auto": None, "native": True, "text": False}
_PREFILL = {"auto": None, "yes": True, "no": False}


def overridden(known: Capabilities, *, tools: str = "auto", prefill: str = "auto") -> Capabilities:
    """Return capabilities with what a person set in place of what is known.

    Args:
        known: what is known of the endpoint.
        tools: 'native', 'text' or 'auto'.
        prefill: 'yes', 'no' or 'auto'.

    Raises:
        UsageError: another word.
    """
    native, continues = _read("tools", tools, _TOOLS), _read("prefill", prefill, _PREFILL)
    return replace(
        known,
        native_tools=known.native_tools if native is None else native,
        continues_assistant=known.continues_assistant if continues is None else continues,
    )


def capabilities_at(base_url: str) -> Capabilities:
    """Return what is known of the chat endpoint at a URL."""
    host = (urlsplit(base_url).hostname or "").lower()
    hosted = any(host == known or host.endswith(f".{known}") for known in _TAKE_TOOLS)
    return Capabilities(native_tools=hosted)


def _read(name: str, word: str, meanings: Mapping[str, bool | None]) -> bool | None:
    if word not in meanings:
        raise UsageError(f"setting {name!r} cannot be {word!r}; use one of {', '.join(map(repr, meanings))}")
    return meanings[word]
