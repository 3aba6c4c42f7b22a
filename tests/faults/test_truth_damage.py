"""The database of an index altered by a disk or another program: what is found is the same, or the index is refused."""

from __future__ import annotations

import random
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fault_rounds import Trial
from quaestor import Index
from quaestor.assemble.source_paths import index_folder
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError
from quaestor.stores import Where
from quaestor.stores.embedded.examine import examine
from quaestor.stores.embedded.schema import FILE

SIZES = {"some": 3, "many": 30}
"""Parts of each document: of few chunks nothing is derived, and a search reads the database alone."""

Found = list[Any]


def write_corpus(root: Path, parts: int) -> Path:
    """Write documents with authors and dates and code with names, the same ones each time."""
    draw = random.Random(3)
    for number in range(12):
        text = "\n\n".join(
            f"## Part {part}\n\n" + " ".join(f"word{draw.randrange(300)}" for _ in range(80)) for part in range(parts)
        )
        date = f"20{10 + number}-03-0{1 + number % 9}"
        head = f"---\ntitle: Report {number}\nauthor: Author {number % 4}\ndate: {date}\n---\n\n"
        place = root / f"d{number % 3}" / f"report{number}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(head + text, encoding="utf-8")
        code = "\n\n".join(
            f"def handle_{number}_{part}(value):\n    return word{draw.randrange(300)}(value)" for part in range(parts)
        )
        (place.parent / f"code{number}.py").write_text(code, encoding="utf-8")
    return root


def ask(index: Index) -> Found:
    """Return everything that a search can tell of the corpus: by words, meaning, names, filters and documents."""
    store = index.store
    asked = [
        index.search("where is word7 explained", 20),
        index.search("word11 word12 word13", 20, by="Author 2"),
        index.search("handle_3_1", 10),
        index.search("handle_7_2 or handle_11_0", 10),
        index.search("word40", 20, since="2015"),
        index.search("word41 and word42", 20, where=Where(languages=("python",))),
    ]
    names = [f"handle_{number}_{part}" for number in range(12) for part in range(3)]
    known = {chunk: (one.document, one.chunk) for chunk, one in store.get(store.defining(names, 100)).items()}
    documents = [one._replace(stamp=0) for _, one in sorted(store.documents().items())]
    return [
        [
            [(hit.path, hit.start_line, hit.end_line, hit.score, hit.text, hit.document.title) for hit in hits]
            for hits in asked
        ],
        sorted((document.path, chunk.text) for document, chunk in known.values()),
        documents,
        [[one.chunk for one in store.chunks_of(document.path)] for document in documents],
        store.bylines(),
        index.related("handle_5_1").relatives,
    ]


class Case:
    """A whole index, its folder, and what is found in it; each round damages a copy."""

    def __init__(self, place: Path, parts: int) -> None:
        self.root = write_corpus(place / "corpus", parts)
        self.place = place
        self.home = place / "home"
        self._rounds = 0
        with Index.build(self.root, settings=Settings(home=str(self.home))):
            pass
        with Index.open(self.root, settings=Settings(home=str(self.home))) as index:
            self.expected = ask(index)

    def copied(self) -> tuple[Settings, Path]:
        """Return the settings and the folder of a copy of the index."""
        self._rounds += 1
        settings = Settings(home=str(self.place / f"copy{self._rounds}"))
        shutil.copytree(self.home, settings.home)
        return settings, index_folder(self.root, settings)

    def judge(self, settings: Settings) -> str:
        """Return what came of a damage, and assert that a silent one changed nothing and that building mends it."""
        try:
            with Index.open(self.root, settings=settings) as index:
                found, told = ask(index), bool(index.remarks)
            assert found == self.expected, "silent: " + _difference(found, self.expected)
            outcome = "told" if told else "same"
        except IndexUnusableError as error:
            assert "--rebuild" in str(error), error
            outcome = "refused"
        with Index.build(self.root, settings=settings, rebuild=outcome == "refused") as index:
            assert ask(index) == self.expected, "not mended"
        shutil.rmtree(settings.home)
        return outcome


def _difference(found: Found, expected: Found) -> str:
    return str([(one, other) for one, other in zip(found, expected, strict=True) if one != other])[:300]


@pytest.fixture(scope="module", params=sorted(SIZES))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    return Case(tmp_path_factory.mktemp(request.param), SIZES[request.param])


