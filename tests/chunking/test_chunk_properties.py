"""What holds for every cut, whatever the bytes."""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quaestor.chunking import ChunkSettings, CutDocument, cut
from quaestor.chunking.decode import decode
from quaestor.chunking.languages import PROSE
from quaestor.chunking.syntax import SYNTAXES
from quaestor.core.errors import UsageError

SAMPLES = [path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "samples").glob("*.sample"))]
LINES = [line for sample in SAMPLES for line in sample.splitlines(keepends=True)]
ENDINGS = [
    *[
        "py",
        "js",
        "ts",
        "tsx",
        "go",
        "rs",
        "java",
        "c",
        "cpp",
        "cs",
        "rb",
        "php",
        "kt",
        "swift",
        "scala",
        "sh",
    ],
    *["lua", "ex", "hs", "zig", "md", "rst", "adoc", "txt", "json", "yaml", "toml", "erb", "twig"],
]
PATHS = [f"a.{ending}" for ending in ENDINGS] + ["README", "none"]
METHODS = [
    *[ChunkSettings(40, 100, "syntax"), ChunkSettings(40, 100, "headings"), ChunkSettings(40, 100, "lines")],
    *[ChunkSettings(40, 100, "lines", 3), ChunkSettings(16, 16, "lines", 1)],
]
SETTINGS = [ChunkSettings(), ChunkSettings(16, 16), ChunkSettings(40, 100), ChunkSettings(100, 100), *METHODS]
MARKUP = [
    *["# T", "## U", "T", "===", "---", "```", "~~~ x", "- a", "1. b", "", "    code", "<!--", "-->"],
    *["= A", "....", "***", "+++", "title: x", "\t", "\x0c"],
    *["a:", "  b: 1", "- name: x", "  # c", "---", "run: |", '"k": {', "  [", "[t]", "k = 1", 'x = """', "{{ if }}"],
    *["{% block a %}", "{#", "#}", "<h2>A</h2>", '  <nav id="a">', "<%# a"],
    "A sentence. Another one! ",
    "é漢字🙂",
]

texts = st.text(max_size=400)
fragments = st.lists(st.sampled_from(LINES), max_size=40).map("".join)
markup = st.lists(st.sampled_from(MARKUP).map("{}\n".format) | st.text(max_size=30), max_size=40).map("".join)
encodings = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
encoded = st.builds(
    lambda text, encoding: text.encode(encoding, errors="replace"), texts | fragments | markup, encodings
)
data_of_all_kinds = st.binary(max_size=400) | encoded


def check(data: bytes, path: str, sizes: ChunkSettings) -> CutDocument:
    made = cut(data, path, sizes)
    decoded = decode(data)
    assert made.encoding == decoded.encoding
    newlines = [offset for offset, byte in enumerate(decoded.data) if byte == ord("\n")]
    position = decoded.start
    for chunk in made.chunks:
        span = chunk.span
        assert position <= span.start < span.end <= len(decoded.data)
        assert not decoded.data[position : span.start].strip()
        assert span.end - span.start <= sizes.limit
        assert chunk.text == decoded.data[span.start : span.end].decode(made.encoding)
        assert span.start_line == bisect_left(newlines, span.start) + 1
        assert span.end_line == bisect_left(newlines, span.end - 1) + 1
        position = span.end
    assert not decoded.data[position:].strip()
    return made


@settings(max_examples=3 * settings.default.max_examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data_of_all_kinds, st.sampled_from(PATHS), st.sampled_from(SETTINGS))
def test_every_cut_is_whole_and_in_order(data: bytes, path: str, sizes: ChunkSettings) -> None:
    assert check(data, path, sizes) == cut(data, path, sizes)


