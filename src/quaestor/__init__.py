"""Quaestor: ask your code and your documents, offline, with sources that are checked."""

from __future__ import annotations

__version__ = "0.1.0"
