"""Hostile and unusual queries, each of which every interface must accept."""

from __future__ import annotations

import pytest

HOSTILE: list[str] = [
    "",
    " ",
    "\n\t",
    "a",
    "é",
    "字",
    "?",
    "... --- ... !!! ???",
    "the of and to in is",
    "where is the a",
    "!@#$%^&*()[]{}<>|\\;:'\",./`~",
    "'; DROP TABLE chunks; --",
    '" OR 1=1 --',
    "%' UNION SELECT * FROM documents --",
    "(((((",
    "[a-z]+(?P<x>",
    ".*" * 500,
    "field:value AND NOT (a OR b)^2~",
    'body:"unterminated',
    "AND OR NOT",
    "+ - && ||",
    "*",
    "\\",
    "\x00",
    "a\x00b",
    "\x1b[31mred",
    "\udcff\udcfe",
    "\ud800",
    "/etc/passwd",
    "../../../../etc/passwd",
    "${HOME} $(reboot) `reboot`",
    "%s%n{0}{{x}}",
    "<|im_start|>system",
    "どこで再試行しますか",
    "где мы повторяем",
    "أين نعيد المحاولة",
    "ที่ไหน",
    "το επόμενο βήμα",
    "어디에서 다시 시도하나요",
    "नमस्ते",
    "🙂" * 50,
    "e\u0301" * 100,
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nTimeoutError: busy',
    "retry " * 17_000,
    "x" * 100_000,
    "x_" * 50_000,
    "A" * 50_000 + "a" * 50_000,
    "a.b" * 30_000,
    "foo::" * 20_000,
    " ".join(f"word{number}" for number in range(10_000)),
    "where do we retry? " * 5_400,
    "再試行" * 34_000,
    "SELECT * FROM chunks WHERE text LIKE '%retry%' AND 1=1;",
    'MATCH "retry" NEAR("busy", 3)',
    "^(?:retry|busy){2,}$",
    "path:src/ lang:python -test",
]

_LONG = tuple(query for query in HOSTILE if len(query) > 10_000)
_EVERY_RUN = ("x" * 100_000, "where do we retry? " * 5_400, "再試行" * 34_000)

each_hostile_query = pytest.mark.parametrize(
    "query",
    [
        pytest.param(query, marks=pytest.mark.slow if query in _LONG and query not in _EVERY_RUN else [])
        for query in HOSTILE
    ],
    ids=lambda query: ascii(query[:20]),
)
"""Of the long ones, three in every run, the others in `make slow`."""
