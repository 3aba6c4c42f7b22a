"""Makes what all tests share importable."""

from __future__ import annotations
