"""Processes that apply or undo an edit, each of which dies by SIGKILL before its N-th operation on the file system.

    python edit_applier.py

A line of standard input is a list in JSON: ROOT, HOME, ``apply`` or ``undo``, and N (0: it lives). For each a process
is forked, so that Python starts once. What became of it is printed: the number of operations if it lived, and its exit
code. Python itself reports each operation to the hook before the system is asked for it. Reads are not counted: they
change nothing.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from quaestor.edits import Create, Delete, Journal, Proposal, Rename, Replace, apply, plan, undo

CHANGES = Proposal(
    (
        Replace("a.py", "    return 1\n", "    return 2\n"),
        Replace("run.sh", "echo 1\n", "echo 2\n"),
        Rename("b.txt", "deep/er/c.txt"),
        Create("new/d.md", "# D\n"),
        Delete("gone.txt"),
    )
)
_WRITES = ("os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.chown")
_seen = 0


def main() -> None:
    for line in sys.stdin:
        root, home, do, last = json.loads(line)
        child = os.fork()
        if child == 0:
            _work(Path(root), Path(home), do, last)
            print("lived", _seen, flush=True)
            os._exit(0)
        print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _work(root: Path, home: Path, do: str, last: int) -> None:
    journal = Journal(home)
    made = plan(root, CHANGES) if do == "apply" else None

    def before(event: str, arguments: tuple[object, ...]) -> None:
        global _seen  # noqa: PLW0603 - a hook has nothing else to keep it in
        opens = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if event in _WRITES or opens:
            _seen += 1
            if _seen == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(before)
    if made is not None:
        apply(made, journal)
    else:
        undo(journal)


if __name__ == "__main__":
    main()
