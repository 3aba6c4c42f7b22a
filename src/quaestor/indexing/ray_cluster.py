"""Work on batches of files on the machines of a Ray cluster.

Files are read here and sent, so no other machine needs the folder. Results are committed here, so the cluster writes
nothing. If a machine is lost, Ray repeats its tasks. A task that crashes every process is repeated file by file, and
only the file at fault is left out.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from quaestor.core.errors import UsageError
from quaestor.files.deny import EXTRAS, extra_is_installed
from quaestor.indexing.prepare import Outcome, Preparer, ReadFile, RefusedFile, Task, UnchangedFile

_AHEAD = 3
"""Batches in flight for each core."""

_MOST_BYTES = 128_000_000
"""Most bytes of files in flight."""

_RETRIES = 3
_CONNECT_SECONDS = 10

File = ReadFile | UnchangedFile | RefusedFile


class RayCluster:
    """The machines of a Ray cluster that prepare files; use it as a context manager.

    Args:
        address: the cluster's address in Ray's form: 'HOST:6379' on one of its machines, 'ray://HOST:10001' elsewhere.
        preparer: does the work; sent once.
        on_failure: returns the outcome of a file that crashes every process.

    Raises:
        UsageError: the extra is not installed, or the cluster cannot be used.
    """

    def __init__(self, address: str, preparer: Preparer, on_failure: Callable[[Task], Outcome]) -> None:
        self._ray = _import_ray()
        self._address = address
        self._preparer = preparer
        self._failed = on_failure
        self._waiting: dict[Any, Sequence[File]] = {}
        self._joined = not self._ray.is_initialized()

    def __enter__(self) -> Self:
        if self._joined:
            _join(self._ray, self._address)
        try:
            self._cores = int(self._ray.cluster_resources().get("CPU", 0))
            if not self._cores:
                raise UsageError(f"The Ray cluster at {self._address!r} has no cores: add machines that have some.")
            self._job = self._ray.put((self._preparer, _fingerprint(self._preparer)))
            self._do = self._ray.remote(num_cpus=1, max_retries=_RETRIES)(_prepare)
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for ref in self._waiting:
            self._ray.cancel(ref, force=True)
        self._leave()

    def _leave(self) -> None:
        if self._joined:
            self._ray.shutdown()

    def run(self, batches: Iterable[Sequence[Task]]) -> Iterator[Sequence[Outcome]]:
        """Yield the batches' outcomes as they come; batches are read only a little ahead of the work."""
        for batch in batches:
            self._send(self._preparer.read(batch))
            while len(self._waiting) >= self._cores * _AHEAD or self._bytes_sent() >= _MOST_BYTES:
                yield from self._wait_for_batch()
        while self._waiting:
            yield from self._wait_for_batch()

    def _send(self, files: Sequence[File]) -> None:
        self._waiting[self._do.remote(self._job, files)] = files

    def _bytes_sent(self) -> int:
        return sum(_size(file) for files in self._waiting.values() for file in files)

    def _wait_for_batch(self) -> Iterator[Sequence[Outcome]]:
        """Wait for a batch and yield its outcomes; none if it is sent again, in parts."""
        errors = self._ray.exceptions
        [ref], _ = self._ray.wait(list(self._waiting), num_returns=1)
        files = self._waiting.pop(ref)
        try:
            yield self._ray.get(ref)
        except errors.RayTaskError as error:
            raise _original_error(error) from error
        except errors.RayError:
            if len(files) == 1:
                yield [self._failed(Task(files[0].path))]
                return
            for file in files:
                self._send([file])


def _import_ray() -> Any:
    """Import the module ``ray`` with its usage statistics disabled."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray  # noqa: PLC0415 - only for those who have a cluster
    except ImportError as error:
        raise UsageError("A Ray cluster needs the extra 'ray': run `pip install 'quaestor[ray]'`.") from error
    return ray


def _join(ray: Any, address: str) -> None:
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        if port.isdecimal():
            # Ray itself would keep trying for minutes.
            socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
        ray.init(address=address, log_to_driver=False, configure_logging=False)
    # Ray raises exceptions of all kinds if nothing answers, versions differ, or the address is malformed.
    except (ValueError, RuntimeError, OSError, ImportError) as error:
        raise UsageError(
            f"The Ray cluster at {address!r} cannot be used ({' '.join(str(error).split())[:300]}): give the address "
            "of its head, such as '10.0.0.1:6379', and use the same versions of Ray and Python on all machines."
        ) from error


def _prepare(job: tuple[Preparer, str], files: Sequence[File]) -> Sequence[Outcome]:
    """Prepare files; called on the cluster's machines."""
    preparer, fingerprint = job
    if _fingerprint(preparer) != fingerprint:
        raise UsageError(
            f"{os.uname().nodename!r}, a machine of the Ray cluster, has another version of Quaestor, or other extras: "
            "install the same on all of them."
        )
    return preparer.prepare_opened(files)


def _fingerprint(preparer: Preparer) -> str:
    """Return the versions and settings on this machine that decide a file's outcome."""
    embedder = "" if preparer.embedder is None else preparer.embedder.name
    extras = sorted(suffix for suffix in EXTRAS if extra_is_installed(suffix))
    return f"{preparer.settings.recipe()} {embedder} {' '.join(extras)}"


def _original_error(error: Any) -> Exception:
    """Return the original exception of an error on another machine."""
    line = str(error.cause).split("\n", maxsplit=1)[0]
    if "No module named" in line:
        return UsageError(
            f"A machine of the Ray cluster lacks a package ({line}): install the same version of Quaestor, with the "
            "same extras, on all of them."
        )
    return error.cause if isinstance(error.cause, Exception) else RuntimeError(str(error))


def _size(file: File) -> int:
    return len(file.snapshot.data) if isinstance(file, ReadFile) else 0
