"""Fetches one commit of a repository into a folder, and later what has changed since.

Git runs without helpers, hooks or configuration, within limits on time and disk space.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from quaestor.core.config import make_private
from quaestor.core.errors import ForbiddenError, LimitError, NotFoundError, UpstreamError, UsageError
from quaestor.core.light_imports import NamedTuple
from quaestor.crawl.connections import is_public, resolve
from quaestor.crawl.fetched_sources import FETCHED, GitAddress, read_git_address, repository_folder
from quaestor.history.git import NoHistoryError, program
from quaestor.stores.embedded.lock import WriteLock

_WITH_SUBMODULES = "with submodules"
_DEEPEST = 5
_CONNECT_SECONDS = 20
_LISTING_BYTES = 20_000_000
_PLAIN = re.compile(r"[^\x20-\x7e]+")
# The server's own messages, which may say anything, and advice that does not help here.
_OF_OTHERS = ("remote:", "hint:", "warning:")
_NO_REF = ("couldn't find remote ref", "not our ref", "unadvertised object")

_SECONDS = 900.0
"""Time limit in seconds for all commands of one repository."""
_MOST_BYTES = 2_000_000_000
"""The most bytes that a repository may take on disk, fetched objects and files together."""

_POLL_SECONDS = 0.05
_SAID_BYTES = 20_000
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.fsmonitor": "false",
    "core.symlinks": "false",
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "core.logAllRefUpdates": "false",
    "core.autocrlf": "false",
    "credential.helper": "",
    "fetch.recurseSubmodules": "false",
    "submodule.recurse": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
    "transfer.credentialsInUrl": "die",
}


class FetchedRepository(NamedTuple):
    """The outcome of fetching a repository.

    Attributes:
        changed: whether any file changed.
        missing: a sentence for each submodule that could not be fetched.
    """

    changed: bool
    missing: tuple[str, ...] = ()


def fetch_repository(
    source: str, home: Path, *, allow_private: bool = False, submodules: bool | None = None
) -> FetchedRepository:
    """Fetch a repository, or its changes, into the folder that is indexed.

    Args:
        source: its address, with a branch, tag or commit after ``#`` if it is not the default branch.
        home: the data folder.
        allow_private: whether it may lie on this machine or in a private network.
        submodules: whether to fetch submodules as well; None repeats the last choice, and the first time means no.

    Raises:
        QuaestorError: as ``fetch_commit``; files that were fetched before stay.
        IndexBusyError: another process fetches it.
    """
    address = read_git_address(source)
    folder = repository_folder(address, home)
    make_private(folder)
    with WriteLock(folder).hold(1.0):
        files, done = folder / address.name, folder / FETCHED
        if submodules is None:
            submodules = done.exists() and done.read_text(encoding="ascii") == _WITH_SUBMODULES
        try:
            fetched = fetch_commit(
                address, files, allow_private=allow_private, submodules=_DEEPEST if submodules else 0
            )
        except BaseException:
            if not done.exists():
                shutil.rmtree(files, ignore_errors=True)
            raise
        done.write_text(_WITH_SUBMODULES if submodules else "", encoding="ascii")
    return fetched


def fetch_commit(
    address: GitAddress,
    folder: Path,
    *,
    allow_private: bool,
    submodules: int = 0,
    seconds: float = _SECONDS,
    most_bytes: int = _MOST_BYTES,
) -> FetchedRepository:
    """Fetch the newest commit of a repository, without its history, and check its files out into a folder.

    Nothing that the repository names is run: no hook, filter or helper. Links become small files.

    Args:
        address: the repository, and which commit of it.
        folder: created if it is missing; nothing else may write there.
        allow_private: whether the repository may be on this machine or in a private network.
        submodules: how many levels to fetch; those at private addresses only from the repository's own host.
        seconds: time limit for everything that is fetched.
        most_bytes: size limit of the folder.

    Returns:
        Whether anything changed, and a sentence for each submodule that could not be fetched.

    Raises:
        ForbiddenError: it is on this machine or in a private network, and that was not allowed.
        LimitError: it exceeds the limit on time or size.
        NotFoundError: it has no such branch, tag or commit, or no commits.
        UpstreamError: it cannot be reached, or is not a repository.
        UsageError: git is not installed.
    """
    until = time.monotonic() + seconds
    host = _permitted_host(address, allow_private)
    try:
        git_program = program()
    except NoHistoryError:
        raise UsageError("git is not installed on this machine. Install git, or give a folder.") from None
    make_private(folder)
    transport = (_settings_for_host(address, host), address.scheme, _ssh(address, host))
    git = _GitRunner(git_program, folder, *transport, seconds, most_bytes)
    for lock in (folder / ".git").glob("*.lock"):  # left by a killed process; the caller holds our own lock
        lock.unlink()
    before = _head_commit(folder)
    _raise_failure(address, git.run("init", "--quiet", "--template="))
    fetched = ("fetch", "--quiet", "--depth=1", "--no-tags", "--force", "--update-head-ok")
    _raise_failure(address, git.run(*fetched, "--", address.url, address.ref or "HEAD"))
    _check_size(git, most_bytes)
    parts = _submodules(address, git) if submodules else {}
    for path in _submodule_paths(git, "HEAD") if before else ():
        if path not in parts:
            shutil.rmtree(folder / path, ignore_errors=True)
    _raise_failure(address, git.run("checkout", "--quiet", "--force", "--detach", "FETCH_HEAD", "--"))
    changed = before != _head_commit(folder)
    if before and changed:
        git.run("gc", "--quiet", "--prune=now")  # of the earlier commit
    missing: list[str] = []
    for path, part in parts.items():
        try:
            submodule = fetch_commit(
                read_git_address(part),
                folder / path,
                allow_private=allow_private and _is_same_host(read_git_address(part), address),
                submodules=submodules - 1,
                seconds=until - time.monotonic(),
                most_bytes=most_bytes - _size(folder) + _size(folder / path),
            )
        except (ForbiddenError, NotFoundError, UpstreamError, UsageError) as error:
            missing.append(f"The submodule {path!r} was not fetched: {error}")
        else:
            changed |= submodule.changed
            missing += submodule.missing
    return FetchedRepository(changed, tuple(missing))


def _is_same_host(one: GitAddress, other: GitAddress) -> bool:
    return (one.scheme, one.host) == (other.scheme, other.host)


def _submodule_paths(git: _GitRunner, commit: str) -> dict[str, str]:
    """Return the paths of a commit's submodules, each with its commit."""
    tree = git.run("ls-tree", "-r", "-z", commit, most_output=_LISTING_BYTES)
    entries = [entry.partition("\t") for entry in tree.output.split("\0")] if not tree.code else []
    return {path: about.rpartition(" ")[2] for about, _, path in entries if about.startswith("160000 ")}


