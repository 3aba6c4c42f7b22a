"""kill -9 while texts are being embedded for money: what was committed is not paid for again, and all is on record."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

from quaestor import Index
from quaestor.accounts.ledger import Ledger
from quaestor.config import Settings
from servers.embedder import sent
from servers.script import Recorded
from servers.scripted import ScriptedServer

SCRIPT = Path(__file__).with_name("paying_indexer.py")
AT_ONCE = 512  # texts between two commits


def test_what_was_committed_is_not_paid_for_again(tmp_path: Path) -> None:
    root, home = tmp_path / "root", tmp_path / "home"
    root.mkdir()
    for number in range(1500):
        (root / f"{number}.md").write_text(f"# Village {number}\n\nIts harbour.\n", "utf-8")
    with ScriptedServer() as server:
        reached = threading.Event()

        def script(_request: Recorded) -> None:
            if len(sent(server)) > 2 * AT_ONCE:
                reached.set()
                threading.Event().wait(0.5)  # so that some are under way when it is killed

        server.embeddings = script
        with subprocess.Popen([sys.executable, str(SCRIPT), str(root), str(home), server.base_url]) as process:
            assert reached.wait(60)
            process.kill()
        server.embeddings = lambda _: None
        paid = Counter(sent(server))
        settings = Settings(home=str(home), embedder="openai:m", embedder_base_url=server.base_url, embedder_price=1.0)
        with Index.build(root, settings=settings, max_cost=math.inf) as index:
            assert (index.last_changes.failure, index.stats().documents) == (None, 1500)
            assert index.meaning.reach == "all"
        twice = Counter(sent(server)) - Counter(set(sent(server)))
        assert twice.total() <= AT_ONCE, "at most what one transaction holds"
        assert len(paid) + len(sent(server)) - paid.total() - twice.total() == 1501
        [row] = Ledger.open(home / "accounts.sqlite").usage("model")
        assert row.requests == len(server.requests), "also those whose process was killed"
