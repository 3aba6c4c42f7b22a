"""Describes the origin of a saved result: our commit and the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def commit(folder: Path = HERE) -> str:
    """The checked-out commit of the repository around ``folder``; ``unknown`` where there is none."""
    return _git(folder, "rev-parse", "HEAD") or "unknown"


def head(folder: Path) -> tuple[str, str, str]:
    """The checked-out commit, its date (ISO 8601) and the first line of its message."""
    parts = _git(folder, "log", "-1", "--format=%H%n%cs%n%s").split("\n")
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else ("unknown", "", "")


def changed(folder: Path = HERE) -> bool:
    """Whether tracked files differ from that commit."""
    return bool(_git(folder, "status", "--porcelain", "--untracked-files=no"))


def describe() -> dict[str, Any]:
    """Our commit, whether the tree differs from it, cores, processor and Python."""
    return {
        "commit": commit(),
        "uncommitted_changes": changed(),
        "cores": os.cpu_count(),
        "processor": _processor(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text(encoding="utf-8").splitlines() if listing.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "safe.directory=*", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
