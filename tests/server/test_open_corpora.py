"""Corpora that are opened in the background while requests are answered."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from quaestor.core.config import Settings, load_configuration
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.server.open_corpora import Corpora, State, StillIndexingError, first_index_progress


@pytest.fixture
def roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    made = []
    for place in ("one/app", "two/app", "three/notes"):
        root = tmp_path / place
        root.mkdir(parents=True)
        (root / "text.md").write_text(f"# The word of {place}\n\nIt is {place.replace('/', ' ')}.\n", encoding="utf-8")
        made.append(root)
    return made


def settings_for(root: Path) -> Settings:
    return load_configuration(project=root).settings


def test_names_tell_folders_apart(roots: list[Path]) -> None:
    assert Corpora(roots, settings_for).names == ("one/app", "two/app", "notes")
    assert Corpora(roots[:1], settings_for).names == ("app",)


def test_each_is_searched_by_its_name_or_its_folder(roots: list[Path]) -> None:
    with Corpora(roots, settings_for) as corpora:
        for root, name in zip(roots, corpora.names, strict=True):
            for asked in (name, str(root)):
                [hit] = corpora.get(asked, wait=600).search("which word is it?")
                assert root.name in hit.text


def test_whoever_asks_too_early_is_told_so(roots: list[Path]) -> None:
    may_begin = threading.Event()

    def slow(root: Path) -> Settings:
        assert may_begin.wait(600)
        return settings_for(root)

    with Corpora(roots[:1], slow) as corpora:
        assert [state.ready for state in corpora.states()] == [False]
        with pytest.raises(StillIndexingError, match="still being made"):
            corpora.get()
        may_begin.set()
        assert corpora.get(wait=600).search("word")
        assert [state.ready for state in corpora.states()] == [True]


def test_one_that_cannot_be_indexed_costs_only_itself(roots: list[Path]) -> None:
    gone = roots[0].parent / "gone"
    with Corpora([gone, roots[2]], settings_for) as corpora:
        with pytest.raises(NotFoundError, match="gone"):
            corpora.get("gone", wait=600)
        assert corpora.get("notes", wait=600).search("word")


def test_names_that_mean_nothing(roots: list[Path]) -> None:
    with Corpora(roots, settings_for) as corpora:
        with pytest.raises(UsageError, match="several corpora"):
            corpora.get("")
        with pytest.raises(NotFoundError, match="'one/app', 'two/app', 'notes'"):
            corpora.get("app")
    with pytest.raises(UsageError, match="no corpus"):
        Corpora([], settings_for)


def test_leaving_ends_the_work(roots: list[Path]) -> None:
    for number in range(300):
        (roots[0] / f"{number}.md").write_text(f"# Page {number}\n", encoding="utf-8")
    before = threading.active_count()
    with Corpora(roots[:1], settings_for):
        pass
    assert threading.active_count() <= before


def test_one_that_is_added_is_its_owners_alone(roots: list[Path]) -> None:
    with Corpora(roots[:1], settings_for) as corpora:
        corpora.add("mine", roots[2], owner="anna")
        corpora.add("mine", roots[1], owner="ben")
        corpora.add("mine", roots[1], owner="anna")
        for user, root in (("anna", roots[2]), ("ben", roots[1])):
            [hit] = corpora.get("mine", user=user, wait=600).search("which word is it?")
            assert root.parent.name in hit.text
            assert [(state.name, state.owned) for state in corpora.states(user)] == [("app", False), ("mine", True)]
            assert corpora.get("app", user=user, wait=600).root == roots[0]
        for nobody in (None, "", "carl"):
            with pytest.raises(NotFoundError, match="Name one of 'app'"):
                corpora.get("mine", user=nobody)
            with pytest.raises(NotFoundError):
                corpora.settings(str(roots[2]), user=nobody)
            assert [state.name for state in corpora.states(nobody)] == ["app"]
        assert corpora.names == ("app",)
        assert corpora.get(user="anna", wait=600).root == roots[0]


def test_ones_own_stands_before_everybodys(roots: list[Path]) -> None:
    with Corpora(roots[:1], settings_for) as corpora:
        corpora.add("app", roots[2], owner="anna")
        assert corpora.get("app", user="anna", wait=600).root == roots[2]
        assert corpora.get("app", user="ben", wait=600).root == roots[0]


def test_nothing_is_added_when_all_is_over(roots: list[Path]) -> None:
    with Corpora(roots[:1], settings_for) as corpora:
        pass
    corpora.add("mine", roots[1], owner="anna")
    assert [state.name for state in corpora.states("anna")] == ["app"]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({}, "its files are being counted"),
        ({"total": 50}, "0%"),
        ({"done": 20, "total": 50, "share": 0.424, "seconds_left": 0}, "42%, about 1 s left"),
        ({"done": 20, "total": 50, "share": 0.424, "seconds_left": 89}, "42%, about 89 s left"),
        ({"done": 20, "total": 50, "share": 0.424, "seconds_left": 150}, "42%, about 2 min left"),
    ],
)
def test_how_far_a_first_index_is_in_words(told: dict[str, Any], said: str) -> None:
    assert first_index_progress(State("kitchen", "/srv/kitchen", False, **told)) == said
