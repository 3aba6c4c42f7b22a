"""The official client of OpenAI over our API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import openai
from served import Running

from scripted_server import ScriptedServer

Answering = Callable[..., tuple[Running, ScriptedServer]]
Open = Callable[[Running], openai.OpenAI]

QUESTION = "how often is a request sent?"
CITED = 'It is tried three times [1: "MAX_ATTEMPTS = 3"].'
LISTED = "\n\nSources:\n- [1] retry.py:1, found there"


def asked(*texts: str) -> Any:
    """Return a conversation in which the user and the assistant take turns."""
    roles = ("user", "assistant")
    return [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]
