from __future__ import annotations

import hashlib
import os
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ingest_parts import HashedWords, make_indexer, open_store, set_age, write

from moments import calls_of
from opened_files import opened
from quaestor.chunking import ChunkSettings
from quaestor.chunking.decode import decode
from quaestor.core.errors import NotFoundError
from quaestor.files.consistent_read import UNTRUSTED, stamp_of
from quaestor.files.walk import walk
from quaestor.indexing import batches, commit, intake
from quaestor.indexing.indexer import Indexer, IngestSettings, ProgressState
from quaestor.indexing.survey import Surveyor
from quaestor.stores.embedded.store import EmbeddedStore

PYTHON = "def {0}():\n    return '{0}'\n"


def consistent(root: Path, store: EmbeddedStore) -> None:
    """Every document is the file on disk, and its chunks are the file's bytes."""
    for path, document in store.documents().items():
        data = (root / path).read_bytes()
        assert document.sha256 == hashlib.sha256(data).hexdigest()
        for stored in store.chunks_of(path):
            span = stored.chunk.span
            text = decode(data).data[span.start : span.end].decode(document.encoding, "replace")
            assert stored.chunk.text == text


def test_the_first_refresh_takes_everything_in(root: Path, store: EmbeddedStore) -> None:
    write(root, {"a.py": PYTHON.format("alpha"), "docs/b.md": "# Title\n\ntext\n", "empty.txt": ""})
    changes = make_indexer(root, store).refresh()
    assert set(changes.added) == {"a.py", "docs/b.md", "empty.txt"}
    assert changes.chunks == store.stats().chunks > 0
    assert changes.bytes == store.stats().bytes
    assert store.document("docs/b.md").language == "markdown"  # type: ignore[union-attr]
    consistent(root, store)


def test_nothing_to_do_writes_nothing(root: Path, store: EmbeddedStore) -> None:
    write(root, {"a.py": "x = 1\n", ".gitignore": "*.log\n", "b.log": "x"})
    make_indexer(root, store).refresh()
    generation = store.generation()
    changes = make_indexer(root, store).refresh()
    assert not changes.any
    assert (changes.unchanged, store.generation()) == (2, generation)


def test_each_kind_of_change(root: Path, store: EmbeddedStore) -> None:
    write(root, {name: PYTHON.format(name[0]) for name in ("a.py", "b.py", "c.py", "d.py")})
    index = make_indexer(root, store)
    index.refresh()
    write(root, {"b.py": PYTHON.format("bee"), "e.py": PYTHON.format("e")})
    set_age(root / "b.py", 1)
    set_age(root / "c.py", 2)
    (root / "d.py").unlink()
    plan = index.plan()
    assert [file.path for file in plan.added] == ["e.py"]
    assert [file.path for file in plan.changed] == ["b.py"]
    assert [file.path for file in plan.touched] == ["c.py"]
    assert (plan.removed, plan.unchanged) == (("d.py",), 1)
    changes = index.refresh()
    assert (changes.added, changes.changed, changes.touched) == (("e.py",), ("b.py",), ("c.py",))
    assert (changes.removed, changes.unchanged, changes.stale) == (("d.py",), 1, ())
    consistent(root, store)
    assert not index.refresh().touched


def test_a_change_within_the_same_tick_is_seen(root: Path, store: EmbeddedStore) -> None:
    write(root, {"a.py": "x = 1\n"}, age=False)
    state = (root / "a.py").stat()
    index = make_indexer(root, store)
    index.refresh()
    assert store.document("a.py").stamp == UNTRUSTED  # type: ignore[union-attr]
    (root / "a.py").write_text("x = 2\n")
    os.utime(root / "a.py", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert index.refresh().changed == ("a.py",)
    consistent(root, store)


def test_a_racy_file_is_trusted_once_it_is_old(
    root: Path, store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"a.py": "x = 1\n"}, age=False)
    index = make_indexer(root, store)
    index.refresh()
    generation = store.generation()
    assert index.refresh().touched == ()
    assert store.generation() == generation
    monkeypatch.setattr("quaestor.files.consistent_read.RACY_NS", 0)
    assert index.refresh().touched == ("a.py",)
    assert store.document("a.py").stamp == stamp_of((root / "a.py").stat())  # type: ignore[union-attr]
    assert index.refresh().unchanged == 1


