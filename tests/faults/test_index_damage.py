"""Every file of an index damaged in every way: what is found is the same, or the index is refused; never other hits.

What is derived is made anew from the rest, and that is said; what is not says how to make the index anew.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from quaestor import Index
from quaestor.assemble.source_paths import SOURCE_NOTE, index_folder
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError
from quaestor.indexing.batches import COPIES_BYTES

TRUTH = "index.sqlite3"
QUERIES = ("where is word7 explained", "word11 word12 word13", "word3_part", "how does word40 meet word41")

Found = list[tuple[str, int, int, float, str]]


def flipped(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    changed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def zeroed(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + bytes(min(512, len(data) - at)) + data[at + 512 :]


def newer(data: bytes, _: random.Random) -> bytes:
    """Return a file of a version that is not known yet."""
    if data.startswith(b"SQLite"):
        return data[:60] + (99).to_bytes(4, "big") + data[64:]
    head, line, rest = data.partition(b"\n")
    return b"99 " + head + line + rest


DAMAGES: Mapping[str, Callable[[bytes, random.Random], bytes]] = {
    "cut by a byte": lambda data, _: data[:-1],
    "cut by a hundredth": lambda data, _: data[: len(data) * 99 // 100],
    "cut in half": lambda data, _: data[: len(data) // 2],
    "empty": lambda _, __: b"",
    "longer": lambda data, _: data + b"\0" * 64,
    "all zeros": lambda data, _: bytes(len(data)),
    "zeros at the end": lambda data, _: data[: -len(data) // 8] + bytes(len(data) - len(data[: -len(data) // 8])),
    "zeros inside": zeroed,
    "a bit flipped": flipped,
    "another bit flipped": flipped,
    "a third bit flipped": flipped,
    "noise": lambda data, draw: draw.randbytes(len(data)),
    "newer": newer,
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("damage") / "corpus", 1)


def write_corpus(root: Path, seed: int) -> Path:
    """Write some 600 chunks: enough for derived files to be written, and for several processes to share the work."""
    draw = random.Random(seed)
    root.mkdir()
    for number in range(20):
        parts = (
            f"## Part {part}\n\n" + " ".join(f"word{draw.randrange(400)}" for _ in range(90)) for part in range(30)
        )
        (root / f"part{number}.md").write_text(f"# word{number}_part\n\n" + "\n\n".join(parts), encoding="utf-8")
    assert sum(file.stat().st_size for file in root.iterdir()) > COPIES_BYTES
    return root


@pytest.fixture(scope="module")
def home(root: Path) -> Path:
    """Return the data folder with a whole index, of which each case gets a copy."""
    home = root.parent / "home"
    Index.build(root, settings=Settings(home=str(home))).close()
    return home


@pytest.fixture(scope="module")
def foreign(root: Path) -> Path:
    """Return the folder of another whole index."""
    other, home = write_corpus(root.parent / "other", 2), root.parent / "home of other"
    Index.build(other, settings=Settings(home=str(home))).close()
    return index_folder(other, Settings(home=str(home)))


@pytest.fixture(scope="module")
def expected(root: Path, home: Path) -> list[Found]:
    with Index.open(root, settings=Settings(home=str(home))) as index:
        found = ask(index)
        assert index.remarks == ()
    assert all(found)
    return found


def ask(index: Index, queries: Sequence[str] = QUERIES) -> list[Found]:
    return [
        [(hit.path, hit.start_line, hit.end_line, hit.score, hit.text) for hit in index.search(query, 10)]
        for query in queries
    ]


def files_of(folder: Path) -> Sequence[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.name != "lock")


def judge(root: Path, settings: Settings, expected: list[Found]) -> str:
    """Return what came of a damage: ``same``, ``told`` (the same, and it is said), ``refused`` or ``silent``."""
    try:
        with Index.open(root, settings=settings) as index:
            found = ask(index)
            return ("told" if index.remarks else "same") if found == expected else "silent"
    except IndexUnusableError as error:
        assert "--rebuild" in str(error) or "quaestor index" in str(error)
        return "refused"


SLOW = (
    *("another bit flipped", "a third bit flipped", "cut by a byte", "cut by a hundredth"),
    *("zeros at the end", "zeros inside", "all zeros", "noise"),
)
"""What differs from another damage in its place only."""


@pytest.mark.parametrize(
    "damage",
    [
        *(pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in DAMAGES),
        *("foreign", "missing"),
        pytest.param("a folder", marks=pytest.mark.slow),
    ],
)
def test_a_damaged_file_gives_the_same_hits_or_is_refused(
    root: Path, home: Path, foreign: Path, expected: list[Found], tmp_path: Path, damage: str
) -> None:
    draw = random.Random(damage)
    outcomes: dict[str, str] = {}
    whole = index_folder(root, Settings(home=str(home)))
    for file in files_of(whole):
        if damage == "foreign" and file.name == TRUTH:
            continue  # see below
        settings = Settings(home=str(tmp_path / file.as_posix().replace("/", "-")))
        shutil.copytree(home, settings.home)
        place = index_folder(root, settings) / file
        if damage == "foreign":
            place.write_bytes((foreign / file).read_bytes())
        elif damage in DAMAGES:
            place.write_bytes(DAMAGES[damage](place.read_bytes(), draw))
        else:
            place.unlink()
            if damage == "a folder":
                place.mkdir()
        if place.is_file() and place.read_bytes() == (whole / file).read_bytes():
            continue  # identifiers of as many chunks are the same everywhere
        outcomes[str(file)] = judge(root, settings, expected)
        if damage not in ("missing", "newer") and outcomes[str(file)] == "same":
            # Only what lies behind the end of what counts has no say, and the note of what the index is of.
            assert damage == "longer" or str(file) in (TRUTH, SOURCE_NOTE), (file, damage)
        with Index.build(root, settings=settings, rebuild=outcomes[str(file)] == "refused") as index:
            assert ask(index, QUERIES[:1]) == expected[:1], f"{file} is not healed"
        assert place.is_dir() or file.name != SOURCE_NOTE or place.read_bytes() == os.fsencode(root)
    assert "silent" not in outcomes.values(), outcomes
    assert {name for name, outcome in outcomes.items() if outcome == "refused"} <= {TRUTH}, outcomes


def test_a_text_that_was_changed_in_the_index_is_never_shown(
    root: Path, home: Path, expected: list[Found], tmp_path: Path
) -> None:
    draw = random.Random(7)
    for number, (*_, text) in enumerate(expected[0][:5]):
        settings = Settings(home=str(tmp_path / str(number)))
        shutil.copytree(home, settings.home)
        truth = index_folder(root, settings) / TRUTH
        words = text.encode()[-60:-20]  # a text may be split over pages of the file
        data = truth.read_bytes()
        assert data.count(words) == 1
        at = data.index(words) + draw.randrange(len(words))
        truth.write_bytes(data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :])
        assert judge(root, settings, expected) == "refused"


def test_another_sources_truth_is_brought_up_to_date(root: Path, home: Path, foreign: Path, tmp_path: Path) -> None:
    """Equal scores are then put in another order: the chunks were taken in in another order."""
    settings = Settings(home=str(tmp_path / "home"))
    shutil.copytree(home, settings.home)
    (index_folder(root, settings) / TRUTH).write_bytes((foreign / TRUTH).read_bytes())
    with Index.build(root, settings=settings) as index:
        assert len(index.last_changes.changed) == len(list(root.iterdir()))
        for query in QUERIES:
            for hit in index.search(query, 10):
                lines = (root / hit.path).read_text("utf-8").splitlines(keepends=True)
                assert hit.text.strip() == "".join(lines[hit.start_line - 1 : hit.end_line]).strip()


def test_what_was_made_anew_is_whole_and_nothing_more_is_said(
    root: Path, home: Path, expected: list[Found], tmp_path: Path
) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    shutil.copytree(home, settings.home)
    [postings] = index_folder(root, settings).glob("lexical/*.postings")
    postings.write_bytes(flipped(postings.read_bytes(), random.Random(1)))
    assert judge(root, settings, expected) == "told"
    assert judge(root, settings, expected) == "same"


def test_a_cold_search_says_what_was_made_anew(root: Path, home: Path, tmp_path: Path, capsys: Any) -> None:
    from quaestor.cli import run  # noqa: PLC0415 - imports much

    settings = Settings(home=str(tmp_path / "home"))
    shutil.copytree(home, settings.home)
    (index_folder(root, settings) / "vectors.state").write_bytes(b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUAESTOR_HOME", settings.home)
        assert run(["search", "word7", str(root), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["hits"]
    assert "rebuilt from the rest" in err
    assert "vectors.state" in err
