"""Single questions close everything that they open."""

from __future__ import annotations

from pathlib import Path

import pytest

from quaestor import Index
from quaestor.accounts import Purpose
from quaestor.core.config import Settings
from quaestor.server.single_questions import answer_once
from servers.scripted import ScriptedServer

FILES = Path("/proc/self/fd")


@pytest.mark.skipif(not FILES.exists(), reason="looks at the open files as Linux tells them")
def test_no_question_leaves_the_ledger_open(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/guide.md").write_text("# Guide\n\nAll about citations.\n", encoding="utf-8")
    with ScriptedServer(lambda _: "So it is.", models=("scripted",)) as server:
        settings = Settings(home=str(tmp_path / "home"), model="scripted", base_url=server.base_url)
        with Index.build(tmp_path / "corpus", settings=settings) as index:
            for _ in range(2):
                assert answer_once(index, "what is said of citations?", settings, Purpose()).done
    opened = [str(file.readlink()) for file in FILES.iterdir() if file.is_symlink()]
    assert not [file for file in opened if file.startswith(str(tmp_path)) and "accounts" in file]
