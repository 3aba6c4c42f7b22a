"""Learning where the answers to questions lie: from questions alone, and only as far as they ask for it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from quaestor.core.errors import UsageError
from training.asked_questions import part_of
from training.questions import Sought, fit, main, table

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


def lay_out(folder: Path, name: str, licence: str) -> None:
    """A checkout with one question about it."""
    checkout = folder / "checkouts" / name.replace("/", "__")
    checkout.mkdir(parents=True)
    (checkout / "LICENSE").write_text(licence, "utf-8")
    (checkout / "pause.py").write_text("def pause(seconds):\n    wait(seconds)\n", "utf-8")
    (checkout / "draw.py").write_text("def draw(line):\n    canvas.add(line)\n", "utf-8")
    evidence = [{"path": "pause.py", "start_line": 1, "end_line": 2}]
    question = {"kind": "where", "question": "where does it wait", "evidence": evidence}
    about = {"repository": name, "commit": "", "corpus": "code", "files": "", "questions": [question]}
    file = folder / "asked" / "code" / f"{checkout.name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(about), "utf-8")


def name_of(part: str, number: int = 0) -> str:
    return [name for name in (f"o/{part}{n}" for n in range(99)) if part_of(name) == part][number]


def run(folder: Path) -> int:
    places = {"--asked": "asked", "--checkouts": "checkouts", "--indexes": "indexes", "--out": "questions.npy"}
    return main([part for option, place in places.items() for part in (option, str(folder / place))])


def test_the_command_learns_from_free_checkouts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lay_out(tmp_path, name_of("learn"), "MIT License")
    lay_out(tmp_path, name_of("learn", 1), "GNU General Public License")
    for part in ("choose", "report"):
        lay_out(tmp_path, name_of(part), "")
    assert run(tmp_path) == 0
    assert np.load(tmp_path / "questions.npy").shape == (256, 256)
    told = capsys.readouterr()
    assert told.out.startswith("1 questions taught\n")
    assert "code choose" in told.out
    assert "report" not in told.out
    assert f"{name_of('learn', 1)} has no permissive licence" in told.err


def test_nothing_to_learn_from_is_said(tmp_path: Path) -> None:
    lay_out(tmp_path, name_of("choose"), "MIT License")
    with pytest.raises(UsageError, match="No question of the part learn"):
        run(tmp_path)
