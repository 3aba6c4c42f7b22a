"""``quaestor history``, for people and for programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_parts import Run

from history_repository import Repository, shop


@pytest.fixture
def past(tmp_path: Path) -> Repository:
    return shop(tmp_path / "shop")[0]


def test_for_people(quaestor: Run, past: Repository) -> None:
    done = quaestor("history", "when was send_with_retry added", past.folder)
    assert done.code == 0
    assert "giving up lost orders" in done.out
    assert "Sources\n  [1] commit " in done.out


def test_for_programs(quaestor: Run, past: Repository) -> None:
    found = quaestor("history", "shop/client.py", past.folder, "--json").json
    assert set(found) == {"asked", "answer", "known", "partial", "passages", "seconds"}
    [passage] = found["passages"]
    assert (passage["n"], passage["title"], passage["author"]) == (1, "First steps", "Ana Núñez")


def test_limits(quaestor: Run, past: Repository) -> None:
    assert len(quaestor("history", "", past.folder, "--json", "-n", 2).json["passages"]) == 2
    found = quaestor("history", "", past.folder, "--json", "--since", "2023-06", "--until", "2023-06-09").json
    assert [one["title"] for one in found["passages"]] == ["Add the colour option"]
    refused = quaestor("history", "", past.folder, "--since", "soon")
    assert refused.code == 2
    assert "'soon' is not a date" in refused.sentence


def test_ask_answers_from_it(quaestor: Run, past: Repository) -> None:
    done = quaestor("ask", "who wrote shop/client.py?", past.folder)
    assert done.code == 0
    assert "Ana Núñez" in done.out
    assert "✓ found there" in done.out


def test_nothing_found(quaestor: Run, repository: Path) -> None:
    done = quaestor("history", "src/retry.py", repository)
    assert done.code == 1
    assert "There is no history here" in done.out


def test_a_repository_alone_is_not_taken_for_the_question(quaestor: Run, past: Repository) -> None:
    assert quaestor("history", past.folder).out == quaestor("history", "", past.folder).out != ""
    assert quaestor("history", "x" * 5000, past.folder).code == 1
