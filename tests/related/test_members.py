"""Fields and variants are found where their type declares them, in every language, and in the type that is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.related.occurrences import Occurrence, member_pattern, occurrences

DECLARED = {
    "go": "package a\n\ntype Boat struct {\n\tlength, quay int\n}\n",
    "rust": "pub struct Boat {\n    name: u8,\n    pub(crate) quay: u8,\n}\n",
    "typescript": "interface Boat {\n  name: string;\n  readonly quay?: string;\n}\n",
    "java": "enum Boat {\n  RAFT(1),\n  quay(2);\n}\n",
    "csharp": "enum Boat\n{\n  Raft,\n  quay = 2\n}\n",
    "kotlin": "data class Boat(\n    val name: Int,\n    private val quay: Int,\n)\n",
    "swift": "enum Boat {\n    case raft\n    case quay(Int)\n}\n",
    "php": "<?php\nenum Boat {\n  case quay;\n}\n",
    "cpp": "enum class Boat {\n  Raft,\n  quay\n};\n",
    "scala": "case class Boat(\n  name: Int,\n  quay: Int\n)\n",
    "zig": "const Boat = struct {\n    name: u8,\n    quay: u8,\n};\n",
}
USED = "package a\n\nfunc Tie(boat Boat) int {\n\treturn boat.quay\n}\n"


def declarations(text: str, language: str) -> list[Occurrence]:
    return [one for one in occurrences(text, language, "quay") or () if one.role == "definition"]


@pytest.mark.parametrize("language", DECLARED)
def test_a_type_declares_its_members(language: str) -> None:
    text = DECLARED[language]
    [one] = declarations(text, language)
    assert "quay" in text.split("\n")[one.start_line - 1]
    assert one.symbols[-1] == "quay" and one.member
    assert member_pattern("quay").search(text) or "val quay" in text


def test_the_type_of_a_field_and_its_use_are_no_declarations() -> None:
    text = "package a\n\ntype Boat struct {\n\ttied quay\n\tquay\n}\n\nfunc f(b Boat) { b.quay = quay{} }\n"
    assert declarations(text, "go") == []


@pytest.mark.parametrize(
    "line",
    ["return quay.land", "x = quay + 1", "    quay.tie()", "if quay {", "call(quay)", "my_quay: u8,", "quays int"],
)
def test_a_line_that_only_uses_a_name_does_not_look_like_a_declaration(line: str) -> None:
    assert member_pattern("quay").search(line) is None


def test_a_field_is_found_by_its_own_name_and_by_that_of_its_type(tmp_path: Path) -> None:
    others = {f"s{n}.go": f"package a\n\ntype Ship{n} struct {{\n\tName string\n}}\n" for n in range(40)}
    tied = 'package a\n\ntype Rope struct{}\n\nfunc (r *Rope) Name() string { return "rope" }\n'
    files = {"boat.go": DECLARED["go"], "use.go": USED, "rope.go": tied, **others}
    with index_of(tmp_path / "a", files) as index:
        [one] = index.related("quay").of("definitions")
        assert (one.path, one.start_line, one.symbol) == ("boat.go", 4, "Boat.quay")
        assert [place.path for place in index.related("quay").of("callers")] == ["use.go"]
        [one] = index.related("Ship39.Name").of("definitions")
        assert (one.path, one.symbol) == ("s39.go", "Ship39.Name")
        [one] = index.related("Rope.Name").of("definitions")
        assert one.path == "rope.go"


def test_of_very_many_methods_of_a_name_that_of_the_named_class_is_found(tmp_path: Path) -> None:
    files = {f"a{n}.py": f"class Boat{n}:\n    def __init__(self):\n        pass\n" for n in range(60)}
    with index_of(tmp_path / "a", files) as index:
        for number in (7, 59):
            [one] = index.related(f"Boat{number}.__init__").of("definitions")
            assert one.path == f"a{number}.py"
