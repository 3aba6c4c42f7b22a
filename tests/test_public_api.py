"""The public Python names: one list, lazily loaded, and an index that is used as the README shows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields
from importlib import import_module
from pathlib import Path

import pytest

import quaestor
from quaestor import Citation, Hit, Index, Message, QuaestorError
from quaestor.core.errors import IndexUnusableError, NotFoundError, UsageError
from quaestor.core.settings import Settings

NAMES = [
    "Citation",
    "Conversation",
    "Hit",
    "Index",
    "Indexes",
    "Message",
    "QuaestorError",
    "__version__",
    "chatml",
    "compose",
    "tags",
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "retry.py").write_text("def send_with_retry(request):\n    return request\n", encoding="utf-8")
    (folder / "guide.md").write_text("# Guide\n\nThe dough rests for eighteen hours.\n", encoding="utf-8")
    return folder


@pytest.fixture
def index(corpus: Path) -> Iterator[Index]:
    with Index.build(corpus) as index:
        yield index


MODULES = ["chatml", "edits", "embedding", "models", "tags", "tokens", "window"]
"""Packages that others may import by these names, wherever their code lies."""


@pytest.mark.parametrize("name", MODULES)
def test_public_modules_keep_their_names(name: str) -> None:
    module = import_module(f"quaestor.{name}")
    assert module.__all__
    for each in module.__all__:
        assert getattr(module, each) is not None


def test_the_list_of_public_names() -> None:
    assert quaestor.__all__ == NAMES
    assert dir(quaestor) == NAMES
    for name in NAMES:
        assert getattr(quaestor, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        quaestor.nothing  # noqa: B018


def test_importing_costs_nothing() -> None:
    code = "import sys, quaestor; print(sorted(name for name in sys.modules if name.startswith('quaestor')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['quaestor']"


def test_search(index: Index, corpus: Path) -> None:
    hits = index.search("send_with_retry", k=1)
    [hit] = hits
    assert isinstance(hit, Hit)
    assert (hit.path, hit.start_line, hit.end_line) == ("retry.py", 1, 2)
    assert hit.text.rstrip("\n") == (corpus / "retry.py").read_text(encoding="utf-8").rstrip("\n")
    assert hit.symbol == "send_with_retry"
    assert hit.score > 0
    assert hit.fresh
    assert hit.document.url is None
    [prose] = index.search("how long does the dough rest", k=1)
    assert prose.document.title == "Guide"
    assert index.search("") == []


def test_refresh_tells_what_changed(index: Index, corpus: Path) -> None:
    (corpus / "new.py").write_text("NEW = 1\n", encoding="utf-8")
    (corpus / "guide.md").unlink()
    changes = index.refresh()
    assert (changes.added, changes.changed, changes.removed) == (("new.py",), (), ("guide.md",))
    assert changes.any
    assert not index.refresh().any


def test_stats(index: Index, corpus: Path) -> None:
    stats = index.stats()
    assert stats.root == str(corpus)
    assert stats.documents == 2
    assert stats.chunks == 2
    assert stats.languages == {"python": 1, "markdown": 1}
    assert stats.bytes == sum(place.stat().st_size for place in corpus.iterdir())
    assert stats.embedder
    assert stats.store


def test_a_conversation_takes_a_model_by_its_name(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with Index.build(corpus, settings=Settings(api_key="sk-test")) as index:
        conversation = quaestor.Conversation(index, "qwen3")
        assert conversation.model is not None
        assert conversation.model.name == "qwen3"
        assert conversation.model.capabilities.native_tools, "a key and no endpoint: OpenAI's own"
        with pytest.raises(UsageError, match="not the name of a model"):
            quaestor.Conversation(index, "")


def test_a_model_without_an_endpoint_or_a_key_is_refused(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match="named but no endpoint"):
        quaestor.Conversation(index, "qwen3")


def test_open_refuses_a_missing_index(corpus: Path, home: Path) -> None:
    with pytest.raises(IndexUnusableError, match="Run `quaestor index"):
        Index.open(corpus)
    assert not home.exists()
    Index.build(corpus).close()
    with Index.open(str(corpus)) as index:
        assert index.search("dough")[0].path == "guide.md"


def test_build_again_keeps_and_rebuild_does_not(corpus: Path) -> None:
    with Index.build(corpus) as index:
        first = index.last_changes
    with Index.build(corpus) as index:
        assert not index.last_changes.any
    with Index.build(corpus, rebuild=True) as index:
        assert index.last_changes.added == first.added == ("guide.md", "retry.py")


def test_progress_is_reported(corpus: Path) -> None:
    states = []
    Index.build(corpus, progress=states.append).close()
    assert [state.total for state in states] == [2] * len(states)
    assert states[-1].done == 2


@pytest.mark.parametrize("path", ["nowhere", "ftp://example.org"])
def test_errors_are_of_one_family(path: str) -> None:
    with pytest.raises(QuaestorError) as caught:
        Index.build(path)
    assert isinstance(caught.value, UsageError)
    assert repr(path) in str(caught.value)


def test_read_gives_documents_only(index: Index, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("secret", encoding="utf-8")
    assert index.read("retry.py") == (corpus / "retry.py").read_bytes()
    for path in ("../outside.txt", "nothing.py", str(tmp_path / "outside.txt")):
        with pytest.raises(NotFoundError):
            index.read(path)
    (corpus / "retry.py").unlink()
    assert index.read("retry.py") is None
    (corpus / "retry.py").symlink_to(tmp_path / "outside.txt")
    assert index.read("retry.py") is None


@pytest.mark.parametrize("value", [Message("user", "text"), Citation(1, "a.py", 1, 2, "quote", "verified")])
def test_values_are_frozen(value: object) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(value, fields(value)[0].name, "other")  # type: ignore[arg-type]