def test_a_rename_embeds_nothing_again(root: Path, store: EmbeddedStore) -> None:
    write(root, {f"{number}.py": PYTHON.format(f"name{number}") * 5 for number in range(5)})
    embedder = HashedWords()
    index = Indexer(root, store, embedder, IngestSettings(embed_in="caller", embed_path=False))
    index.refresh()
    embedder.texts.clear()
    (root / "moved").mkdir()
    for number in range(5):
        (root / f"{number}.py").rename(root / f"moved/{number}.py")
    changes = index.refresh()
    assert (len(changes.added), len(changes.removed), embedder.texts) == (5, 5, [])
    consistent(root, store)


def test_no_vector_is_looked_up_for_an_empty_store(root: Path, store: EmbeddedStore) -> None:
    write(root, {"a.py": "x = 1\n"})
    with calls_of(EmbeddedStore.known_vectors) as asked:
        make_indexer(root, store).refresh()
        assert not asked
        write(root, {"a.py": "x = 2\n"})
        make_indexer(root, store).refresh()
        assert asked


def test_changed_rules_take_effect(root: Path, store: EmbeddedStore) -> None:
    write(root, {"a.py": "x = 1\n", "b.log": "text\n"})
    index = make_indexer(root, store)
    index.refresh()
    (root / ".gitignore").write_text("*.log\n")
    assert index.refresh().removed == ("b.log",)
    (root / ".gitignore").write_text("")
    assert index.refresh().added == ("b.log",)
    assert make_indexer(root, store, ignore=("*.py",)).refresh().removed == ("a.py",)
    assert make_indexer(root, store, max_file_bytes=3).refresh().removed == (".gitignore", "b.log")[1:]


def test_another_recipe_makes_everything_anew(root: Path, store: EmbeddedStore) -> None:
    write(root, {f"{number}.txt": "word " * 500 for number in range(3)})
    make_indexer(root, store).refresh()
    before = store.stats().chunks
    smaller = make_indexer(root, store, chunks=ChunkSettings(200, 400))
    assert len(smaller.plan().changed) == 3
    changes = smaller.refresh()
    assert (len(changes.changed), changes.anew) == (3, True)
    assert not smaller.refresh().anew
    assert store.stats().chunks > before
    assert smaller.plan().unchanged == 3
    consistent(root, store)


def test_a_recipe_half_followed_is_followed_to_the_end(root: Path, store: EmbeddedStore) -> None:
    write(root, {f"{number}.txt": "word " * 500 for number in range(9)})
    make_indexer(root, store).refresh()
    smaller = make_indexer(root, store, chunks=ChunkSettings(200, 400))
    smaller._follow_recipe()  # and then the process dies
    assert len(make_indexer(root, store, chunks=ChunkSettings(200, 400)).refresh().changed) == 9
    consistent(root, store)


def test_a_budget_takes_the_newest_first(root: Path, store: EmbeddedStore) -> None:
    names = [f"{number}.py" for number in range(batches.TASK_FILES + 4)]
    for number, name in enumerate(names):
        write(root, {name: f"x = {number}\n"})
        set_age(root / name, number)
    index = make_indexer(root, store)
    changes = index.refresh(budget_seconds=0)
    assert set(changes.added) == set(names[4:])
    assert changes.stale == tuple(reversed(names[:4]))
    changes = index.refresh()
    assert (len(changes.added), changes.stale) == (4, ())


def test_removals_need_no_budget(root: Path, store: EmbeddedStore) -> None:
    write(root, {"a.py": "x = 1\n", "b.py": "x = 2\n"})
    index = make_indexer(root, store)
    index.refresh()
    (root / "a.py").unlink()
    assert index.refresh(budget_seconds=0).removed == ("a.py",)


