"""An index whose embedder is behind an endpoint: what is paid for, what waits, and what a search says of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.errors import BudgetError, IndexUnusableError, UpstreamError
from quaestor.embedding.remote import Allowance
from quaestor.files.indexing_values import ProgressState
from servers.embedder import MODEL, on_record, sent
from servers.script import Recorded, Reply
from servers.scripted import ScriptedServer


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running
    assert not running.failures


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(30):
        write(folder, number)
    return folder


@pytest.fixture
def settings(server: ScriptedServer, tmp_path: Path) -> Settings:
    """A token costs a millionth, so that cost and tokens are one number."""
    return Settings(
        home=str(tmp_path / "home"),
        embedder=f"openai:{MODEL}",
        embedder_base_url=server.base_url,
        embedder_price=1.0,
        refresh_cost=0.0,
    )


def write(folder: Path, number: int, text: str = "") -> None:
    said = text or f"the harbour of village {number} has room for {number} boats " * 12
    (folder / f"{number:02}.md").write_text(f"# Village {number}\n\n{said}\n", "utf-8")


def test_nothing_is_sent_that_nobody_allowed(server: ScriptedServer, root: Path, settings: Settings) -> None:
    with Index.build(root, settings=settings) as index:
        assert sent(server) == ["dimensions"], "an index must know how long its vectors are"
        assert isinstance(index.last_changes.failure, BudgetError)
        assert len(index.last_changes.pending) == 30
        assert index.search("harbour of village 7", 3), "words find it all the same"
        (remark,) = index.meaning.remarks
        assert "30 of 30 documents are found by words alone" in remark
        assert f"quaestor index {root}" in remark
        assert index.stats().notes == {"not all of it embedded yet": 30}


def test_with_an_allowance_everything_is_embedded_once(server: ScriptedServer, root: Path, settings: Settings) -> None:
    with Index.build(root, settings=settings, max_cost=math.inf) as index:
        assert index.last_changes.failure is None
        assert index.last_changes.embedded == index.stats().chunks
        assert index.search("harbour of village 7", 1, mode="dense")
        assert index.meaning.remarks == ()
        assert (index.embedder.dimensions, index.stats().notes) == (32, {})
    before = len(server.requests)
    with Index.build(root, settings=settings, max_cost=math.inf) as index:
        assert not index.last_changes.any
    assert len(server.requests) == before
    assert max(Counter(sent(server)).values()) == 1


def test_what_an_allowance_does_not_cover_waits_and_the_next_build_goes_on(
    server: ScriptedServer, root: Path, settings: Settings, tmp_path: Path
) -> None:
    for number in range(30, 2000):
        write(root, number, f"village {number}")
    most = 0.010
    with Index.build(root, settings=settings, max_cost=most) as index:
        changes = index.last_changes
        assert isinstance(changes.failure, BudgetError)
        assert 0 < changes.embedded < index.stats().chunks
        assert 0 < len(changes.pending) < 2000
        assert index.search("harbour", 1, mode="dense")
        assert "found by words alone" in index.meaning.remarks[0]
    row = on_record(tmp_path / "home")
    assert row.cost is not None
    assert row.cost <= most * 1e6, "with the word that told the dimensions"
    with Index.build(root, settings=settings, max_cost=math.inf) as index:
        assert index.last_changes.failure is None
        assert index.stats().notes == {}
        assert index.meaning.remarks == ()
    assert max(Counter(sent(server)).values()) == 1, "nothing is paid for twice"
    assert len(sent(server)) == index_size(root, settings) + 2, "the query, and the word that told the dimensions"


def index_size(root: Path, settings: Settings) -> int:
    with Index.open(root, settings=settings) as index:
        return index.stats().chunks


def test_changed_files_are_embedded_by_a_search_below_a_small_cost(
    server: ScriptedServer, root: Path, settings: Settings
) -> None:
    Index.build(root, settings=settings, max_cost=math.inf).close()
    write(root, 3, "herring is smoked here")
    with Index.ready(root, settings=settings._replace(refresh_cost=0.0001)) as index:
        assert index.search("herring smoked", 1)[0].path == "03.md"
        assert index.meaning.remarks == ()
        assert any("herring" in text for text in sent(server))


def test_above_it_they_wait_and_later_searches_leave_them_alone(
    server: ScriptedServer, root: Path, settings: Settings
) -> None:
    Index.build(root, settings=settings, max_cost=math.inf).close()
    write(root, 3, "herring is smoked here")
    with Index.ready(root, settings=settings) as index:
        assert index.search("herring smoked", 1)[0].path == "03.md"
        assert "1 of 30 documents are found by words alone" in index.meaning.remarks[0]
    with Index.ready(root, settings=settings._replace(refresh_cost=1.0)) as index:
        index.search("herring", 1)
        assert not any("herring is" in text for text in sent(server)), "only files that changed"
        index.refresh(allowance=Allowance(None))
        assert any("herring is" in text for text in sent(server))
        assert index.meaning.remarks == ()


def test_while_the_server_is_down_words_alone_find_and_that_is_said(
    server: ScriptedServer, root: Path, settings: Settings
) -> None:
    with Index.build(root, settings=settings, max_cost=math.inf) as index:
        server.embeddings = lambda _: Reply(status=401, error="no such key")
        hits = index.search("harbour of village 7", 5)
        assert hits[0].path == "07.md"
        (remark,) = index.meaning.remarks
        assert "by words alone" in remark
        assert "no such key" in remark


def test_a_server_that_fails_half_way_leaves_what_was_paid_for(
    server: ScriptedServer, root: Path, settings: Settings
) -> None:
    def script(request: Recorded) -> Reply | None:
        return Reply(status=403, error="gone") if len(server.requests) > 2 else None

    for number in range(30, 1000):
        write(root, number, f"village {number}")
    server.embeddings = script
    with Index.build(root, settings=settings, max_cost=math.inf) as index:
        assert isinstance(index.last_changes.failure, UpstreamError)
        assert 0 < index.last_changes.embedded < index.stats().chunks
        assert index.stats().documents == 1000
    paid = Counter(text for request in server.requests[:2] for text in request.body["input"])
    asked = len(server.requests)
    server.embeddings = lambda _: None
    Index.build(root, settings=settings, max_cost=math.inf).close()
    later = Counter(text for request in server.requests[asked:] for text in request.body["input"])
    assert not paid.keys() & later.keys()


def test_interrupted_work_is_kept(server: ScriptedServer, root: Path, settings: Settings) -> None:
    for number in range(30, 1500):
        write(root, number, f"village {number}")

    def interrupt(state: ProgressState) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.build(root, settings=settings, max_cost=math.inf, progress=interrupt)
    paid = len(sent(server))
    assert 1 < paid < 1500
    Index.build(root, settings=settings, max_cost=math.inf).close()
    assert max(Counter(sent(server)).values()) == 1


def test_an_index_is_searched_with_what_it_was_made_with(
    server: ScriptedServer, root: Path, settings: Settings
) -> None:
    Index.build(root, settings=settings, max_cost=math.inf).close()
    with Index.open(root, settings=settings._replace(embedder="auto")) as index:
        assert index.embedder.name == f"openai:{MODEL} at {server.base_url}"
        assert index.search("harbour", 1)
    with pytest.raises(IndexUnusableError, match=r"not 'quaestor-static.*--rebuild --embedder static"):
        Index.open(root, settings=settings._replace(embedder="static"))
    with pytest.raises(IndexUnusableError, match=r"not 'openai:other at .*--rebuild --embedder openai:other"):
        Index.open(root, settings=settings._replace(embedder="openai:other"))
    with pytest.raises(IndexUnusableError, match="set 'embedder_base_url'"):
        Index.open(root, settings=settings._replace(embedder="auto", embedder_base_url=""))


def test_an_index_from_elsewhere_has_nobody_asked(server: ScriptedServer, root: Path, settings: Settings) -> None:
    """What the index names is not what the user wants, whatever keys and endpoints there are for models."""
    Index.build(root, settings=settings, max_cost=math.inf).close()
    register = Path(settings.home) / "embedders" / "asked"
    own = settings._replace(embedder="auto", embedder_base_url="", base_url=server.base_url, api_key="secret")
    before = len(server.requests)
    with Index.open(root, settings=own) as index:
        assert index.search("harbour of village 7", 1)
        assert len(server.requests) == before + 1, "it was named when the index was made, and is asked"
    register.unlink()
    with Index.open(root, settings=own) as index:
        write(root, 3, "something else")
        assert index.search("harbour of village 9", 1), "words find it all the same"
        assert index.meaning.reach == "none"
        assert f"give --embedder openai:{MODEL} once" in " ".join(index.remarks)
        index.refresh()
    assert len(server.requests) == before + 1


def test_an_index_that_is_made_anew_keeps_its_embedder(server: ScriptedServer, root: Path, settings: Settings) -> None:
    Index.build(root, settings=settings, max_cost=math.inf).close()
    auto = settings._replace(embedder="auto")
    with Index.build(root, settings=auto, rebuild=True, max_cost=math.inf) as index:
        assert index.embedder.name == f"openai:{MODEL} at {server.base_url}"
        assert index.last_changes.embedded == index.stats().chunks
    with Index.build(root, settings=settings._replace(embedder="static"), rebuild=True) as index:
        assert index.embedder.name.startswith("quaestor-static-")


def test_what_is_compared_in_passing_asks_nobody(server: ScriptedServer, root: Path, settings: Settings) -> None:
    with Index.build(root, settings=settings, max_cost=math.inf) as index:
        assert index.meaning.local_embedder.name.startswith("quaestor-static-")
