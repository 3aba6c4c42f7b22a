"""Real git repositories for tests, each commit with a day and an author of its own, and a home for their indexes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for the indexes of each test, wherever a ``conftest.py`` imports this."""
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


class Repository:
    """A repository that a test fills.

    Args:
        folder: where it is made.
        made: whether it is there already.
    """

    def __init__(self, folder: Path, *, made: bool = False) -> None:
        self.folder = folder
        if not made:
            folder.mkdir(parents=True, exist_ok=True)
            self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, day: str = "2024-01-01", author: str = "Ana Núñez", stdin: bytes = b"") -> str:
        """Run git as whoever made the repository would; return what it printed."""
        when = f"{day}T12:00:00+00:00"
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": author,
            "GIT_AUTHOR_EMAIL": "someone@example.org",
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_NAME": author,
            "GIT_COMMITTER_EMAIL": "someone@example.org",
            "GIT_COMMITTER_DATE": when,
        }
        command = ["git", "-c", "protocol.file.allow=always", "-C", str(self.folder), *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout.decode("utf-8", "replace").strip()

    def write(self, files: dict[str, str | None]) -> None:
        """Write files, or remove those whose text is None."""
        for name, text in files.items():
            path = self.folder / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def commit(
        self, message: str, files: dict[str, str | None], day: str = "2024-01-01", author: str = "Ana Núñez"
    ) -> str:
        """Commit files and return the hash."""
        self.write(files)
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "--allow-empty", "-F", "-", day=day, author=author, stdin=message.encode())
        return self.git("rev-parse", "HEAD")


def shop(folder: Path) -> tuple[Repository, dict[str, str]]:
    """Return a repository with a short history, and its commits by name."""
    made = Repository(folder)
    ids = {}
    ids["first"] = made.commit(
        "First steps",
        {"shop/client.py": "class Client:\n    def get(self):\n        return 1\n", "README.md": "# Shop\n"},
        "2023-01-10",
    )
    made.git("tag", "v1.0.0")
    ids["retry"] = made.commit(
        "Add send_with_retry\n\nServers that are busy answer 503, and giving up lost orders.\n\n"
        "Signed-off-by: Bo Li <bo@example.org>\n",
        {"shop/retry.py": "def send_with_retry(send):\n    return send()\n"},
        "2023-05-02",
        "Bo Li",
    )
    ids["option"] = made.commit(
        "Add the colour option",
        {"shop/cli.py": "parser.add_argument('--colour')\n"},
        "2023-06-01",
    )
    made.commit(
        "Release 1.1",
        {
            "CHANGELOG.md": "# Changelog\n\n## 1.1.0 - 2023-06-10\n\n- Add send_with_retry for busy servers.\n\n"
            "## 1.0.0 - 2023-01-10\n\n- First release.\n"
        },
        "2023-06-10",
    )
    made.git("tag", "-a", "v1.1.0", "-m", "Version 1.1.0\n\nThe one that tries again.", day="2023-06-10")
    ids["moved"] = made.commit(
        "Move the client's sending",
        {"shop/retry.py": None, "shop/net/sending.py": "def send_with_retry(send):\n    return send()\n"},
        "2023-09-01",
    )
    ids["removed"] = made.commit(
        "Remove the colour option\n\nTerminals say themselves what they can.",
        {"shop/cli.py": "parser = None\n"},
        "2024-02-01",
    )
    ids["last"] = made.commit(
        "Try three times",
        {"shop/net/sending.py": "def send_with_retry(send):\n    for _ in range(3):\n        return send()\n"},
        "2024-03-05",
        "Bo Li",
    )
    return made, ids
