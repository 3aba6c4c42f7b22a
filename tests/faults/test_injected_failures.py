"""A write, a sync, a rename that fails, or a ``kill -9`` just before it: at every single call, nothing is lost.

The calls of a piece of work are counted once; then, for every n, a fresh copy of the work has its n-th call refused by
the kernel, or every one from the n-th on as a full disk does, or is killed there. See ``system_calls``.
``QUAESTOR_FATES=fails`` leaves the other two out.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from system_calls import Decide, Nursery, Outcome, from_then_on, is_possible, killed, nursery, once

from fault_rounds import Trial
from quaestor import Index
from quaestor.accounts.ledger import Ledger
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError
from quaestor.crawl.crawl_settings import CrawlSettings
from quaestor.crawl.crawler import Crawl
from quaestor.edits import Journal, recover
from quaestor.sessions.named_sessions import FolderSessions
from quaestor.sessions.transcript import Transcript
from servers.site import Answer, SiteServer

pytestmark = pytest.mark.skipif(not is_possible(), reason="needs Linux with seccomp's user notification")

WAYS: Mapping[str, Callable[[int], Decide]] = {"fails": once, "full": from_then_on, "killed": killed}
FATES = os.environ.get("QUAESTOR_FATES", "").split() or list(WAYS)
FAULTS = "a failure at every write, sync and rename, a full disk from there on, or kill -9 there: "


@pytest.fixture(scope="module")
def copies() -> Iterator[Nursery]:
    with nursery() as made:
        yield made


class Work:
    """What a piece of work begins with, and what must hold after it was broken off.

    Args:
        copies: of the process that does it.
        name: of the work.
        start: the folder that each round gets a copy of, under the name ``round`` beside it.
        check: given the folder and what became of the round, asserts that nothing is lost, and that it can be done now.
    """

    def __init__(self, copies: Nursery, name: str, start: Path, check: Callable[[Path, Outcome], None]) -> None:
        self._copies = copies
        self._name = name
        self._start = start
        self._check = check

    def run(self, trial: Trial) -> None:
        kinds = self._run(None, 0).kinds
        assert len(kinds) > 5, "hardly anything was counted"
        cases = each_call_before_any_again(kinds, random.Random(trial.seed))[: trial.most]
        trial.covered = covered(kinds, {at for _, at in cases})
        for way, at in trial.over(cases):
            with trial.counted(f"{way} at {at}"):
                self._run(way, at)

    def _run(self, way: str | None, at: int) -> Outcome:
        folder = self._start.parent / "round"
        shutil.copytree(self._start, folder, symlinks=True)
        try:
            outcome = self._copies.run(self._name, folder, WAYS[way](at) if way else lambda *_: 0)
            call = f"{outcome.kinds[at - 1 :][:1]} {outcome.ended}"
            assert outcome.ended != "broken", f"{call}: {outcome.said[-400:]}"
            assert (outcome.ended == "killed") == (way == "killed"), call
            assert way or outcome.ended == "done", f"{call}: {outcome.said}"
            try:
                self._check(folder, outcome)
            except Exception as error:
                raise AssertionError(f"{call}: {type(error).__name__} {error}") from error
            return outcome
        finally:
            shutil.rmtree(folder)


def covered(kinds: Sequence[object], calls: Collection[int]) -> str:
    """Return in words which of the calls, counted from 1, are tried: the first of each kind, and those like them."""
    first = {kinds.index(kind) + 1 for kind in kinds}
    again = len(kinds) - len(first)
    tried = len(first & {*calls})
    return f"{tried} of {len(first)} kinds of call on a file, {len(calls) - tried} of {again} repetitions"


def each_call_before_any_again(kinds: Sequence[object], draw: random.Random) -> list[tuple[str, int]]:
    """Return each call with each way in an order by chance, whose first ``len(kinds)`` are all calls, in any way.

    The first call of each kind on each file comes before those like it: a build of many chunks writes hundreds of pages
    of one database, and each of its arrays once.
    """
    first = {kind: at for at, kind in reversed([*enumerate(kinds, start=1)])}.values()
    again = sorted({*range(1, len(kinds) + 1)} - {*first})
    ways = {at: draw.sample(FATES, len(FATES)) for at in range(1, len(kinds) + 1)}
    return [
        (ways[at][turn], at)
        for turn in range(len(FATES))
        for some in (sorted(first), again)
        for at in draw.sample(some, len(some))
    ]


def test_as_many_rounds_as_calls_are_all_calls_and_the_first_of_each_kind_come_first() -> None:
    kinds = ["page"] * 5 + ["sync", "array"] + ["page"] * 2
    cases = each_call_before_any_again(kinds, random.Random(1))
    assert {at for _, at in cases[:3]} == {1, 6, 7}
    assert sorted(at for _, at in cases[: len(kinds)]) == [*range(1, len(kinds) + 1)]
    assert len(set(cases)) == len(kinds) * len(FATES)
    assert covered(kinds, {1, 2, 6}) == "2 of 3 kinds of call on a file, 1 of 6 repetitions"


# --- the index ------------------------------------------------------------------------------------------------------


def write_corpus(root: Path, version: int, parts: int = 30) -> None:
    """Write documents of some 700 chunks, of which another version changes, adds and removes some."""
    root.mkdir(parents=True, exist_ok=True)
    for number in range(version, 24 + version):
        draw = random.Random(number * 7 + version * (number % 3 == 0))
        text = "\n\n".join(
            f"## Part {part}\n\n" + " ".join(f"word{draw.randrange(300)}" for _ in range(draw.randrange(40, 100)))
            for part in range(parts)
        )
        (root / f"part{number}.md").write_text(f"# Report {number}\n\n{text}", encoding="utf-8")
    for number in range(version):
        (root / f"part{number}.md").unlink(missing_ok=True)


# Many words each: of chunks that score alike, those that came first are candidates, and the order differs each time.
QUERIES = [" ".join(f"word{number}" for number in range(first, first + 30)) for first in (0, 100, 200)]

Everything = tuple[list[Any], list[Any], list[dict[tuple[str, int], float]]]


def everything(folder: Path) -> Everything:
    """Return what an index holds and finds, scores included."""
    with Index.open(folder / "corpus", settings=Settings(home=str(folder / "home"))) as index:
        found = [index.search(query, 30) for query in QUERIES]
        store = index.store
        return (
            sorted((path, one.sha256) for path, one in store.documents().items()),
            [[stored.chunk for stored in store.chunks_of(path)] for path in sorted(store.documents())],
            [{(hit.path, hit.start_line): hit.score for hit in hits} for hits in found],
        )


def check_index(expected: Everything, parts: int) -> Callable[[Path, Outcome], None]:
    def check(folder: Path, outcome: Outcome) -> None:
        try:
            with Index.open(folder / "corpus", settings=Settings(home=str(folder / "home"))) as index:
                check_each_is_whole(index, parts)
        except IndexUnusableError as error:
            assert "There is no index" in str(error) or "not whole" in str(error), error
        Index.build(folder / "corpus", settings=Settings(home=str(folder / "home"))).close()
        documents, chunks, found = everything(folder)
        assert (documents, chunks) == expected[:2], "building again gives other documents than a clean build"
        # Sums of the same numbers in another order differ by their last bits.
        near = [pytest.approx(one, abs=1e-4) for one in expected[2]]
        assert found == near, "building again gives other scores than a clean build"

    return check


def check_each_is_whole(index: Index, parts: int) -> None:
    """Assert that the index has each file as one version of it was: wholly."""
    for path in index.store.documents():
        chunks = [stored.chunk for stored in index.store.chunks_of(path)]
        assert sum(chunk.text.count("## Part") for chunk in chunks) == parts, f"half of {path}"


@pytest.mark.fault(FAULTS + "a first index", few=3, many=3000)
@pytest.mark.parametrize("parts", [2, 30])
def test_a_first_index(copies: Nursery, trial: Trial, tmp_path: Path, parts: int) -> None:
    write_corpus(tmp_path / "start" / "corpus", 0, parts)
    write_corpus(tmp_path / "clean" / "corpus", 0, parts)
    Index.build(tmp_path / "clean/corpus", settings=Settings(home=str(tmp_path / "clean/home"))).close()
    Work(copies, "index", tmp_path / "start", check_index(everything(tmp_path / "clean"), parts)).run(trial)


@pytest.mark.fault(FAULTS + "an index brought up to date", few=3, many=2000)
@pytest.mark.parametrize("parts", [2, 30])
def test_an_index_brought_up_to_date(copies: Nursery, trial: Trial, tmp_path: Path, parts: int) -> None:
    # An index is kept under the path of its source, so it is made where the rounds use it.
    write_corpus(tmp_path / "round" / "corpus", 0, parts)
    Index.build(tmp_path / "round/corpus", settings=Settings(home=str(tmp_path / "round/home"))).close()
    write_corpus(tmp_path / "round" / "corpus", 2, parts)
    (tmp_path / "round").rename(tmp_path / "start")
    write_corpus(tmp_path / "clean" / "corpus", 2, parts)
    Index.build(tmp_path / "clean/corpus", settings=Settings(home=str(tmp_path / "clean/home"))).close()
    Work(copies, "index", tmp_path / "start", check_index(everything(tmp_path / "clean"), parts)).run(trial)


# --- edits ----------------------------------------------------------------------------------------------------------


def state(root: Path) -> dict[str, tuple[bytes, int]]:
    """Return the bytes and the mode of every file."""
    files = (place for place in root.rglob("*") if place.is_file())
    return {str(place.relative_to(root)): (place.read_bytes(), place.stat().st_mode) for place in files}


def made_root(folder: Path) -> Path:
    root = folder / "root"
    root.mkdir(parents=True)
    for name, text in {
        "a.py": "def f():\r\n    return 1\r\n",
        "run.sh": "echo 1\n",
        "b.txt": "b\n",
        "gone.txt": "gone\n",
    }.items():
        (root / name).write_bytes(text.encode())
    (root / "run.sh").chmod(0o755)
    return root


def check_edit(before: object, after: object, between: list[str]) -> Callable[[Path, Outcome], None]:
    """Return a check that notes in ``between`` how rounds ended that left some files changed and some not."""

    def check(folder: Path, outcome: Outcome) -> None:
        root, journal = folder / "root", Journal(folder / "journal")
        if state(root) not in (before, after):
            between.append(outcome.ended)
        if outcome.ended == "done":
            assert state(root) == after
        elif outcome.ended == "refused" or (outcome.ended == "failed" and not Path(folder / "journal").exists()):
            assert state(root) == before, "refused, and yet changed"
        recover(journal)
        now = state(root)
        assert now in (before, after), "some files are changed and some are not"
        if now == after and outcome.ended == "failed":
            assert [entry.state for entry in journal.entries()][-1] == "done", "done, and not on record"

    return check


@pytest.mark.fault(FAULTS + "an edit of five files", few=6, many=2000)
def test_an_edit(copies: Nursery, trial: Trial, tmp_path: Path) -> None:
    before = state(made_root(tmp_path / "start"))
    shutil.copytree(tmp_path / "start", tmp_path / "done")
    assert copies.run("edit", tmp_path / "done").ended == "done"
    between: list[str] = []
    Work(copies, "edit", tmp_path / "start", check_edit(before, state(tmp_path / "done/root"), between)).run(trial)
    assert "killed" in between or trial.most < 100, "no kill landed in the middle"


@pytest.mark.fault(FAULTS + "an undo of five files", few=4, many=2000)
def test_an_undo(copies: Nursery, trial: Trial, tmp_path: Path) -> None:
    # The journal knows the root by its path.
    before = state(made_root(tmp_path / "round"))
    assert copies.run("edit", tmp_path / "round").ended == "done"
    after = state(tmp_path / "round/root")
    (tmp_path / "round").rename(tmp_path / "start")
    between: list[str] = []
    Work(copies, "take_back", tmp_path / "start", check_edit(after, before, between)).run(trial)
    assert "killed" in between or trial.most < 100, "no kill landed in the middle"


# --- links under edits ----------------------------------------------------------------------------------------------


def swapping(root: Path, name: str, outside: Path, at: int) -> Decide:
    """Put a link to what lies outside in the place of a file or folder, just before one call."""

    def decide(number: int, *_: object) -> int:
        if number == at:
            if (root / name).exists():
                (root / name).rename(root / "kept")
            (root / name).symlink_to(outside / name)
        return 0

    return decide


@pytest.mark.fault("a link put in the place of a file or a folder before any call of an edit", few=5, many=2000)
def test_an_edit_that_links_are_put_under(copies: Nursery, trial: Trial, tmp_path: Path) -> None:
    start, folder = tmp_path / "start", tmp_path / "round"
    made_root(start)
    shutil.copytree(start / "root", start / "outside")
    for name in ("deep/er", "new"):
        (start / "outside" / name).mkdir(parents=True)
    shutil.copytree(start, folder)
    calls = copies.run("edit", folder).calls
    shutil.rmtree(folder)
    cases = [(at, name) for name in ("a.py", "gone.txt", "deep", "new") for at in range(1, calls + 1)]
    for at, name in trial.over(cases):
        shutil.copytree(start, folder)
        with trial.counted(f"{name} at {at}"):
            before = sorted((folder / "outside").rglob("*")), state(folder / "outside")
            outcome = copies.run("edit", folder, swapping(folder / "root", name, folder / "outside", at))
            assert outcome.ended in ("done", "refused", "failed"), outcome
            assert (sorted((folder / "outside").rglob("*")), state(folder / "outside")) == before, outcome
        shutil.rmtree(folder)


# --- the ledger -----------------------------------------------------------------------------------------------------


def told(folder: Path) -> list[int]:
    place = folder.parent / f"{folder.name}.told"
    lines = place.read_text("ascii").split() if place.exists() else []
    place.unlink(missing_ok=True)
    return [int(line) for line in lines]


def check_ledger(folder: Path, _: Outcome) -> None:
    settled, file = told(folder), folder / "accounts.sqlite"
    Ledger.open(file).usage("day")
    if not file.exists():
        assert not settled
        return
    with closing(sqlite3.connect(file)) as connection:
        if not connection.execute("select name from sqlite_master").fetchall():
            assert not settled
            return
        rows = connection.execute("select id, state, prompt_tokens + completion_tokens from requests").fetchall()
        totals = connection.execute("select sum(tokens) from totals where length(period) = 10").fetchone()[0] or 0
    assert sum(tokens for _, _, tokens in rows) == totals, "the totals are not the sum of the rows"
    assert {number for number, state, _ in rows if state == "done"} >= set(settled), "what was settled is not"
    assert copies_of_spending(file) == totals + 3 * 8


def copies_of_spending(file: Path) -> int:
    """Spend again and return the day's total."""
    from disk_work import spend  # noqa: PLC0415 - imports much

    spend(file.parent)
    told(file.parent)
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("select sum(tokens) from totals where length(period) = 10").fetchone()[0])


