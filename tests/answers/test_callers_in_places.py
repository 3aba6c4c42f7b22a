"""Who calls a thing in one file, folder or class alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.names.callers import answer_with_callers
from quaestor.answers.way import Question

FILES = {
    "shop/post.py": "def send_order(order):\n    return order\n",
    "shop/desk.py": "from shop.post import send_order\n\n\nclass Desk:\n    def close(self):\n        send_order(1)\n",
    "tills/till.py": "from shop.post import send_order\n\n\ndef ring():\n    send_order(2)\n\n\ndef wait(): ...\n",
    "shop/count.py": "def _add_up(all):\n    return sum(all)\n\n\ndef total(all):\n    return _add_up(all)\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("places") / "made", FILES) as index:
        yield index


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("desk.py", "shop/desk.py"),
        ("Desk", "shop/desk.py"),
        ("the tills folder", "tills/till.py"),
        ("till", "tills/till.py"),
    ],
)
def test_only_uses_in_that_place_are_quoted(index: Index, place: str, path: str) -> None:
    answer = answer_with_callers(Question(f"who calls send_order in {place}?"), index)
    assert answer is not None
    assert {hit.path for hit in answer.hits} == {path, "shop/post.py"}


def test_where_nothing_in_that_place_uses_it_the_others_are_told(index: Index) -> None:
    answer = answer_with_callers(Question("who calls send_order in post.py?"), index)
    assert answer is not None
    assert "Nothing in `post.py` uses `send_order`" in answer.text(range(1, 9))
    assert {"shop/desk.py", "tills/till.py"} <= {hit.path for hit in answer.hits}


@pytest.mark.parametrize("question", ["who calls send_order in this project?", "who uses send_order and from where"])
def test_everywhere_is_everywhere(index: Index, question: str) -> None:
    answer = answer_with_callers(Question(question), index)
    assert answer is not None
    assert "Nothing in" not in answer.text(range(1, 9))
    assert {"shop/desk.py", "tills/till.py"} <= {hit.path for hit in answer.hits}


def test_a_name_without_the_underscore_that_it_is_defined_with_is_told(index: Index) -> None:
    answer = answer_with_callers(Question("where is add_up called from?"), index)
    assert answer is not None
    assert "`add_up` occurs nowhere here; this is about `_add_up`" in answer.text(range(1, 9))
    assert {(hit.path, hit.start_line) for hit in answer.hits} >= {("shop/count.py", 6)}
