"""Runs git on a repository that may be hostile: read-only, within limits, without its configuration.

A repository's configuration, attributes and environment can make git run programs: pagers, file watchers, text
converters, filters, external diffs, hooks, signature checkers, credential helpers, transports. Disabling each by an
option would require knowing them all. Instead git never reads the configuration: it gets a bare repository of our own,
an empty folder with links to the objects and references of the real one and a configuration that we wrote. Objects and
references are data; none of them names a program. Neither the user's nor the system's configuration is read, only
``PATH`` is passed on from the environment, and git works in our folder, which holds nothing but links.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from quaestor.core.errors import QuaestorError
from quaestor.core.light_imports import NamedTuple
from quaestor.history.git_boundary import READ_BY_GIT, GitBoundary, config_values

SECONDS = 5.0
"""Seconds that one run of git may take."""
ALL_SECONDS = 10.0
"""Seconds that all runs for one answer may take."""
_MOST_BYTES = 4 << 20
_LARGEST_CONFIG = 1 << 20
_LARGEST_HEAD = 1 << 12
# Every option that could run a program or prompt is set again, should git ever find other configuration.
_CONFIG = """\
[core]
	repositoryFormatVersion = 1
	bare = true
	quotePath = false
	fsmonitor = false
	hooksPath = {nothing}
	attributesFile = {nothing}
	excludesFile = {nothing}
	pager = cat
	bigFileThreshold = 8m
	multiPackIndex = false
[log]
	showSignature = false
[gpg]
	program = false
[protocol]
	allow = never
[credential]
	helper =
[gc]
	auto = 0
[maintenance]
	auto = false
[diff]
	renames = true
	renameLimit = 400
[extensions]
	objectFormat = {objects}
"""
_REFTABLE = "\trefStorage = reftable\n"
# Git's own knowledge of languages: where a function begins, for the lines that head a part of a difference.
_ATTRIBUTES = """\
*.py diff=python
*.[ch] diff=cpp
*.cc diff=cpp
*.cpp diff=cpp
*.hpp diff=cpp
*.cs diff=csharp
*.css diff=css
*.ex diff=elixir
*.exs diff=elixir
*.go diff=golang
*.java diff=java
*.kt diff=kotlin
*.md diff=markdown
*.php diff=php
*.pl diff=perl
*.pm diff=perl
*.rb diff=ruby
*.rs diff=rust
*.tex diff=tex
"""


class NoHistoryError(QuaestorError):
    """There is no history to read: git or the repository is missing, or git cannot read it."""


class ForeignHistoryError(NoHistoryError):
    """The history belongs to another repository."""


class Output(NamedTuple):
    """What git printed.

    Attributes:
        data: the bytes.
        is_complete: whether the output is complete: no limit ended it, and git did not fail.
    """

    data: bytes
    is_complete: bool

    @property
    def text(self) -> str:
        """The bytes as text; invalid UTF-8 is replaced."""
        return self.data.decode("utf-8", "replace")


class Git:
    """Git over one repository. Use it as a context.

    Args:
        repository: the repository to read.
        seconds: the time limit of all runs together.

    Attributes:
        is_complete: whether every output so far was complete.
        repository: the repository that it reads.

    Raises:
        NoHistoryError: git or the repository is missing, or its git folder leads to another repository.
    """

    def __init__(self, repository: Repository, seconds: float = ALL_SECONDS) -> None:
        self.repository = repository
        self.is_complete = True
        self._program = program()
        _check_own(repository)
        self._until = time.monotonic() + seconds
        self._folder = Path(tempfile.mkdtemp(prefix="quaestor-git-"))
        try:
            _make_bare_repository(self._folder, repository)
        except OSError as error:
            self.close()
            raise NoHistoryError(f"Git's history cannot be read: {error.strerror or error}.") from error
        self._environment = environment_for(self._folder, os.environ)

    @property
    def shallow(self) -> bool:
        """Whether the clone was made without its older commits."""
        return (self.repository.common_folder / "shallow").exists()

    def run(self, *arguments: str, seconds: float = SECONDS, most: int = _MOST_BYTES) -> Output:
        """Return git's output, cut off if it exceeds the limits of time or size.

        Args:
            arguments: the arguments after ``git``; paths follow ``--``.
            seconds: the time limit, if less time is not left for all runs.
            most: the size limit in bytes.
        """
        seconds = min(seconds, self._until - time.monotonic())
        if seconds <= 0:
            self.is_complete = False
            return Output(b"", is_complete=False)
        output = _read([self._program, "--no-pager", *arguments], self._folder, self._environment, seconds, most)
        self.is_complete &= output.is_complete
        return output

    def ask(self, *arguments: str, seconds: float = SECONDS) -> str | None:
        """Return git's short output; None if git failed or took too long."""
        seconds = min(seconds, self._until - time.monotonic())
        command = [self._program, "--no-pager", *arguments]
        output = _read(command, self._folder, self._environment, max(seconds, 0.0), _MOST_BYTES)
        return output.text if output.is_complete else None

    def close(self) -> None:
        """Remove the folder that git was run in."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def program() -> str:
    """Return the path of git; never one in a relative folder of PATH.

    Raises:
        NoHistoryError: git is not installed.
    """
    path = shutil.which("git", path=_absolute_path(os.environ))
    if path is None or not Path(path).is_absolute():
        raise NoHistoryError("There is no git on this machine, so its history cannot be read. Install git.")
    return path


def environment_for(folder: Path, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return git's whole environment; of the caller's it has only the path."""
    system = {name: inherited[name] for name in ("SYSTEMROOT",) if name in inherited}
    place = str(folder)
    return {
        **system,
        "PATH": _absolute_path(inherited),
        "HOME": place,
        "XDG_CONFIG_HOME": place,
        "LC_ALL": "C.UTF-8",
        "GIT_DIR": place,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_PAGER": "cat",
        "GIT_ALLOC_LIMIT": "1g",
    }


