"""The layout of the code-search benchmark, JSONL, and what is neither."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.evaluation.datasets import DataSet, read_data_set
from quaestor.evaluation.metrics import Question, Target


@pytest.fixture
def checkouts(tmp_path: Path) -> Path:
    for name in ("shop/src/cart.py", "shop/src/deep/cart.py", "shop/README.md", "mail/send.py"):
        place = tmp_path / "repos" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("x = 1\n" * 9)
    return tmp_path / "repos"


def benchmark(folder: Path, repositories: list[Any], annotations: dict[str, Any]) -> Path:
    (folder / "annotations").mkdir(parents=True)
    (folder / "repos.json").write_text(json.dumps(repositories))
    for name, value in annotations.items():
        (folder / "annotations" / f"{name}.json").write_text(json.dumps(value))
    return folder


def read(folder: Path, tmp_path: Path, **options: Any) -> DataSet:
    return read_data_set(folder, tmp_path, copies=tmp_path / "copies", **options)


QUESTION = {"query": "where is the total", "relevant": ["src/cart.py"], "secondary": [], "category": "semantic"}


def test_repositories_with_their_questions(tmp_path: Path, checkouts: Path) -> None:
    lined = {
        "query": "send",
        "relevant": [{"path": "send.py", "start_line": 2, "end_line": 4}],
        "secondary": ["send.py"],
    }
    folder = benchmark(
        tmp_path / "set",
        [{"name": "shop", "benchmark_root": "src"}, {"name": "mail"}],
        {"shop": [QUESTION], "mail": [{**lined, "category": "symbol"}]},
    )
    found = read(folder, tmp_path, checkouts=checkouts)
    assert (found.layout, found.unit, found.problems) == ("code-search", "chunks", ())
    shop, mail = found.parts
    assert (shop.root, shop.prefix) == (checkouts / "shop" / "src", "src")
    assert shop.questions == (Question("shop/1", "where is the total", (Target("src/cart.py"),), "semantic"),)
    assert mail.questions[0].targets == (Target("send.py", 2, 4), Target("send.py"))
    assert [part.name for part in read(folder, tmp_path, checkouts=checkouts, only=["mail"]).parts] == ["mail"]
    with pytest.raises(NotFoundError, match="'post' is not in"):
        read(folder, tmp_path, checkouts=checkouts, only=["post"])


def test_what_is_wrong_costs_only_itself(tmp_path: Path, checkouts: Path) -> None:
    bad_lines = [{"path": "send.py", "start_line": 0, "end_line": 4}, {"path": "send.py", "start_line": 4}, 7, {}]
    bad_lines += [{"path": "send.py", "gain": -1}, {"path": "send.py", "start_line": 4, "end_line": "5"}]
    folder = benchmark(
        tmp_path / "set",
        [
            *[{"name": "shop"}, {"name": "shop"}, {"name": "gone"}, {"name": "mail"}, "no object", {"name": ""}],
            *[{"name": "../repos/mail"}, {"name": "mail2", "benchmark_root": "../.."}],
        ],
        {
            "shop": [QUESTION, {**QUESTION, "relevant": ["cart.py", "src/gone.py", "../mail/send.py", "/etc/passwd"]}],
            "mail": [
                {**QUESTION, "relevant": bad_lines},
                {**QUESTION, "query": " "},
                5,
                {**QUESTION, "relevant": "send.py"},
            ],
        },
    )
    found = read(folder, tmp_path, checkouts=checkouts)
    assert [(part.name, len(part.questions)) for part in found.parts] == [("shop", 2), ("mail", 1)]
    assert found.parts[0].questions[1].targets == (Target("cart.py"),)
    assert found.problems == (
        "Answers that name no file of the corpus are left out: 'src/gone.py' (shop.json, entry 2), "
        "'../mail/send.py' (shop.json, entry 2), '/etc/passwd' (shop.json, entry 2).",
        "Repositories with the name of an earlier one are left out: 'shop'.",
        "Repositories without annotations are left out: 'gone'.",
        "Answers that are neither a path nor a path with lines are left out: mail.json, entry 1, mail.json, entry 1, "
        "mail.json, entry 1, and 3 more.",
        "Questions none of whose answers can be used are left out: mail.json, entry 1.",
        "Questions without a query are left out: mail.json, entry 2, mail.json, entry 3.",
        "Repositories whose name or folder leads elsewhere are left out: '', '../repos/mail', 'mail2'.",
    )


def test_without_checkouts_the_option_is_named(tmp_path: Path) -> None:
    folder = benchmark(tmp_path / "set", [{"name": "shop"}], {"shop": [QUESTION]})
    with pytest.raises(UsageError, match=r"without checkout are left out: 'shop'.*--corpus"):
        read(folder, tmp_path)


def test_one_file_of_annotations(tmp_path: Path, checkouts: Path) -> None:
    file = tmp_path / "shop.json"
    file.write_text(json.dumps([QUESTION]))
    [part] = read_data_set(file, checkouts / "shop", copies=tmp_path / "copies").parts
    assert part.root == checkouts / "shop"
    file.write_text("{")
    with pytest.raises(UsageError, match="is not JSON"):
        read_data_set(file, checkouts / "shop", copies=tmp_path / "copies")


def test_questions_in_lines(tmp_path: Path, checkouts: Path) -> None:
    file = tmp_path / "mine.jsonl"
    entries = [
        {"id": "a", "query": "total", "relevant": ["./src/cart.py"]},
        {"id": "a", "query": "again", "relevant": ["src/cart.py"]},
        {"query": "", "relevant": ["src/cart.py"]},
        {"query": "elsewhere", "relevant": ["src/cart.go"]},
        {"query": "where", "relevant": [{"path": "README.md", "start_line": 1, "end_line": 3, "gain": 3}]},
    ]
    file.write_text("\ufeff" + "".join(json.dumps(entry) + "\n\n" for entry in entries) + "{broken\n")
    found = read_data_set(file, checkouts / "shop", copies=tmp_path / "copies")
    assert [question.id for question in found.questions] == ["a", "9"]
    assert found.questions[0].targets == (Target("src/cart.py"),)
    assert found.questions[1].targets == (Target("README.md", 1, 3, 3.0),)
    assert found.unit == "chunks"
    assert len(found.problems) == 5
    file.write_text(json.dumps(entries[0]))
    assert read_data_set(file, checkouts / "shop", copies=tmp_path / "copies").unit == "documents"


def test_what_is_no_data_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="does not exist"):
        read(tmp_path / "gone", tmp_path)
    with pytest.raises(UsageError, match="is not a data set"):
        read(tmp_path, tmp_path)
    (tmp_path / "x.jsonl").write_text("")
    with pytest.raises(UsageError, match="No question"):
        read(tmp_path / "x.jsonl", tmp_path)
