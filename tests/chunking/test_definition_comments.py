"""A definition's comments and attributes stay in one chunk with it, if they fit."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quaestor.chunking import ChunkSettings, cut
from quaestor.chunking.definitions import Definition, definitions
from tests.chunking.test_chunk_properties import check

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.sample"))
SIZES = [
    ChunkSettings(40, 100),
    ChunkSettings(80, 120),
    ChunkSettings(150, 400),
    ChunkSettings(),
    ChunkSettings(60, 60),
]


def lonely(data: bytes, path: str, sizes: ChunkSettings) -> list[str]:
    """Return the definitions that were cut from their comments, or in their comments without need."""
    made = check(data, path, sizes)
    starts = [chunk.span.start for chunk in made.chunks]
    if made.chunker != "tree-sitter":
        return []
    return [one.name for one in definitions(data, made.language) if parted(one, data, starts, sizes)]


def parted(one: Definition, data: bytes, starts: list[int], sizes: ChunkSettings) -> bool:
    """Return whether a cut lies in a head that fits, or between the comment's end and the signature of any."""
    comment_end = one.span.start + len(data[one.span.start : one.begin].rstrip())
    if comment_end == one.span.start:
        return False
    first_line = data.find(b"\n", one.begin) + 1 or len(data)
    fits = first_line - (data.rfind(b"\n", 0, one.span.start) + 1) <= sizes.limit
    first = one.span.start if fits else comment_end - 1
    return bisect_right(starts, first) != bisect_right(starts, one.begin)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_samples(sample: Path, sizes: ChunkSettings) -> None:
    assert lonely(sample.read_bytes(), sample.stem, sizes) == []


@settings(max_examples=2 * settings.default.max_examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SAMPLES), st.data(), st.sampled_from(SIZES))
def test_samples_joined_with_longer_comments(sample: Path, draw: st.DataObject, sizes: ChunkSettings) -> None:
    lines = sample.read_bytes().splitlines(keepends=True)
    times = draw.draw(st.lists(st.integers(1, 60), min_size=2 * len(lines), max_size=2 * len(lines)))
    joined = [line * (many if is_comment(line) else 1) for line, many in zip(2 * lines, times, strict=True)]
    assert lonely(b"".join(joined), sample.stem, sizes) == []


def is_comment(line: bytes) -> bool:
    return line.lstrip()[:2] in {b"//", b"# ", b"--"}


SIGNATURE = b"public static final Map<String, Integer> SIZES = new HashMap<>(List.of(\n"
ENTRIES = b"    entry(1),\n" * 200


@pytest.mark.parametrize("lines", [1, 10, 60, 300])
def test_a_comment_stays_with_the_first_line_of_what_has_no_body(lines: int) -> None:
    data = b"class A {\n" + b"// What it is about.\n" * lines + SIGNATURE + ENTRIES + b"));\n}\n"
    assert lonely(data, "A.java", ChunkSettings()) == []
    named = [chunk for chunk in cut(data, "A.java").chunks if "about" in chunk.text and chunk.span.start_line > 1]
    assert all(chunk.symbol == "SIZES" for chunk in named)
    (defining,) = (chunk for chunk in cut(data, "A.java").chunks if "SIZES" in chunk.defines)
    assert "about.\npublic static" in defining.text


def test_a_long_comment_is_cut_so_that_its_last_part_stays_with_the_signature() -> None:
    data = b"/// Serves what it is given.\n" * 150 + b"pub fn serve() {\n    run();\n}\n"
    made = check(data, "a.rs", ChunkSettings())
    assert {chunk.symbol for chunk in made.chunks} == {"serve"}
    assert [chunk.defines for chunk in made.chunks] == [()] * (len(made.chunks) - 1) + [("serve",)]
    assert made.chunks[-1].text.count("///") > 10


def test_a_long_comment_of_one_line_is_cut_between_words() -> None:
    data = b"# " + "größer als gedacht ".encode() * 30 + b"\ndef f():\n    return 1\n"
    last = check(data, "a.py", ChunkSettings(100, 200)).chunks[-1]
    assert last.defines == ("f",)
    assert last.text.startswith(("größer", "als", "gedacht"))


def test_a_licence_is_not_the_comment_of_what_follows_a_blank_line() -> None:
    data = b"// Licence.\n" * 60 + b"\n" + b"// About f.\nfunction f() {\n" + b"  run()\n" * 60 + b"}\n"
    (licence, code) = cut(data, "a.js").chunks
    assert (licence.symbol, code.symbol) == (None, "f")
    assert code.text.startswith("// About f.")


DOCUMENTED = b"/**\n * Sends what is due.\n */\n\nres.send = function (body) {\n" + b"  run(body)\n" * 60 + b"};\n"


def test_a_blank_line_does_not_part_a_documentation_comment_from_its_function() -> None:
    data = b"/**\n * Module dependencies.\n */\n\n" + b"var one = require('one')\n" * 40 + b"\n" + DOCUMENTED
    about = next(chunk for chunk in cut(data, "a.js").chunks if "Sends" in chunk.text)
    assert (about.scope, about.symbol) == (("res",), "send")
    assert [one.comment for one in definitions(data, "javascript") if one.name == "send"] == [
        "/**\n * Sends what is due.\n */"
    ]


@pytest.mark.parametrize("between", [b"\n\n\n", b"\n\n// The next part.\n\n"])
def test_more_than_a_blank_line_parts_them(between: bytes) -> None:
    data = b"go();\n" * 200 + b"/** Of the part above. */" + between + b"function f() {\n" + b"  run()\n" * 200 + b"}\n"
    assert all(chunk.symbol != "f" for chunk in cut(data, "a.js").chunks if "Of the part" in chunk.text)


def test_a_comment_at_a_line_s_end_is_about_that_line() -> None:
    data = b"struct s {\n    int a; /* About a. */\n    /* About b. */\n    int b; /* Of b. */\n    int c;\n};\n"
    assert [one.comment for one in definitions(data, "c") if one.kind == "field"] == ["", "/* About b. */", ""]
