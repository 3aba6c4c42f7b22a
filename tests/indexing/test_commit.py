"""When documents that have gathered are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from store_factories import entry, open_embedded

from quaestor.indexing import commit
from quaestor.indexing.commit import Committer
from quaestor.indexing.prepare import ReadyDocument
from quaestor.stores.embedded.packing import pack


def ready(number: int) -> ReadyDocument:
    made = entry(f"{number}.py", [f"text {number}"])
    return ReadyDocument(pack(made.document, made.chunks, made.vectors, made.terms, made.keys), steady=True)


@pytest.mark.parametrize(
    ("to_come", "written"),
    [
        (0, [10, 20]),  # unknown: whenever ten chunks have gathered
        (24, [10, 17, 21]),  # as many are still to come as wait, then at least three
        (5, [3]),
    ],
)
def test_little_is_left_for_the_last_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to_come: int, written: list[int]
) -> None:
    monkeypatch.setattr(commit, "FIRST_COMMIT_CHUNKS", 10)
    monkeypatch.setattr(commit, "LAST_COMMIT_CHUNKS", 3)
    store = open_embedded(tmp_path)
    committer = Committer(store, {})
    committer.to_come = to_come
    found = []
    for number in range(to_come or 24):
        before = committer.transactions
        committer.add([ready(number)])
        found += [number + 1] * (committer.transactions - before)
    assert found == written
    committer.commit()
    assert store.stats().documents == (to_come or 24)
    store.close()