def _submodules(address: GitAddress, git: _GitRunner) -> dict[str, str]:
    """Return the paths of the fetched commit's submodules, with their addresses and commits where these are named."""
    pattern = r"^submodule\..*\.(path|url)$"
    result = git.run("config", "-z", "--blob", "FETCH_HEAD:.gitmodules", "--get-regexp", pattern)
    values = (
        dict(entry.split("\n", 1) for entry in result.output.split("\0") if "\n" in entry) if not result.code else {}
    )
    addresses = {values[key]: values.get(f"{key[:-4]}url", "") for key in values if key.endswith(".path")}
    paths = _submodule_paths(git, "FETCH_HEAD")
    return {
        path: f"{_absolute(url, address)}#{paths[path]}" for path, url in addresses.items() if url and path in paths
    }


def _absolute(url: str, address: GitAddress) -> str:
    """Return the address of a submodule, which may be relative to that of its repository."""
    if not url.startswith(("./", "../")):
        return f"file://{url}" if address.scheme == "file" and url.startswith("/") else url
    base = address.url.rstrip("/")
    while url.startswith(("./", "../")):
        step, _, url = url.partition("/")
        base = base.rpartition("/")[0] if step == ".." else base
    return f"{base}/{url}"


def _permitted_host(address: GitAddress, allow_private: bool) -> str:
    """Return the IP address to connect to, if it is permitted; empty for a local file."""
    if address.scheme != "file":
        try:
            addresses = resolve(address.host, address.port)
        except (OSError, UnicodeError):
            raise UpstreamError(
                f"The host of {address.url!r} is not found. Check the address and the network.", retryable=True
            ) from None
        if allow_private or all(map(is_public, addresses)):
            return addresses[0]
    elif allow_private:
        return ""
    place = "on this machine" if address.scheme == "file" else "in a private network"
    raise ForbiddenError(f"{address.url!r} lies {place}. Give --allow-private to allow that.")


def _settings_for_host(address: GitAddress, host: str) -> dict[str, str]:
    """Return git settings that connect to the address that was checked, whatever the name resolves to by then."""
    if address.scheme not in ("http", "https"):
        return {}
    shown = f"[{host}]" if ":" in host else host
    return {"http.curloptResolve": f"{address.host}:{address.port}:{shown}"}


def _ssh(address: GitAddress, host: str) -> str:
    """Return the ssh command: without the user's configuration, which may name programs, and without prompts."""
    if address.scheme != "ssh":
        return ""
    known_as = address.host if address.port == 22 else f"[{address.host}]:{address.port}"
    options = {
        "BatchMode": "yes",
        "ClearAllForwardings": "yes",
        "ConnectTimeout": str(_CONNECT_SECONDS),
        "HostKeyAlias": known_as,
        "HostName": host,
        "PermitLocalCommand": "no",
        "ProxyCommand": "none",
        "StrictHostKeyChecking": "yes",
    }
    arguments = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
    return shlex.join(["ssh", "-F", "none", *arguments])


