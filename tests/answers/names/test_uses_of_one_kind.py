"""Who inherits from a name, imports, raises or catches it, and what a question asks of a definition or a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.names.callers import answer_with_callers
from quaestor.answers.overview.overview_answer import answer_with_importers
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way

BODY = "".join(f"    total += {n}\n" for n in range(50))
FILES = {
    "ferry/base.py": (
        "class Boat:\n    def row(self): ...\n\n\nclass Leak(Exception): ...\n\n\nclass Dry(Exception): ...\n"
    ),
    "ferry/boats.py": (
        "from ferry.base import (\n    Boat,\n    Leak,\n)\n\n\nclass Barge(Boat):\n    def sink(self, deep):\n"
        "        raise Leak(deep)\n\n\nclass Raft(Boat): ...\n\n\n"
        "def tow(boat: Boat):\n    try:\n        boat.sink(3)\n    except Leak:\n        return None\n"
    ),
    "ferry/fares.py": f"def sum_fares(day, *, night=False):\n    total = 0\n{BODY}    return total\n",
    "ferry/crew.py": (
        f"class Crew:\n    size = 3\n{BODY.replace('total +=', 'x =')}\n"
        "    def __init__(self, captain):\n        self.captain = captain\n"
    ),
    "ferry/left.py": "class Gate:\n    def shut_it(self): ...\n",
    "ferry/right.py": "class Gate:\n    def shut_it(self): ...\n",
    "quay/quay.go": (
        "package quay\n\ntype Store interface {\n\t// Put it down.\n\tPut(x int) error\n\tGet() int\n}\n\n"
        "type Extended interface {\n\tStore\n}\n"
    ),
    "quay/shed.go": (
        "package quay\n\ntype Shed struct{ x int }\n\nfunc (s *Shed) Put(x int) error { return ErrFull }\n\n"
        "func (s *Shed) Get() int { return s.x }\n\ntype Half struct{}\n\nfunc (h Half) Get() int { return 1 }\n"
    ),
    "quay/errors.go": 'package quay\n\nvar ErrFull = errors.New("full")\n',
    "quay/hours.go": "package quay\n\nfunc (s *Shed) Open() int { return s.openHours + s.openHours }\n",
    "north/depot.py": "def pair2cart_load(): ...\n",
    "south/depot.py": "def sha256_sum(): ...\n\n\nsha256_sum()\n",
    "rust/lib.rs": "mod web_pier;\n\npub fn moor() {\n    web_pier::tie_up();\n}\n",
    "rust/web_pier.rs": "//! Ties what comes by water.\n\npub fn tie_up() {}\n",
    "tests/notes.md": "# Notes\n\nA `tie_up` is tried by hand.\n",
    "js/index.js": "// Starts the ferry at the other shore.\nexport const start = 1\n",
    "tests/test_boats.py": "from ferry.boats import Barge, Raft\n\n\ndef test_it():\n    Barge().row()\n",
    "lib/sources.ex": "defmodule Ferry.Sources do\n  def find(x), do: x\n\n  def all(x), do: find(x)\nend\n",
    "lib/use.ex": (
        "defmodule Ferry.Use do\n  def go(x), do: Ferry.Sources.find(x) + Enum.find(x)\n\n"
        "  def no(x), do: Enum.find(x)\nend\n"
    ),
    "lib/part.ex": "defmodule Ferry.Part do\n  use Ferry.Sources\nend\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("kinds") / "ferry", FILES) as index:
        yield index


def answered(index: Index, text: str) -> tuple[str, list[tuple[str, int]]]:
    answer = answer_by_way(Question(text), index)
    assert isinstance(answer, WayAnswer)
    return answer.text(range(1, 99)), [(hit.path, hit.start_line) for hit in answer.hits]


def test_only_what_inherits_is_told(index: Index) -> None:
    text, places = answered(index, "Which classes inherit from Boat?")
    assert text.startswith("`Boat` is extended or implemented at 2 places in 1 file.")
    assert places == [("ferry/boats.py", 7), ("ferry/boats.py", 12), ("ferry/base.py", 1)]


def test_where_nothing_inherits_it_is_said_before_other_uses(index: Index) -> None:
    text, places = answered(index, "What are the subclasses of Barge?")
    assert text.startswith("Nothing in this corpus extends or implements `Barge`, as far as its syntax tells.")
    assert "`Barge` is used at 1 place in 1 file in tests." in text
    assert ("tests/test_boats.py", 5) in places


def test_where_nothing_uses_it_either(index: Index) -> None:
    text, places = answered(index, "Who raises `Dry`?")
    assert text.startswith("Nothing in this corpus raises `Dry`, as far as its syntax tells.\n\nIt is defined here:")
    assert places == [("ferry/base.py", 8)]


@pytest.mark.parametrize(
    ("text", "said", "places"),
    [
        ("which functions raise Leak?", "`Leak` is raised at 1 place in 1 file", [("ferry/boats.py", 9)]),
        ("who catches Leak?", "`Leak` is caught at 1 place in 1 file.", [("ferry/boats.py", 18)]),
        ("Which modules import Boat?", "`Boat` is imported at 1 place in 1 file.", [("ferry/boats.py", 2)]),
    ],
)
def test_uses_of_one_kind(index: Index, text: str, said: str, places: list[tuple[str, int]]) -> None:
    answer, found = answered(index, text)
    assert answer.startswith(said)
    assert found[:-1] == places


def test_what_a_file_imports(index: Index) -> None:
    text, places = answered(index, "What does ferry/boats.py import?")
    assert text.startswith("`ferry/boats.py` imports 1 file of this corpus: `ferry/base.py`.")
    assert places == [("ferry/boats.py", 1)]


def test_calls_of_a_namesake_of_another_module_are_no_uses(index: Index) -> None:
    text, places = answered(index, "who calls Ferry.Sources.find/1?")
    assert text.startswith("`Ferry.Sources.find` is used at 2 places in 2 files.")
    assert places == [("lib/use.ex", 2), ("lib/sources.ex", 4), ("lib/sources.ex", 2)]


def test_a_module_that_is_named_whole_is_a_base(index: Index) -> None:
    text, places = answered(index, "Which modules implement Ferry.Sources?")
    assert text.startswith("`Ferry.Sources` is extended or implemented at 1 place in 1 file.")
    assert places == [("lib/part.ex", 2), ("lib/sources.ex", 1)]


def test_a_name_that_begins_with_the_projects_is_not_the_project(index: Index) -> None:
    text, places = answered(index, "what does Ferry.Sources do?")
    assert places[0][0] == "lib/sources.ex"
    assert "Overview" not in text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("what does sum_fares return?", [1, 53]),
        ("which arguments does sum_fares take?", [1]),
        ("Was gibt sum_fares zurück?", [1, 53]),
    ],
)
def test_what_a_long_function_takes_and_returns(index: Index, text: str, lines: list[int]) -> None:
    assert answered(index, text)[1] == [("ferry/fares.py", line) for line in lines]


def test_the_arguments_of_a_class_are_its_constructors(index: Index) -> None:
    assert answered(index, "which arguments does Crew take?")[1] == [("ferry/crew.py", 1), ("ferry/crew.py", 54)]


def test_that_nothing_is_raised_is_said(index: Index) -> None:
    assert "No line of it raises anything itself." in answered(index, "which errors can sum_fares raise?")[0]
    assert "No line of it raises" not in answered(index, "which errors can Barge.sink raise?")[0]


def test_a_line_is_shown_with_its_definition(index: Index) -> None:
    text, places = answered(index, "what does boats.py:9 do?")
    assert places == [("ferry/boats.py", 8)]
    assert "Line 9 is part of `Barge.sink` (8-9)." in text
    assert "`ferry/boats.py` ends at line 20." in answered(index, "what is at ferry/boats.py:99?")[0]


def test_a_plain_word_that_no_code_defines_is_left_to_the_search(index: Index) -> None:
    assert answer_by_way(Question("what does boat return?"), index) is None
    assert answered(index, "where is tow defined?")[1] == [("ferry/boats.py", 15)]


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_method_of_a_class_of_a_module(index: Index, side: str) -> None:
    assert answered(index, f"where is ferry.{side}.Gate.shut_it defined?")[1] == [(f"ferry/{side}.py", 2)]


def test_how_a_definition_works_is_told_by_all_of_it_or_left_to_the_search(index: Index) -> None:
    assert answered(index, "how does `tow` work?")[1] == [("ferry/boats.py", 15)]
    assert answer_by_way(Question("how does sum_fares work?"), index) is None
    assert answer_by_way(Question("how does `Raft` work?"), index) is None
    assert answer_by_way(Question("how does ferry/left.py work?"), index) is None


def test_types_of_go_implement_an_interface_by_their_methods(index: Index) -> None:
    text, places = answered(index, "Which types implement Store?")
    assert text.startswith("`Store` is extended or implemented at 2 places in 2 files. Types that have all its methods")
    assert sorted(places) == [("quay/quay.go", 3), ("quay/quay.go", 10), ("quay/shed.go", 3)]


def test_where_something_is_returned(index: Index) -> None:
    """What is a fault by its name, ``named_faults`` explains before this way is asked."""
    answer = answer_with_callers(Question("which functions return ErrFull?"), index)
    assert answer is not None
    assert answer.text(range(9)).startswith("`ErrFull` is returned at 1 place in 1 file.")
    assert [(hit.path, hit.start_line) for hit in answer.hits] == [("quay/shed.go", 5), ("quay/errors.go", 3)]


def test_a_method_as_go_writes_it(index: Index) -> None:
    assert answered(index, "where is (*Shed).Get defined?")[1] == [("quay/shed.go", 7)]


def test_a_file_that_no_import_names_is_used_by_what_it_defines(index: Index) -> None:
    text, places = answered(index, "What uses quay/errors.go?")
    assert text.startswith(
        "No import here names `quay/errors.go`. Other files use what it defines: `ErrFull` (`quay/shed.go`)."
    )
    assert places == [("quay/shed.go", 5)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What uses openHuors?", "`openHuors` occurs nowhere here; this is about `openHours`."),
        ("who calls pair2cart_laod?", "`pair2cart_laod` occurs nowhere here; this is about `pair2cart_load`."),
        ("who calls sha255_sum?", "Nothing uses `sha255_sum`: it occurs nowhere in this corpus."),
        ("Where is Barrge defined?", "`Barrge` is defined nowhere here; the nearest name is `Barge`."),
        ("where is the class Barrge?", "`Barrge` is defined nowhere here; the nearest name is `Barge`."),
    ],
)
def test_a_name_with_a_typing_error(index: Index, text: str, said: str) -> None:
    assert answered(index, text)[0].startswith(said)


@pytest.mark.parametrize("path", ["ferry/boats", "js/index", "js/index.js", "js.index"])
def test_a_file_by_its_path_without_an_ending(index: Index, path: str) -> None:
    assert answered(index, f"what does {path} do?")[1][0][0].partition(".")[0] == path.partition(".js")[0].replace(
        ".", "/"
    )


def test_files_that_share_a_name_are_all_told(index: Index) -> None:
    text, places = answered(index, "what does depot.py do?")
    assert text.startswith(
        "2 files here are called `depot.py`: `north/depot.py`, `south/depot.py`. This is about the first."
    )
    assert places[0][0] == "north/depot.py"
    assert answered(index, "who imports depot.py?")[0].startswith("2 files here are called `depot.py`")


@pytest.mark.parametrize("text", ["Wo wird tow verwendet?", "tow はどこで使われていますか？", "¿Dónde se usa tow?"])
def test_a_plain_word_is_a_name_in_other_languages_if_it_is_defined(index: Index, text: str) -> None:
    assert answered(index, text)[1] == [("ferry/boats.py", 15)]
    assert answer_by_way(Question(text.replace("tow", "grog")), index) is None


def test_a_module_of_rust_is_its_file(index: Index) -> None:
    assert answered(index, "what does web_pier do?")[1] == [("rust/web_pier.rs", 1)]


def test_a_document_among_tests_tests_nothing(index: Index) -> None:
    text, places = answered(index, "who calls tie_up?")
    assert text.startswith("`tie_up` is used at 1 place in 1 file.")
    assert places == [("rust/lib.rs", 4), ("rust/web_pier.rs", 3)]


IMPORTING = {
    "go.mod": "module example.org/ferry\n",
    "quay/quay.go": "package quay\n\nfunc Land() {\n}\n",
    "main.go": 'package main\n\nimport (\n\t"a.io/acme/tui/v2"\n\t"example.org/ferry/quay"\n)\n\nfunc main() {\n}\n',
    "main_test.go": 'package main\n\nimport "example.org/ferry/quay"\n\nfunc TestLand() {\n}\n',
    "quay/shed.go": 'package quay\n\nimport "example.org/ferry/quay/deep"\n',
    "src/lib.rs": "use serde_json::{\n    Value,\n};\n\npub fn moor() {}\n",
    "web/a.js": "import { produce } from '@acme/tui'\n\nexport const a = produce\n",
}


@pytest.mark.parametrize(
    ("question", "says", "places"),
    [
        ("What depends on quay?", "`quay/` is imported by 1 file and by 1 test file.", ["main.go:5", "main_test.go:3"]),
        ("which files import the `quay` folder", "`quay/` is imported by 1 file", ["main.go:5", "main_test.go:3"]),
        ("what is tui used for?", "`tui`, which is not defined here, is imported by 1 file.", ["main.go:4"]),
        ("Where is the serde-json crate used?", "`serde-json`, which is not defined here,", ["src/lib.rs:1"]),
        ("what uses @acme/tui", "`@acme/tui`, which is not defined here,", ["web/a.js:1"]),
    ],
)
def test_who_imports_a_folder_or_a_package_from_elsewhere(
    tmp_path: Path, question: str, says: str, places: list[str]
) -> None:
    with index_of(tmp_path / "ferry", IMPORTING) as index:
        answer = answer_by_way(Question(question), index)
    assert answer is not None and answer.way == "callers"
    assert answer.text(range(1, 99)).startswith(says)
    assert [f"{hit.path}:{hit.start_line}" for hit in answer.hits] == places


@pytest.mark.parametrize(
    "question", ["What is quay used for?", "what uses gulls?", "What does it depend on?", "who uses it?"]
)
def test_what_nothing_imports_or_is_here_for_something_has_no_importers(tmp_path: Path, question: str) -> None:
    with index_of(tmp_path / "ferry", IMPORTING) as index:
        assert answer_with_importers(Question(question), index) is None


def test_a_package_from_elsewhere_may_be_called_like_a_definition_here(tmp_path: Path) -> None:
    files = {
        "web/draft.js": "import { produce } from 'draft'\n\nexport const draft = (x) => produce(x)\n",
        "a.py": "x = 1\n",
    }
    with index_of(tmp_path / "ferry", files) as index:
        answer = answer_by_way(Question("What depends on draft?"), index)
    assert answer is not None
    assert answer.text([1]).startswith("`draft`, as a package from elsewhere, is imported by 1 file.")


def test_of_many_importers_some_are_quoted_and_the_others_named(tmp_path: Path) -> None:
    files = {f"part{number}.py": "import numpy as np\n" for number in range(10)}
    with index_of(tmp_path / "ferry", files) as index:
        answer = answer_by_way(Question("What depends on numpy?"), index)
    assert answer is not None and len(answer.hits) == 8
    assert answer.text(range(1, 99)).endswith("Also by `part8.py`, `part9.py`.")
