"""Versions as tags, changelogs and people write them: the tags of a repository, and the sections of changelogs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.history.git import Git
from quaestor.history.log import clean_message, clean_name

_EARLY = r"(?:alpha|beta|preview|pre|dev|rc|a|b|c|m|next|canary|nightly|snapshot)"
WRITTEN = rf"v?\d+(?:[._]\d+)+(?:[-._+]?{_EARLY}[-._]?\d*)*|v\d+"
"""An expression for a version as it is written by itself; matches without regard to case."""
_TAG = lazy_regex(
    rf"(?:^|[-_/@.a-z])v?(?P<numbers>\d+(?:[._]\d+)*)(?P<rest>(?:[-._+]?{_EARLY}[-._]?\d*)*)$", re.IGNORECASE
)
_POST = lazy_regex(r"(?:[-._]?(?:final|ga|release|post\d*|stable))$", re.IGNORECASE)


class Version(NamedTuple):
    """A version.

    Attributes:
        numbers: the numbers without zeros at the end, ``(1, 2)`` for 1.2.0.
        pre_release: the suffix of a pre-release, ``rc1``; else empty.
    """

    numbers: tuple[int, ...]
    pre_release: str = ""

    @property
    def is_pre_release(self) -> bool:
        """Whether it is a pre-release, which comes before the version with its numbers."""
        return bool(self.pre_release)

    @property
    def order(self) -> tuple[tuple[int, ...], int, tuple[int, ...], str]:
        """The sort key of versions."""
        return (
            self.numbers,
            not self.pre_release,
            tuple(map(int, re.findall(r"\d{1,9}", self.pre_release))),
            self.pre_release,
        )


def version_of_tag(name: str) -> Version | None:
    """Return the version that a tag names; None if it names none: ``v1.2.0``, ``release-1.2``, ``pkg/v1.2.0-rc.1``."""
    match = _TAG.search(_POST.sub("", _dotted(name)))
    if match is None:
        return None
    numbers = [int(part) for part in re.split(r"[._]", match["numbers"]) if len(part) < 10]
    if not numbers:  # a moment, 20261126101500, or a number of a build
        return None
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return Version(tuple(numbers), re.sub(r"[-._+]", "", match["rest"]).lower())


def prefix_of_tag(name: str) -> str:
    """Return the part of a tag's name before the version and its ``v``: ``pkg/`` of ``pkg/v1.2.0``."""
    match = _TAG.search(_POST.sub("", _dotted(name)))
    return name if match is None else name[: match.start("numbers")].removesuffix("v")


def _dotted(name: str) -> str:
    """Return the beginning of a tag's name with points in a date, of which otherwise only the day is a version."""
    return re.sub(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)", r"\1.\2.\3", name[:200])


def version_in(text: str) -> Version | None:
    """Return the version that a text is: ``0.8``, ``v1.2.0``, ``version 2``."""
    return version_of_tag(re.sub(r"^(?:version|release)\s+", "", text.strip(), flags=re.IGNORECASE))


def newest_before(version: Version, among: Iterable[Version]) -> Version | None:
    """Return the greatest of some versions that is less than ``version``; for a final version, no pre-release."""
    lesser = [one for one in among if one.order < version.order and (version.is_pre_release or not one.is_pre_release)]
    return max(lesser, key=lambda one: one.order, default=None)


_FIELDS = (
    "%(refname:strip=2)",
    "%(objectname)",
    "%(*objectname)",
    "%(creatordate:short)",
    "%(taggername)",
    "%(contents)",
)
_END = "\x00\x01\x00"
_LONGEST_MESSAGE = 8000


class Tag(NamedTuple):
    """A name for a commit.

    Attributes:
        name: the tag's name, such as ``v1.2.0``.
        commit: the hash of the commit.
        date: the date of an annotated tag, else of the commit; ISO 8601.
        tagger: who made it; empty for a lightweight tag.
        message: the message of an annotated tag, else of the commit.
        version: the version that it names, or None.
    """

    name: str
    commit: str
    date: str
    tagger: str
    message: str
    version: Version | None

    @property
    def series(self) -> str:
        """The prefix that the tags of one series of versions share, such as ``pkg/``; mostly empty."""
        return prefix_of_tag(self.name)


def tags(git: Git, *options: str) -> list[Tag]:
    """Return all tags, the newest last."""
    form = "%00".join(_FIELDS) + "%00%01%00"
    text = git.run("for-each-ref", "--sort=creatordate", f"--format={form}", *options, "refs/tags", most=32 << 20).text
    records = [record.removeprefix("\n").split("\0", 5) for record in text.split(_END)]
    return [_tag(fields) for fields in records if len(fields) == len(_FIELDS)]


def first_release(git: Git, commit: str) -> Tag | None:
    """Return the first version that contains a commit."""
    containing = tags(git, f"--contains={commit}")
    released = [tag for tag in containing if tag.version is not None and not tag.version.is_pre_release]
    return min(released or containing, key=lambda tag: (bool(tag.series), tag.date), default=None)


def tag_text(tag: Tag) -> str:
    """Return a tag as a text that can be cited."""
    head = [f"tag {tag.name}", *([f"Tagger: {tag.tagger}"] if tag.tagger else []), f"Date: {tag.date}"]
    return "\n".join([*head, f"Commit: {tag.commit}", "", tag.message, ""])


