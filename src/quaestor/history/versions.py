"""Versions as tags, changelogs and people write them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from quaestor.core.light_imports import NamedTuple

_EARLY = r"(?:alpha|beta|preview|pre|dev|rc|a|b|c|m|next|canary|nightly|snapshot)"
WRITTEN = rf"v?\d+(?:[._]\d+)+(?:[-._+]?{_EARLY}[-._]?\d*)*|v\d+"
"""An expression for a version as it is written by itself; matches without regard to case."""
_TAG = re.compile(
    rf"(?:^|[-_/@.a-z])v?(?P<numbers>\d+(?:[._]\d+)*)(?P<rest>(?:[-._+]?{_EARLY}[-._]?\d*)*)$", re.IGNORECASE
)
_POST = re.compile(r"(?:[-._]?(?:final|ga|release|post\d*|stable))$", re.IGNORECASE)


class Version(NamedTuple):
    """A version.

    Attributes:
        numbers: without zeros at the end, ``(1, 2)`` for 1.2.0.
        early: what follows them in a version before the version itself, ``rc1``; else empty.
    """

    numbers: tuple[int, ...]
    early: str = ""

    @property
    def is_early(self) -> bool:
        """Whether it comes before the version of its numbers."""
        return bool(self.early)

    @property
    def order(self) -> tuple[tuple[int, ...], int, tuple[int, ...], str]:
        """What versions sort by."""
        return self.numbers, not self.early, tuple(map(int, re.findall(r"\d{1,9}", self.early))), self.early


def version_of_tag(name: str) -> Version | None:
    """Return the version that a tag names; None if it names none: ``v1.2.0``, ``release-1.2``, ``pkg/v1.2.0-rc.1``."""
    found = _TAG.search(_POST.sub("", name[:200]))
    if found is None:
        return None
    numbers = [int(part) for part in re.split(r"[._]", found["numbers"]) if len(part) < 10]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return Version(tuple(numbers), re.sub(r"[-._+]", "", found["rest"]).lower())


def prefix_of_tag(name: str) -> str:
    """Return what stands before the version in a tag's name, without ``v``: ``pkg/`` of ``pkg/v1.2.0``."""
    found = _TAG.search(_POST.sub("", name[:200]))
    return name if found is None else name[: found.start("numbers")].removesuffix("v")


def version_in(text: str) -> Version | None:
    """Return the version that a text is: ``0.8``, ``v1.2.0``, ``version 2``."""
    return version_of_tag(re.sub(r"^(?:version|release)\s+", "", text.strip(), flags=re.IGNORECASE))


def before(version: Version, among: Iterable[Version]) -> Version | None:
    """Return the greatest of some versions that is less than one; a finished one goes before no early one."""
    lesser = [one for one in among if one.order < version.order and (version.is_early or not one.is_early)]
    return max(lesser, key=lambda one: one.order, default=None)
