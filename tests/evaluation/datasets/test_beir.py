"""BEIR's layout, and every way in which it can be wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.evaluation.datasets import DataSet, read_data_set
from quaestor.evaluation.metrics import Target

CORPUS = [
    {"_id": "MED-1", "title": "Sourdough", "text": "The dough rests in the refrigerator."},
    {"_id": "../../etc/passwd", "title": "", "text": "Pancakes are fried in butter."},
    {"_id": "3", "title": "Bread", "text": ""},
]
QUERIES = [{"_id": "q1", "text": "where does the dough rest"}, {"_id": "q2", "text": "what to fry in butter"}]
QRELS = "query-id\tcorpus-id\tscore\nq1\tMED-1\t2\nq1\t3\t1\nq2\t../../etc/passwd\t1\nq2\t3\t0\n"


def lines(entries: list[object]) -> str:
    return "".join(f"{json.dumps(entry) if not isinstance(entry, str) else entry}\n" for entry in entries)


def beir(folder: Path, corpus: list[object], queries: list[object], qrels: str) -> Path:
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text(lines(corpus))
    (folder / "queries.jsonl").write_text(lines(queries))
    (folder / "qrels" / "test.tsv").write_text(qrels)
    return folder


def read(folder: Path, tmp_path: Path) -> DataSet:
    return read_data_set(folder, tmp_path, copies=tmp_path / "copies")


def test_documents_become_files_that_are_named_after_nothing(tmp_path: Path) -> None:
    found = read(beir(tmp_path / "set", [*CORPUS], [*QUERIES], QRELS), tmp_path)
    [part] = found.parts
    assert (found.layout, found.unit, found.problems) == ("beir", "documents", ())
    assert [question.text for question in part.questions] == [query["text"] for query in QUERIES]
    assert part.questions[0].targets == (Target("0000/0000000.md", gain=2), Target("0000/0000002.md", gain=1))
    assert part.questions[1].targets == (Target("0000/0000001.md"),)
    assert part.names["0000/0000001.md"] == "../../etc/passwd"
    files = {place.relative_to(part.root).as_posix(): place.read_text() for place in part.root.rglob("*.md")}
    assert files == {
        "0000/0000000.md": "# Sourdough\n\nThe dough rests in the refrigerator.\n",
        "0000/0000001.md": "Pancakes are fried in butter.\n",
        "0000/0000002.md": "# Bread\n\n\n",
    }


def test_what_is_wrong_costs_only_itself(tmp_path: Path) -> None:
    corpus = [*CORPUS, "no json", "[1]", {"_id": "MED-1", "text": "again"}, {"_id": "", "text": "x"}, {"_id": "4"}]
    queries = [*QUERIES, {"_id": "q3", "text": "  "}, {"_id": "q1", "text": "again"}, {"text": "who"}, '{"_id": "q9"']
    qrels = QRELS + "q7\tMED-1\t1\nq1\tMED-9\t1\nq1\tMED-1\n" + "q1\tMED-1\tmany\nq1\tMED-1\tinf\nq1\tMED-1\t1\n"
    found = read(beir(tmp_path / "set", corpus, queries, qrels), tmp_path)
    clean = read(beir(tmp_path / "clean", [*CORPUS], [*QUERIES], QRELS), tmp_path)
    assert found.parts[0].questions == clean.parts[0].questions
    assert found.problems == (
        "Lines that are not a JSON object are left out: corpus.jsonl:4, corpus.jsonl:5, queries.jsonl:6.",
        "Documents with the id of an earlier one are left out: 'MED-1' (corpus.jsonl:6).",
        "Documents without an id or without a text are left out: corpus.jsonl:7, corpus.jsonl:8.",
        "Queries without an id or without a text are left out: queries.jsonl:3, queries.jsonl:5.",
        "Queries with the id of an earlier one are left out: 'q1' (queries.jsonl:4).",
        "Judgements of unknown queries are left out: 'q7' (test.tsv:6).",
        "Judgements of unknown documents are left out: 'MED-9' (test.tsv:7).",
        "Lines of judgements that are not query, document and number are left out: test.tsv:8, test.tsv:9, "
        "test.tsv:10.",
        "Repeated judgements are left out: test.tsv:11.",
    )


def test_many_problems_of_a_kind_are_one_sentence(tmp_path: Path) -> None:
    queries = [*QUERIES, *({"_id": f"e{number}", "text": ""} for number in range(2000))]
    [sentence] = read(beir(tmp_path / "set", [*CORPUS], queries, QRELS), tmp_path).problems
    assert sentence.endswith("queries.jsonl:3, queries.jsonl:4, queries.jsonl:5, and 1,997 more.")


def test_a_set_without_answers_is_refused(tmp_path: Path) -> None:
    folder = beir(tmp_path / "set", [*CORPUS], [*QUERIES], "query-id\tcorpus-id\tscore\nq1\tMED-7\t1\n")
    with pytest.raises(UsageError, match=r"No question .* 'MED-7'"):
        read(folder, tmp_path)
    (folder / "queries.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="No question"):
        read(folder, tmp_path)


def test_a_split_that_there_is_not_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    folder = beir(tmp_path / "set", [*CORPUS], [*QUERIES], QRELS)
    with pytest.raises(NotFoundError, match=r"no judgements 'dev'; it has 'test'"):
        read_data_set(folder, tmp_path, copies=tmp_path / "copies", split="dev")


def test_the_copy_follows_the_corpus(tmp_path: Path) -> None:
    folder = beir(tmp_path / "set", [*CORPUS], [*QUERIES], QRELS)
    [before] = read(folder, tmp_path).parts
    marked = before.root / "0000" / "0000000.md"
    marked.write_text("kept where nothing changed")
    assert read(folder, tmp_path).parts[0].root == before.root
    assert marked.read_text() == "kept where nothing changed"
    (folder / "corpus.jsonl").write_text(lines([CORPUS[0], CORPUS[1], {"_id": "3", "title": "Bread", "text": "new"}]))
    assert read(folder, tmp_path).parts[0].root == before.root
    assert "dough" in marked.read_text()
    assert len(list((tmp_path / "copies").iterdir())) == 1