@pytest.mark.fault(FAULTS + "three requests in the ledger", few=5, many=2000)
def test_the_ledger(copies: Nursery, trial: Trial, tmp_path: Path) -> None:
    (tmp_path / "start").mkdir()
    Work(copies, "spend", tmp_path / "start", check_ledger).run(trial)


# --- sessions -------------------------------------------------------------------------------------------------------


def check_sessions(folder: Path, _: Outcome) -> None:
    finished = told(folder)
    infos = FolderSessions(folder / "sessions").list()
    assert [info.error for info in infos if info.error] == [], "a session cannot be read"
    assert bool(infos) >= bool(finished), "a session is gone"
    for place in (folder / "sessions").glob("*.session"):
        with Transcript.open(place) as transcript:
            turns = transcript.turns()
            done = [turn.number for turn in turns if turn.ending.state == "done"]
            assert set(finished) <= set(done), "an answer that was given is not on record"
            assert len(transcript.conversation()[0]) == 2 * len(done)
            assert all(turn.answer == turn.question for turn in turns if turn.number in done)


@pytest.mark.fault(FAULTS + "a session of two turns", few=3, many=2000)
def test_a_session(copies: Nursery, trial: Trial, tmp_path: Path) -> None:
    (tmp_path / "round/corpus").mkdir(parents=True)
    (tmp_path / "round/corpus/guide.md").write_text("# Guide\n\nAll about word1.\n", encoding="utf-8")
    Index.build(tmp_path / "round/corpus", settings=Settings(home=str(tmp_path / "round/home"))).close()
    (tmp_path / "round").rename(tmp_path / "start")
    Work(copies, "talk", tmp_path / "start", check_sessions).run(trial)


