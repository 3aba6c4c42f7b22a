"""Programs for which file permissions apply, even if root runs the tests."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Sequence

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


def run_unprivileged(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run Python with arguments, without root's right to read and write everything; on Linux only."""
    command: Sequence[str] = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, check=False, preexec_fn=_give_up_root)


def _give_up_root() -> None:
    """Let the mode of files hold for root as well: drop the right to override it, for good."""
    library = ctypes.CDLL(None)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        library.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
