"""A process that begins sessions until it is killed, and prints a line before the first and after each.

Usage: python session_beginner.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from quaestor.sessions.named_sessions import FolderSessions

if __name__ == "__main__":
    print("begins", flush=True)
    while True:
        FolderSessions(Path(sys.argv[1])).begin(root="/corpus").close()
        print("begun", flush=True)
