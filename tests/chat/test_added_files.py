"""Files that a person adds to a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from quaestor import Conversation, Index
from quaestor.chat.added_files import mentioned_paths, mentions, path_of
from quaestor.chat.events import Passages, Text
from quaestor.core.config import Settings
from quaestor.core.errors import NotFoundError

FILES = {
    "src/clock.py": '"""Telling the time."""\n\n\ndef ticks():\n    return 7\n',
    "src/oven.py": '"""Baking bread in the oven."""\n\n\ndef bake(bread):\n    return bread\n',
    "lib/oven.py": "def preheat():\n    return 200\n",
    "notes.md": "# Bread\n\nThe oven bakes bread at 230 degrees.\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("corpus")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    with Index.build(folder, settings=Settings(home=str(tmp_path_factory.mktemp("home")))) as built:
        yield built


def shown(conversation: Conversation, question: str) -> list[str]:
    """Return the paths of a turn's passages, best first."""

    async def paths() -> list[str]:
        found = [event async for event in conversation.send(question) if isinstance(event, Passages)]
        return [hit.path for hit in found[-1].hits]

    return asyncio.run(paths())


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("what does @src/clock.py do?", ("src/clock.py",)),
        ("@clock.py and @notes.md.", ("clock.py", "notes.md")),
        ("write to anna@example.org", ()),
        ("what does @property mean", ("property",)),
        ("(@a.py)", ("a.py",)),
        ("twice @a.py @a.py", ("a.py",)),
    ],
)
def test_what_a_question_names(question: str, named: tuple[str, ...]) -> None:
    assert mentions(question) == named


def test_a_file_is_named_by_the_end_of_its_path(index: Index) -> None:
    assert path_of("clock.py", index) == "src/clock.py"
    assert path_of("./src/clock.py", index) == "src/clock.py"
    assert path_of("lib/oven.py", index) == "lib/oven.py"
    assert path_of("oven.py", index) is None  # there are two
    assert mentioned_paths("what of @property, @scope/package and @clock.py?", index) == ("src/clock.py",)


@pytest.mark.parametrize("question", ["what does {}src/clock.py do?", "What is {}notes.md about?", "{}clock.py"])
def test_a_named_file_is_explained_as_without_the_sign(index: Index, question: str) -> None:
    async def answer(text: str) -> str:
        return "".join([event.text async for event in Conversation(index).send(text) if isinstance(event, Text)])

    told = asyncio.run(answer(question.format("@")))
    assert told == asyncio.run(answer(question.format("")))
    assert "is not here" not in told


def test_a_named_file_comes_before_what_is_found(index: Index) -> None:
    assert shown(Conversation(index), "how is bread baked in the oven?")[0] != "src/clock.py"
    first, *others = shown(Conversation(index), "how is bread baked in the oven? see @clock.py")
    assert first == "src/clock.py"
    assert "src/oven.py" in others


def test_an_added_file_comes_first_until_it_is_dropped(index: Index) -> None:
    conversation = Conversation(index)
    assert conversation.add("clock.py") == "src/clock.py"
    assert [shown(conversation, question)[0] for question in ("bread?", "the oven?")] == ["src/clock.py"] * 2
    assert conversation.drop("src/clock.py") == "src/clock.py"
    assert conversation.added == ()
    assert shown(conversation, "how many degrees does the oven bake bread at?")[0] != "src/clock.py"


def test_what_is_no_document_is_refused_with_what_may_be_meant(index: Index) -> None:
    conversation = Conversation(index)
    with pytest.raises(NotFoundError, match=r"Did you mean 'src/clock\.py'"):
        conversation.add("clocks.py")
    with pytest.raises(NotFoundError, match="is not among the added files"):
        conversation.drop("notes.md")


def test_a_file_that_goes_away_costs_only_itself(index: Index, tmp_path: Path) -> None:
    conversation = Conversation(index)
    gone = index.root / "gone.md"
    gone.write_text("# Soon gone\n\nA page.\n", encoding="utf-8")
    index.try_refresh()
    conversation.add("gone.md")
    gone.unlink()
    assert "gone.md" not in shown(conversation, "how is bread baked in the oven?")