@settings(max_examples=2 * settings.default.max_examples, deadline=None)
@given(st.sampled_from(SAMPLES), st.data(), st.sampled_from(SETTINGS))
def test_damaged_code_is_still_cut(sample: str, draw: st.DataObject, sizes: ChunkSettings) -> None:
    start = draw.draw(st.integers(0, len(sample)))
    end = draw.draw(st.integers(start, len(sample)))
    path = draw.draw(st.sampled_from(PATHS))
    check((sample[:start] + sample[end:]).encode(), path, sizes)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("data", [b"", b"\n", b" \t\r\n\x0c", b"\xef\xbb\xbf", b"\xff\xfe", b"\xef\xbb\xbf\n"])
def test_nothing_gives_no_chunks(data: bytes, path: str) -> None:
    assert cut(data, path).chunks == ()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "unit", [b"(", b"[", b"{", b"a(", b"<a>", b"if x:\n", b"\x00", b"'", b'x = "', b"- ", b"> ", b"#"]
)
def test_depth_and_repetition_are_survived(unit: bytes, path: str) -> None:
    check(unit * 3000, path, ChunkSettings())


@pytest.mark.parametrize("path", ["a.py", "a.md", "a.txt", "a.json", "a.rst", "a.js", "a.yml", "a.ini"])
@pytest.mark.parametrize("unit", ["a", "é", "🙂", "ab ", "word. ", "_", "x\ty"])
def test_one_long_line(unit: str, path: str) -> None:
    made = check((unit * 100_000).encode(), path, ChunkSettings())
    assert len(made.chunks) >= 50


def test_code_that_is_not_utf_8_is_parsed_at_its_own_offsets() -> None:
    data = "# Größe\ndef größe():\n    return 'ß'\n".encode("cp1252")
    made = check(data, "a.py", ChunkSettings(16, 60))
    assert made.note == "not UTF-8: read as cp1252"
    assert made.chunker == "tree-sitter"
    assert made.chunks[0].symbol == "größe"


def test_sizes_that_cannot_work_are_refused() -> None:
    with pytest.raises(UsageError, match="target=200, limit=100"):
        ChunkSettings(200, 100)
    with pytest.raises(UsageError):
        ChunkSettings(0, 100)


def test_no_language_is_cut_in_two_ways() -> None:
    assert not PROSE & SYNTAXES.keys()


@given(st.lists(st.sampled_from(["a = 1\n", "\n", "def f():\n"]), min_size=1, max_size=40), st.integers(1, 9))
def test_so_many_lines_each(lines: list[str], count: int) -> None:
    made = cut("".join(lines).encode(), "a.py", ChunkSettings(method="lines", lines=count))
    assert made.chunker == "lines"
    for chunk in made.chunks:
        assert chunk.span.start_line % count == (1 % count)
        assert chunk.text == "".join(lines[chunk.span.start_line - 1 :][:count])


@pytest.mark.parametrize(
    ("name", "path", "chunker"),
    [
        *[("auto", "a.py", "tree-sitter"), ("auto", "a.md", "headings"), ("auto:100", "a.py", "tree-sitter")],
        *[("syntax", "a.py", "tree-sitter"), ("syntax", "a.md", "lines")],
        *[("headings", "a.py", "lines"), ("headings", "a.md", "headings")],
        *[("lines", "a.py", "lines"), ("lines:40", "a.md", "lines")],
    ],
)
def test_a_method_cuts_what_it_is_for(name: str, path: str, chunker: str) -> None:
    made = cut(b"# Title\n\nx = 1\n", path, ChunkSettings.read(name))
    assert made.chunker == chunker
    assert made.title == ("Title" if path == "a.md" else None)


def test_names_of_chunkers() -> None:
    assert ChunkSettings.read("auto", 300, 500) == ChunkSettings(300, 500)
    assert ChunkSettings.read("syntax:1500") == ChunkSettings(1500, 3000, "syntax")
    assert ChunkSettings.read("lines:40").lines == 40
    for wrong in (
        "",
        "line",
        "lines:",
        "lines:0",
        "lines:-1",
        "auto:5",
        "auto:1e3",
        "lines:40:2",
        "lines:" + "9" * 400,
    ):
        with pytest.raises(UsageError, match="no chunker"):
            ChunkSettings.read(wrong)
