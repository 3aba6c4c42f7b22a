"""When documents that have gathered are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from store_factories import entry, open_embedded

from quaestor.indexing.commit import Committer
from quaestor.indexing.prepare import ReadyDocument
from quaestor.stores.embedded.packing import pack


def ready(number: int) -> ReadyDocument:
    """Return a document of a hundred chunks."""
    made = entry(f"{number}.py", [f"text {number}"] * 100)
    return ReadyDocument(pack(made.document, made.chunks, made.vectors, made.terms, made.keys), steady=True)


@pytest.mark.parametrize(
    ("to_come", "written"),
    [
        (0, [25, 50]),  # unknown: whenever 2,500 chunks have gathered
        (60, [25, 43, 53]),  # as many are still to come as wait, then at least 1,000 chunks
        (12, [10]),
    ],
)
def test_little_is_left_for_the_last_transaction(tmp_path: Path, to_come: int, written: list[int]) -> None:
    store = open_embedded(tmp_path)
    committer = Committer(store, {})
    committer.to_come = to_come
    found = []
    for number in range(to_come or 60):
        before = committer.transactions
        committer.add([ready(number)])
        found += [number + 1] * (committer.transactions - before)
    assert found == written
    committer.commit()
    assert store.stats().documents == (to_come or 60)
    store.close()
