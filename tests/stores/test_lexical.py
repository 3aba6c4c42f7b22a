"""The lexical index over many changes: merged, thinned, written by another program, cut short."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from unittest import mock

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "contracts"))

from store_factories import entry, on_disk, open_embedded

from quaestor.stores import DEFAULT_BOOSTS, FieldBoosts, Store, Where
from quaestor.stores.embedded.lexical import FOLDER, LexicalBase

MODULE = "quaestor.stores.embedded"
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon")


def texts_with(store: Store, term: str, where: Where | None = None) -> list[str]:
    found = store.lexical([term], 1000, where, FieldBoosts(1.0, 0.0, 0.0))
    return sorted(chunk.chunk.text for chunk in store.get([chunk for chunk, _ in found]).values())


@pytest.mark.parametrize("seed", range(3))
def test_what_stands_in_it_is_found_through_every_change(tmp_path: Path, seed: int) -> None:
    """With small figures in place of the real ones, so that segments are made, merged and emptied all the time."""
    draw = random.Random(seed)
    held: dict[str, list[str]] = {}
    store = open_embedded(tmp_path)
    with (
        on_disk(0),
        mock.patch(f"{MODULE}.lexical_update._GATHERED_ROWS", 4),
        mock.patch(f"{MODULE}.lexical_update.MOST_ROWS", 16),
        mock.patch(f"{MODULE}.derive._WORN_LEAST", 20),
    ):
        for number in range(30):
            path = f"folder{draw.randrange(2)}/m{draw.randrange(6)}.py"
            with store.writing() as writer:
                if draw.random() < 0.25:
                    writer.remove(path)
                    held.pop(path, None)
                else:
                    own = [f"{draw.choice(WORDS)} {draw.choice(WORDS)} n{number}" for _ in range(draw.randrange(9))]
                    held[path] = own
                    entry(path, own).put(writer)
            for word in WORDS:
                expected = sorted(text for own in held.values() for text in own if word in text.split())
                assert texts_with(store, word) == expected
            inside = [text for path, own in held.items() if path.startswith("folder0/") for text in own]
            assert texts_with(store, WORDS[0], Where(paths=("folder0/**",))) == sorted(
                text for text in inside if WORDS[0] in text.split()
            )
        base = LexicalBase.load(tmp_path)
        assert base is not None
        assert {place.name for place in (tmp_path / FOLDER).iterdir()} == {"state", *base.names}
        ends = [chunk for segment in base.segments for chunk in segment.chunks.tolist()]
        assert ends == sorted(ends)
    store.close()


def test_each_choice_of_boosts_is_searched_as_if_alone(tmp_path: Path) -> None:
    each = (DEFAULT_BOOSTS, FieldBoosts(1.0, 0.0, 0.0), FieldBoosts(0.0, 0.0, 2.0))
    for overlay in (0, 1000):
        with on_disk(overlay):
            store = open_embedded(tmp_path / str(overlay))
            with store.writing() as writer:
                entry("alpha/beta.py", ["alpha beta", "gamma alpha alpha", "beta"]).put(writer)
                entry("gamma.py", ["delta alpha", "gamma"]).put(writer)
            together = store.lexical_each(["alpha", "gamma"], 10, each)
            assert together == [store.lexical(["alpha", "gamma"], 10, None, boosts) for boosts in each]
            assert [len(found) for found in together] == [5, 4, 3]
            assert store.lexical_each([], 10, each) == [[], [], []]
            store.close()


def test_what_another_program_left_in_its_folder_is_made_anew(tmp_path: Path) -> None:
    with on_disk(0):
        store = open_embedded(tmp_path)
        with store.writing() as writer:
            entry("a.py", ["alpha beta"]).put(writer)
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
    with on_disk(0):
        store = open_embedded(tmp_path)
        with store.writing() as writer:
            entry("a.py", ["alpha beta"]).put(writer)
        store.close()
        [segment] = (tmp_path / FOLDER).glob("*.postings")
        segment.write_bytes(segment.read_bytes()[:kept])
        store = open_embedded(tmp_path)
        assert texts_with(store, "alpha") == ["alpha beta"]
        store.close()
