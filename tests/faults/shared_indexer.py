"""A process that takes a share of a folder into a database, in small steps; prints what it added as JSON.

python shared_indexer.py CORPUS HOME STORE LEASE_SECONDS
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.indexing import batches, commit, intake
from quaestor.stores.postgres import leased_work

if __name__ == "__main__":
    _, root, home, store, lease = sys.argv
    intake.POOL_BYTES = 0
    batches.TASK_FILES = 2
    commit.COMMIT_CHUNKS = commit.FIRST_COMMIT_CHUNKS = 40
    leased_work.LEASE_SECONDS = float(lease)
    settings = Settings(home=home, store=store, corpus="shared")
    with Index.build(Path(root), settings=settings) as index:
        print(json.dumps(index.last_changes.added), flush=True)
