from __future__ import annotations

import os
from pathlib import Path

from ingest_parts import make_indexer, set_age, write

from opened_files import opened
from quaestor.files.consistent_read import check
from quaestor.stores.embedded.store import EmbeddedStore


def test_states(root: Path, store: EmbeddedStore) -> None:
    names = ("same.py", "touched.py", "edited.py", "grown.py", "gone.py", "pipe.py", "link.py")
    write(root, dict.fromkeys(names, "x = 1\n"))
    make_indexer(root, store).refresh()
    set_age(root / "touched.py", 1)
    write(root, {"edited.py": "x = 2\n", "grown.py": "x = 100\n"})
    set_age(root / "edited.py", 1)
    for name in ("gone.py", "pipe.py", "link.py"):
        (root / name).unlink()
    os.mkfifo(root / "pipe.py")
    (root / "link.py").symlink_to("same.py")
    documents = [store.documents()[name] for name in names]
    assert check(root, [*documents, *documents]) == {
        "same.py": "fresh",
        "touched.py": "fresh",
        "edited.py": "changed",
        "grown.py": "changed",
        "gone.py": "missing",
        "pipe.py": "missing",
        "link.py": "missing",
    }


def test_only_a_trusted_time_spares_reading(root: Path, store: EmbeddedStore) -> None:
    write(root, {"a.py": "x = 1\n"})
    write(root, {"b.py": "x = 2\n"}, age=False)
    make_indexer(root, store).refresh()
    with opened() as names:
        assert check(root, store.documents().values()) == {"a.py": "fresh", "b.py": "fresh"}
    assert [name for name in names if name.endswith(".py")] == ["b.py"]


def test_an_untrusted_time_is_no_proof(root: Path, store: EmbeddedStore) -> None:
    write(root, {"a.py": "x = 1\n"}, age=False)
    make_indexer(root, store).refresh()
    document = store.documents()["a.py"]
    assert check(root, [document]) == {"a.py": "fresh"}
    assert check(root, [document._replace(sha256="0" * 64)]) == {"a.py": "changed"}
