"""A process killed while it embeds for money: vectors that were paid for are kept, and all costs are recorded."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.accounts.ledger import Ledger
from quaestor.core.config import Settings
from servers.embedder import sent
from servers.script import Recorded
from servers.scripted import ScriptedServer

SCRIPT = Path(__file__).with_name("paying_indexer.py")
AT_ONCE = 512  # texts between two commits
FILES = 1500


@pytest.mark.parametrize(
    ("how", "twice"),
    [
        pytest.param(signal.SIGKILL, AT_ONCE, id="kill -9"),
        pytest.param(signal.SIGINT, 0, id="Ctrl-C", marks=pytest.mark.slow),
    ],
)
def test_what_is_kept_is_not_paid_for_again(tmp_path: Path, how: signal.Signals, twice: int) -> None:
    """Of kill -9, what one transaction holds may be paid for twice; of Ctrl-C, nothing."""
    root, home = tmp_path / "root", tmp_path / "home"
    root.mkdir()
    for number in range(FILES):
        (root / f"{number}.md").write_text(f"# Village {number}\n\nIts harbour.\n", "utf-8")
    with ScriptedServer() as server:
        reached, ended = threading.Event(), threading.Event()

        def script(_request: Recorded) -> None:
            if len(sent(server)) > 2 * AT_ONCE:
                reached.set()
                ended.wait(600)  # some requests are under way when it is told to end

        server.embeddings = script
        with subprocess.Popen(
            [sys.executable, str(SCRIPT), str(root), str(home), server.base_url], stderr=subprocess.PIPE
        ) as process:
            assert reached.wait(600)
            process.send_signal(how)
            ended.set()
            process.communicate(timeout=600)
        assert process.returncode != 0
        settings = Settings(home=str(home), embedder="openai:m", embedder_base_url=server.base_url, embedder_price=1.0)
        with Index.build(root, settings=settings, max_cost=math.inf) as index:
            assert (index.last_changes.failure, index.stats().documents) == (None, FILES)
            assert index.meaning.reach == "all"
        texts = Counter(sent(server))
        assert len(texts) == FILES + 1, "each once, and the word that told the dimensions"
        assert sum(number - 1 for number in texts.values()) <= twice
        [row] = Ledger.open(home / "accounts.sqlite").usage("model")
        assert row.requests == len(server.requests), "also those whose process was killed"
