"""A file's bytes as lines, and back to the same bytes."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.edits.file_text import Line, NotTextError, read_text

PIECES = st.lists(st.sampled_from(["a", "é", "ß", "\u2028", "\x0c", "\r", "\n", "\r\n", "“", " ", "\t", "x = 1"]))
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])


@given(PIECES, ENCODINGS)
def test_every_file_comes_back(pieces: list[str], encoding: str) -> None:
    data = "".join(pieces).encode(encoding, "ignore")
    assert read_text(data).data() == data


@given(st.binary(max_size=60))
def test_bytes_come_back_or_are_no_text(data: bytes) -> None:
    with suppress(NotTextError):
        assert read_text(data).data() == data


def test_what_is_put_in_takes_on_the_files_manner() -> None:
    text = read_text("é\r\nb\r\nc".encode("cp1252"))
    assert text.splice(2, 3, [Line("ü", ""), Line("d", "\n")]).data() == "é\r\nb\r\nü\r\nd".encode("cp1252")
    with pytest.raises(UnicodeEncodeError):
        text.splice(0, 1, [Line("→", "\n")]).data()


def test_old_mac_line_ends() -> None:
    assert read_text(b"a\rb\rc").strings == ["a", "b", "c"]
