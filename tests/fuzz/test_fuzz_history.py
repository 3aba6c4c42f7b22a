"""What git prints, and what people write into it: read up to any cut, without addresses and control characters."""

from __future__ import annotations

import re
from pathlib import Path

from fuzz.parser_properties import fuzzed
from quaestor.history.git import Output, Repository
from quaestor.history.history_json import commit_text, is_object
from quaestor.history.log import blame, clean_message, clean_name, read_commits
from quaestor.history.versions import (
    Version,
    is_changelog,
    newest_before,
    sections,
    tag_text,
    tags,
    version_in,
    version_of_tag,
)

HASH = "0123456789abcdef0123456789abcdef01234567"
LOG = [
    HASH,
    "\x00",
    "Ana <a@b.example>",
    "2020-01-02",
    "subject\n\nbody\n",
    "\r",
    "\x1b[31m",
    "\u202e",
    "\xff",
    "a@b.example",
    "\x9b",
]
PATCH = [
    *(
        "diff --git a/a b/a\n",
        "diff --git ",
        'diff --git "a/\\303\\251" "b/\\303\\251"\n',
        "index 1..2\n",
        "--- a/a\n",
        "+++ b/b\n",
    ),
    *(
        "+++ /dev/null\n",
        '+++ "b/\\t"\n',
        "rename to c\n",
        "@@ -1 +1 @@\n",
        "+a\n",
        "-b\n",
        "\x1b]0;x\x07",
        "\t",
        '"b/',
        "\\",
        "\r\n",
    ),
    *("-----BEGIN RSA PRIVATE KEY", "Binary files differ\n", "old mode 100644\n", "\\777", "\\999"),
]
BLAME = [f"{HASH} 1 1 1\n", "author Ana\n", "author-mail <a@b>\n", "\tcode\n", "filename a\n", f"{HASH} 9 ² 1\n", "\t"]
TAGS = [
    "v1.2.0",
    "\x00",
    "\x01",
    "\x00\x01\x00",
    HASH,
    "2020-01-02",
    "Ana",
    "message\n",
    "-----BEGIN PGP",
    "pkg/v1.0-rc.1",
    "\n",
]
CHANGES = [
    "## 1.2.0\n",
    "1.2\n---\n",
    "# Changelog\n",
    "* v3\n",
    "Version 1.0.0 (2020-01-01)\n",
    "\n",
    "text\n",
    "=" * 5,
    "[1.0]",
    "1._",
    "²",
]
VERSIONS = ["v", "1", ".", "_", "-", "rc", "alpha", "final", "post1", "9" * 12, "²", "٣", "pkg/", "release-"]


class Printed:
    """A git that prints what it was made with, whatever it is asked; it is read, and not under test."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.repository = Repository(Path("/"), Path("/"), "", lambda path: not path.endswith(".pem"))

    def run(self, *_arguments: str, most: int = 1 << 22) -> Output:
        return Output(self._data[:most], is_complete=True)


def _is_clean(text: str) -> bool:
    return not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text)


@fuzzed(LOG, ["\x00".join((HASH, "Ana", "2020-01-02", "", "subject\n\nbody\n", ""))], raw=True)
def test_a_log_is_read_up_to_its_cut(data: bytes) -> None:
    commits = read_commits(data)
    assert len(commits) <= data.count(b"\0") // 5
    for one in commits:
        assert one.subject and "\n" not in one.subject and _is_clean(one.subject + one.body)
        assert "@" not in one.author and one.author and len(one.subject) <= 300
    text = data.decode("utf-8", "replace")
    assert _is_clean(clean_message(text))
    assert _is_clean(clean_name(text)) and "\n" not in clean_name(text)


@fuzzed(
    PATCH,
    ["diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-b\n+c\n", 'diff --git "a/\\303\\251" "b/\\93diff "\n'],
    raw=True,
)
def test_a_commit_is_a_text_without_keys_and_control_characters(data: bytes) -> None:
    head = "\0".join((HASH, "Ana", "2020-01-02", "", "subject", "")).encode()
    found = commit_text(Printed(head + data), HASH[:10])  # type: ignore[arg-type]
    assert found is not None
    assert _is_clean(found.text) and found.text.endswith("\n")
    # A file may be named like a key's first line, and is.
    assert not re.search("^[-+ ]?-----BEGIN [A-Z ]*PRIVATE KEY", found.text, re.MULTILINE)
    assert found.head_lines <= found.text.count("\n")


@fuzzed([*LOG, HASH[:9], *TAGS], raw=True)
def test_what_is_no_commit_is_none(data: bytes) -> None:
    found = commit_text(Printed(data), HASH[:10])  # type: ignore[arg-type]
    assert found is None or found.commit.id.startswith(HASH[:10]) or data.count(b"\0") < 5
    is_object(data.decode("utf-8", "replace"))


@fuzzed(BLAME, [f"{HASH} 1 1 1\nauthor Ana\n\tcode\n"], raw=True)
def test_blame_is_read_line_by_line(data: bytes) -> None:
    lines = blame(Printed(data), "a")  # type: ignore[arg-type]
    assert len(lines) <= data.count(b"\t")
    assert all("\n" not in one.author for one in lines)


@fuzzed(TAGS, [f"v1\x00{HASH}\x00\x002020-01-02\x00Ana\x00hello\x00\x01\x00\n"], raw=True)
def test_tags_are_texts(data: bytes) -> None:
    for one in tags(Printed(data)):  # type: ignore[arg-type]
        assert tag_text(one).startswith("tag ")
        assert _is_clean(one.message)


@fuzzed(CHANGES, ["# Changelog\n\n## 1.2.0 (2020-01-01)\n\n- a\n\n## 1.1.0\n\n- b\n"])
def test_a_changelogs_sections_are_in_order(text: str) -> None:
    lines = text.split("\n")
    end = 0
    for one in sections(lines):
        assert end < one.first <= one.last <= len(lines)
        end = one.last
    is_changelog(text)


@fuzzed(VERSIONS, ["v1.0.0-rc.1", "release-1.2.post1"])
def test_versions_have_an_order(text: str) -> None:
    for version in (version_of_tag(text), version_in(text)):
        if version is not None:
            one = Version((1, 2), "rc1")
            assert (version.order < one.order) + (version.order == one.order) + (version.order > one.order) == 1
            assert newest_before(version, [version]) is None
