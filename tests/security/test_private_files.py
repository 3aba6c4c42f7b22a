"""What is kept of repositories, sites, questions and answers is for the user whose it is, whatever the umask."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import quaestor
from quaestor import Index
from quaestor.accounts.users import Users
from quaestor.assemble import make_sessions
from quaestor.core.config import Settings, make_private
from quaestor.crawl.crawl_settings import CrawlSettings
from quaestor.crawl.crawler import Crawl
from quaestor.edits import Journal, Proposal, Replace, apply, plan
from quaestor.server.uploads import Documents
from servers.site import Answer, SiteServer

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere rights are others")
WORD = b"kingfisher"


@pytest.fixture(autouse=True)
def open_to_all() -> Iterator[None]:
    """Whatever is made is readable by everybody unless it is said otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


def exposed(home: Path) -> list[str]:
    """Return the files below a folder that others can read: they can enter every folder on the way."""
    found = []
    for folder, below, names in os.walk(home):
        below[:] = [name for name in below if _mode(Path(folder, name)) & 0o011]
        found += [str(Path(folder, name)) for name in names if _mode(Path(folder, name)) & 0o044]
    return found


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.md").write_bytes(b"# Birds\n\nThe " + WORD + b" dives.\n")
    return root


def test_indexes_sessions_documents_users_and_journals(root: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    settings = Settings(home=str(home))
    Index.build(root, settings=settings).close()
    make_sessions(settings).begin(root=str(root)).close()
    Documents(settings, "anna").add("b.md", b"# The " + WORD)
    Users.open(home / "accounts.sqlite").add("anna")
    apply(plan(root, Proposal((Replace("a.md", "# Birds\n", "# Bird\n"),))), Journal(home / "edits"))
    assert any(WORD in file.read_bytes() for file in home.rglob("*.sqlite3"))
    assert exposed(home) == []


def test_sites(tmp_path: Path) -> None:
    with SiteServer(lambda _path, _headers: Answer("<h1>Intranet</h1><p>All about the kingfisher.</p>")) as site:
        Crawl(site.url, tmp_path / "home" / "sites" / "one", CrawlSettings(allow_private=True, delay=0)).run()
    assert list((tmp_path / "home").rglob("*.md"))
    assert exposed(tmp_path / "home") == []


def test_a_command_of_a_careless_shell(root: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "QUAESTOR_HOME": str(tmp_path / "new" / "home")}
    environment["PYTHONPATH"] = str(Path(quaestor.__file__).parents[1])
    command = [sys.executable, "-m", "quaestor", "index", str(root)]
    subprocess.run(command, env=environment, check=True, capture_output=True, umask=0)
    assert exposed(tmp_path / "new") == []


def test_what_somebody_opened_to_others_stays_open(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir(mode=0o755)
    make_private(tmp_path / "shared")
    assert _mode(tmp_path / "shared") == 0o755
    make_private(tmp_path / "shared" / "own" / "below")
    assert [_mode(tmp_path / "shared" / one) for one in ("own", "own/below")] == [0o700, 0o700]
