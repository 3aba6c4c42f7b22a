"""Citations: parsed out of an answer, and checked against the sources' own bytes."""

from __future__ import annotations
