"""The sections of changelogs. Pure: lines in, places out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quaestor.core.light_imports import NamedTuple
from quaestor.history.versions import WRITTEN, Version, version_in

_NAMES = re.compile(
    r"(?:^|/)(?:change[-_ ]?logs?|changes|history|news|rel(?:ease)?[-_ ]?notes?|releases|what-?s-?new|upgrading)"
    r"(?:[-_. ][\w.-]*)?(?:\.(?:md|mdx|rst|txt|adoc|asciidoc|org|html?))?$|(?:^|/)(?:change[-_ ]?logs?|changes|news"
    r"|rel(?:ease)?[-_ ]?notes?|releases|what-?s-?new)/[^/]*\d[^/]*\.(?:md|mdx|rst|txt|adoc)$",
    re.IGNORECASE,
)
_CODE = re.compile(r"\.(?:py|js|ts|c|h|go|rs|java|rb|php|cs|json|ya?ml|toml|sh|ex|exs|css)$", re.IGNORECASE)
_UNDERLINE = re.compile(r"^\s{0,3}([=\-~^\"'*+#])\1{2,}\s*$")
_MARKED = re.compile(r"^\s{0,3}(?:#{1,6}\s|=+\s|\*+\s*\[?v?\d)")
_DATE = re.compile(r"\b(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?\b")
# What may stand before the version in its heading: marks, "Version", the project's name.
_HEADING = re.compile(
    rf"^\s{{0,3}}(?:#{{1,6}}\s+|=+\s+|\*+\s*)?[\[(:*`]{{0,3}}(?:[\w.+-]+\s+){{0,3}}?"
    r"(?:version|release|changes in|v\.?)?\s*"
    rf"(?P<version>{WRITTEN})(?![\w.]*\w)",
    re.IGNORECASE,
)
_IN_NAME = re.compile(rf"(?P<version>{WRITTEN})(?=\.\w+$)", re.IGNORECASE)
_LINKED = re.compile(r"\[([^\[\]]+)\](?:\([^()\s]*/[^()\s]*\)|\[[^\[\]]*\])?")
_LONGEST_HEADING = 120


class Section(NamedTuple):
    """The section of a changelog about a version.

    Attributes:
        version: the version.
        heading: the line that names it, without its marks.
        first: its first line, 1-based.
        last: its last line, inclusive.
    """

    version: Version
    heading: str
    first: int
    last: int

    @property
    def date(self) -> str:
        """The day that the heading names; empty if it names none."""
        found = _DATE.search(self.heading)
        return found[0] if found else ""


def is_changelog(path: str) -> bool:
    """Return whether a file is a changelog by its path."""
    return _NAMES.search(path) is not None and not _CODE.search(path)


def sections(lines: Sequence[str], path: str = "") -> list[Section]:
    """Return the sections of a changelog in order; a file that is called after one version is one section."""
    headings = list(_headings(lines))
    named = _IN_NAME.search(path)
    if named and len(headings) <= 1 and (version := version_in(named["version"])):
        return [Section(version, path.rpartition("/")[2], 1, _last_filled(lines, 0, len(lines)))] if lines else []
    ends = [*(first for first, _, _ in headings[1:]), len(lines)][: len(headings)]
    return [
        Section(version, heading, first + 1, _last_filled(lines, first, end))
        for (first, version, heading), end in zip(headings, ends, strict=True)
    ]


def _headings(lines: Sequence[str]) -> list[tuple[int, Version, str]]:
    """Return the index, version and text of each line that heads a version."""
    found = []
    for at, line in enumerate(lines):
        if len(line) > _LONGEST_HEADING or not (head := _HEADING.match(line)):
            continue
        underlined = at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1])
        # In plain changelogs a heading stands at the margin, and is little more than the version and the day.
        bare = not line[0].isspace() and (_DATE.search(line) or len(line.strip("=:*-_ v")) <= len(head["version"]) + 24)
        version = version_in(head["version"])
        if version and (_MARKED.match(line) or underlined or (bare and _is_apart(lines, at))):
            found.append((at, version, _LINKED.sub(r"\1", line).strip().strip("#=*[]: ").strip()))
    return found


def _is_apart(lines: Sequence[str], at: int) -> bool:
    return at == 0 or not lines[at - 1].strip()


def _last_filled(lines: Sequence[str], first: int, end: int) -> int:
    """Return the number of the last line before ``end`` that says anything."""
    while end > first + 1 and not lines[end - 1].strip():
        end -= 1
    return end
