"""A small ferry in several languages: names with twins, callers, errors, and what is asked about them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way

STEPS = "".join(f"    step_{n}(letter)\n" for n in range(50))
FILES = {
    "ferry/river.py": (
        'class RiverError(Exception):\n    """The river is closed."""\n\n'
        '    def __str__(self):\n        return "closed"\n\n\n'
        "def cross(letter):\n    raise RiverError(letter)\n"
    ),
    "ferry/boat.py": (
        "from ferry.river import RiverError, cross\n\n\ndef carry(letter):\n"
        f'{STEPS}    cross(letter)\n\n    raise RiverError("no boat")\n'
    ),
    "ferry/desk.py": (
        "from ferry.boat import carry\nfrom ferry.river import cross\n\n\ndef send(letter):\n"
        "    carry(letter)\n    cross(letter)\n"
    ),
    **{f"twins/{n}.py": f"class Box{n}:\n    def twin(self):\n        return {n}\n" for n in range(1, 7)},
    "twins/use.py": "def both(box):\n    return box.twin()\n",
    **{f"crates/{n}.py": f'class Crate:\n    """Crate {n}."""\n\n    size = {n}\n' for n in range(1, 7)},
    "crates/load.py": "def load(crates):\n    return crates.Crate()\n",
    "tests/test_crates.py": "def test_crate(crates):\n    crates.Crate()\n",
    "many.py": "".join(f"def step_{n}():\n    pass\n\n\n" for n in range(60)),
    "a/util.py": "def one(): ...\n",
    "b/util.py": "def two(): ...\n",
    "main.py": "def main(): ...\n",
    "c/main.py": "def other(): ...\n",
    "ferry/harbour.py": "def moor(): ...\n" + "".join(f"\n\ndef tie_{n}():\n    moor()\n" for n in range(40)),
    "Boats.java": "class A {\n  void drain() {\n  }\n}\nclass B {\n  void drain()\n      throws E {\n  }\n}\n",
    "js/app.js": "export function land(ferry) {\n  return ferry.stop();\n}\n",
}


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("edges") / "ferry", FILES) as index:
        yield index


def quoted(index: Index, text: str) -> list[tuple[str, int, int]]:
    answer = answer_by_way(Question(text), index)
    assert answer is not None
    return [(hit.path, hit.start_line, hit.end_line) for hit in answer.hits]


def said(index: Index, text: str) -> str:
    answer = answer_by_way(Question(text), index)
    assert answer is not None
    return answer.text(range(1, len(answer.hits) + 1))
