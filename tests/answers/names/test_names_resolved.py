"""Which document or definition a name, a path or the end of a path in a question means, and with which relatives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.names.explain_name import explain_class, explain_name
from quaestor.answers.names.resolved_names import (
    nearest_path,
    paths_ending,
    raises_of,
    raises_of_bound,
    resolve_module,
    resolve_name,
    resolve_numbered,
    resolve_path,
    say_namesakes,
    uses_of,
)
from quaestor.answers.way import Question

FILES = {
    "ferry/river.py": "def cross(letter):\n    return letter\n\n\ndef _dry(letter):\n    return letter\n",
    "ferry/boat.py": "from ferry.river import _dry, cross\n\n\ndef carry(letter):\n    cross(_dry(letter))\n",
    "ferry/desk.py": "from ferry.river import _dry, cross\n\n\ndef send(letter):\n    cross(_dry(letter))\n",
    "tests/test_river.py": "from ferry.river import _dry, cross\n\n\ndef test_cross():\n    cross(_dry(1))\n",
    "ferry/__init__.py": "FERRY = 1\n",
    "ferry/sails.py": "class SailMaker:\n    pass\n\n\ndef make_sail():\n    return SailMaker()\n",
    "ferry/more.py": "from ferry.sails import SailMaker\n\n\ndef more():\n    return SailMaker()\n",
    "quay/ropes.rb": "def tied?(knot)\n  knot\nend\n\ndef untie(knot)\n  tied?(knot)\nend\n",
    "a/util.py": "def one(): ...\n",
    "b/util.py": "def two(): ...\n",
    "b/deep/helper.py": "def helper_of_all(): ...\n",
    "vendor/helper.py": "def other(): ...\n",
    "main.py": "def main(): ...\n",
    "c/main.py": "def other_main(): ...\n",
    "lib/threadpool.c": "int pool(void) { return 1; }\n",
    "docs/util.md": "# Util\n\nWhat is useful.\n",
    "faults/kinds.py": (
        "class TideError(Exception):\n    def __str__(self):\n        return 'tide'\n\n\nFOG_ERR = make('fog')\n"
    ),
    "faults/use.py": (
        "from faults.kinds import FOG_ERR, TideError\n\n\ndef wait(tide):\n    if tide:\n"
        "        raise TideError(tide)\n    try:\n        go()\n    except FOG_ERR:\n        pass\n    fail(FOG_ERR)\n"
    ),
    **{f"proposals/00{number:02}-x.md": f"# Proposal {number}\n\nText of it.\n" for number in (1, 2, 12)},
    "proposals/old/0012-y.md": "# Old\n\nText of it.\n",
    "bip/bip-0007.md": "# Seven\n\nText of it.\n",
}
KINDS = ("definitions", "callers", "tests")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("resolved") / "ferries", FILES) as index:
        yield index


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("ferry/boat.py", "ferry/boat.py"),
        ("./ferry/boat.py", "ferry/boat.py"),
        ("/ferry/boat.py/", "ferry/boat.py"),
        (r"C:\work\ferry\boat.py", "ferry/boat.py"),
        ("/home/x/ferry/boat.py", "ferry/boat.py"),
        ("/1/2/3/4/5/6/7/8/9/ferry/boat.py", "ferry/boat.py"),
        ("boat.py", "ferry/boat.py"),
        ("/home/x/other/boat.py", None),
        ("main.py", "main.py"),
        ("util.py", None),
        ("b/util.py", "b/util.py"),
        ("helper.py", "b/deep/helper.py"),
        ("none.py", None),
        ("/app/main.py", "main.py"),
        ("/app/none.py", None),
        ("app/main.py", None),
    ],
)
def test_a_path_is_a_document_by_its_end(index: Index, path: str, document: str | None) -> None:
    assert resolve_path(index, path) == document


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("ferry.river", "ferry/river.py"),
        ("ferry::river", "ferry/river.py"),
        ("ferry/river", "ferry/river.py"),
        ("Ferry#River", "ferry/river.py"),
        ("river", "ferry/river.py"),
        ("ferry", "ferry/__init__.py"),
        ("util", None),
        ("b.util", "b/util.py"),
        ("helper", "b/deep/helper.py"),
        ("iver", None),
        ("none", None),
    ],
)
def test_a_module_is_the_only_document_that_its_name_ends(index: Index, name: str, document: str | None) -> None:
    assert resolve_module(index, name) == document


def test_a_path_with_a_slip_is_the_only_one_that_is_nearly_so(index: Index) -> None:
    assert nearest_path(index, "lib/threadpol.c") == "lib/threadpool.c"
    assert nearest_path(index, "threadpol.c") == "lib/threadpool.c"
    assert nearest_path(index, "lib/tree.c") is None


def test_files_of_one_name_are_told_sources_and_short_paths_first(index: Index) -> None:
    assert paths_ending(index, "util.py") == ["a/util.py", "b/util.py"]
    assert paths_ending(index, "helper.py") == ["b/deep/helper.py", "vendor/helper.py"]
    found = resolve_name(index, "util.py", KINDS, 9)
    assert found is not None
    assert (found.name, found.namesakes, found.corrected) == ("a/util.py", ("a/util.py", "b/util.py"), False)
    said = "2 files here are called `util.py`: `a/util.py`, `b/util.py`. This is about the first."
    assert say_namesakes("util.py", found.namesakes) == said
    assert " and 1 more. This is" in say_namesakes("x.py", [f"{number}/x.py" for number in range(6)])
    assert " more" not in say_namesakes("x.py", [f"{number}/x.py" for number in range(5)])


@pytest.mark.parametrize(
    ("name", "meant", "corrected", "relatives"),
    [
        ("cross", "cross", False, {"definitions": 1, "callers": 1, "tests": 1}),
        ("dry", "_dry", True, {"definitions": 1, "callers": 1, "tests": 1}),
        ("sail_maker", "SailMaker", True, {"definitions": 1, "callers": 1, "tests": 0}),
        ("SailMakr", "SailMaker", True, {"definitions": 1, "callers": 1, "tests": 0}),
        ("tied", "tied?", False, {"definitions": 1, "callers": 1, "tests": 0}),
        ("ferry/river.py", "ferry/river.py", False, {"callers": 1, "tests": 1}),
        ("ferry/rivr.py", "ferry/river.py", True, {"callers": 1, "tests": 1}),
        ("ferry.river", "ferry/river.py", False, {"callers": 1, "tests": 1}),
        ("ferry:river", "ferry/river.py", False, {"callers": 1, "tests": 1}),
        ("river", "ferry/river.py", False, {"callers": 1, "tests": 1}),
    ],
)
def test_a_name_has_as_many_relatives_of_each_kind_as_asked_for(
    index: Index, name: str, meant: str, *, corrected: bool, relatives: dict[str, int]
) -> None:
    found = resolve_name(index, name, KINDS, 1)
    assert found is not None and found.related is not None
    assert (found.name, found.corrected, found.namesakes) == (meant, corrected, ())
    assert {kind: len(found.related.of(kind)) for kind in relatives} == relatives
    if not corrected:
        alone = resolve_name(index, name, ("callers",), 9)
        assert alone is not None and alone.related is not None
        assert {one.kind for one in alone.related.relatives} == {"callers"}


def test_what_occurs_nowhere_is_no_name(index: Index) -> None:
    assert resolve_name(index, "no/such.py", KINDS, 9) is None
    assert resolve_name(index, "src/none", KINDS, 9) is None
    nothing = resolve_name(index, "reticulate", KINDS, 9)
    assert nothing is not None and (nothing.related, nothing.nearest, nothing.corrected) == (None, (), False)


def test_who_uses_and_who_raises_an_error(index: Index) -> None:
    used = [uses_of(index, name, 9) for name in ("TideError", "TideError.__str__", "none")]
    assert [[(one.path, one.start_line) for one in found] for found in used] == [[("faults/use.py", 6)]] * 2 + [[]]
    assert [(one.path, one.start_line) for one in raises_of(index, "TideError", 9)] == [("faults/use.py", 6)]
    assert raises_of(index, "cross", 9) == raises_of(index, "none", 9) == ()
    lines = FILES["faults/kinds.py"].split("\n")
    bound = raises_of_bound(index, "faults/kinds.py", lines, 6, 9)
    assert [(one.path, one.start_line) for one in bound] == [("faults/use.py", 11)]
    assert raises_of_bound(index, "faults/kinds.py", lines, 3, 9) == ()


@pytest.mark.parametrize(
    ("name", "closely", "document"),
    [
        ("proposal 12", False, "proposals/0012-x.md"),
        ("proposal 12", True, "proposals/0012-x.md"),
        ("Proposal-0002", True, "proposals/0002-x.md"),
        ("BIP 7", False, "bip/bip-0007.md"),
        ("bip7", False, "bip/bip-0007.md"),
        ("BIP 7", True, None),
        ("proposal 13", True, None),
        ("12", False, None),
        ("proposal", False, None),
    ],
)
def test_a_document_is_meant_by_its_series_and_number(
    index: Index, name: str, *, closely: bool, document: str | None
) -> None:
    assert resolve_numbered(index, name, closely=closely) == document


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("where is the sail maker implemented?", ("ferry/sails.py", 1)),
        ("Where's the sail-maker implemented", ("ferry/sails.py", 1)),
        ("where is the sail baker implemented?", None),
        ("where is the sail implemented?", None),
        ("where is the sail maker used and implemented?", None),
        ("What is a sail maker?", ("ferry/sails.py", 1)),
        ("what does a sail-maker do", ("ferry/sails.py", 1)),
        ("what is a sail?", None),
        ("what is the sail maker of the quay?", None),
    ],
)
def test_words_mean_the_class_that_they_name_and_none_like_it(
    index: Index, text: str, place: tuple[str, int] | None
) -> None:
    found = explain_name(Question(text), index) or explain_class(Question(text), index)
    assert (None if found is None else (found.hits[0].path, found.hits[0].start_line)) == place


def test_a_method_with_a_body_comes_before_its_abstract_declaration(tmp_path: Path) -> None:
    abstract = "export abstract class Visitor {\n  protected abstract visitQuay(node: Quay): void\n}\n"
    body = "export class Compiler extends Visitor {\n  visitQuay(node: Quay): void {\n    tie(node)\n  }\n}\n"
    with index_of(tmp_path / "a", {"a/visitor.ts": abstract, "b/compiler.ts": body}) as index:
        answer = explain_name(Question("where is visitQuay defined?"), index)
    assert answer is not None and answer.hits[0].path == "b/compiler.ts"
