"""Questions asked of prose become searches over real indexes, with the chunks that answer them marked."""

from __future__ import annotations

import json
from pathlib import Path

from quaestor.training.judged import load_asked_searches

PAGE = """# Backups

Copies of the database are made every night at two.

# Restoring

Stop the service, put the copy in place, and start it again.
"""


def test_the_chunk_with_the_evidence_is_judged(tmp_path: Path) -> None:
    checkout = tmp_path / "corpora" / "simonw__til" / "ops"
    checkout.mkdir(parents=True)
    (checkout / "backups.md").write_text(PAGE, encoding="utf-8")
    evidence = [{"path": "ops/backups.md", "start_line": 3, "end_line": 3}]
    asked = {"corpus": "simonw/til", "category": "fact", "question": "When are backups made?", "evidence": evidence}
    unanswered = {**asked, "question": "Who pays for it?", "evidence": []}
    (tmp_path / "questions.json").write_text(json.dumps([asked, unanswered]), encoding="utf-8")
    [search] = load_asked_searches(tmp_path / "questions.json", tmp_path / "corpora", tmp_path / "indexes")
    assert search.category == "asked fact"
    assert search.repository == "prose simonw/til"
    assert next(lines for lines, judged in zip(search.lines, search.judged, strict=True) if judged)[0] <= 3
