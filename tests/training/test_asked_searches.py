"""Questions asked of prose become searches over real indexes, with the chunks that answer them marked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quaestor.retrieval.features import FEATURES
from quaestor.training.judged import load_asked_searches, load_own_searches
from quaestor.training.within import fit_within, lists_of_files

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


BODY = "\n".join(
    f"    total += amounts[{number}] * rates[{number}] - fees[{number}]  # as agreed" for number in range(40)
)
SOURCE = f'''def add_up(amounts, rates, fees):
    """Add up what every customer owes after the yearly discount."""
    total = 0
{BODY}
    return total


def send_reminder(customer):
    """Remind a customer of an invoice that nobody paid in time."""
    subject = "We have not heard from you"
    text = f"Dear {{customer.name}}, your invoice is overdue."
    return post(customer.address, subject, text)
'''


def test_what_a_repository_asks_of_itself_teaches_which_part_of_a_file_answers(tmp_path: Path) -> None:
    repository = tmp_path / "billing"
    repository.mkdir()
    (repository / "invoices.py").write_text(SOURCE, encoding="utf-8")
    searches = load_own_searches([repository], tmp_path / "indexes")
    assert {search.category for search in searches} == {"made own docstring"}
    judged = [{search.lines[row] for row in search.judged.nonzero()[0]} for search in searches]
    assert all(judged)
    assert len(set(map(frozenset, judged))) == len(searches), "each is answered by other lines"
    [features, within], *_ = [one for search in searches for one in lists_of_files(search)]
    assert features.shape == (len(within), len(FEATURES))
    assert 0 < within.sum() < len(within)
    with pytest.raises(ValueError, match="part of a source file"):
        fit_within([])
