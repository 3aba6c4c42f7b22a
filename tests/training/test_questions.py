"""Learning where the answers to questions lie: from questions alone, and only as far as they ask for it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from quaestor.training.asked import part_of
from quaestor.training.questions import Sought, fit, main, table

SIZE = 8


def unit(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


def asked_elsewhere(seed: int, count: int) -> list[Sought]:
    """Questions whose answers lie one place further along every axis, each in a corpus of its own."""
    chance = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        chunks = unit(chance.normal(size=(60, SIZE)))
        question = unit(np.roll(chunks[7], -1) + 0.2 * chance.normal(size=SIZE) + 0.3 * chunks[7])
        found.append(Sought("toy", question, chunks.astype(np.float16), np.array([7])))
    return found


def test_answers_come_up_for_questions_that_were_not_learned() -> None:
    matrix = fit(asked_elsewhere(0, 300))
    unseen = asked_elsewhere(1, 100)
    before = np.mean([one.rank(0 * matrix) for one in unseen])
    assert np.mean([one.rank(matrix) for one in unseen]) < before - 1


def test_nothing_moves_where_every_chunk_answers() -> None:
    chunks = unit(np.random.default_rng(0).normal(size=(30, SIZE)))
    whole = Sought("toy", chunks[0], chunks.astype(np.float16), np.arange(30))
    assert np.abs(fit([whole] * 5)).max() < 1e-3


def test_a_table_tells_groups_apart() -> None:
    near, far = np.eye(2, dtype=np.float32)
    chunks = np.stack([near, far]).astype(np.float16)
    questions = [Sought("one", near, chunks, np.array([0])), Sought("two", near, chunks, np.array([1]))]
    lines = table(questions, np.zeros((2, 2), np.float32)).splitlines()
    assert [line.split()[:3] for line in lines] == [["one", "1", "1.000"], ["two", "1", "0.000"]]


def test_the_command_learns_from_checkouts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {part: next(f"o/{part}{n}" for n in range(99) if part_of(f"o/{part}{n}") == part) for part in PARTS}
    for name in names.values():
        checkout = tmp_path / "checkouts" / name.replace("/", "__")
        checkout.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", checkout], check=True)
        (checkout / "pause.py").write_text("def pause(seconds):\n    wait(seconds)\n", "utf-8")
        (checkout / "draw.py").write_text("def draw(line):\n    canvas.add(line)\n", "utf-8")
        evidence = [{"path": "pause.py", "start_line": 1, "end_line": 2}]
        question = {"kind": "where", "question": "where does it wait", "evidence": evidence}
        about = {"repository": name, "commit": "", "corpus": "code", "files": "", "questions": [question]}
        file = tmp_path / "asked" / "code" / f"{name.replace('/', '__')}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(about), "utf-8")
    places = {"--asked": "asked", "--checkouts": "checkouts", "--indexes": "indexes", "--out": "questions.npy"}
    assert main([part for option, place in places.items() for part in (option, str(tmp_path / place))]) == 0
    assert np.load(tmp_path / "questions.npy").shape == (256, 256)
    told = capsys.readouterr().out
    assert "code choose" in told
    assert "report" not in told


PARTS = ("learn", "choose", "report")
