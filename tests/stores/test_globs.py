from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.stores.embedded.filtering import compile_globs, literal_folder


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/deep/a.py", True),
        ("*.py", "a.pyc", False),
        ("src/**", "src/a.py", True),
        ("src/**", "src/deep/a.py", True),
        ("src/**", "lib/src/a.py", False),
        ("src", "src/a.py", True),
        ("src/", "lib/src/a.py", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**/a.py", "src/a.py", True),
        ("src/**/a.py", "src/x/y/a.py", True),
        ("**/a.py", "a.py", True),
        ("**/test/*", "x/test/a.py", True),
        ("**", "any/thing", True),
        ("./src/*", "src/a", True),
        ("/a.py", "a.py", True),
        ("a?.py", "ab.py", True),
        ("a?b", "a/b", False),
        ("[ab].py", "b.py", True),
        ("[!ab].py", "b.py", False),
        ("[!ab].py", "c.py", True),
        ("[", "[", True),
        ("[z-a]", "[z-a]", True),
        ("[+--].py", ",.py", True),
        ("[+--].py", "-.py", True),
        ("[+--].py", "a.py", False),
        ("[--.].py", "..py", True),
        ("[?--]", "[?--]", True),
        ("a+(b).py", "a+(b).py", True),
        ("A.py", "a.py", False),
        ("*", "with\nnewline", True),
    ],
)
def test_globs(glob: str, path: str, matches: bool) -> None:
    assert bool(compile_globs((glob,)).fullmatch(path)) is matches


def test_any_of_several() -> None:
    assert compile_globs(("*.py", "docs/**")).fullmatch("docs/a.md")
    assert not compile_globs(("*.py", "docs/**")).fullmatch("src/a.md")


PIECES = st.lists(st.sampled_from(["a", "b", "*", "**", "?", "/", ".", "[a]"]), max_size=8).map("".join)


@given(PIECES, st.lists(st.sampled_from(["a", "b", "ab", "a.b"]), min_size=1, max_size=4).map("/".join))
def test_the_literal_folder_is_never_wrong(glob: str, path: str) -> None:
    if compile_globs((glob,)).fullmatch(path):
        assert path.startswith(literal_folder((glob,)))


@given(st.text(max_size=20) | st.text("[]!-^&|~\\?*a+z/", max_size=12))
def test_any_text_is_a_glob(glob: str) -> None:
    compile_globs((glob,)).fullmatch("src/a.py")
