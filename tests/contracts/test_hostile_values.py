"""Values that no person would write but a repository can hold, through every store: held against a dictionary."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_factories import Entry, Open, entry, put

from quaestor.core.documents import Chunk
from quaestor.stores import Store

ODD = (
    "",
    "\0",
    "Option",
    "option",
    "OPTION",
    "caf\u00e9",
    "cafe\u0301",
    "\u0130",
    "\u03a3\u03c3\u03c2",
    "\ud800",
    "\udcff",
    "a\nb",
    "\x1b[31m",
    "\u202e",
    "\U0010fffe000000",
    "%",
    "x" * 5000,
)
PATHS = ("a.py", "A.py", "caf\u00e9.py", "cafe\u0301.py", "src/\udcff.py", "a\nb.py", "\U0010fffe00d800", "[a].py")
NAMES = st.lists(st.sampled_from(ODD), max_size=5)
DOCUMENTS = st.dictionaries(
    st.sampled_from(PATHS), st.lists(st.tuples(st.sampled_from(ODD), NAMES), max_size=3) | st.none(), min_size=1
)


def odd_entry(path: str, chunks: list[tuple[str, list[str]]]) -> Entry:
    """Return a document whose chunks have the given texts and define the given names, repeated ones too."""
    texts = [text for text, _ in chunks]
    plain = entry(path, texts, title=texts[0] if texts else "", author=path)
    odd = tuple(
        Chunk(one.span, one.text, names[0] if names else None, one.kind, tuple(names), tuple(names))
        for one, (_, names) in zip(plain.chunks, chunks, strict=True)
    )
    return replace(plain, chunks=odd)


def assert_holds(store: Store, model: dict[str, Entry]) -> None:
    assert store.documents() == {path: one.document for path, one in model.items()}
    for path in PATHS:
        assert store.document(path) == (model[path].document if path in model else None)
        expected = model[path].chunks if path in model else ()
        assert tuple(found.chunk for found in store.chunks_of(path)) == expected
    for name in ODD:
        found = store.get(store.defining([name], 100)).values()
        named = [
            chunk.text
            for one in model.values()
            for chunk in one.chunks
            if name.lower() in map(str.lower, chunk.defines)
        ]
        assert sorted(one.chunk.text for one in found) == sorted(named), ascii(name)
    assert store.bylines().authors == dict.fromkeys(model, 1)
    assert not store.repaired


def test_odd_values_are_held_as_they_came(open_store: Open) -> None:
    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(DOCUMENTS, min_size=1, max_size=4))
    def run(steps: list[dict[str, list[tuple[str, list[str]]] | None]]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = open_store(Path(folder) / "index")
            model: dict[str, Entry] = {}
            for step in steps:
                with store.writing() as writer:
                    for path, chunks in step.items():
                        model.pop(path, None)
                        writer.remove(path)
                        if chunks is not None:
                            model[path] = odd_entry(path, chunks)
                            model[path].put(writer)
                assert_holds(store, model)
            store.close()
            store = open_store(Path(folder) / "index")
            assert_holds(store, model)
            store.close()

    run()


@pytest.mark.parametrize("same", [("one", "two"), ("", ""), ("\ud800", "x" * 5000)])
def test_documents_that_swap_their_paths_in_one_transaction(store: Store, same: tuple[str, str]) -> None:
    first, second = ([(text, ["Name", "name", "NAME"])] for text in same)
    put(store, odd_entry("a.py", first), odd_entry("A.py", second))
    swapped = {"a.py": odd_entry("a.py", second), "A.py": odd_entry("A.py", first)}
    put(store, *swapped.values())
    assert_holds(store, swapped)
