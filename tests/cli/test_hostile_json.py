"""What ``--json`` prints of hostile files: nothing that a terminal obeys, and every value as it is."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from cli_parts import Run, aged, write

# Control characters of the second set, delete, and all that turn the direction of writing.
HOSTILE = "".join(
    map(chr, (*range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    files = {
        "notes.md": f"# Sourdough {HOSTILE}\n\nThe sourdough rests {HOSTILE} for eighteen hours.\n",
        f"odd{HOSTILE[:40]}.md": "# Pancakes\n\nThe batter of pancakes rests for half an hour.\n",
    }
    return aged(write(tmp_path / "hostile", dict(files)))


@pytest.mark.parametrize(
    "line",
    [
        ["search", "how long does the sourdough rest"],
        ["search", "pancakes batter"],
        ["ask", "how long does the sourdough rest?"],
        ["overview"],
        ["related", "notes.md"],
    ],
    ids=" ".join,
)
def test_no_control_character_is_printed_raw(quaestor: Run, hostile: Path, line: list[str]) -> None:
    done = quaestor(*line, hostile, "--json")
    assert done.code == 0, done.err
    printed = done.out.removesuffix("\n")
    assert [letter for letter in printed if unicodedata.category(letter) in {"Cc", "Cf"}] == []
    assert isinstance(done.json, dict)


def test_escaped_values_are_what_the_file_holds(quaestor: Run, hostile: Path) -> None:
    hits = quaestor("search", "how long does the sourdough rest", hostile, "--json").json["hits"]
    assert f"The sourdough rests {HOSTILE} for eighteen hours." in hits[0]["text"]
