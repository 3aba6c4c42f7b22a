"""``quaestor eval`` from the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_parts import Run, contents, shell, write

from servers.scripted import ScriptedServer


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """Questions about the fixture ``repository``, two of which cannot be used."""
    entries = [
        {"id": "total", "query": "adding up prices", "relevant": ["shop/cart.go"], "category": "code"},
        {"id": "busy", "query": "server stays busy", "relevant": ["src/retry.py"], "category": "code"},
        {"id": "dough", "query": "how long does dough rest", "relevant": ["docs/guide.md"], "category": "prose"},
        {"id": "gone", "query": "what is gone", "relevant": ["gone.md"]},
        {"id": "dough", "query": "again", "relevant": ["docs/guide.md"]},
    ]
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return file


def test_a_grid_makes_a_table_and_a_report(quaestor: Run, repository: Path, asked: Path, tmp_path: Path) -> None:
    done = quaestor(
        *["eval", asked, "--corpus", repository, "--chunker", "auto", "--chunker", "lines:5", "--ranker", "on"],
        *["--ranker", "off", "-k", "1", "-k", "5", "--out", tmp_path / "out"],
    )
    assert done.code == 0
    assert "mine: 3 questions" in done.out
    head = next(line for line in done.out.splitlines() if "NDCG@10" in line)
    assert head.split()[3:9] == ["NDCG@10", "recall@1", "recall@5", "MRR@10", "index", "size"]
    assert [line[:1] for line in done.out.splitlines() if " static " in line] == ["A", "B", "C", "D"]
    assert "A → C  chunker" in done.out
    assert "'gone.md' (mine.jsonl:4)" in done.err
    assert "with the id of an earlier one are left out: 'dough' (mine.jsonl:5)" in done.err
    assert "no more than a search shows" in done.err
    assert set(contents(tmp_path / "out")) == {"configurations.csv", "questions.csv", "report.html", "results.json"}


def test_a_second_run_finds_everything_kept(quaestor: Run, repository: Path, asked: Path, home: Path) -> None:
    arguments = ["eval", asked, "--corpus", repository, "--json"]
    before = quaestor(*arguments)
    kept = {name: text for name, text in contents(home / "evaluations").items() if name.startswith("answers")}
    after = quaestor(*arguments)
    assert kept == {name: text for name, text in contents(home / "evaluations").items() if name.startswith("answers")}
    assert before.json["configurations"] == after.json["configurations"]
    assert before.json["data_set"]["unit"] == "documents"
    assert Path(before.json["files"]["report"]).is_relative_to(home)
    assert not any(name.startswith(".quaestor") for name in contents(repository))


def test_questions_of_the_corpus_itself(quaestor: Run, repository: Path) -> None:
    done = quaestor("eval", "--self", "--corpus", repository, "--questions", "5")
    assert done.code == 0
    assert "made of the corpus's own words with seed 0" in " ".join(done.out.split())
    assert "cannot tell" in done.out
    assert "hardly any difference can be distinguished from chance" in done.err
    first, second = (quaestor("eval", "--self", "--corpus", repository, "--json").json for _ in range(2))
    assert first["configurations"] == second["configurations"]
    assert first["data_set"]["categories"] == {"docstring": 2}


def test_a_projects_own_way_of_cutting_is_what_is_measured(quaestor: Run, repository: Path, asked: Path) -> None:
    (repository / "quaestor.toml").write_text('chunker = "lines:3"\n')
    chunks = {}
    for arguments in (["--self"], [asked]):
        [found] = quaestor("eval", *arguments, "--corpus", repository, "--json").json["configurations"]
        assert found["chunker"] == "lines:3"
        chunks[str(arguments[0])] = found["costs"]["chunks"]
    assert all(count > 10 for count in chunks.values())


def test_nothing_can_be_asked_of_nothing(quaestor: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = quaestor("eval", "--self", "--corpus", tmp_path / "empty")
    assert done.code == 2
    assert done.sentence.startswith("No question can be made of ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Give either a data set or --self"),
        (["--self", "x.jsonl"], "Give either a data set or --self"),
        (["gone.jsonl"], "'gone.jsonl' does not exist"),
        (["."], "'.' is not a data set"),
        (["--self", "--embedder", "magic"], "There is no embedder 'magic'"),
        (["--self", "--chunker", "lines:0"], "There is no chunker 'lines:0'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    quaestor: Run, repository: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.chdir(repository)
    done = quaestor("eval", *arguments)
    assert done.code == 2
    assert done.sentence.startswith(sentence)


def test_an_embedder_that_costs_money_is_paid_only_when_told(
    quaestor: Run, repository: Path, asked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = [
        "eval",
        asked,
        "--corpus",
        repository,
        "--embedder",
        "static",
        "--embedder",
        "openai:text-embedding-3-small",
    ]
    with ScriptedServer() as server:
        monkeypatch.setenv("QUAESTOR_EMBEDDER_BASE_URL", server.base_url)
        refused = quaestor(*grid, "--price", "10")
        assert refused.code == 2
        assert "Nothing was sent" in refused.sentence and "--yes" in refused.sentence
        unknown = quaestor(*grid, "--max-cost", "1")
        assert "the price of" in unknown.sentence
        assert "is not known" in unknown.sentence
        assert server.requests == []
        poor = quaestor(*grid, "--price", "10", "--yes", "--max-cost", "0.000001")
        assert poor.code == 5
        paid = quaestor(*grid, "--price", "10", "--yes", "--json")
        assert paid.code == 0
        static, remote = paid.json["configurations"]
        assert static["costs"]["price"] == 0
        assert 0 < remote["costs"]["price"] < 0.01
        count = len(server.requests)
        again = quaestor(*grid, "--price", "10", "--json")
        assert again.json["configurations"] == paid.json["configurations"]
        assert len(server.requests) == count


def test_a_killed_run_goes_on(tmp_path: Path, home: Path) -> None:
    text = "\n\n".join(f"# Chapter {number}\n\nOf apples, pears and plums: {number}." for number in range(200))
    corpus = write(tmp_path / "corpus", {"fruit.md": text, "other.md": "# Other\n\nNothing of note.\n"})
    entries = [{"query": f"chapter {number} of pears", "relevant": ["fruit.md"]} for number in range(800)]
    asked = tmp_path / "many.jsonl"
    asked.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    command = [sys.executable, "-m", "quaestor", "eval", str(asked), "--corpus", str(corpus), "--json"]
    answers = home / "evaluations" / "answers"
    with subprocess.Popen(command, env={**os.environ}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not any(file.stat().st_size for file in answers.glob("*")):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    [file] = answers.iterdir()
    kept = file.read_bytes()
    assert kept.count(b"\n") < len(entries), "it was done before it could be killed"
    done = shell("eval", str(asked), "--corpus", str(corpus), "--json")
    assert done.code == 0
    assert done.json["data_set"]["questions"] == len(entries)
    assert file.read_bytes().startswith(kept)
    assert len({json.loads(line)["id"] for line in file.read_bytes().splitlines() if line.endswith(b"}")}) == len(
        entries
    )
