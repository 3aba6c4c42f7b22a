"""Who calls a thing in one file, folder or class alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

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


BY_TEXT = {
    "shop/bell.php": "<?php\nclass Bell\n{\n    public static function events()\n    {\n"
    "        return [Opened::class => 'ringBell', Closed::class => 'muteBell'];\n    }\n\n"
    "    public function ringBell(): void\n    {\n    }\n\n    #[Route('/lamp')]\n"
    "    public function lightLamp(): void\n"
    "    {\n    }\n\n    public function dimLamp(): void\n    {\n    }\n}\n",
    "config/shop.yml": "listeners:\n  - { event: opened, method: ringBell }\n",
    "docs/bell.md": "# Bell\n\n`ringBell` rings the bell, and `dimLamp` dims the lamp.\n",
    "shop/rear.php": "<?php\nfunction rear()\n{\n    return 'ringBells at the rear ringBell';\n}\n",
}


@pytest.mark.parametrize(
    ("name", "says", "places"),
    [
        (
            "ringBell",
            "No code in this corpus uses `ringBell` outside of texts.\n\nIt stands as a text at 2 places, by",
            ["shop/bell.php:6", "config/shop.yml:2", "shop/bell.php:9"],
        ),
        (
            "lightLamp",
            "Nothing in this corpus uses `lightLamp`, as far as its name tells. By what is written above its name, a",
            ["shop/bell.php:13"],
        ),
        ("dimLamp", "Nothing in this corpus uses `dimLamp`, as far as its name tells.\n", ["shop/bell.php:18"]),
    ],
)
def test_what_may_be_called_by_a_text_or_a_framework_is_said_to(
    tmp_path: Path, name: str, says: str, places: list[str]
) -> None:
    with index_of(tmp_path, BY_TEXT) as index:
        answer = answer_with_callers(Question(f"who calls {name}?"), index)
    assert answer is not None and answer.text(range(1, 5)).startswith(says)
    assert [f"{hit.path}:{hit.start_line}" for hit in answer.hits] == places