def _tag(fields: list[str]) -> Tag:
    name, own, peeled, date, by, message = fields
    text = clean_message(message.partition("-----BEGIN")[0][:_LONGEST_MESSAGE]).strip("\n")
    return Tag(name, peeled or own, date, clean_name(by) if by else "", text, version_of_tag(name))


_NAMES = lazy_regex(
    r"(?:^|/)(?:change[-_ ]?logs?|changes|history|news|rel(?:ease)?[-_ ]?notes?|releases|what-?s-?new|upgrading)"
    r"(?:[-_. ][\w.-]*)?(?:\.(?:md|mdx|rst|txt|adoc|asciidoc|org|html?))?$|(?:^|/)(?:change[-_ ]?logs?|changes|news"
    r"|rel(?:ease)?[-_ ]?notes?|releases|what-?s-?new)/[^/]*\d[^/]*\.(?:md|mdx|rst|txt|adoc)$",
    re.IGNORECASE,
)
_CODE = lazy_regex(r"\.(?:py|js|ts|c|h|go|rs|java|rb|php|cs|json|ya?ml|toml|sh|ex|exs|css)$", re.IGNORECASE)
_UNDERLINE = lazy_regex(r"^\s{0,3}([=\-~^\"'*+#])\1{2,}\s*$")
_MARKED = lazy_regex(r"^\s{0,3}(?:#{1,6}\s|=+\s|\*+\s*\[?v?\d)")
_DATE = lazy_regex(r"\b(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?\b")
# What may stand before the version in its heading: marks, "Version", the project's name.
_HEADING = lazy_regex(
    rf"^(?!\s*changes\s+since\b)\s{{0,3}}(?:#{{1,6}}\s+|=+\s+|\*+\s*)?(?:{_DATE.pattern}[,:]?\s+(?=version\s|v?\d))?"
    rf"[\[(:*`]{{0,3}}(?:[\w.+'’-]+\s+){{0,3}}?"
    rf"(?:version|release|changes in|from\s+(?:{WRITTEN})\s+to|v\.?)?\s*"
    rf"(?P<version>{WRITTEN})(?![\w.]*\w)",
    re.IGNORECASE,
)
_IN_NAME = lazy_regex(rf"(?P<version>{WRITTEN})(?=\.\w+$)", re.IGNORECASE)
_LINKED = lazy_regex(r"\[([^\[\]]+)\](?:\([^()\s]*/[^()\s]*\)|\[[^\[\]]*\])?")
_OF_OTHERS = lazy_regex(
    r"^\W*(?:upgrad|updat|migrat|switch|mov|bump|support)\w*\s+(?:\w+\s+)?(?:to|from|for)\b", re.IGNORECASE
)
"""A heading with the version of something else: "Upgrade to JUnit 5.6"."""
_LONGEST_HEADING = 120


class Section(NamedTuple):
    """The section of a changelog about a version.

    Attributes:
        version: the version.
        heading: the line that names the version, without heading marks.
        first: the section's first line, 1-based.
        last: the section's last line, inclusive.
    """

    version: Version
    heading: str
    first: int
    last: int

    @property
    def date(self) -> str:
        """The day that the heading names; empty if it names none."""
        match = _DATE.search(self.heading)
        return match[0] if match else ""


def is_changelog(path: str) -> bool:
    """Return whether a file is a changelog by its path."""
    return _NAMES.search(path) is not None and not _CODE.search(path)


def sections(lines: Sequence[str], path: str = "") -> list[Section]:
    """Return the sections of a changelog in order; a file that is named after one version is one section."""
    headings = list(_headings(lines))
    match = _IN_NAME.search(path)
    if match and len(headings) <= 1 and (version := version_in(match["version"])):
        return [Section(version, path.rpartition("/")[2], 1, _last_filled(lines, 0, len(lines)))] if lines else []
    ends = [*(first for first, _, _ in headings[1:]), len(lines)][: len(headings)]
    return [
        Section(version, heading, first + 1, _last_filled(lines, first, end))
        for (first, version, heading), end in zip(headings, ends, strict=True)
    ]


def _headings(lines: Sequence[str]) -> list[tuple[int, Version, str]]:
    """Return the index, version and text of each line that heads a version."""
    headings, sure = [], False
    for at, line in enumerate(lines):
        if len(line) > _LONGEST_HEADING or not (head := _HEADING.match(line)) or _OF_OTHERS.match(line):
            continue
        underlined = at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1])
        marked = bool(_MARKED.match(line) or underlined)
        sure = sure or marked
        # In plain changelogs a heading stands at the margin, and is little more than the version and the day.
        dated = _DATE.search(line) is not None
        bare = not line[0].isspace() and (dated or len(line.strip("=:*-_ v")) <= len(head["version"]) + 24)
        version = version_in(head["version"])
        if version and (marked or (bare and _is_apart(lines, at))):
            headings.append((marked or dated, (at, version, _LINKED.sub(r"\1", line).strip().strip("#=*[]: ").strip())))
    # Among marked headings, a short line without a day is an entry: "- Python 3.8 support."
    return [heading for certain, heading in headings if certain or not sure]


def _is_apart(lines: Sequence[str], at: int) -> bool:
    return at == 0 or not lines[at - 1].strip()


def _last_filled(lines: Sequence[str], first: int, end: int) -> int:
    """Return the number of the last line before ``end`` that is not blank."""
    while end > first + 1 and not lines[end - 1].strip():
        end -= 1
    return end