# --- a crawl --------------------------------------------------------------------------------------------------------


LETTERS = "abcdefghijklmnop"


def page(words: str) -> Answer:
    return Answer(f"<main><h1>{words}</h1><p>Words on {words}.</p></main>")


def site_of(version: int) -> dict[str, Answer]:
    names = [f"/p{number}" for number in range(version, 12 + version)]
    changed = "anew" * bool(version)
    pages = {
        name: page(f"page {LETTERS[at + version]}{changed if at % 4 == 1 else ''}") for at, name in enumerate(names)
    }
    links = "".join(f'<a href="{name}">on</a>' for name in names)
    return {"/": Answer(f"<main><h1>home</h1><p>Here are all pages of this site.</p>{links}</main>"), **pages}


def mirrored(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*.md")}


def check_crawl(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Callable[[Path, Outcome], None]:
    def check(folder: Path, _: Outcome) -> None:
        site = folder / "site"
        dropped = mirrored(folder / "site.dropped") if (folder / "site.dropped").exists() else {}
        for path, data in mirrored(site).items():
            assert data in (before.get(path), after.get(path)), f"{path} is neither the old page nor the new one"
        kept = {*mirrored(site), *(path.partition("/pages/")[2] for path in dropped)}
        assert all(any(path.endswith(one) for one in kept) for path in before), "a page is gone for good"
        Crawl((folder / "address").read_text("ascii"), site, CrawlSettings(allow_private=True, delay=0)).run()
        assert mirrored(site) == after, "crawling again gives other pages than a clean crawl"

    return check


@pytest.mark.fault(FAULTS + "a crawl of a site that changed", few=3, many=2000)
def test_a_crawl(copies: Nursery, trial: Trial, tmp_path: Path) -> None:
    pages = site_of(0)
    with SiteServer(lambda path, _: pages.get(path)) as server:
        settings, start = CrawlSettings(allow_private=True, delay=0), tmp_path / "start"
        start.mkdir()
        (start / "address").write_text(server.url, encoding="ascii")
        Crawl(server.url, start / "site", settings).run()
        before = mirrored(start / "site")
        pages.clear()
        pages.update(site_of(2))
        Crawl(server.url, tmp_path / "clean", settings).run()
        Work(copies, "crawl", start, check_crawl(before, mirrored(tmp_path / "clean"))).run(trial)
