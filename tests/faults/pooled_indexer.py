"""A process that indexes a folder with worker processes and many small transactions.

python pooled_indexer.py CORPUS HOME
"""

from __future__ import annotations

import sys
from pathlib import Path

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.indexing import commit, intake

if __name__ == "__main__":
    intake.POOL_BYTES = 0
    intake.TASK_FILES = 2
    commit.COMMIT_CHUNKS = 40
    Index.build(Path(sys.argv[1]), settings=Settings(home=sys.argv[2])).close()
