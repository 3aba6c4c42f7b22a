"""Watching what a process asks of the disk, call by call, and failing or killing it at any of them.

Linux lets a process have its system calls held until another one has decided on them (seccomp's user notification, no
privilege needed): so failures are the kernel's own answers, to Python and to SQLite alike, and nothing is patched.

A ``Nursery`` is a process that has imported what is to be tried. For each round it makes a copy of itself, which
hands over its calls and then runs a function of ``disk_work`` on a folder.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import platform
import select
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Kind = Literal["write", "sync", "rename", "make"]
"""``write`` also means to truncate, ``rename`` to link and to remove, ``make`` to create a file or a folder."""

Decide = Callable[[int, Kind, str], int]
"""Given a call's number, its kind and the file, returns 0 to let it be done, an errno to refuse it, or ``KILL``."""

KILL = -1

_MACHINES = {"x86_64": (0xC000003E, 317), "aarch64": (0xC00000B7, 277)}
_NUMBERS: dict[str, dict[int, tuple[Kind, int]]] = {
    # The number, its kind, and which argument names the file: a descriptor, or a path where that is negative.
    "x86_64": {
        **dict.fromkeys((1, 18, 20, 296, 77, 285), ("write", 0)),
        **dict.fromkeys((74, 75), ("sync", 0)),
        **{82: ("rename", -2), 264: ("rename", -4), 316: ("rename", -4), 86: ("rename", -2), 265: ("rename", -4)},
        **{87: ("rename", -1), 263: ("rename", -2), 84: ("rename", -1)},
        **{83: ("make", -1), 258: ("make", -2), 257: ("make", -2)},
    },
    "aarch64": {
        **dict.fromkeys((64, 68, 66, 70, 46, 47), ("write", 0)),
        **dict.fromkeys((82, 83), ("sync", 0)),
        **{38: ("rename", -4), 276: ("rename", -4), 37: ("rename", -4), 35: ("rename", -2)},
        **{34: ("make", -2), 56: ("make", -2)},
    },
}
_OPENAT = {"x86_64": 257, "aarch64": 56}
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1


def is_possible() -> bool:
    """Tell whether this system lets a process watch another's calls."""
    try:
        return platform.machine() in _MACHINES and "user_notif" in Path(
            "/proc/sys/kernel/seccomp/actions_avail"
        ).read_text("ascii")
    except OSError:
        return False


# --- the process that is watched ----------------------------------------------------------------------------------


def hand_over_calls(to: socket.socket) -> None:
    """Have the calls of this process, which must have one thread, decided by whoever reads the other end of ``to``."""
    program = _program()
    filters = ctypes.create_string_buffer(program)
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(filters))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # what is started gets no privileges that this process does not have
    _, seccomp = _MACHINES[platform.machine()]
    listener = libc.syscall(seccomp, 1, 1 << 3, ctypes.create_string_buffer(header))
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    socket.send_fds(to, [b"."], [listener])
    os.close(listener)
    to.close()


def _program() -> bytes:
    """Return a filter that holds the calls that change files, as instructions of the kernel's packet filter."""
    machine = platform.machine()
    architecture, _ = _MACHINES[machine]
    numbers = [number for number in _NUMBERS[machine] if number != _OPENAT[machine]]

    def instruction(code: int, yes: int, no: int, value: int) -> bytes:
        return struct.pack("HBBI", code, yes, no, value)

    load, equal, any_bit, give = 0x20, 0x15, 0x45, 0x06
    held, let = 0x7FC00000, 0x7FFF0000
    lines = [
        instruction(load, 0, 0, 4),
        instruction(equal, 1, 0, architecture),
        instruction(give, 0, 0, let),
        instruction(load, 0, 0, 0),
        *(instruction(equal, len(numbers) - at + 3, 0, number) for at, number in enumerate(numbers)),
        instruction(equal, 0, 2, _OPENAT[machine]),
        instruction(load, 0, 0, 32),  # the third argument: only what is opened to be made
        instruction(any_bit, 1, 0, os.O_CREAT),
        instruction(give, 0, 0, let),
        instruction(give, 0, 0, held),
    ]
    return b"".join(lines)


