"""The capabilities of an endpoint beyond plain text, and learning a model's window from a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from quaestor.core.errors import UsageError
from quaestor.llm.endpoints.failures import TooLongError

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
        continues_assistant: it continues an assistant message at the end of a request, instead of beginning another.
        keeps_stop: it leaves the stop sequence that ended a reply in the text. Our models remove it, and
            ``Finished.stop_sequence`` then names it; if the server removes it, the name is often unknown.
    """

    native_tools: bool = False
    continues_assistant: bool = False
    keeps_stop: bool = False


COMPLETION = Capabilities(continues_assistant=True)
"""A plain completion endpoint: it continues any text, and has no tools."""

_TOOLS = {"auto": None, "native": True, "text": False}
_PREFILL = {"auto": None, "yes": True, "no": False}


def overridden(known: Capabilities, *, tools: str = "auto", prefill: str = "auto") -> Capabilities:
    """Return capabilities with the user's settings applied.

    Args:
        known: the known capabilities of the endpoint.
        tools: 'native', 'text' or 'auto'.
        prefill: 'yes', 'no' or 'auto'.

    Raises:
        UsageError: any other word.
    """
    native, continues = _read("tools", tools, _TOOLS), _read("prefill", prefill, _PREFILL)
    return replace(
        known,
        native_tools=known.native_tools if native is None else native,
        continues_assistant=known.continues_assistant if continues is None else continues,
    )


def capabilities_at(base_url: str) -> Capabilities:
    """Return the known capabilities of the chat endpoint at a URL."""
    host = (urlsplit(base_url).hostname or "").lower()
    hosted = any(host == known or host.endswith(f".{known}") for known in _TAKE_TOOLS)
    return Capabilities(native_tools=hosted)


def _read(name: str, word: str, meanings: Mapping[str, bool | None]) -> bool | None:
    if word not in meanings:
        raise UsageError(f"setting {name!r} cannot be {word!r}; use one of {', '.join(map(repr, meanings))}")
    return meanings[word]


_SAFETY = 0.97
LEAST = 256
"""The smallest window that is believed: a smaller one holds no conversation."""
KEPT_SECONDS = 900.0
"""The time for which a learned window counts. A larger one is tried again then, which costs one refused request at
most."""


def is_plausible(failure: TooLongError) -> bool:
    """Return whether the window that a server reports is plausible; no number is plausible, too."""
    return failure.limit is None or failure.limit >= LEAST


def learned_limit(failure: TooLongError, sent: int, reserve: int) -> int:
    """Return the window to compose for after a request was too long, in tokens as we count them.

    The server's own number is used if it is plausible. If it also counted more tokens than we did, its number is scaled
    to our counting. Without a number, half of the sent tokens are tried.

    Args:
        failure: the server's refusal.
        sent: tokens that were sent, by our count.
        reserve: tokens kept free for the reply.
    """
    tokens = sent + reserve
    if failure.limit is None or not is_plausible(failure):
        return max(LEAST, tokens // 2)
    counted = max(1.0, (failure.request_tokens or 0) / max(1, tokens))
    limit = failure.limit if counted == 1.0 else int(failure.limit / counted * _SAFETY)
    if limit >= tokens:
        # By our count it should have fitted: the server counts what we cannot see.
        prompt = max(failure.request_tokens or 0, failure.limit + 1)
        limit = int(min(tokens * _SAFETY, tokens * failure.limit / prompt * _SAFETY))
    return max(LEAST, limit)
