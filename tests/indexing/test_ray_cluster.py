"""A real Ray cluster of three nodes on this machine; run with ``make ray``."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from missing_packages import run_without
from quaestor.assemble import Index
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.embedding.static import StaticEmbedder
from quaestor.files.indexing_values import IngestSettings, ProgressState
from quaestor.indexing import ray_cluster
from quaestor.indexing.prepare import Outcome, Preparer, ReadFile, RefusedFile, Task, UnchangedFile
from quaestor.indexing.ray_cluster import RayCluster
from quaestor.stores.embedded.packing import pack

NODES = 3
needs_ray = pytest.mark.ray


@contextmanager
def cluster() -> Iterator[Any]:
    """Hold a cluster of three nodes with a core each."""
    pytest.importorskip("ray", reason="run with `make ray`")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_raylet_start_wait_time_s"] = "300"  # noqa: SIM112 - as Ray calls it
    from ray.cluster_utils import Cluster  # noqa: PLC0415

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        for _ in range(NODES - 1):
            made.add_node(num_cpus=1)
        yield made
    finally:
        made.shutdown()


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    with cluster() as made:
        yield made


def write_corpus(root: Path, files: int = 250) -> list[str]:
    """Write some megabytes of sections with words of their own."""
    root.mkdir()
    paths = [f"part{number}.md" for number in range(files)]
    for number, path in enumerate(paths):
        sections = (f"# Section {at} of {number}\n\n" + f"word{number}x{at} said thrice. " * 30 for at in range(14))
        (root / path).write_text("\n\n".join(sections))
    (root / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    return paths


def stored(root: Path, settings: Settings, progress: Callable[[ProgressState], None] | None = None) -> list[object]:
    """Return all that an index holds of a folder: its documents with their chunks and vectors."""
    with Index.build(root, settings=settings, progress=progress) as index:
        assert [one.path for one in index.last_changes.skipped] == ["broken.pdf"]
        store = index.store
        held = {path: [one.chunk for one in store.chunks_of(path)] for path in sorted(store.documents())}
        assert store.stats().chunks == sum(map(len, held.values()))
        return [held, store.dense(StaticEmbedder.bundled().encode(["word7x3"])[0], 50).scores.tolist()]


@needs_ray
def test_every_document_is_there_once_though_a_machine_goes(tmp_path: Path) -> None:
    paths = write_corpus(tmp_path / "corpus")
    expected = stored(tmp_path / "corpus", Settings(home=str(tmp_path / "here")))
    seen: list[ProgressState] = []
    with cluster() as made:
        victim = sorted(made.worker_nodes, key=str)[0]

        def watch(state: ProgressState) -> None:
            seen.append(state)
            if victim in made.worker_nodes and state.done > len(paths) // 4:
                made.remove_node(victim, allow_graceful=False)

        settings = Settings(home=str(tmp_path / "there"), ray=made.address)
        assert stored(tmp_path / "corpus", settings, watch) == expected
        assert victim not in made.worker_nodes
    assert [state.done for state in seen] == sorted({state.done for state in seen})
    assert seen[-1].done == len(paths) + 1


class Deadly(Preparer):
    """Ends the process that it works in when it comes to a certain file."""

    def prepare_opened(self, files: Sequence[ReadFile | UnchangedFile | RefusedFile]) -> list[Outcome]:
        if any(file.path == "deadly.md" for file in files):
            os._exit(1)
        return super().prepare_opened(files)


def preparer(root: Path, kind: type[Preparer] = Preparer) -> Preparer:
    return kind(str(root), IngestSettings(), "static", pack, StaticEmbedder.bundled())


def failed(task: Task) -> Outcome:
    return UnchangedFile(task.path, -1, 0)


@pytest.fixture
def sent_as_it_is() -> Iterator[None]:
    """Sends what this module holds to machines that do not have it."""
    from ray import cloudpickle  # noqa: PLC0415

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@needs_ray
@pytest.mark.usefixtures("sent_as_it_is")
def test_a_file_that_ends_each_process_costs_only_itself(nodes: Any, tmp_path: Path) -> None:
    for name in ("a.md", "deadly.md", "z.md"):
        (tmp_path / name).write_text(f"# Title\n\n{name}")
    with RayCluster(nodes.address, preparer(tmp_path, Deadly), failed) as working:
        outcomes = [one for batch in working.run([[Task("a.md"), Task("deadly.md"), Task("z.md")]]) for one in batch]
    assert {one.path for one in outcomes} == {"a.md", "deadly.md", "z.md"}
    assert [one.path for one in outcomes if isinstance(one, UnchangedFile)] == ["deadly.md"]


@needs_ray
def test_batches_are_read_only_a_little_ahead(nodes: Any, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("words")
    taken = 0

    def batches() -> Iterator[list[Task]]:
        nonlocal taken
        for _ in range(1000):
            taken += 1
            yield [Task("a.md")]

    with RayCluster(nodes.address, preparer(tmp_path), failed) as working:
        next(working.run(batches()))
        assert taken <= NODES * ray_cluster._AHEAD + 1


@needs_ray
def test_a_machine_with_another_version_is_named(nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("words")
    monkeypatch.setattr(ray_cluster, "_fingerprint", lambda _: "of another version")
    with (
        RayCluster(nodes.address, preparer(tmp_path), failed) as working,
        pytest.raises(UsageError, match="another version of Quaestor"),
    ):
        list(working.run([[Task("a.md")]]))


@needs_ray
def test_where_there_is_no_cluster_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be used"), RayCluster("127.0.0.1:1", preparer(tmp_path), failed):
        pass


def test_without_ray_the_extra_is_named(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    code = """
import sys
from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
try:
    Index.build(sys.argv[1], settings=Settings(home=sys.argv[2], ray="127.0.0.1:6379"))
except UsageError as error:
    print(error)
"""
    said = run_without("ray", tmp_path / "packages", code, tmp_path / "corpus", tmp_path / "home")
    assert "quaestor[ray]" in said


def test_the_bundled_embedder_crosses_to_where_the_package_lies_elsewhere() -> None:
    sent = pickle.dumps(StaticEmbedder.bundled())
    assert str(Path(ray_cluster.__file__).parents[1]).encode() not in sent
    assert pickle.loads(sent) is StaticEmbedder.bundled()