def test_progress(root: Path, store: EmbeddedStore) -> None:
    write(root, {f"{number}.py": f"x = {number:03}\n" for number in range(130)})
    states: list[ProgressState] = []
    make_indexer(root, store).refresh(progress=states.append)
    assert [state.done for state in states] == [64, 128, 130]
    last = states[-1]
    assert (last.total, last.bytes_done, last.bytes_total) == (130, 1040, 1040)
    assert last.chunks == store.stats().chunks


def test_transactions_are_bounded(root: Path, store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "TASK_FILES", 1)
    monkeypatch.setattr(commit, "COMMIT_CHUNKS", 2)
    write(root, {f"{number}.py": f"x = {number}\n" for number in range(6)})
    make_indexer(root, store).refresh()
    assert store.generation() >= 3
    consistent(root, store)


def test_an_interruption_leaves_what_was_committed(
    root: Path, store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "TASK_FILES", 1)
    monkeypatch.setattr(commit, "COMMIT_CHUNKS", 1)
    write(root, {f"{number}.py": f"x = {number}\n" for number in range(6)})

    def interrupt(state: ProgressState) -> None:
        if state.done == 3:
            raise KeyboardInterrupt

    index = make_indexer(root, store)
    with pytest.raises(KeyboardInterrupt):
        index.refresh(progress=interrupt)
    assert len(store.documents()) == 3
    assert len(index.refresh().added) == 3
    consistent(root, store)


BAD_FILES: dict[str, bytes] = {
    "nul.py": b"x = 1\0\n",
    "invalid.py": b"name = '\xff\xfe\x80'\n",
    "crlf.py": b"a = 1\r\nb = 2\r\n",
    "bom.py": b"\xef\xbb\xbfa = 1\n",
    "wide.txt": "wide text\n".encode("utf-16"),
    "line.txt": b"word " * 200_000,
    "unfinished.py": b"def (:\n  [[[",
    "spaces only.md": b"  \n\n\t\n",
    "key.txt": b"-----BEGIN RSA PRIVATE KEY-----\nabc\n",
    "new\nline.py": b"x = 1\n",
    "h\xc3\xa9.py": b"x = 1\n",
}


def test_bad_files_cost_only_themselves(root: Path, store: EmbeddedStore) -> None:
    write(root, {os.fsdecode(os.fsencode(name)): data for name, data in BAD_FILES.items()})
    write(root, {"good.py": PYTHON.format("good")})
    os.mkfifo(root / "pipe.py")
    (root / "dangling.py").symlink_to("nowhere")
    changes = make_indexer(root, store).refresh()
    skipped = {entry.path: entry.reason for entry in changes.skipped}
    assert skipped == {"nul.py": "binary", "key.txt": "secret", "pipe.py": "special", "dangling.py": "link"}
    assert len(changes.added) == len(BAD_FILES) - 2 + 1
    assert all(len(stored.chunk.text.encode()) <= 2000 for stored in store.chunks_of("line.txt"))
    consistent(root, store)


def test_a_line_of_50_mb_costs_only_itself(root: Path, store: EmbeddedStore) -> None:
    write(root, {"good.py": "x = 1\n"})
    with (root / "line.txt").open("wb") as file:
        file.truncate(50_000_000)
    write(root, {"line.json": b"1," * 1_500_000})
    changes = make_indexer(root, store).refresh()
    assert {entry.path: entry.reason for entry in changes.skipped} == {
        "line.txt": "too large",
        "line.json": "too large",
    }
    assert changes.added == ("good.py",)


