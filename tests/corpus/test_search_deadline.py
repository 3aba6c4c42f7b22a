"""If a refresh does not end in time, hits are of the earlier bytes, carry their hash, and are marked as stale."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.corpus.corpus_json import search_object
from quaestor.indexing.batches import TASK_FILES

FILES = 130  # the first batch of 64 is always taken in: there must be a second one, and a third


def text_of(number: int, word: str) -> str:
    return f"def wait_{number}(socket):\n    return socket.waits_for_{word}()\n"


def write(root: Path, word: str) -> dict[str, str]:
    """Write all files anew, long ago, so that none need be looked at twice; return the hash of each."""
    for number in range(FILES):
        file = root / f"m{number}.py"
        file.write_text(text_of(number, word))
        os.utime(file, (1_600_000_000, 1_600_000_000))
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in root.iterdir()}


@pytest.mark.parametrize("where", ["in the same process", "in another"])
def test_each_hit_says_which_bytes_it_is_of_and_whether_they_are_current(tmp_path: Path, where: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    settings = Settings(home=str(tmp_path / "home"), refresh_seconds=0)
    before = write(root, "an_answer")
    index = Index.build(root, settings=settings)
    if where == "in another":
        index.close()
        index = Index.ready(root, settings=settings)
    after = write(root, "another_thing")
    with index:
        told = search_object("socket waits", index.search("socket waits", FILES), index, 0.0)
        assert not told["index"]["fresh"]
        states = {hit["path"]: hit["fresh"] for hit in told["hits"]}
        assert len(states) == FILES
        assert 0 < sum(states.values()) < FILES
        for hit in told["hits"]:
            assert hit["sha256"] == (after if hit["fresh"] else before)[hit["path"]]
            assert ("another_thing" in hit["text"]) is hit["fresh"]
        for _ in range(FILES // TASK_FILES):  # every search takes some of it in
            told = search_object("socket waits", index.search("socket waits", FILES), index, 0.0)
        assert told["index"]["fresh"]
        assert {hit["path"]: hit["sha256"] for hit in told["hits"]} == after
