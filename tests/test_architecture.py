"""docs/architecture.md, followed while the code runs: each way enters the files that the page names, in its order."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import FrameType

import pytest
from chat_parts import Scripted, ask

import quaestor
from index_of_files import index_of
from quaestor import Conversation
from quaestor.llm.models import Request

ROOT = Path(quaestor.__file__).parent
PAGE = (ROOT.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
FILES = {
    "retry.py": "def send_with_retry(request):\n    return request\n",
    "guide.md": "# Guide\n\nA request is sent again after a pause of three seconds.\n",
    "page.html": "<h1>Bread</h1><article><p>" + "The dough rests for eighteen hours. " * 9 + "</p></article>",
}


def places_on_the_way_of(what: str) -> list[str]:
    """Return the files and packages that the page names for one way, in order: ``files/walk.py``, ``convert``."""
    [text] = re.findall(rf"## The way of a {what}\n(.*?)(?=\n## |\Z)", PAGE, re.DOTALL)
    named = [name for name in re.findall(r"`([\w/.]+)`", text) if (ROOT / name).exists() or name.endswith(".py")]
    return [next(place for place in (name, f"answers/citations/{name}") if (ROOT / place).exists()) for name in named]


@contextmanager
def entered() -> Iterator[list[str]]:
    """Note the file of every call of ours, relative to the package, while the block runs; also in new threads."""
    calls: list[str] = []
    prefix = f"{ROOT}/"

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(prefix):
            calls.append(frame.f_code.co_filename.removeprefix(prefix))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def index(tmp_path: Path) -> None:
    with index_of(tmp_path / "corpus", FILES):
        pass


def search(tmp_path: Path) -> None:
    with index_of(tmp_path / "corpus", FILES) as corpus:
        corpus.search("how long is the pause before a request is sent again?")


def converse(tmp_path: Path) -> None:
    def read_or_answer(request: Request) -> str:
        if "<|result" in request.messages[-1].content:
            return 'After three seconds [1: "a pause of three seconds"]. It is fast.'
        return '<|read path="guide.md"|>'

    with index_of(tmp_path / "corpus", FILES) as corpus:
        ask(Conversation(corpus, Scripted(read_or_answer)), "how long is the pause before a request is sent again?")


@pytest.mark.parametrize(
    ("what", "go"), [("file", index), ("query", search), ("turn", converse), ("citation", converse)]
)
def test_a_way_enters_the_files_that_are_named_in_their_order(
    what: str, go: Callable[[Path], None], tmp_path: Path
) -> None:
    with entered() as calls:
        go(tmp_path)
    ahead = (path for path, _ in groupby(calls))
    missing = [
        place for place in places_on_the_way_of(what) if not any(f"{path}/".startswith(f"{place}/") for path in ahead)
    ]
    assert missing == []


def drawn(room: str) -> set[str]:
    """Return what the drawing of the rooms says that a room holds, in lower case."""
    [text] = re.findall(rf"^ *\d* +{room} +(.*?)(?:   .*)?$", PAGE, re.MULTILINE)
    return {word.lower() for word in re.findall(r"\w+", text)}


def test_the_drawing_names_the_packages_of_llm() -> None:
    assert drawn("llm") == {path.parent.name for path in (ROOT / "llm").glob("*/__init__.py")}


def test_the_drawing_names_the_tools() -> None:
    tools = {path.stem.removeprefix("subroutine_") for path in (ROOT / "llm" / "prompts").glob("subroutine_*.md")}
    assert drawn("tools") - set("what a model can call".split()) == tools - {"ask", "tag", "tag_optional"}
