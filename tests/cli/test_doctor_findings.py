"""Everything that ``quaestor doctor`` can find to be wrong: it says what, and what to do, and doing that helps."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from cli_parts import Outcome, Run, write

from quaestor import Index
from quaestor.accounts import FILE
from quaestor.accounts.users import Users
from quaestor.core.config import Settings
from quaestor.core.wording import command
from quaestor.sessions.named_sessions import FolderSessions
from servers.threads import Exchange, ThreadedServer

pytestmark = pytest.mark.usefixtures("port")
posix = pytest.mark.skipif(sys.platform == "win32", reason="permission bits are not Windows's way")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A corpus of so many chunks that the files that are derived from its index are written, and the data folder."""
    root, home = tmp_path_factory.mktemp("corpus"), tmp_path_factory.mktemp("home")
    for number in range(20):
        parts = (f"## Part {part}\n\n" + f"word{number * part} " * 90 for part in range(30))
        (root / f"part{number}.md").write_text("\n\n".join(parts), encoding="utf-8")
    with Index.build(root, settings=Settings(home=str(home))):
        return root, home


@pytest.fixture
def corpus(made: tuple[Path, Path], home: Path) -> Path:
    """A corpus whose index lies in this test's own data folder."""
    shutil.copytree(made[1], home)
    return made[0]


@pytest.fixture
def indexed(corpus: Path, home: Path) -> Path:
    """The folder of the index of ``corpus``."""
    [folder] = (home / "indexes").iterdir()
    return folder


def line(done: Outcome, name: str) -> str:
    """Return what was said of one thing."""
    return next(one for one in done.out.splitlines() if one.split()[1] == name)


def flipped(path: Path, at: float = 0.5) -> None:
    data = bytearray(path.read_bytes())
    data[int(at * (len(data) - 1))] ^= 0x40
    path.write_bytes(data)


def edited(folder: Path, *statements: str) -> None:
    """Change the truth behind the program's back."""
    with closing(sqlite3.connect(folder / "index.sqlite3")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.execute("pragma wal_checkpoint(truncate)")


def spoiled(path: Path) -> None:
    """Write over the second page of a database."""
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xa5" * 4096 + data[8192:])


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


TRUTH: dict[str, tuple[Callable[[Path], object], str]] = {
    "a changed text": (lambda folder: edited(folder, "update chunks set text = 'other'"), "checksum"),
    "a chunk that is gone": (lambda folder: edited(folder, "delete from chunks where id = 1"), "checksum"),
    "a vector that is gone": (lambda folder: edited(folder, "delete from vectors"), "have no vector"),
    "a changed vector": (lambda folder: edited(folder, "update vectors set data = zeroblob(length(data))"), "checksum"),
    "something else remembered": (
        lambda folder: edited(folder, "update metadata set value = value || ' '"),
        "checksum",
    ),
    "something that is forgotten": (lambda folder: edited(folder, "delete from metadata"), "checksum"),
    "terms that are gone": (lambda folder: edited(folder, "delete from terms"), "terms are missing"),
    "terms that are not terms": (lambda folder: edited(folder, "update terms set data = x'00'"), "checksum"),
    "no state": (lambda folder: edited(folder, "delete from state"), "its state is missing"),
    "a file that is cut": (lambda folder: cut(folder / "index.sqlite3"), "is damaged"),
    "another file": (lambda folder: write(folder, {"index.sqlite3": "no database " * 99}), "not a database"),
    "a newer version": (lambda folder: edited(folder, "pragma user_version = 99"), "newer version"),
}
DERIVED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a lexical state": (lambda folder: flipped(folder / "lexical" / "state"), "the postings of its words"),
    "postings": (lambda folder: flipped(next((folder / "lexical").glob("*.postings")), 0.9), "postings of its words"),
    "vectors": (lambda folder: flipped(next(folder.glob("vectors-*/data"))), "its vectors"),
    "a state of vectors": (lambda folder: cut(folder / "vectors.state"), "its vectors"),
}


def test_a_whole_index(quaestor: Run, corpus: Path, indexed: Path) -> None:
    done = quaestor("doctor", corpus)
    assert done.code == 0
    assert "matches its checksum" in line(done, "index")
    assert str(indexed) in line(done, "index")


@pytest.mark.parametrize("damage", [*TRUTH, *DERIVED])
def test_a_damaged_index_and_its_cure(quaestor: Run, corpus: Path, indexed: Path, damage: str) -> None:
    spoil, said = {**TRUTH, **DERIVED}[damage]
    spoil(indexed)
    done = quaestor("doctor", corpus)
    assert done.code == 4
    found = line(done, "index")
    assert found.startswith("FAIL") and said in found
    assert command("index", corpus, "--rebuild") in found
    assert "Traceback" not in done.out + done.err
    assert quaestor("index", "--rebuild", corpus).code == 0
    assert quaestor("doctor", corpus).code == 0


@pytest.mark.parametrize("damage", DERIVED)
def test_looking_changes_nothing(quaestor: Run, corpus: Path, indexed: Path, damage: str) -> None:
    DERIVED[damage][0](indexed)
    before = {file: file.read_bytes() for file in indexed.rglob("*") if file.is_file()}
    quaestor("doctor", corpus)
    after = {file: file.read_bytes() for file in indexed.rglob("*") if file.is_file()}
    assert {file: data for file, data in after.items() if not file.name.endswith("-shm")} == {
        file: data for file, data in before.items() if not file.name.endswith("-shm")
    }


