"""A transformer on the command line: what each command says while its vectors are made, and afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_parts import Run, shell

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.files.indexing_values import ProgressState
from tiny_transformer import write_transformer


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_transformer(tmp_path / "model")


def test_a_search_answers_and_says_what_is_lacking_until_index_makes_it(
    quaestor: Run, repository: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUAESTOR_EMBEDDER", f"onnx:{model}")
    found = quaestor("search", "--json", "send with retry", repository)
    assert found.code == 0 and found.json["hits"][0]["path"] == "src/retry.py"
    assert found.json["index"]["coming"] == {"embedder": f"onnx:{model}", "done": 0, "total": 0, "busy": False}
    assert len(found.err.splitlines()) == 1 and "Found by the bundled embedder" in found.err
    assert "coming      onnx:" in quaestor("stats", repository).out
    monkeypatch.delenv("QUAESTOR_EMBEDDER")
    made = quaestor("index", "--embedder", f"onnx:{model}", repository)
    assert made.code == 0 and "embedded    " in made.out
    assert "The index now has the embedder onnx-" in made.err and "everybody" not in made.err
    assert "now has the embedder" not in quaestor("index", repository).err
    again = quaestor("search", "--json", "send with retry", repository)
    assert again.err == "" and again.json["index"]["coming"] is None
    assert again.json["index"]["embedder"].startswith("onnx-")
    told = quaestor("stats", repository).out
    assert "coming" not in told and "embedder onnx-" in told
    asked = quaestor("ask", "how long does the dough rest?", repository)
    assert asked.code == 0 and "eighteen hours" in asked.out


def test_an_update_embeds_only_what_changed(quaestor: Run, repository: Path, model: Path) -> None:
    quaestor("index", "--embedder", f"onnx:{model}", repository)
    (repository / "docs" / "new.md").write_text("# New\n\nThe heron waits.\n")
    assert json.loads(quaestor("index", "--json", repository).out)["embedded"] == 1


def test_what_was_embedded_before_is_not_embedded_again(quaestor: Run, repository: Path, model: Path) -> None:
    """A branch to and fro; a renamed file is, for its path is part of what is embedded."""

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
        subprocess.run(["git", *who, *arguments], cwd=repository, check=True, capture_output=True)

    def embedded() -> int:
        return int(quaestor("index", "--json", repository).json["embedded"])

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    quaestor("index", "--embedder", f"onnx:{model}", repository)
    git("checkout", "-q", "-b", "side")
    (repository / "docs/guide.md").write_text("# Kitchen guide\n\n## Rye\n\nThe rye rests.\n")
    git("commit", "-q", "-a", "-m", "two")
    assert embedded() > 0
    for branch in ("main", "side", "main"):
        git("checkout", "-q", branch)
        assert embedded() == 0
    git("mv", "docs/guide.md", "docs/kitchen.md")
    assert embedded() > 0
    git("mv", "docs/kitchen.md", "docs/guide.md")
    assert embedded() == 0


def test_tuning_refuses_it_before_any_vector_is_made(
    quaestor: Run, repository: Path, model: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUAESTOR_EMBEDDER", f"onnx:{model}")
    assert "The settings name the embedder 'onnx:" in quaestor("tune", repository).sentence
    assert not list(home.glob("indexes/*"))
    monkeypatch.delenv("QUAESTOR_EMBEDDER")
    settings = Settings(home=str(home), embedder=f"onnx:{model}")

    def stop(state: ProgressState) -> None:
        if state.doing == "embedding":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.build(repository, settings=settings, progress=stop)
    begun = quaestor("tune", repository)
    assert begun.code == 2 and "is being given the vectors of 'onnx:" in begun.sentence
    assert json.loads(quaestor("stats", "--json", repository).out)["coming"]["embedder"] == f"onnx:{model}"
    Index.build(repository, settings=settings).close()
    assert "was made with 'onnx-" in quaestor("tune", repository).sentence
    assert "--rebuild --embedder static" in quaestor("tune", repository).sentence


def test_the_way_back_that_tuning_names_leads_back(quaestor: Run, repository: Path, model: Path) -> None:
    quaestor("index", "--embedder", f"onnx:{model}", repository)
    assert quaestor("index", "--rebuild", "--embedder", "static", repository).code == 0
    assert "is too small to tune" in quaestor("tune", repository).sentence


def test_a_wrong_folder_is_named_with_what_to_do(quaestor: Run, repository: Path, tmp_path: Path) -> None:
    none = quaestor("index", "--embedder", f"onnx:{tmp_path / 'none'}", repository)
    assert none.code == 2 and "There is no folder" in none.sentence and "tokenizer.json" in none.sentence


def test_doctor_tries_it(quaestor: Run, repository: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--embedder onnx:FOLDER can be used" in quaestor("doctor", repository).out
    monkeypatch.setenv("QUAESTOR_EMBEDDER", f"onnx:{model}")
    told = quaestor("doctor", repository)
    assert told.code == 0 and "24 dimensions" in told.out
    (model / "model.onnx").write_bytes(b"\x08\x08")
    assert quaestor("doctor", repository).code == 3


def test_a_conversation_has_its_vectors_made_behind_it(repository: Path, model: Path, home: Path) -> None:
    done = shell("chat", str(repository), QUAESTOR_EMBEDDER=f"onnx:{model}", QUAESTOR_HOME=str(home))
    assert done.code == 0 and "Traceback" not in done.err


def test_a_search_by_the_bundled_embedder_imports_nothing_of_it(repository: Path, home: Path) -> None:
    code = (
        "import sys; from quaestor.cli import run; run(['search', 'dough', sys.argv[1]])\n"
        "loaded = {'onnxruntime', 'tokenizers'}\n"
        "loaded |= {'quaestor.embedding.transformer.embedder', 'quaestor.indexing.pending_vectors'}\n"
        "assert not loaded & set(sys.modules), loaded & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(repository)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
