"""What is sent to a model: composed within the window's limit, with a recorded decision on everything left out.

The package does not know models, corpora or sessions: messages, passages and a token limit go in, messages come out.
Begin with ``compose``.
"""

from __future__ import annotations

from quaestor.window.compose import compose
from quaestor.window.recall import Recall, SharedRecall
from quaestor.window.summary import RollingSummary, central_sentences
from quaestor.window.window_values import (
    Decision,
    PassageLike,
    Policy,
    Recaller,
    Reminder,
    Settings,
    Summarise,
    Window,
    Wording,
    default_wording,
)

__all__ = [
    "Decision",
    "PassageLike",
    "Policy",
    "Recall",
    "Recaller",
    "Reminder",
    "RollingSummary",
    "Settings",
    "SharedRecall",
    "Summarise",
    "Window",
    "Wording",
    "central_sentences",
    "compose",
    "default_wording",
]
