"""Tags: which versions there are, and when each was made."""

from __future__ import annotations

from quaestor.core.light_imports import NamedTuple
from quaestor.history.git import Git
from quaestor.history.log import clean_message, clean_name
from quaestor.history.versions import Version, prefix_of_tag, version_of_tag

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
        name: ``v1.2.0``.
        commit: the hash of the commit.
        date: when it was made, or else the commit; ISO 8601.
        by: who made it; empty for one that is no more than a name.
        message: what was said with it, or else of the commit.
        version: the version that it names; None if it names none.
    """

    name: str
    commit: str
    date: str
    by: str
    message: str
    version: Version | None

    @property
    def series(self) -> str:
        """What the tags of one series of versions have in common: ``pkg/``; mostly empty."""
        return prefix_of_tag(self.name)


def tags(git: Git, *options: str) -> list[Tag]:
    """Return all tags, the newest last."""
    form = "%00".join(_FIELDS) + "%00%01%00"
    found = git.run("for-each-ref", "--sort=creatordate", f"--format={form}", *options, "refs/tags", most=32 << 20).text
    records = [record.removeprefix("\n").split("\0", 5) for record in found.split(_END)]
    return [_tag(fields) for fields in records if len(fields) == len(_FIELDS)]


def first_release(git: Git, commit: str) -> Tag | None:
    """Return the first version that holds a commit."""
    held = tags(git, f"--contains={commit}")
    released = [tag for tag in held if tag.version is not None and not tag.version.is_early]
    return min(released or held, key=lambda tag: (bool(tag.series), tag.date), default=None)


def tag_text(tag: Tag) -> str:
    """Return a tag as a text that can be cited."""
    head = [f"tag {tag.name}", *([f"Tagger: {tag.by}"] if tag.by else []), f"Date: {tag.date}"]
    return "\n".join([*head, f"Commit: {tag.commit}", "", tag.message, ""])


def _tag(fields: list[str]) -> Tag:
    name, own, peeled, date, by, message = fields
    said = clean_message(message.partition("-----BEGIN")[0][:_LONGEST_MESSAGE]).strip("\n")
    return Tag(name, peeled or own, date, clean_name(by) if by else "", said, version_of_tag(name))
