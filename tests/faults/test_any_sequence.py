"""Any sequence of changes to files and refreshes of the index leaves what a clean build of the same files has."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from fault_rounds import Trial
from quaestor import Index
from quaestor.core.config import Settings

PATHS = st.sampled_from(
    ["a.py", "b.md", "src/c.py", "src/deep/d.md", "src/deep", "docs/e.txt", "f.py", ".gitignore", "g"]
)
SEEDS = st.integers(0, 30)
OLD = 1_600_000_000 * 10**9
"""A time of modification of long ago, in nanoseconds."""
QUERIES = [" ".join(f"word{number}" for number in range(first, first + 20)) for first in (0, 20, 40)]


def text_of(path: str, seed: int) -> bytes:
    """Return the contents of a file, of which no two chunks score alike."""
    draw = random.Random(f"{path}{seed}")
    if path == ".gitignore":
        return draw.choice([b"", b"*.txt\n", b"src/\n", b"*.md\n!b.md\n", b"f.py\n"])
    words = [f"word{draw.randrange(60)}" for _ in range(draw.randrange(3, 120))]
    if seed % 11 == 0:
        return b""
    if seed % 13 == 0:
        return b"\0\x01binary" * 40
    if path.endswith(".py"):
        return "\n\n".join(f"def {name}_{at}():\n    return {name!r}" for at, name in enumerate(words)).encode()
    return "\n\n".join(f"# Part {at}\n\n{' '.join(words[at : at + 30])}" for at in range(0, len(words), 30)).encode()


def content(index: Index) -> tuple[object, list[dict[tuple[str, int], float]]]:
    """Return what an index holds, and what it finds with its scores."""
    store = index.store
    held = {
        path: (one.sha256, one.size, one.language, one.title, [stored.chunk for stored in store.chunks_of(path)])
        for path, one in store.documents().items()
    }
    return held, [{(hit.path, hit.start_line): hit.score for hit in index.search(query, 50)} for query in QUERIES]


class Files(RuleBasedStateMachine):
    """A folder that changes, with an index that is refreshed, opened anew, or killed in between."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.root = self.place / "corpus"
        self.root.mkdir()
        self.settings = Settings(home=str(self.place / "home"))
        self.index = Index.build(self.root, settings=self.settings)
        self.checked = True

    def teardown(self) -> None:
        try:
            if not self.checked:
                self.compare()
        finally:
            self.index.close()
            shutil.rmtree(self.place)

    def _let_grow_old(self, place: Path) -> None:
        """Have a file in the index with a time of long ago: it is not read again while its stamp is the same."""
        os.utime(place, ns=(OLD, OLD))
        self.index.refresh()

    def _change(self) -> None:
        self.checked = False

    @rule(path=PATHS, seed=SEEDS)
    def write(self, path: str, seed: int) -> None:
        """Write a file, in place of a folder too."""
        place = self.root / path
        if place.is_dir():
            shutil.rmtree(place)
        _make_way(self.root, place)
        place.write_bytes(text_of(path, seed))
        self._change()

    def _some_file(self, which: int) -> Path | None:
        """Return one of the files that there are."""
        files = sorted(place for place in self.root.rglob("*") if place.is_file() and place.stat().st_size)
        return files[which % len(files)] if files else None

    @rule(which=st.integers(0, 9), seed=SEEDS)
    def write_of_same_size_and_time(self, which: int, seed: int) -> None:
        """Change a file's bytes, not its size nor its time of modification."""
        place = self._some_file(which)
        if place is None:
            return
        self._let_grow_old(place)
        data = bytearray(place.read_bytes())
        at = seed % len(data)
        data[at] = data[at] ^ 1 if data[at] not in b"\n \0" else data[at]
        place.write_bytes(data)
        os.utime(place, ns=(OLD, OLD))
        self._change()

    @rule(which=st.integers(0, 9), seed=SEEDS)
    def replace(self, which: int, seed: int) -> None:
        """Put another file in a file's place, as editors save."""
        place = self._some_file(which)
        if place is not None:
            self._let_grow_old(place)
            fresh = self.place / "fresh"
            fresh.write_bytes(text_of(place.name, seed))
            os.utime(fresh, ns=(OLD, OLD))
            fresh.replace(place)
            self._change()

    @rule(path=PATHS)
    def remove(self, path: str) -> None:
        place = self.root / path
        if place.is_dir():
            shutil.rmtree(place)
        elif place.exists():
            place.unlink()
        self._change()

    @rule(start=PATHS, end=PATHS)
    def move(self, start: str, end: str) -> None:
        source, target = self.root / start, self.root / end
        if source.exists() and not target.exists() and not target.is_relative_to(source):
            _make_way(self.root, target)
            if source.exists():  # it was not in the way itself
                source.rename(target)
            self._change()

    @rule(path=PATHS, seconds=st.sampled_from([-(10**9), -3600, 3600, 10**9]))
    def jump(self, path: str, seconds: int) -> None:
        """Set a file's time, as a clock that jumped would."""
        place = self.root / path
        if place.exists():
            moment = place.stat().st_mtime_ns + seconds * 10**9
            os.utime(place, ns=(max(moment, 0), max(moment, 0)))
            self._change()

    @rule()
    def refresh(self) -> None:
        self.index.refresh()

    @rule()
    def search(self) -> None:
        self.index.search(QUERIES[0], 5)

    @rule()
    def open_again(self) -> None:
        self.index.close()
        self.index = Index.open(self.root, settings=self.settings)

    @precondition(lambda self: not self.checked)
    @rule()
    def hold_against_a_clean_build(self) -> None:
        self.compare()

    def compare(self) -> None:
        """Hold the index against one that is made of the files as they are."""
        self.index.refresh()
        held, found = content(self.index)
        shutil.rmtree(self.place / "clean", ignore_errors=True)
        with Index.build(self.root, settings=Settings(home=str(self.place / "clean"))) as clean:
            expected, scores = content(clean)
        assert held == expected
        for own, other in zip(found, scores, strict=True):
            assert own == pytest.approx(other, abs=1e-3)
        self.checked = True


def _make_way(root: Path, place: Path) -> None:
    """Make the folders above a place; a file that is in the way goes."""
    for above in reversed(place.relative_to(root).parents):
        folder = root / above
        if folder.is_file():
            folder.unlink()
        folder.mkdir(exist_ok=True)


@pytest.mark.fault("a sequence of changes to files and refreshes, held against clean builds", few=4, many=300)
def test_any_sequence_of_changes_equals_a_clean_build(trial: Trial) -> None:
    with trial.counted("some sequence", trial.most):
        run_state_machine_as_test(
            Files,
            settings=settings(
                max_examples=trial.most,
                stateful_step_count=30,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    trial.judge()
