"""The lexical index over many changes: merged, thinned, written by another program, cut short."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from store_factories import entry, keyed, open_embedded

from quaestor.stores import DEFAULT_BOOSTS, ChunkTerms, FieldBoosts, Store, WordMatches
from quaestor.stores.embedded import THRESHOLDS
from quaestor.stores.embedded.derived_files import Mark
from quaestor.stores.embedded.lexical import FOLDER, LexicalBase, LexicalUpdate, count_terms
from quaestor.stores.embedded.sqlite_rows import Content, DocumentTerms, RemovedRun
from quaestor.stores.embedded.views import LexicalView

WORDS = ("alpha", "beta", "gamma", "delta", "epsilon")


def texts_with(store: Store, term: str) -> list[str]:
    found = store.lexical([term], 1000, None, FieldBoosts(1.0, 0.0, 0.0))
    return sorted(chunk.chunk.text for chunk in store.get([chunk for chunk, _ in found]).values())


def fill(store: Store) -> None:
    """Add more chunks than are laid over the files in memory."""
    with store.writing() as writer:
        entry("filler.py", ["filler"] * (THRESHOLDS.overlaid + 1)).put(writer)


def chunks_with(base: LexicalBase, term: str) -> list[int]:
    """Return the chunks that a search of what is on disk finds by a term."""
    view = LexicalView.of(base.mark.content, base, (), ())
    [found] = view.search({term: 1.0}, [FieldBoosts(1.0, 0.0, 0.0)], 1000, None).chunks
    return sorted(chunk for chunk, _ in found)


@pytest.mark.parametrize("seed", range(6))
def test_what_stands_in_it_is_found_through_every_change(tmp_path: Path, seed: int) -> None:
    """With small segments, so that they are made, merged and emptied all the time."""
    draw = random.Random(seed)
    held: dict[int, tuple[int, list[str]]] = {}
    first, gone, base = 1, 0, None
    for number in range(40):
        removed = {place: held.pop(place) for place in draw.sample(sorted(held), min(len(held), draw.randrange(3)))}
        if draw.random() < 0.1:
            update, gone = LexicalUpdate(tmp_path, None, gathered=4, most=16), 0
            for place, (document, texts) in held.items():
                update.add(terms_of(document, place, texts))
        else:
            update, gone = LexicalUpdate(tmp_path, base, gathered=4, most=16), gone + _size(removed)
            for place, (document, texts) in removed.items():
                update.remove(RemovedRun(document, place, len(texts)))
        texts = [f"{draw.choice(WORDS)} {draw.choice(WORDS)} n{number}" for _ in range(draw.randrange(9))]
        held[first] = number, texts
        update.add(terms_of(number, first, texts))
        first += len(texts) + 1
        update.finish()
        update.publish(Mark(Content(number, "stamp"), first, _size(held), gone))
        base = LexicalBase.load(tmp_path)
        assert base is not None
        for word in (*WORDS, f"n{number}"):
            every = ((place + at, text) for place, (_, texts) in held.items() for at, text in enumerate(texts))
            assert chunks_with(base, word) == sorted(chunk for chunk, text in every if word in text.split())
        assert {place.name for place in (tmp_path / FOLDER).iterdir()} == {"state", *base.names}
        assert all(len(segment.chunks) <= 16 for segment in base.segments)
        ends = [chunk for segment in base.segments for chunk in segment.chunks.tolist()]
        assert ends == sorted(ends)


def terms_of(document: int, first: int, texts: list[str]) -> DocumentTerms:
    segment = count_terms([ChunkTerms(keyed(text.split())) for text in texts])
    return DocumentTerms(document, segment._replace(chunks=segment.chunks + first))


def _size(held: dict[int, tuple[int, list[str]]]) -> int:
    return sum(len(texts) for _, texts in held.values())


def test_each_choice_of_boosts_is_searched_as_if_alone(tmp_path: Path) -> None:
    each = (DEFAULT_BOOSTS, FieldBoosts(1.0, 0.0, 0.0), FieldBoosts(0.0, 0.0, 2.0))
    for on_disk in (True, False):
        store = open_embedded(tmp_path / str(on_disk))
        with store.writing() as writer:
            entry("alpha/beta.py", ["alpha beta", "gamma alpha alpha", "beta"]).put(writer)
            entry("gamma.py", ["delta alpha", "gamma"]).put(writer)
        if on_disk:
            fill(store)
        assert (LexicalBase.load(tmp_path / str(on_disk)) is not None) is on_disk
        together, frequencies = store.lexical_each(["alpha", "gamma"], 10, each)
        assert frequencies == store.frequencies(["alpha", "gamma"])
        assert together == [store.lexical(["alpha", "gamma"], 10, None, boosts) for boosts in each]
        assert [len(found) for found in together] == [5, 4, 3]
        assert store.lexical_each([], 10, each) == WordMatches([[], [], []], {})
        store.close()


def test_what_another_program_left_in_its_folder_is_made_anew(tmp_path: Path) -> None:
    store = open_embedded(tmp_path)
    with store.writing() as writer:
        entry("a.py", ["alpha beta"]).put(writer)
    fill(store)
    store.close()
    place = tmp_path / FOLDER
    for file in place.iterdir():
        file.unlink()
    (place / "meta.json").write_text("{}")
    store = open_embedded(tmp_path)
    assert texts_with(store, "alpha") == ["alpha beta"]
    assert not (place / "meta.json").exists()
    store.close()


@pytest.mark.parametrize("kept", [0, 7, 40, 100])
def test_a_damaged_segment_is_made_anew(tmp_path: Path, kept: int) -> None:
    store = open_embedded(tmp_path)
    with store.writing() as writer:
        entry("a.py", ["alpha beta"]).put(writer)
    fill(store)
    store.close()
    [segment] = (tmp_path / FOLDER).glob("*.postings")
    segment.write_bytes(segment.read_bytes()[:kept])
    store = open_embedded(tmp_path)
    assert texts_with(store, "alpha") == ["alpha beta"]
    store.close()
