"""The transformer of a package: laid out once as a folder, of one name everywhere, refused if it is another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from missing_packages import run_without
from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.embedding.transformer import minilm
from quaestor.embedding.transformer.embedder import OnnxEmbedder
from quaestor.embedding.transformer.minilm import minilm_folder

QUESTION = "how do I take back a change that I made by mistake?"
ANSWER = "To discard edits and go back to the state that was saved last, restore the file."
OTHER = "A change of the oven by mistake made the bread that I bake take hours, how sad."
NAME = "onnx-0ae1269b644cf63b"
"""That of the graph, the words and how they are read: another one makes every index of it unusable."""


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> OnnxEmbedder:
    register = tmp_path_factory.mktemp("register")
    return OnnxEmbedder.of_folder(str(minilm_folder(register)), register)


def test_its_name_is_the_same_on_every_machine(embedder: OnnxEmbedder) -> None:
    assert (embedder.name, embedder.dimensions) == (NAME, 384)


def test_what_means_the_same_is_near_whatever_the_words_are(embedder: OnnxEmbedder) -> None:
    question, answer, other = embedder.encode([QUESTION, ANSWER, OTHER])
    assert question @ answer > question @ other


def test_case_and_accents_do_not_count_and_special_tokens_are_text(embedder: OnnxEmbedder) -> None:
    much = "word \ud800" * 900
    one, same, marked, bare, long = embedder.encode(["Café", "cafe", "end [SEP] of it", "end of it", much])
    assert one @ same > 0.999
    assert marked @ bare < 0.98
    assert np.linalg.norm(long) == pytest.approx(1, abs=1e-3)


def test_an_index_made_with_it_is_searched_by_it(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number, text in enumerate((ANSWER, OTHER, "The heron waits in the pond.")):
        (folder / f"{number}.md").write_text(text + "\n", "utf-8")
    settings = Settings(home=str(tmp_path / "home"))
    Index.build(folder, settings=settings._replace(embedder="minilm")).close()
    with Index.open(folder, settings=settings) as index:
        assert index.stats().embedder == NAME
        hits = index.search(QUESTION, mode="dense")
        assert hits[0].path == "0.md"
    assert minilm_folder(tmp_path / "home" / "embedders").is_dir()


def test_an_index_that_another_machine_made_with_it_is_searched_by_it(tmp_path: Path) -> None:
    """It is in a database, and nobody named the embedder here."""
    found = OnnxEmbedder.by_name(NAME, 384, tmp_path / "register")
    question, answer, other = found.encode([QUESTION, ANSWER, OTHER])
    assert question @ answer > question @ other


@pytest.mark.parametrize(
    ("attempt", "error"),
    [
        ("minilm_folder(register)", "UsageError"),
        (f"OnnxEmbedder.by_name({NAME!r}, 384, register).encode([{QUESTION!r}])", "UpstreamError"),
    ],
    ids=["named here", "named by an index of another machine"],
)
def test_without_the_package_the_extra_is_named(tmp_path: Path, attempt: str, error: str) -> None:
    code = f"""
import sys
from pathlib import Path
from quaestor.core.errors import QuaestorError
from quaestor.embedding.transformer.embedder import OnnxEmbedder
from quaestor.embedding.transformer.minilm import minilm_folder
register = Path(sys.argv[1])
try:
    {attempt}
except QuaestorError as error:
    print(type(error).__name__, error)
"""
    said = run_without(minilm._PACKAGE, tmp_path / "packages", code, tmp_path / "register")
    assert said.startswith(error) and "quaestor[minilm]" in said
    assert not (tmp_path / "register").exists()


def test_another_graph_in_its_place_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "path" / minilm._PACKAGE
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('run')", "utf-8")
    (package / "model.onnx").write_bytes(b"another")
    monkeypatch.syspath_prepend(str(package.parent))
    with pytest.raises(UsageError, match="is not the model that is known as 'minilm'"):
        minilm_folder(tmp_path / "register")
    assert not (tmp_path / "register").exists()


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "register").write_text("a file", "utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        minilm_folder(tmp_path / "register")
