"""Ignore files, globs and git's index: any bytes are read, and their patterns decide on any name."""

from __future__ import annotations

import struct

from fuzz.parser_properties import fuzzed
from quaestor.files.deny import deny_content, deny_file, is_secret, suffix_of
from quaestor.files.git_folder import tracked_names
from quaestor.files.ignore import PatternSet, as_bytes_text
from quaestor.stores.embedded.filtering import compile_globs, literal_folder

PATTERNS = [
    *("*", "**", "**/", "/**", "?", "[", "]", "[!", "[^", "[:alpha:]", "[a-z]", "[z-a]", "\\", "/", "!", "#", "a", "b"),
    *("\r\n", "\n", "\ufeff", " ", "\\ ", "-", ".", "é", "\x00", "--", "[]", "[]]", "&&", "||", "~~", "^"),
]
NAMES = ["a", "b.py", "a/b.py", "a/b/c", "é", "[a]", "\\", "a ", "--", "~"]


@fuzzed(PATTERNS, ["*.py\n!a/b.py\n/a/**/c\n[!a-b]?\n", "[[:alpha:]-z]", "a\\ \n\\"], raw=True)
def test_an_ignore_file_decides_on_every_name(data: bytes) -> None:
    patterns = PatternSet.parse(data)
    for path in NAMES:
        whole = as_bytes_text(path)
        for folder in (False, True):
            assert patterns.decide(whole, whole.rpartition("/")[2], folder=folder) in (True, False, None)


@fuzzed(PATTERNS, ["src/**/*.py", "[!]a]", "[a--b]"])
def test_a_glob_matches_itself_where_it_is_plain(text: str) -> None:
    globs = tuple(text.split("\n"))
    pattern = compile_globs(globs)
    assert all(pattern.fullmatch(path) is None or path.startswith(literal_folder(globs)) for path in NAMES)
    for glob in globs:
        plain = glob.strip("/")
        if plain and glob == plain and not set(plain) & set("*?[") and not plain.startswith("."):
            assert pattern.fullmatch(plain)


@fuzzed(["DIRC", "\x00\x00\x00\x02", "\x00\x00\x00\x04", "a/b", "\x00" * 60, "\x7f", "\xff"], raw=True)
def test_gits_index_is_read_up_to_the_damage(data: bytes) -> None:
    for index in (data, b"DIRC" + struct.pack(">II", 4, 3) + data, b"DIRC" + struct.pack(">II", 2, 9) + data):
        assert all(isinstance(name, bytes) and b"\0" not in name for name in tracked_names(index))


@fuzzed([".env", "id_rsa", ".pem", "BEGIN PRIVATE KEY", ".", "/", "-----", "key", "secret", "\x00"])
def test_any_name_and_content_is_judged(text: str) -> None:
    assert isinstance(is_secret(text), bool)
    assert "/" not in suffix_of(text.replace("/", ""))
    deny_file(text)
    deny_content(text.encode())