# --- who watches ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What became of a round.

    Attributes:
        calls: how many calls were counted.
        ended: ``done``, ``refused`` (an error meant for people), ``failed`` (an error of the system), ``killed``, or
            ``broken`` (anything else).
        said: the error, or the traceback.
        kinds: of the calls, in order.
    """

    calls: int
    ended: str
    said: str
    kinds: tuple[tuple[Kind, str], ...]


class Nursery:
    """Copies of one process; use it as a context."""

    def __enter__(self) -> Nursery:
        ours, theirs = socket.socketpair()
        self._socket = ours
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, str(Path(__file__).with_name("disk_work.py")), str(theirs.fileno())]
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment)
        theirs.close()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.wait(600)

    def run(self, work: str, folder: Path, decide: Decide = lambda *_: 0, *, within: Path | None = None) -> Outcome:
        """Do ``work`` on a folder, and decide on each call that concerns what lies below ``within``."""
        said = folder.parent / f"{folder.name}.said"
        said.unlink(missing_ok=True)
        self._socket.sendall(json.dumps([work, str(folder), str(said)]).encode() + b"\n")
        _, [listener], _, _ = socket.recv_fds(self._socket, 1, 1)
        [process] = struct.unpack("i", self._socket.recv(4))
        watch = _Watch(listener, process, str(within or folder), decide)
        try:
            watch.go_on()
        finally:
            os.close(listener)
        status = struct.unpack("i", self._socket.recv(4, socket.MSG_WAITALL))[0]
        text = said.read_text("utf-8", "replace") if said.exists() else ""
        ended = "killed" if os.WIFSIGNALED(status) else text.partition("\n")[0] or f"status {status}"
        return Outcome(len(watch.kinds), ended, text.partition("\n")[2], tuple(watch.kinds))


class _Watch:
    """One process's calls until it ends."""

    def __init__(self, listener: int, process: int, within: str, decide: Decide) -> None:
        self._listener = listener
        self._process = process
        self._within = within
        self._decide = decide
        self.kinds: list[tuple[Kind, str]] = []

    def go_on(self) -> None:
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        while True:
            [(_, event)] = poll.poll(600_000) or [(0, 0)]
            if not event:
                os.kill(self._process, signal.SIGKILL)
                raise TimeoutError("the process neither asked for anything nor ended within ten minutes")
            if not event & select.POLLIN:
                return
            call = bytearray(80)
            try:
                fcntl.ioctl(self._listener, _RECEIVE, call)
                answer = self._answer(call)
                if answer is not None:
                    fcntl.ioctl(self._listener, _SEND, answer)
            except FileNotFoundError:
                continue  # it died meanwhile

    def _answer(self, call: bytearray) -> bytes | None:
        number, pid, _, what, _, _, *arguments = struct.unpack("QIIiIQ6Q", call)
        kind, which = _NUMBERS[platform.machine()][what]
        place = _place(pid, which, arguments)
        let = struct.pack("QqiI", number, 0, 0, _CONTINUE)
        if place != self._within and not place.startswith(self._within + "/"):
            return let
        self.kinds.append((kind, place[len(self._within) + 1 :]))
        decided = self._decide(len(self.kinds), kind, place)
        if decided == KILL:
            os.kill(self._process, signal.SIGKILL)
            return None
        return struct.pack("QqiI", number, 0, -decided, 0) if decided else let


def _place(pid: int, which: int, arguments: list[int]) -> str:
    """Return the file that a call is about."""
    if which >= 0:
        return str(Path(f"/proc/{pid}/fd/{arguments[which] & 0xFFFFFFFF}").readlink())
    at = -which - 1
    path = _string(pid, arguments[at])
    if path.startswith("/"):
        return path
    folder = arguments[at - 1] & 0xFFFFFFFF if at else 0xFFFFFF9C
    above = Path(f"/proc/{pid}/cwd" if folder == 0xFFFFFF9C else f"/proc/{pid}/fd/{folder}").readlink()
    return f"{above}/{path}"


def _string(pid: int, address: int) -> str:
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        memory.seek(address)
        return os.fsdecode((memory.read(4096) or b"").partition(b"\0")[0])


# --- ways to decide -------------------------------------------------------------------------------------------------


def once(at: int, error: int = errno.EIO) -> Decide:
    """Refuse one call."""
    return lambda number, *_: error if number == at else 0


def from_then_on(at: int, error: int = errno.ENOSPC) -> Decide:
    """Refuse what needs room from one call on, as a full disk does."""
    return lambda number, kind, _: error if number >= at and kind in ("write", "make") else 0


def killed(at: int) -> Decide:
    """Kill the process before one call is done."""
    return lambda number, *_: KILL if number == at else 0


# --- the nursery's own side -----------------------------------------------------------------------------------------


def serve(connection: socket.socket, works: dict[str, Callable[[Path], Any]], refused: type[BaseException]) -> None:
    """Make a copy of this process for each line, which hands its calls over and does what the line names."""
    lines = connection.makefile("r")
    while line := lines.readline():
        work, folder, said = json.loads(line)
        pid = os.fork()
        if not pid:
            _do(connection, works[work], Path(folder), Path(said), refused)
        _, status = os.waitpid(pid, 0)
        connection.sendall(struct.pack("i", status))


def _do(
    connection: socket.socket, work: Callable[[Path], Any], folder: Path, said: Path, refused: type[BaseException]
) -> None:
    import traceback  # noqa: PLC0415 - before the calls are handed over

    own, pid = socket.socket(fileno=os.dup(connection.fileno())), os.getpid()
    with said.open("w", encoding="utf-8") as file:
        hand_over_calls(own)
        connection.sendall(struct.pack("i", pid))
        try:
            work(folder)
            file.write("done\n")
        except refused as error:
            file.write(f"refused\n{error}")
        except OSError:
            file.write(f"failed\n{traceback.format_exc()}")
        except BaseException:
            file.write(f"broken\n{traceback.format_exc()}")
    os._exit(0)


@contextmanager
def nursery() -> Iterator[Nursery]:
    """Give a nursery for a block."""
    with Nursery() as made:
        yield made
