"""Grammars if their cache folder cannot be written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
from quaestor.chunking import cut
print(cut(b"def answer():\\n    return 42\\n", "answer.py").chunker)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows names the folders of caches by other variables")
def test_a_cache_that_cannot_be_written_costs_no_definitions(tmp_path: Path) -> None:
    blocked = tmp_path / "a file, no folder"
    blocked.write_text("")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "HOME": str(blocked), "XDG_CACHE_HOME": str(blocked), "TMPDIR": str(temporary)}
    environment.pop("SEMBLE_GRAMMARS_CACHE_DIR", None)
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "tree-sitter"
    assert not list(temporary.iterdir()), "nothing is left behind"