def columns_of(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    tables = [
        name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    ]
    for table in tables:
        for row in connection.execute(f"PRAGMA table_info({table})").fetchall():
            yield table, row[1]


def altered(value: Any, draw: random.Random) -> Any:
    """Return another value of the same kind, as a flipped bit would leave it."""
    if isinstance(value, int):
        return value ^ 1 << draw.randrange(4)
    if isinstance(value, bytes | str):
        data = bytearray(value if isinstance(value, bytes) else value.encode())
        if data:
            data[draw.randrange(len(data))] ^= 1
        return bytes(data) if isinstance(value, bytes) else data.decode("utf-8", "replace")
    return "x"


@pytest.mark.fault("a value of each column of the index's tables altered, and a row of each removed", few=2, many=800)
def test_an_altered_row_gives_the_same_hits_or_is_refused(trial: Trial, case: Case) -> None:
    with closing(sqlite3.connect(index_folder(case.root, Settings(home=str(case.home))) / FILE)) as connection:
        columns = list(columns_of(connection))
    gone = [(table, "") for table in dict.fromkeys(table for table, _ in columns)]
    for number, (table, column) in enumerate(trial.over([*columns, *gone] * 8)):
        with trial.counted(f"{table}.{column or '(a row)'}"):
            settings, folder = case.copied()
            alter(folder / FILE, table, column, random.Random(number))
            case.judge(settings)


def alter(file: Path, table: str, column: str, draw: random.Random) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        keys = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[5]]
        rows = connection.execute(f"SELECT {', '.join(keys)}, {column or keys[0]} FROM {table}").fetchall()
        if not rows:
            return
        *key, value = draw.choice(rows)
        which = " AND ".join(f"{name} IS ?" for name in keys)
        if column:
            connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {which}", (altered(value, draw), *key))
        else:
            connection.execute(f"DELETE FROM {table} WHERE {which}", key)


@pytest.mark.fault("a bit of the index's database flipped", few=2, many=1500)
def test_a_flipped_bit_gives_the_same_hits_or_is_refused(trial: Trial, case: Case) -> None:
    for number in trial.rounds():
        with trial.counted(f"flip {number}"):
            settings, folder = case.copied()
            draw = random.Random(number)
            data = bytearray((folder / FILE).read_bytes())
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            (folder / FILE).write_bytes(data)
            case.judge(settings)


def test_a_flipped_bit_in_the_terms_is_refused_where_they_are_read(tmp_path: Path) -> None:
    case = Case(tmp_path, SIZES["some"])
    for number in range(5):
        settings, folder = case.copied()
        alter(folder / FILE, "terms", "data", random.Random(number))
        assert case.judge(settings) == "refused"


NOTHING_LOST = {"contents.generation", "contents.stamp", "contents.", "removed.", "vectors.key"}
"""Without the history that they are of, what is derived is made anew; a vector that is not found is made anew, too."""


def test_whoever_looks_at_all_of_an_index_finds_what_was_altered(tmp_path: Path) -> None:
    case = Case(tmp_path, SIZES["some"])
    (case.root / "d1" / "report1.md").write_text("# Report 1\n\nWhat went is on record.\n", encoding="utf-8")
    Index.build(case.root, settings=Settings(home=str(case.home))).close()
    file = index_folder(case.root, Settings(home=str(case.home))) / FILE
    with closing(sqlite3.connect(file)) as connection:
        columns = list(columns_of(connection))
    gone = [(table, "") for table in dict.fromkeys(table for table, _ in columns)]
    assert examine(file.parent) == []
    for table, column in [*columns, *gone]:
        settings, folder = case.copied()
        before = rows_of(folder, table)
        alter(folder / FILE, table, column, random.Random(1))
        if rows_of(folder, table) != before and f"{table}.{column}" not in NOTHING_LOST:
            with pytest.raises(IndexUnusableError):
                print(f"{table}.{column}", examine(folder))
        shutil.rmtree(settings.home)


def rows_of(folder: Path, table: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / FILE)) as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()


def recounted(data: bytes) -> bytes:
    """Return other terms, packed as a program packs them: nothing but our own checksum can tell."""
    unpacked = bytearray(zlib.decompress(data))
    unpacked[-1] ^= 1
    return zlib.compress(unpacked)


def turned(data: bytes) -> bytes:
    """Return the opposite of a vector: what was near is far."""
    return bytes((256 - value) % 256 for value in data)


@pytest.mark.parametrize("parts", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize(("table", "change"), [("terms", recounted), ("vectors", turned)])
def test_other_values_that_can_be_read_are_refused(
    tmp_path: Path, table: str, change: Callable[[bytes], bytes], parts: int
) -> None:
    """As another program leaves them, or a disk that gives back the block of another row: all is well but the sum."""
    case = Case(tmp_path, parts)
    settings, folder = case.copied()
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        connection.create_function("changed", 1, change)
        connection.execute(f"UPDATE {table} SET data = changed(data)")
    # What is derived holds a copy, which is as it was.
    shutil.rmtree(folder / "lexical", ignore_errors=True)
    (folder / "vectors.state").unlink(missing_ok=True)
    assert case.judge(settings) == "refused"


def test_a_damaged_vector_is_not_given_to_who_would_not_embed_again(tmp_path: Path) -> None:
    case = Case(tmp_path, SIZES["some"])
    settings, folder = case.copied()
    with Index.open(case.root, settings=settings) as index:
        with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
            keys = [key for (key,) in connection.execute("SELECT key FROM vectors LIMIT 5")]
            assert len(index.store.known_vectors(keys)) == 5
            connection.create_function("changed", 1, turned)
            connection.execute("UPDATE vectors SET data = changed(data)")
        with pytest.raises(IndexUnusableError, match="--rebuild"):
            index.store.known_vectors(keys)
