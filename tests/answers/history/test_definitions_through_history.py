"""The history of one definition: of its own lines, no longer than asked for, each message as it was written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from history_repository import Repository
from quaestor import Index
from quaestor.answers.history.history_answer import history_of
from quaestor.core.config import Settings

CODE = """/* Crosses the river. */
static int
cross_river(void)
{
    return 1;
}

int land_safely(void)
{
    return 2;
}
"""
MESSAGE = """Land twice

Once is not enough.
The wind is strong.

Signed-off-by: Bo <bo@example.org>
"""


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder: Path = tmp_path_factory.mktemp("ferry")
    made = Repository(folder / "ferry")
    made.commit("Begin", {"ferry.c": CODE}, "2023-01-01")
    landed = CODE.replace("return 2", "return 4")
    made.commit(MESSAGE, {"ferry.c": landed}, "2023-02-01", author="Bo Berg")
    for number in (3, 4, 5):
        crossed = landed.replace("return 1", f"return {number}")
        made.commit(f"Cross {number} times", {"ferry.c": crossed}, f"2023-03-0{number}")
    with Index.build(made.folder, settings=Settings(home=str(folder / "home"))) as index:
        yield index


def told(index: Index, question: str, limit: int = 10) -> str:
    found = history_of(index, question, limit=limit)
    return found.text(range(1, len(found.hits) + 1))


def test_lines_below_a_definition_are_not_of_it_though_others_stand_above_its_name(ferry: Index) -> None:
    written = told(ferry, "who wrote cross_river?")
    assert "written by Ana Núñez (4 lines)" in written
    assert "Bo Berg" not in written


def test_no_more_changes_of_a_definition_are_listed_than_asked_for(ferry: Index) -> None:
    changed = told(ferry, "what changed in cross_river?", limit=2)
    assert [line.partition(": ")[2] for line in changed.split("\n") if line.startswith("- ")] == [
        "Cross 5 times [1]",
        "Cross 4 times [2]",
    ]


def test_a_message_is_quoted_without_who_signed_it_off(ferry: Index) -> None:
    changed = told(ferry, "when and why was land_safely last changed?")
    assert "```text\nLand twice\n\nOnce is not enough.\nThe wind is strong.\n```\n[1]" in changed
    assert "return 4" in changed
