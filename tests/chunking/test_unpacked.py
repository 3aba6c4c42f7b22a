"""Grammars loaded from where ``semble_grammars`` has unpacked them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import semble_grammars
from tree_sitter import Language

from quaestor.chunking.cached_grammars import UNPACKED_INTO, unpacked
from quaestor.chunking.syntax import SYNTAXES


def test_they_are_the_ones_that_the_package_gives() -> None:
    for name in {syntax.grammar for syntax in SYNTAXES.values()}:
        theirs, ours = semble_grammars.get_language(name), unpacked(name)
        assert ours is not None, name
        assert _told(ours) == _told(theirs)


def _told(language: Language) -> list[object]:
    kinds = [language.node_kind_for_id(number) for number in range(language.node_kind_count)]
    return [language.name, language.abi_version, language.parse_state_count, *kinds]


def test_what_is_not_unpacked_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(UNPACKED_INTO, str(tmp_path))
    assert unpacked("python") is None
    assert unpacked("no such grammar") is None


def test_a_damaged_library_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(UNPACKED_INTO, str(tmp_path))
    code = "import semble_grammars; semble_grammars.get_language('python')"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    [library] = tmp_path.glob("*/*")
    library.write_bytes(b"no library")
    assert unpacked("python") is None


def test_a_file_is_cut_without_the_package() -> None:
    semble_grammars.get_language("python")
    code = (
        "import sys; from quaestor.chunking import cut; "
        "print(cut(b'def answer(): pass', 'a.py').chunker, 'semble_grammars' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["tree-sitter", "False"]
