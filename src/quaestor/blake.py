"""BLAKE2, which is Python's own, without ``hashlib``, which loads OpenSSL: a fiftieth of a cold search."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # another Python, or one that was built without it
    from hashlib import blake2b

__all__ = ["blake2b"]
