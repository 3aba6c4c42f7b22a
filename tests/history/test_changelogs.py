"""Versions and the sections of changelogs."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quaestor.history.versions import (
    Tag,
    Version,
    first_release,
    is_changelog,
    newest_before,
    prefix_of_tag,
    sections,
    tag_text,
    tags,
    version_in,
    version_of_tag,
)


@pytest.mark.parametrize(
    ("tag", "numbers", "early"),
    [
        ("v1.2.0", (1, 2), ""),
        ("1.2.3", (1, 2, 3), ""),
        ("release-1.10", (1, 10), ""),
        ("curl-8_4_0", (8, 4), ""),
        ("pkg/v2.0.0-rc.1", (2,), "rc1"),
        ("3.0b2", (3,), "b2"),
        ("4.3.0.Final", (4, 3), ""),
        ("@scope/name@1.0.1", (1, 0, 1), ""),
    ],
)
def test_versions_of_tags(tag: str, numbers: tuple[int, ...], early: str) -> None:
    assert version_of_tag(tag) == Version(numbers, early)


@pytest.mark.parametrize("tag", ["stable", "nightly", "", "v", "hello world"])
def test_what_names_no_version(tag: str) -> None:
    assert version_of_tag(tag) is None


def test_the_version_before() -> None:
    listed = [found for name in ("1.0", "1.9", "1.10", "2.0rc1", "2.0", "2.1") if (found := version_in(name))]
    assert newest_before(Version((2,)), listed) == Version((1, 10))
    assert newest_before(Version((2,), "rc1"), listed) == Version((1, 10))
    assert newest_before(Version((1,)), listed) is None


STYLES = {
    "keep a changelog": "# L\n\n## [Unreleased]\n\n## [1.1.0] - 2024-01-02\n\n- B\n\n## [1.0.0] - 2023-01-02\n\n- A\n",
    "words": "# History\n\n## Version 1.1.0 (2nd January, 2024)\n\n- B\n\n## Version 1.0.0\n\n- A\n",
    "underlined": "Changes\n=======\n\n1.1.0\n-----\n\n* B\n\n1.0.0 (2023-01-02)\n------------------\n\n* A\n",
    "bare": "2024-01-02 thing\n\n1.1.0 / 2024-01-02\n\n  * B\n\n1.0.0 / 2023-01-02\n\n  * A\n",
    "named": "Changes\n-------\n\nThing 1.1.0\n-----------\n\nB\n\nThing 1.0.0\n-----------\n\nA\n",
    "from": "Changes from 1.0 to 1.1\n\n* B\n\nChanges from 0.9 TO 1.0\n\n* A\n",
    "dated": "2024.01.02, Version 1.1.0 (Stable), 5f0e\n\nChanges since version 1.0.9:\n\n* B\n\n\n"
    "2023-01-02 - v1.0.0\n\n* A\n",
    "asciidoc": "= News\n\n== 1.1.0\n\n* B\n\n== 1.0.0\n\n* A\n",
}


@pytest.mark.parametrize("style", STYLES)
def test_sections(style: str) -> None:
    lines = STYLES[style].split("\n")
    found = {one.version: "\n".join(lines[one.first - 1 : one.last]) for one in sections(lines, "CHANGELOG.md")}
    assert set(found) == {Version((1, 1)), Version((1,))}
    assert "B" in found[Version((1, 1))]
    assert "A" not in found[Version((1, 1))].replace("Added", "")
    assert "A" in found[Version((1,))]


def test_a_file_of_one_version() -> None:
    [only] = sections(["# What is new", "", "- B", ""], "docs/releases/2.1.md")
    assert (only.version, only.first, only.last) == (Version((2, 1)), 1, 3)


@pytest.mark.parametrize(
    "path",
    [
        *("CHANGELOG.md", "docs/changelog.rst", "NEWS", "HISTORY.md", "CHANGES.txt", "RELEASE_NOTES.md", "Changelog"),
        *("docs/release-notes/2.0.md", "doc/whatsnew/v1.2.0.rst", "Documentation/RelNotes/2.56.0.adoc"),
    ],
)
def test_paths_of_changelogs(path: str) -> None:
    assert is_changelog(path)


@pytest.mark.parametrize(
    "path", ["src/changes.py", "news/2024-party.html/a", "docs/changing.md", "history.js", "README.md"]
)
def test_paths_of_others(path: str) -> None:
    assert not is_changelog(path)


HEADINGS = st.sampled_from(["## 1.2.0", "1.1 (2024-01-02)", "# [0.9-rc1] - 2023-01-02", "-----", "", "- Add it"])


@given(st.lists(HEADINGS | st.text(max_size=60), max_size=30))
@example(["## 1.2.0", "", "- Add it", "## 1.1"])
def test_any_lines_have_sections_in_order(lines: list[str]) -> None:
    found = sections(lines, "CHANGELOG.md")
    assert all(1 <= one.first <= one.last <= len(lines) for one in found)
    assert all(one.last < other.first for one, other in pairwise(found))


@given(st.text(max_size=300))
@example("20261126101500")
def test_any_name_of_a_tag_is_read(name: str) -> None:
    found = version_of_tag(name)
    assert found is None or found.numbers


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("## [1.1.0] - 2024-01-02", "1.1.0 - 2024-01-02"),
        ("## [1.1.0] (2024-01-02)", "1.1.0 (2024-01-02)"),
        ("## [1.1.0](https://example.org/a/b...c) (2024-01-02)", "1.1.0 (2024-01-02)"),
        ("## 1.1.0", "1.1.0"),
    ],
)
def test_a_heading_is_shown_without_the_marks_of_its_link(line: str, heading: str) -> None:
    [section] = sections(["# Changes", "", line, "", "- B"])
    assert section.heading == heading


def test_an_entry_that_begins_with_a_version_is_no_heading_among_marked_ones() -> None:
    lines = "## 26.1 - 2026-06-06\n\n### Removed\n\n- Python 3.8 and 3.9 support.\n\n## 25.5 - 2025-10-27\n\n- Less.\n"
    found = sections([*lines.splitlines(), "", "1.0 (2019-01-01)", "", "- First."])
    assert [(one.heading, one.first, one.last) for one in found] == [
        ("26.1 - 2026-06-06", 1, 5),
        ("25.5 - 2025-10-27", 7, 9),
        ("1.0 (2019-01-01)", 11, 13),
    ]


@pytest.mark.parametrize(
    ("tag", "prefix"),
    [
        *(("v1.2.0", ""), ("1.2.0", ""), ("pkg/v1.2.0", "pkg/"), ("release-1.2", "release-"), ("curl-8_4_0", "curl-")),
        *(("app-1.2.0.Final", "app-"), ("pkg/v2.0.0-rc.1", "pkg/"), ("stable", "stable")),
        (f"{'a' * 193}-v1.2.0", f"{'a' * 193}-"),  # 200 letters are read
        (f"{'a' * 194}-v1.2.0", f"{'a' * 194}-v1.2.0"),
    ],
)
def test_the_series_of_a_tag(tag: str, prefix: str) -> None:
    assert prefix_of_tag(tag) == prefix


TAGS = [
    ("v1.2rc1", "eee", "", "2023-11-01", "", "Early.\n"),
    ("tool/v0.9", "ddd", "", "2023-12-01", "", "Tool.\n"),
    ("v1.0", "aaa", "", "2024-01-02", "", "Xylophones come first.\n"),
    ("v1.1", "bbb", "ccc", "2024-02-03", "ada@example.org", "Second.\n-----BEGIN PGP SIGNATURE-----\nxyz\n"),
]
FIELDS = ("refname:strip=2", "objectname", "*objectname", "creatordate:short", "taggername", "contents")


class Printed:
    """Prints tags as git does, and nothing that it is not asked for as it wants to be asked."""

    def __init__(self, listed: list[tuple[str, ...]]) -> None:
        self._listed = listed

    def run(self, *arguments: str, most: int = 0) -> SimpleNamespace:
        command, sort, form, *options, where = arguments
        assert (command, sort, where) == ("for-each-ref", "--sort=creatordate", "refs/tags")
        text = ""
        for values in self._listed if options in ([], ["--contains=abc"]) else []:
            line = form.removeprefix("--format=")
            for field, value in zip(FIELDS, values, strict=True):
                line = line.replace(f"%({field})", value)
            text += line.replace("%00", "\0").replace("%01", "\1") + "\n"
        return SimpleNamespace(text=text[:most])


def test_tags_as_git_prints_them() -> None:
    git = Printed(TAGS)
    early, tool, first, second = tags(git)  # type: ignore[arg-type]
    assert first == Tag("v1.0", "aaa", "2024-01-02", "", "Xylophones come first.", Version((1,)))
    assert second == Tag("v1.1", "ccc", "2024-02-03", "ada", "Second.", Version((1, 1)))
    assert (tool.series, early.version) == ("tool/", Version((1, 2), "rc1"))
    assert first_release(git, "abc") == first  # type: ignore[arg-type] # of the main series, and finished
    assert first_release(Printed(TAGS[:1]), "abc") == early  # type: ignore[arg-type]
    assert first_release(Printed([]), "abc") is None  # type: ignore[arg-type]
    assert tag_text(first) == "tag v1.0\nDate: 2024-01-02\nCommit: aaa\n\nXylophones come first.\n"
    assert tag_text(second) == "tag v1.1\nTagger: ada\nDate: 2024-02-03\nCommit: ccc\n\nSecond.\n"


def test_versions_by_words() -> None:
    assert [version_in(text) for text in ("version 2", " Release 1.3 ", "v0.8", "2.0 alpha", "20261126101500")] == [
        *(Version((2,)), Version((1, 3)), Version((0, 8)), None, None)
    ]
    assert version_of_tag("v0.0") == Version((0,))
    assert (version_of_tag("1234567890"), version_of_tag("123456789")) == (None, Version((123456789,)))
    assert newest_before(Version((2, 1), "rc1"), [Version((2,)), Version((2,), "rc1")]) == Version((2,))
    assert newest_before(Version((2, 1), "rc2"), [Version((2, 1), "rc1"), Version((2,))]) == Version((2, 1), "rc1")
    assert newest_before(Version((2, 1)), [Version((2, 1), "rc1"), Version((2,))]) == Version((2,))


def test_where_sections_begin_and_end() -> None:
    lines = ["1.1 (2024-01-02)", "", "- B", "", "", "1.0 (2023-01-02)", "- A", "2.0 in a paragraph, not above it", ""]
    assert [(one.version, one.heading, one.first, one.last, one.date) for one in sections(lines)] == [
        (Version((1, 1)), "1.1 (2024-01-02)", 1, 3, "2024-01-02"),
        (Version((1,)), "1.0 (2023-01-02)", 6, 8, "2023-01-02"),
    ]
    assert [one.heading for one in sections(["1.1", "", "- B"])] == ["1.1"]
    assert [one.heading for one in sections(["# 2.0", "", "- C", "", "1.1", "-----"])] == ["2.0", "1.1"]
    assert sections([], "docs/releases/2.1.md") == []
    [only] = sections(["# 2.1", "", "- B", ""], "docs/releases/2.1.md")
    assert (only.heading, only.first, only.last, only.date) == ("2.1.md", 1, 3, "")
    assert sections(["# 9" + "9" * 120, "", "- no heading is as long"]) == []
    assert sections(["Look there.", "", "  1.2", "", "- an indented line of its own"]) == []