def test_a_damaged_session_is_named(quaestor: Run, repository: Path, home: Path) -> None:
    sessions = FolderSessions(home / "sessions")
    for name in ("one", "two"):
        sessions.begin(root=str(repository), name=name).close()
    assert "2 sessions, all whole" in line(quaestor("doctor", repository), "sessions")
    spoiled(home / "sessions" / "two.session")
    done = quaestor("doctor", repository)
    assert done.code == 4
    found = line(done, "sessions")
    assert "1 of 2 sessions" in found and "two.session" in found and "quaestor sessions delete" in found
    assert quaestor("sessions", "delete", "two").code == 0
    assert quaestor("doctor", repository).code == 0


def test_sessions_of_users_are_looked_at_too(quaestor: Run, repository: Path, home: Path) -> None:
    FolderSessions(home / "sessions" / "anna").begin(name="one").close()
    write(home, {"sessions/anna/one.session": "no database"})
    assert "anna" in line(quaestor("doctor", repository), "sessions")


def test_damaged_accounts(quaestor: Run, repository: Path, home: Path) -> None:
    Users.open(home / FILE).add("anna")
    assert "1 user" in line(quaestor("doctor", repository), "accounts")
    write(home, {FILE: "no database " * 99})
    done = quaestor("doctor", repository)
    assert done.code == 4
    assert "move it away" in line(done, "accounts")
    (home / FILE).rename(home / "away")
    for rest in home.glob(f"{FILE}-*"):
        rest.unlink()
    assert quaestor("doctor", repository).code == 0


@pytest.mark.parametrize("content", ["{", "1", "[]", "[" * 100_000])
def test_a_damaged_record_of_edits(quaestor: Run, corpus: Path, home: Path, indexed: Path, content: str) -> None:
    write(home / "edits" / indexed.name, {"000001/entry.json": content})
    (home / "edits").chmod(0o700)
    done = quaestor("doctor", corpus)
    assert done.code == 4
    assert "move that folder away" in line(done, "edits")


@posix
@pytest.mark.parametrize("name", ["sessions", "documents", "edits", "indexes", "sites", "repositories", FILE])
def test_what_others_can_read_is_named(quaestor: Run, repository: Path, home: Path, name: str) -> None:
    Users.open(home / FILE).add("anna")
    place = home / name
    if name != FILE:
        place.mkdir(parents=True, exist_ok=True)
    place.chmod(0o750)
    done = quaestor("doctor", repository)
    assert done.code == 2
    assert f"{str(place)!r} (750)" in line(done, "secrets")
    assert "chmod go=" in line(done, "secrets")
    place.chmod(0o700)
    assert quaestor("doctor", repository).code == 0


@posix
def test_settings_are_a_secret_where_they_hold_a_key(quaestor: Run, repository: Path, home: Path) -> None:
    write(home, {"config.toml": 'model = "tiny"\nbase_url = "http://192.0.2.1/v1"\n'})
    (home / "config.toml").chmod(0o644)
    assert quaestor("doctor", repository).code == 0
    write(home, {"config.toml": 'api_key = "sk-abc"\n'})
    done = quaestor("doctor", repository)
    assert done.code == 2
    assert "config.toml' (644)" in line(done, "secrets")
    assert "sk-abc" not in done.out + done.err


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() != 0, reason="only root can give a folder away")
def test_what_is_somebody_elses(quaestor: Run, repository: Path, home: Path) -> None:
    (home / "sessions").mkdir(parents=True)
    (home / "sessions").chmod(0o700)
    os.chown(home / "sessions", 4711, 4711)
    done = quaestor("doctor", repository)
    assert done.code == 2 and "belongs to another user" in line(done, "secrets")


def test_nobody_listens_at_the_models_endpoint(quaestor: Run, repository: Path) -> None:
    with socket.socket() as held:  # and nobody else can begin to listen there
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        done = quaestor("doctor", "--model", "tiny", "--base-url", url, repository)
    assert done.code == 3
    assert f"no server listens at {url}" in line(done, "model") and "start its server" in line(done, "model")


class Healthy(Exchange):
    """Answers as a server of Quaestor does."""

    body = b'{"status":"ok","ready":true}'

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)


class Another(Healthy):
    """Another program."""

    body = b"hello"


def test_somebody_listens_at_the_models_endpoint(quaestor: Run, repository: Path) -> None:
    with ThreadedServer(Another, 0) as server:
        done = quaestor("doctor", "--model", "tiny", "--base-url", f"http://127.0.0.1:{server.port}/v1", repository)
        assert done.code == 0 and "a server listens" in line(done, "model")


def test_an_endpoint_elsewhere_is_not_contacted(quaestor: Run, repository: Path) -> None:
    done = quaestor("doctor", "--model", "tiny", "--base-url", "https://u:p@models.example/v1", repository)
    assert done.code == 0
    assert "not contacted" in line(done, "model") and "u:p" not in done.out


def test_a_port_that_is_taken(quaestor: Run, repository: Path, port: int) -> None:
    assert f"{port} is free" in line(quaestor("doctor", repository), "port")
    with ThreadedServer(Another, port):
        done = quaestor("doctor", repository)
        assert done.code == 2
        assert f"quaestor serve --port {port + 1}" in line(done, "port")
    with ThreadedServer(Healthy, port):
        done = quaestor("doctor", repository)
        assert done.code == 0 and "answers at" in line(done, "port")


def test_the_worst_finding_is_the_exit_code(quaestor: Run, corpus: Path, indexed: Path, port: int) -> None:
    flipped(indexed / "vectors.state")
    with ThreadedServer(Another, port):
        done = quaestor("doctor", "--json", corpus)
    assert done.code == 4
    assert done.json["ok"] is False
    assert {check["name"]: check["code"] for check in done.json["checks"] if not check["ok"]} == {"port": 2, "index": 4}
