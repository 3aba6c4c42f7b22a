"""One hand-written sample per language: its definitions, and the chunks it is cut into.

A sample ``NAME.sample`` is the file NAME; ``NAME.expected`` lists, one a line, what must be found in it:
``first-last kind scope.name`` for definitions, and the same with ``[defines]`` for chunks.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from quaestor.chunking import ChunkSettings, cut, recognise
from quaestor.chunking.definitions import definitions

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.sample"))
SMALL = ChunkSettings(target=150, limit=400)


def found_definitions(data: bytes, language: str) -> list[str]:
    return [
        f"{one.span.start_line}-{one.span.end_line} {one.kind} {'.'.join((*one.scope, one.name))}"
        for one in definitions(data, language)
    ]


def found_chunks(data: bytes, path: str) -> list[str]:
    return [
        f"{chunk.span.start_line}-{chunk.span.end_line} {chunk.kind} "
        f"{'.'.join((*chunk.scope, chunk.symbol or '-'))} [{' '.join(chunk.defines)}]"
        for chunk in cut(data, path, SMALL).chunks
    ]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_a_sample(sample: Path, newline: bytes) -> None:
    data = sample.read_bytes()
    language = recognise(data, sample.stem)
    expected = sample.with_suffix(".expected").read_text(encoding="utf-8")
    wanted_language, wanted_definitions, wanted_chunks = (part.splitlines() for part in expected.split("\n\n"))
    assert [language] == wanted_language
    assert found_definitions(data.replace(b"\n", newline), language) == wanted_definitions
    if newline == b"\n":
        assert found_chunks(data, sample.stem) == wanted_chunks


def test_every_required_language_has_a_sample() -> None:
    required = (
        "python javascript typescript tsx go rust java c cpp csharp ruby php kotlin swift scala bash lua "
        "elixir haskell zig"
    )
    assert set(required.split()) <= {recognise(one.read_bytes(), one.stem) for one in SAMPLES}


def test_a_definition_has_its_comment_docstring_and_body() -> None:
    data = b'# Adds.\n@cached\ndef add(a):\n    """Sum."""\n    return a\n'
    (add,) = definitions(data, "python")
    assert (add.span.start, add.span.end) == (0, len(data) - 1)
    assert add.comment == '# Adds.\n"""Sum."""'
    assert add.body is not None
    assert data[add.body.start : add.body.end] == b'"""Sum."""\n    return a'
    assert (add.body.start_line, add.body.end_line) == (4, 5)


def test_definitions_of_what_cannot_be_parsed_are_none() -> None:
    assert definitions(b"whatever", "text") == []
    assert definitions(b"", "python") == []


def test_a_tiny_beginning_is_not_joined_to_a_type_that_opens() -> None:
    """`using System;` says nothing of the class below it, whose first chunk begins with the class."""
    text = "using System;\n\npublic class Service\n{\n" + "".join(
        f"    public int Number{n}()\n    {{\n        return {n};\n    }}\n\n" for n in range(12)
    )
    first, second, *_ = cut((text + "}\n").encode(), "Service.cs", ChunkSettings(400, 1600)).chunks
    assert first.text.strip() == "using System;"
    assert second.text.startswith("public class Service")
