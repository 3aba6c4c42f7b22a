"""How much a result may take, and how long a call may wait."""

from __future__ import annotations

BUDGET = 6000
"""Tokens of a result's text: what agents pay for, and more than they are glad of in one piece."""

MODEL = "gpt-4o"
"""Counts them. Whose model it is that reads is not known; others take about as many."""

WAIT_SECONDS = 20.0
"""For a first index; clients give a call about a minute."""