def _check_size(git: _GitRunner, most_bytes: int) -> None:
    """Refuse a commit whose files would exceed the limit: a few objects can make very many files."""
    tree = git.run("ls-tree", "-r", "--format=%(objectsize)", "FETCH_HEAD", most_output=_LISTING_BYTES)
    whole = not tree.code and len(tree.output) < _LISTING_BYTES
    if not whole or sum(int(size) for size in tree.output.split() if size.isdigit()) > most_bytes:
        raise LimitError(f"The repository's files take more than {most_bytes:,} bytes. Clone the part that you need.")


def _raise_failure(address: GitAddress, result: _GitResult) -> None:
    """Raise the error that fits a failure of git; do nothing if it succeeded."""
    if not result.code:
        return
    if any(words in result.output for words in _NO_REF):
        what = f"no branch, tag or commit {address.ref!r}" if address.ref else "no commits"
        raise NotFoundError(f"{address.url!r} has {what}. Check the name after '#', or give another address.")
    lines = (line for line in result.output.splitlines() if line.strip() and not line.startswith(_OF_OTHERS))
    why = _PLAIN.sub(" ", next(lines, "git said nothing")).removeprefix("fatal: ")[:300]
    raise UpstreamError(
        f"{address.url!r} was not fetched ({why}). Check that it is a repository that is readable without a password, "
        "or clone it and index the folder."
    )


def _head_commit(folder: Path) -> str | None:
    try:
        return (folder / ".git" / "HEAD").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None


class _GitResult(NamedTuple):
    """The end of a run of git.

    Attributes:
        code: its exit code.
        output: the end of its output, standard error included.
    """

    code: int
    output: str


class _GitRunner:
    """Runs git in one folder.

    Args:
        program: where git is.
        folder: the working tree; its size is bounded.
        settings: configuration for this repository alone.
        scheme: the only transport that may be used.
        ssh: the command for ssh, if that is the transport.
        seconds: time limit for all commands together.
        most_bytes: size limit of the folder.
    """

    def __init__(
        self,
        program: str,
        folder: Path,
        settings: Mapping[str, str],
        scheme: str,
        ssh: str = "",
        seconds: float = _SECONDS,
        most_bytes: int = _MOST_BYTES,
    ) -> None:
        self._program, self._folder = program, folder
        chosen = {**_SETTINGS, **settings}
        self._settings = [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]
        self._environment = _environment(folder, scheme, ssh)
        self._until, self._seconds = time.monotonic() + seconds, seconds
        self._most = most_bytes

    def run(self, *arguments: str, most_output: int = _SAID_BYTES) -> _GitResult:
        """Run one command of git.

        Args:
            arguments: what follows ``git``.
            most_output: most bytes of output to return.

        Raises:
            LimitError: it exceeded the limit on time or size.
        """
        command = [self._program, *self._settings, *arguments]
        with tempfile.TemporaryFile() as output_file:
            process = subprocess.Popen(
                command,
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output_file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                self._wait(process, output_file.fileno())
            finally:
                _kill_command(process)
            output_file.seek(max(0, output_file.seek(0, os.SEEK_END) - most_output))
            return _GitResult(process.returncode, output_file.read().decode("utf-8", "replace"))

    def _wait(self, process: subprocess.Popen[bytes], output: int) -> None:
        while True:
            # Measuring a large folder takes time, which does not count against git's.
            started = time.monotonic()
            used_bytes = _size(self._folder) + os.fstat(output).st_size
            looked = time.monotonic() - started
            if used_bytes > self._most:
                raise LimitError(
                    f"The repository takes more than {self._most:,} bytes. Clone the part that you need and index it."
                )
            if time.monotonic() > self._until:
                raise LimitError(
                    f"The repository took more than {self._seconds:,.0f} seconds. Clone it and index that folder."
                )
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(_POLL_SECONDS, 10 * looked))
                return


def _kill_command(process: subprocess.Popen[bytes]) -> None:
    """Kill a command's remaining processes."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _environment(folder: Path, scheme: str, ssh: str) -> dict[str, str]:
    """Return git's whole environment: of the caller's only the path, and for ssh the agent with the keys."""
    passed = ("PATH", "SYSTEMROOT", *(("SSH_AUTH_SOCK", "HOME") if scheme == "ssh" else ()))
    inherited = {name: os.environ[name] for name in passed if name in os.environ}
    return {
        "HOME": str(folder),
        **inherited,
        "LC_ALL": "C.UTF-8",
        "GIT_DIR": str(folder / ".git"),
        "GIT_WORK_TREE": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "false",
        "GIT_ALLOW_PROTOCOL": scheme,
        "GIT_SSH_COMMAND": ssh or "false",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_ALLOC_LIMIT": "2g",
    }


def _size(folder: Path) -> int:
    """Return the bytes in a folder; files that disappear meanwhile do not count."""
    total = 0
    pending = [str(folder)]
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
    return total
