"""Running a grid: what is asked, stored, and not asked again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

import quaestor
from quaestor.core.documents import Chunk, Document, Hit, Span
from quaestor.core.errors import ConflictError
from quaestor.core.settings import Settings
from quaestor.evaluation.datasets import DataSet, Part
from quaestor.evaluation.grid import Configuration, grid
from quaestor.evaluation.metrics import Question, Target
from quaestor.evaluation.results import results_of
from quaestor.evaluation.run import Cell, Outcome, Place, Run, Watcher
from quaestor.evaluation.stored_run import DECISIVE, Answer, Answers, state_of
from quaestor.stores.embedded.lock import WriteLock

FILES = {
    "sourdough.md": "# Sourdough\n\nFeed the starter twice a day.\n",
    "pancakes.md": "# Pancakes\n\nRest the batter, then fry it in butter.\n",
    "retry.py": "def send_with_retry(request):\n    return send(request) or send(request)\n",
}
QUESTIONS = (
    Question("1", "feeding a starter", (Target("sourdough.md"),), "prose"),
    Question("2", "frying pancakes in butter", (Target("pancakes.md"),), "prose"),
    Question("3", "send_with_retry", (Target("retry.py"),), "code"),
)
GRID = grid(["static"], ["auto", "lines:1"], ["hybrid", "lexical"], [True])


@pytest.fixture
def data_set(tmp_path: Path) -> DataSet:
    root = tmp_path / "corpus"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text)
    return DataSet("kitchen", "jsonl", "documents", (Part("kitchen", root, QUESTIONS),))


class Runs:
    """Runs a grid and remembers what was newly asked."""

    def __init__(self, tmp_path: Path) -> None:
        self.place = Place(tmp_path / "evaluations")
        self.settings = Settings(home=str(tmp_path / "home"))

    def __call__(self, data_set: DataSet, configurations: tuple[Configuration, ...] = GRID) -> tuple[Outcome, int]:
        before = self.kept()
        outcome = Run(self.place, lambda part: self.settings).of(data_set, configurations)
        return outcome, self.kept() - before

    def kept(self) -> int:
        return sum(len(file.read_bytes().splitlines()) for file in self.place.answers.glob("*"))


@pytest.fixture
def run(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def first(outcome: Outcome) -> Cell:
    return outcome.cells[0]


def test_every_question_is_asked_of_every_configuration_once(run: Runs, data_set: DataSet) -> None:
    outcome, asked = run(data_set)
    assert [str(cell.configuration) for cell in outcome.cells] == [
        *[
            "static · auto · ranked",
            "static · auto · lexical",
            "static · lines:1 · ranked",
            "static · lines:1 · lexical",
        ]
    ]
    assert asked == 12
    assert [cell.answers["3"].locations[0] for cell in outcome.cells[:2]] == [("retry.py", 1, 2)] * 2
    assert first(outcome).answers["1"].shown[0].symbol == "Sourdough"
    again, asked = run(data_set)
    assert asked == 0
    assert again == outcome  # what was read back is what was found


def test_only_what_is_new_is_asked(run: Runs, data_set: DataSet) -> None:
    run(data_set, GRID[:1])
    more = Question("4", "batter", (Target("pancakes.md"),))
    changed = replace(QUESTIONS[0], text="how often is a starter fed")
    [part] = data_set.parts
    wider = replace(data_set, parts=(replace(part, questions=(changed, *QUESTIONS[1:], more)),))
    outcome, asked = run(wider, GRID[:1])
    assert asked == 2
    assert list(first(outcome).answers) == ["1", "2", "3", "4"]


def test_another_state_of_the_corpus_is_asked_anew(run: Runs, data_set: DataSet) -> None:
    before, _ = run(data_set, GRID[:1])
    (data_set.parts[0].root / "waffles.md").write_text("# Waffles\n\nFry pancakes in butter, in an iron.\n")
    after, asked = run(data_set, GRID[:1])
    assert asked == 3
    assert first(after).built.documents == first(before).built.documents + 1
    assert len(list(run.place.indexes.iterdir())) == 1


def test_what_decides_about_hits_is_there() -> None:
    """An answer that is kept counts until their files change."""
    assert [name for name in DECISIVE if not any((Path(quaestor.__file__).parent / name).rglob("*.py"))] == []


def test_answers_are_of_the_code_that_found_them() -> None:
    nothing = hashlib.blake2b(hashlib.blake2b(digest_size=16).hexdigest().encode(), digest_size=16).hexdigest()
    assert state_of([]) != nothing


def test_what_was_half_written_is_asked_again(run: Runs, data_set: DataSet) -> None:
    whole, _ = run(data_set, GRID[:1])
    [file] = run.place.answers.iterdir()
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0] + lines[1][: len(lines[1]) // 2])
    outcome, _ = run(data_set, GRID[:1])
    assert [len(cell.answers) for cell in outcome.cells] == [3]
    assert first(outcome).answers["1"] == first(whole).answers["1"]
    assert [one.locations for one in first(outcome).answers.values()] == [
        one.locations for one in first(whole).answers.values()
    ]
    assert run(data_set, GRID[:1])[1] == 0


@pytest.mark.parametrize(
    "line", [b"", b"null", b"7", b"[]", b"{}", b'{"id": "1"}', b'{"id": [], "query": {}}', b"\xff"]
)
def test_a_damaged_line_is_no_answer(tmp_path: Path, line: bytes) -> None:
    good = {
        "id": "1",
        "query": "q",
        "seconds": 0.1,
        "hits": [["a", 1, 2]],
        "shown": [{"at": 0, "symbol": "", "text": "x"}],
    }
    (tmp_path / "a.jsonl").write_bytes(line + b"\n" + json.dumps(good).encode() + b"\n")
    found = Answers(tmp_path / "a.jsonl").of([Question("1", "q", (Target("a"),))])
    assert found["1"].locations == (("a", 1, 2),)


def test_the_first_results_are_chunks_or_documents() -> None:
    places = [("a", line, line) for line in range(1, 8)] + [("b", 1, 1), ("a", 9, 9), ("c", 1, 1)]
    hits = [
        Hit(Document(path, "0" * 64, 1, 1, "text"), Chunk(Span(0, 1, start, end), f"{path}{start}"), 1.0)
        for path, start, end in places
    ]
    answer = Answer.of(hits, "src", 0.1)
    assert [one.text for one in answer.first("chunks")] == ["a1", "a2", "a3", "a4", "a5"]
    assert [one.text for one in answer.first("documents")] == ["a1", "b1", "c1"]
    assert answer.locations[7] == ("src/b", 1, 1)


def test_an_index_that_was_never_finished_is_built_from_nothing(run: Runs, data_set: DataSet) -> None:
    whole, _ = run(data_set, GRID[:1])
    [folder] = run.place.indexes.iterdir()
    (folder / "built.json").unlink()
    outcome, asked = run(data_set, GRID[:1])
    assert asked == 0  # the corpus is in the same state, and so are its answers
    assert first(outcome).built.state == first(whole).built.state


def test_a_part_without_documents_is_left_out(run: Runs, data_set: DataSet, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    empty = Part("nothing", tmp_path / "nothing", (Question("5", "anything", (Target("x"),)),))
    outcome, _ = run(replace(data_set, parts=(empty, *data_set.parts)), GRID)
    assert {cell.part.name for cell in outcome.cells} == {"kitchen"}
    assert outcome.problems == ("'nothing' holds nothing that can be indexed, and is left out.",)


def test_two_at_once_would_spoil_each_others_times(run: Runs, data_set: DataSet) -> None:
    run(data_set, GRID[:1])
    with WriteLock(run.place.folder).attempt() as free:
        assert free
        with pytest.raises(ConflictError, match="Another evaluation is under way"):
            run(data_set, GRID[:1])


def test_progress_counts_up_to_all_questions(run: Runs, data_set: DataSet) -> None:
    for _ in range(2):
        told: list[tuple[int, int]] = []
        watcher = Watcher(question_done=lambda done, total, of, told=told: told.append((done, total)))  # type: ignore[misc]
        Run(run.place, lambda part: run.settings, watcher).of(data_set, GRID)
        assert told[-1] == (12, 12)
        assert told == sorted(told)


def test_results_name_what_is_best_and_what_differs(run: Runs, data_set: DataSet) -> None:
    outcome, _ = run(data_set)
    results = results_of(data_set, outcome, (1, 10))
    assert [row.name for row in results.rows] == ["A", "B", "C", "D"]
    assert results.metrics == ("ndcg@10", "recall@1", "recall@10", "mrr@10")
    assert results.categories == {"code": 1, "prose": 2}
    assert results.best.name == "A"
    assert [row.name for row in results.rivals] == ["B", "C", "D"]
    assert results.verdict.endswith("but none of the others differs from it by more than chance.")
    steps = {(results.row_of(one.step.before).name, results.row_of(one.step.after).name) for one in results.comparisons}
    assert steps == {("A", "B"), ("C", "D"), ("A", "C"), ("B", "D")}
    assert all(one.adjusted >= one.difference.p for one in results.comparisons)
    [small] = results.problems
    assert small.startswith("'kitchen' has 3 chunks, no more than a search shows")
