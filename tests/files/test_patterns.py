from __future__ import annotations

import pytest

from quaestor.files.ignore import PatternSet, as_bytes_text, parse_line


def ignored(pattern: str, path: str, *, folder: bool = False) -> bool | None:
    path = as_bytes_text(path)
    return PatternSet.parse(pattern.encode()).decide(path, path.rpartition("/")[2], folder=folder)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*.log", "a/b/c.log"),
        ("name", "deep/down/name"),
        ("/name", "name"),
        ("a/b", "a/b"),
        ("a/**/b", "a/b"),
        ("a/**/b", "a/x/y/b"),
        ("**/b", "b"),
        ("a/**", "a/x/y"),
        ("[a-c]x", "bx"),
        ("[!a-c]x", "dx"),
        ("[]-]x", "]x"),
        ("[[:digit:]]x", "7x"),
        ("\\#x", "#x"),
        ("\\!x", "!x"),
        ("x\\ ", "x "),
        ("x   ", "x"),
        ("é*", "één"),
        ("a*b*c*d", "a-b-bc-cd"),
        ("line\\\nbreak*", "break-x"),
    ],
)
def test_matches(pattern: str, path: str) -> None:
    assert ignored(pattern, path) is True


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/name", "a/name"),
        ("a/b", "x/a/b"),
        ("a/*", "a/x/y"),
        ("a/**", "a"),
        ("?", "é"),  # two bytes
        ("[a-c]x", "dx"),
        ("[a", "[a"),
        ("x\\", "x"),
        ("# comment", "# comment"),
        ("", "x"),
        ("/", "x"),
        ("folder/", "folder"),
        ("a[/]b", "a/b"),
    ],
)
def test_does_not_match(pattern: str, path: str) -> None:
    assert ignored(pattern, path) is None


def test_the_last_match_decides() -> None:
    assert ignored("*.log\n!keep.log", "keep.log") is False
    assert ignored("!keep.log\n*.log", "keep.log") is True
    assert ignored("/a/keep.log\n!keep.log", "a/keep.log") is False


def test_folders_only() -> None:
    assert ignored("build/", "build", folder=True) is True
    assert ignored("build/", "build", folder=False) is None


def test_the_slash_of_a_folder_is_no_part_of_its_path() -> None:
    assert ignored("*/*", "a", folder=True) is None
    assert ignored("*/*\n!*.c", "a/main.c") is False
    assert ignored("a/**", "a", folder=True) is None
    assert ignored("a/**", "a/b", folder=True) is True


def test_windows_lines_and_mark() -> None:
    patterns = PatternSet.parse(b"\xef\xbb\xbf*.log\r\n*.tmp\r\n")
    assert patterns.decide("a.log", "a.log", folder=False) is True
    assert patterns.decide("a.tmp", "a.tmp", folder=False) is True


def test_blank_lines_and_comments_are_no_patterns() -> None:
    assert parse_line("") is None
    assert parse_line("#x") is None


@pytest.mark.parametrize("pattern", ["*a" * 40 + "b", "**/a/" * 20 + "b", "[a-z]*" * 30 + "!", "x/" + "*a" * 40])
def test_hostile_patterns_come_to_an_end(pattern: str) -> None:
    # One that tried each star in every way would not, in a lifetime.
    assert ignored(pattern, "x/" + "a/" * 60 + "a" * 200) is None
    assert ignored(pattern, "x/" + "a" * 250) is (True if pattern.startswith("x/") else None)