def _absolute_path(inherited: Mapping[str, str]) -> str:
    folders = inherited.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())


def _check_own(repository: Repository) -> None:
    """Raise ``ForeignHistoryError`` if git would read files of another repository."""
    top = repository.top or repository.git_folder.parent
    boundary = GitBoundary(top, repository.git_folder, repository.common_folder, repository.within)
    foreign = boundary.find_foreign()
    if foreign is not None:
        raise ForeignHistoryError(
            f"The history is not read: {str(foreign)!r} leads to {os.path.realpath(foreign)!r}, and nothing there says "
            f"that it belongs to {str(top)!r}. If you trust it, name a folder that holds it in `git_within` in your "
            "own settings (QUAESTOR_GIT_WITHIN). `git worktree repair` repairs a work tree that was moved."
        )


def _make_bare_repository(folder: Path, repository: Repository) -> None:
    """Make a repository of our own with the objects and references of another."""
    place = repository.git_folder / "HEAD"
    if not place.is_file():
        raise FileNotFoundError(errno.ENOENT, "there is no repository", str(place))
    with place.open("rb") as file:
        head = file.read(_LARGEST_HEAD)
    common = repository.common_folder.resolve(strict=True)
    (folder / "HEAD").write_bytes(head)
    for name in READ_BY_GIT:
        if (common / name).is_file() or (common / name).is_dir():  # a pipe would hold git until its time is over
            (folder / name).symlink_to(common / name)
    # A repository has both, and without them git finds none; a packed one may lack the second.
    if not (folder / "refs").exists():
        (folder / "refs").mkdir()
    (folder / "config").write_text(_config(common / "config"), encoding="utf-8")
    (folder / "info").mkdir()
    (folder / "info" / "attributes").write_text(_ATTRIBUTES, encoding="utf-8")


def _config(theirs: Path) -> str:
    """Return our own configuration; of the repository's, only the formats of its objects and references."""
    content = b""
    if theirs.is_file():
        with theirs.open("rb") as file:
            content = file.read(_LARGEST_CONFIG)
    formats = {key: value.lower() for _, key, value in config_values(content.decode("utf-8", "replace"))}
    objects = "sha256" if formats.get("objectformat") == "sha256" else "sha1"
    reftable = formats.get("refstorage", "").startswith("reftable")
    return _CONFIG.format(nothing=os.devnull, objects=objects) + (_REFTABLE if reftable else "")


def _read(command: list[str], folder: Path, environment: Mapping[str, str], seconds: float, most: int) -> Output:
    """Run a program and return its output, up to the limits of time and size."""
    late = threading.Event()
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None

        def end() -> None:
            late.set()
            process.kill()

        clock = threading.Timer(seconds, end)
        clock.daemon = True
        clock.start()
        try:
            data = process.stdout.read(most + 1)
            # What has said all of it may take its time to end, as on a busy machine: until the clock ends it.
            if len(data) <= most:
                process.wait()
        finally:
            if clock.is_alive() and process.poll() is None:
                process.kill()
                process.wait()
            clock.cancel()
        code = process.returncode
    return Output(data[:most], is_complete=code == 0 and len(data) <= most and not late.is_set())


class Repository(NamedTuple):
    """A repository, or a part of one.

    Attributes:
        git_folder: the folder that holds ``HEAD``; if there are several worktrees, this one's.
        common_folder: the folder that holds objects and references; without worktrees it is the same.
        prefix: the readable part: empty for all, else a folder ending with ``/``, or a file.
        shows: returns whether the content of a path, relative to the prefix, may be shown.
        top: the folder that holds ``.git``; None for the parent of the git folder.
        within: folders elsewhere that git may read, too.
    """

    git_folder: Path
    common_folder: Path
    prefix: str
    shows: Callable[[str], bool]
    top: Path | None = None
    within: tuple[str, ...] = ()

    def inner(self, path: str) -> str:
        """Return a path of the corpus as git names it."""
        return self.prefix + path if self.prefix.endswith("/") or not self.prefix else self.prefix

    def outer(self, path: str) -> str | None:
        """Return a path as the corpus names it; None if it is not in the part that is read."""
        if self.prefix and not self.prefix.endswith("/"):
            return path.rpartition("/")[2] if path == self.prefix else None
        return path.removeprefix(self.prefix) if path.startswith(self.prefix) else None

    @property
    def scope(self) -> tuple[str, ...]:
        """The path specification that limits git to the part that is read."""
        return (self.prefix.rstrip("/"),) if self.prefix else ()
