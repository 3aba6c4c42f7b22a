"""A process that applies or undoes an edit, and dies by SIGKILL before its N-th operation on the file system.

    python edit_applier.py ROOT HOME DO N

DO is ``apply`` or ``undo``. Python itself reports each operation to the hook before the system is asked for it. The
number of operations is printed if it lives. Reads are not counted: they change nothing.
"""

from __future__ import annotations

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
    root, home, do, last = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
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
    print(_seen)


if __name__ == "__main__":
    main()