def test_what_was_refused_is_not_read_again(root: Path, store: EmbeddedStore) -> None:
    write(root, {"data.x": b"\0", "package-lock.json": '{\n"a": 1,\n' * 60_000, "a.py": "x = 1\n"})
    first = make_indexer(root, store).refresh()
    assert {entry.path: entry.reason for entry in first.skipped} == {
        "data.x": "binary",
        "package-lock.json": "too large",
    }
    with opened() as names:
        second = make_indexer(root, store).refresh()
    assert sorted(second.skipped, key=str) == sorted(first.skipped, key=str)
    assert not {"data.x", "package-lock.json", "a.py"} & {Path(name).name for name in names}
    write(root, {"data.x": b"now it is text"})
    set_age(root / "data.x", 1)
    with opened() as names:
        assert make_indexer(root, store).refresh().added == ("data.x",)
    assert "data.x" in {Path(name).name for name in names}


def test_a_known_file_that_turns_bad_leaves_the_index(root: Path, store: EmbeddedStore) -> None:
    write(root, {"a.txt": "text\n", "b.txt": "text\n"})
    index = make_indexer(root, store)
    index.refresh()
    write(root, {"a.txt": b"\0\0"})
    set_age(root / "a.txt", 1)
    (root / "b.txt").unlink()
    os.mkfifo(root / "b.txt")
    changes = index.refresh()
    assert set(changes.removed) == {"a.txt", "b.txt"}
    assert store.documents() == {}


def test_files_of_little_value_carry_a_note(root: Path, store: EmbeddedStore) -> None:
    write(root, {"yarn.lock": "a@1:\n", "app.bundle.js": "var a=1\n", "gen.py": "# @generated\nx = 1\n"})
    make_indexer(root, store).refresh()
    for path, word in (("yarn.lock", "lock file"), ("app.bundle.js", "minified"), ("gen.py", "generated")):
        document = store.document(path)
        assert document is not None
        assert document.chunker == "lines"
        assert word in (document.note or "")


def test_a_name_that_is_no_text_is_indexed(root: Path, store: EmbeddedStore) -> None:
    place = os.fsencode(root) + b"/caf\xe9.py"
    Path(os.fsdecode(place)).write_text("x = 1\n")
    set_age(Path(os.fsdecode(place)))
    index = make_indexer(root, store)
    assert index.refresh().added == (r"caf\xe9.py",)
    assert index.refresh().unchanged == 1
    assert [stored.chunk.text for stored in store.chunks_of(r"caf\xe9.py")] == ["x = 1\n"]


def test_a_single_file(root: Path, store: EmbeddedStore) -> None:
    write(root, {"a.py": "x = 1\n", "b.py": "x = 2\n"})
    index = make_indexer(root / "a.py", store)
    assert index.refresh().added == ("a.py",)
    assert index.refresh().unchanged == 1


def test_a_missing_root(tmp_path: Path, store: EmbeddedStore) -> None:
    with pytest.raises(NotFoundError, match="does not exist"):
        make_indexer(tmp_path / "missing", store)


def test_an_empty_folder(root: Path, store: EmbeddedStore) -> None:
    changes = make_indexer(root, store).refresh()
    assert (changes.any, changes.skipped) == (False, ())
    survey = make_indexer(root, store).survey(changes.skipped).survey
    assert (survey.documents, survey.words.least, survey.words.mean) == (0, 0, 0)


def test_workers_make_the_same_index(
    root: Path, store: EmbeddedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "TASK_FILES", 3)
    words = [f"word{number}" for number in range(200)]
    chooser = random.Random(1)
    write(root, {f"d{n % 3}/{n}.py": "".join(PYTHON.format(w) for w in chooser.sample(words, 20)) for n in range(20)})
    write(root, {"bad.py": b"\0"})
    alone = make_indexer(root, store, workers=1).refresh()
    monkeypatch.setattr(intake, "POOL_BYTES", 0)
    for where in ("workers", "caller"):
        other = open_store(tmp_path / where)
        together = make_indexer(root, other, workers=2, embed_in=where).refresh()
        assert set(together.added) == set(alone.added)
        assert together.chunks == alone.chunks
        assert {s.path for s in together.skipped} == {"bad.py"}
        assert other.documents() == store.documents()
        for path in store.documents():
            assert [s.chunk for s in other.chunks_of(path)] == [s.chunk for s in store.chunks_of(path)]
        query = HashedWords().encode(["word7 return"])[0]
        scores = [[round(score, 3) for _, score in each.dense(query, 20)] for each in (store, other)]
        assert scores[0] == scores[1]
        other.close()


def test_survey(root: Path, store: EmbeddedStore) -> None:
    write(root, {"a.py": "one two\n", "b.md": "# Title\n\none two three\n", "c.txt": "", "x.png": "x", "n.py": b"\0"})
    indexer = make_indexer(root, store, embed_path=False)
    surveyor = Surveyor(str(root), indexer.settings, lambda text: len(text.split()), "some embedder")
    surveyed = surveyor.read(walk(root, indexer.settings))
    survey = surveyed.survey
    assert (survey.documents, survey.chunks) == (3, 2)
    assert (survey.words.least, survey.words.most, survey.words.total) == (0, 4, 6)
    assert survey.words.mean == 2
    assert survey.tokens is not None
    assert survey.tokens >= 6
    assert survey.languages == {"python": 1, "markdown": 1, "text": 1}
    assert survey.skipped_by_reason == {"binary": 2}
    assert store.documents() == {}
    assert indexer.survey(()).survey.tokens is None
    indexer.refresh()
    for path in root.iterdir():
        path.unlink()  # what the index holds is told without any file
    held = surveyor.look_up(store, survey.skipped)
    assert held.texts == surveyed.texts != {}
    assert held.survey == survey


CONTENTS = st.sampled_from(["x = 1\n", "def f():\n    pass\n", "# T\n\ntext\n", "", "\0", "é\n" * 50])
PATHS = st.sampled_from(["a.py", "b.md", "d/a.py", "d/e/c.txt", ".gitignore", "d/x.log"])
edits = st.one_of(
    st.tuples(PATHS, CONTENTS),
    st.tuples(PATHS, st.none()),
    st.tuples(st.just(".gitignore"), st.sampled_from(["*.log\n", "d/\n", "!d/\n"])),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rounds=st.lists(st.lists(edits, min_size=1, max_size=4), min_size=1, max_size=4))
def test_any_history_ends_in_the_same_index(rounds: list[list[tuple[str, str | None]]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "root"
        root.mkdir()
        store = open_store(Path(place) / "index")
        for number, round_ in enumerate(rounds):
            for path, content in round_:
                if content is None:
                    (root / path).unlink(missing_ok=True)
                else:
                    write(root, {path: content})
                    set_age(root / path, number)
            plan = make_indexer(root, store).plan()
            changes = make_indexer(root, store).refresh()
            assert set(changes.added) <= {file.path for file in plan.added}
            assert set(changes.changed) <= {file.path for file in plan.changed}
            assert set(plan.removed) <= set(changes.removed)
            consistent(root, store)
        afresh = open_store(Path(place) / "afresh")
        make_indexer(root, afresh).refresh()
        assert store.documents() == afresh.documents()
        store.close()
        afresh.close()


def test_the_bounds_are_sane() -> None:
    assert batches.TASK_BYTES < batches.POOL_BYTES
    assert batches.task_bytes(10**9, 4) == batches.TASK_BYTES
    assert batches.task_bytes(batches.POOL_BYTES // 2, 4) == batches.POOL_BYTES // 16
    assert batches.task_bytes(0, 4) > 0


def test_own_commits_are_not_read_back(root: Path, store: EmbeddedStore) -> None:
    write(root, {"a.py": "x = 1\n", "b.py": "x = 2\n"})
    index = make_indexer(root, store)
    index.refresh()
    with calls_of(EmbeddedStore.documents) as reads:
        (root / "a.py").unlink()
        write(root, {"c.py": "x = 3\n"})
        changes = index.refresh()
        assert (changes.added, changes.removed, changes.unchanged) == (("c.py",), ("a.py",), 1)
        assert index.refresh().unchanged == 2
    assert not reads
    other = make_indexer(root, store)
    (root / "b.py").unlink()
    other.refresh()
    assert index.refresh().unchanged == 1
