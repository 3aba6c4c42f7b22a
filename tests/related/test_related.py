"""Relatives of names and files in a small repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tool_parts import FILES, write

from quaestor import Index
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.related import KINDS, Related, RelatedKind


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    with Index.build(write(tmp_path / "repository", FILES)) as index:
        yield index


def places(found: Related, kind: RelatedKind) -> list[tuple[str, str, int, str | None]]:
    return [(one.role, one.path, one.start_line, one.symbol) for one in found.of(kind)]


def test_a_function(index: Index) -> None:
    found = index.related("send_with_retry")
    [definition] = found.of("definitions")
    assert (definition.path, definition.start_line, definition.end_line) == ("shop/retry.py", 8, 15)
    assert definition.text.startswith("def send_with_retry")
    # Neither the comment, the string, the keyword send_with_retry_limit nor the guide is a use.
    assert places(found, "callers") == [
        ("call", "shop/retry.py", 23, "Client.fetch"),
        ("call", "shop/orders.py", 6, "order"),
        ("reference", "shop/orders.py", 9, None),
    ]
    assert places(found, "tests") == [("call", "tests/test_retry.py", 5, "test_it_is_sent_again")]
    assert ("mention", "docs/guide.md") in [(one.role, one.path) for one in found.of("neighbours")]
    assert ("same file", "shop/retry.py", 18, "Client") in places(found, "neighbours")
    assert found.complete
    assert all(one.fresh for one in found.relatives)


def test_a_method_and_its_class(index: Index) -> None:
    found = index.related("Client.send")
    assert places(found, "definitions") == [("definition", "shop/retry.py", 25, "Client.send")]
    # A bare send() is the parameter of another function.
    assert places(found, "callers") == [("reference", "shop/retry.py", 23, "Client.fetch")]
    assert places(index.related("Client", ("tests",)), "tests") == [("call", "tests/test_retry.py", 9, "test_client")]


def test_another_language(index: Index) -> None:
    found = index.related("price()")
    assert places(found, "definitions") == [("definition", "go/cart.go", 12, "price")]
    assert places(found, "callers") == [("call", "go/cart.go", 7, "Total")]


@pytest.mark.parametrize("name", ["stale?", "clear!"])
def test_a_name_that_ends_in_a_mark(index: Index, tmp_path: Path, name: str) -> None:
    text = f"class Cache\n  def {name}\n    true\n  end\n\n  def get\n    {name}\n  end\nend\n"
    write(tmp_path / "repository", {"ruby/cache.rb": text})
    assert [(one.path, one.start_line) for one in index.related(name).of("callers")] == [("ruby/cache.rb", 7)]


def test_a_very_large_file_of_php(index: Index, tmp_path: Path) -> None:
    padding = "".join(f"    function method{number}() {{ return {number}; }}\n\n" for number in range(5000))
    methods = "    static function one() { return 1; }\n\n    function two() { return self::one(); }\n"
    text = f"<?php\nclass Large\n{{\n{padding}{methods}}}\n"
    write(tmp_path / "repository", {"php/Large.php": text})
    line = text[: text.index("self::one")].count("\n") + 1
    assert [(one.role, one.start_line) for one in index.related("Large.one").of("callers")] == [("call", line)]


def test_a_document(index: Index) -> None:
    found = index.related("shop/retry.py")
    names = [one.symbol for one in found.of("definitions")]
    assert names == ["send_with_retry", "Client", "Client.fetch", "Client.send"]
    assert [(one.role, one.path) for one in found.of("callers")] == [("import", "shop/orders.py")]
    assert [(one.role, one.path) for one in found.of("tests")] == [("import", "tests/test_retry.py")]
    assert ("imported", "shop/clock.py") in [(one.role, one.path) for one in found.of("neighbours")]


def test_a_test_that_is_only_named_alike(index: Index, tmp_path: Path) -> None:
    write(tmp_path / "repository", {"tests/test_clock.py": "def test_nothing():\n    assert True\n"})
    found = index.related("shop/clock.py", ("tests",))
    assert [(one.role, one.path) for one in found.of("tests")] == [("named alike", "tests/test_clock.py")]


def test_a_line(index: Index) -> None:
    found = index.related("shop/retry.py:12", ("definitions",))
    assert (found.target.name, found.target.path, found.target.line) == ("send_with_retry", "shop/retry.py", 12)
    assert places(index.related("shop/retry.py:23", ("definitions",)), "definitions") == [
        ("definition", "shop/retry.py", 21, "Client.fetch")
    ]
    assert index.related("shop/retry.py:1").target.name == ""


def test_what_changes_is_seen(index: Index, tmp_path: Path) -> None:
    write(tmp_path / "repository", {"shop/late.py": "from shop.clock import seconds_of\n\nLATE = seconds_of(9)\n"})
    assert ("call", "shop/late.py", 3, None) in places(index.related("seconds_of"), "callers")
    (tmp_path / "repository/shop/late.py").unlink()
    assert "shop/late.py" not in {one.path for one in index.related("seconds_of").relatives}


def test_a_very_large_file_is_read_where_it_matters(index: Index, tmp_path: Path) -> None:
    padding = "".join(f"    def method_{number}(self):\n        return {number}\n\n" for number in range(4000))
    words = "        A line of words.\n" * 100
    docstring = f'        """Tell.\n\n{words}        >>> x.large_one(1)\n{words}        """\n'
    taken = "".join(f"        argument_{number}: int = {number},\n" for number in range(100))
    head = f"    def large_one(\n        self,\n{taken}    ):\n"
    text = f"class Large:\n{padding}{head}{docstring}        return self.large_one()\n"
    assert len(text) > 150_000
    write(tmp_path / "repository", {"large.py": text})
    last = text.count("\n")
    found = index.related("large_one", ("definitions", "callers"))
    assert places(found, "definitions") == [("definition", "large.py", 12_002, "Large.large_one")]
    assert places(found, "callers") == [("call", "large.py", last, "Large.large_one")]


def test_what_there_was_no_time_for_is_said(index: Index, tmp_path: Path) -> None:
    index.related("seconds_of")
    write(tmp_path / "repository", {"shop/retry.py": "# changed\n" + str(FILES["shop/retry.py"])})
    index.refresh_seconds = 0.0
    index.indexer.distrust()
    [definition] = index.related("send_with_retry", ("definitions",)).of("definitions")
    # Whether or not the time was enough, what is shown says truly which of the two it is.
    assert definition.fresh == (definition.start_line == 9)


def test_what_is_defined_within_a_function(index: Index, tmp_path: Path) -> None:
    write(tmp_path / "repository", {"deep.py": "def outer():\n    def inner_one():\n        pass\n    inner_one()\n"})
    found = index.related("inner_one")
    assert places(found, "definitions") == [("definition", "deep.py", 2, "outer.inner_one")]
    assert places(found, "callers") == [("call", "deep.py", 4, "outer")]


def test_what_comes_from_elsewhere_is_not_ours(index: Index, tmp_path: Path) -> None:
    files = {
        "mine.py": "def close():\n    pass\n",
        "theirs.py": "import os\nfrom sqlalchemy import close\n\nos.close(1)\nclose()\n",
        "own.py": "def other():\n    close = print\n    close()\n",
        "ours.py": "import mine\n\nmine.close()\n",
    }
    write(tmp_path / "repository", files)
    assert places(index.related("close"), "callers") == [("call", "ours.py", 3, None)]


def test_what_is_required_is_imported(index: Index, tmp_path: Path) -> None:
    files = {
        "sails/hoist.js": "function hoist (sail) {\n  return sail\n}\n\nmodule.exports = { hoist }\n",
        "sails/furl.js": "function furl (sail) {\n  return sail\n}\n\nmodule.exports = furl\n",
        "boat.js": "const { reef, hoist } = require('./sails/hoist')\nconst furl = require('./sails/furl')\n\n"
        "function sail () {\n  hoist(1)\n  furl(1)\n}\n",
        "raft.js": "const {\n  hoist: up,\n  hoist\n} = require('./sails/hoist')\n\nhoist(2)\n",
        "tug.js": "var hoist = require('./sails/hoist').hoist\n\nhoist(5)\n",
        "ferry.js": "const { hoist } = require('flags')\n\nhoist(3)\n",
        "canoe.js": "const hoist = required.hoist\n\nfurl(4)\n",
    }
    write(tmp_path / "repository", files)
    calls = sorted(one for one in places(index.related("hoist"), "callers") if one[0] == "call")
    assert calls == [("call", "boat.js", 5, "sail"), ("call", "raft.js", 6, None), ("call", "tug.js", 3, None)]
    homes = {one.path for one in index.related("hoist").of("definitions")}
    assert homes == {"sails/hoist.js", "canoe.js"}
    calls = [one for one in places(index.related("furl"), "callers") if one[0] == "call"]
    assert calls == [("call", "boat.js", 6, "sail")]


def test_names_with_hyphens(index: Index, tmp_path: Path) -> None:
    files = {
        "lisp/sail.el": ";;; sail.el --- Sails\n\n(defun sail-hoist (sail)\n  sail)\n\n(defun sail-hoist-all (sails)\n"
        "  (mapcar #'sail-hoist sails))\n",
        "lisp/boat.el": ";;; boat.el --- Boats\n\n(defun boat-sail (boat)\n  (sail-hoist (boat-main-sail boat)))\n\n"
        "(defun boat-rest (boat)\n  (sail-hoist-all nil))\n",
        "src/raft.clj": "(ns raft)\n\n(defn lay-plank [raft]\n  raft)\n\n(defn lay-plank-twice [raft]\n"
        "  (lay-plank (lay-plank raft)))\n",
    }
    write(tmp_path / "repository", files)
    assert [one[1:3] for one in places(index.related("sail-hoist"), "callers")] == [
        ("lisp/sail.el", 7),
        ("lisp/boat.el", 4),
    ]
    assert [one[1:3] for one in places(index.related("lay-plank"), "callers")] == [("src/raft.clj", 7)]


def test_limits_and_totals(index: Index, tmp_path: Path) -> None:
    calls = "from shop.clock import seconds_of\n" + "seconds_of(1)\n" * 50
    write(tmp_path / "repository", {f"many{number}.py": calls for number in range(8)})
    found = index.related("seconds_of", ("callers",), limit=12)
    assert len(found.of("callers")) == 12
    assert len({one.path for one in found.of("callers")}) > 2
    assert found.total["callers"] > 300
    assert not found.complete
    every = index.related("seconds_of", ("callers",), limit=10_000)
    assert len(every.of("callers")) == every.total["callers"] == 401
    assert every.complete


def test_of_a_very_common_name_it_is_said_that_there_may_be_more(index: Index, tmp_path: Path) -> None:
    assert not index.related("seconds_of").least
    calls = "from shop.clock import seconds_of\n\nseconds_of(1)\n"
    write(tmp_path / "repository", {f"many/many{number}.py": calls for number in range(320)})
    found = index.related("seconds_of", limit=1)
    assert found.least == {"callers", "tests"}


@pytest.mark.parametrize("target", ["no_such_name_at_all", "shop/nothing.py", "nothing.py"])
def test_what_is_not_there(index: Index, target: str) -> None:
    with pytest.raises(NotFoundError, match=target):
        index.related(target)


def test_of_a_name_with_a_slip_the_nearest_word_is_told_first(index: Index, tmp_path: Path) -> None:
    code = 'def users():\n    """Users who embroider; they embroider at night, and embroider again."""\n'
    write(tmp_path / "repository", {"shop/guests.py": code})
    with pytest.raises(NotFoundError, match="Did you mean 'embroider' or 'users'"):
        index.related("embroidr")


def test_of_a_name_with_an_owner_that_of_the_same_owner_is_told_first(index: Index, tmp_path: Path) -> None:
    code = "class Loom:\n    def embroider(self):\n        return 1\n\n\nclass Hoop:\n    width = 2\n"
    write(tmp_path / "repository", {"shop/loom.py": code})
    with pytest.raises(NotFoundError, match=r"Did you mean 'Loom\.embroider' or"):
        index.related("Loom.embroidr()")
    with pytest.raises(NotFoundError, match="Did you mean 'embroider' or"):
        index.related("Hoop.embroidr")


@pytest.mark.parametrize("target", ["", "()", "  "])
def test_what_names_nothing(index: Index, target: str) -> None:
    with pytest.raises(UsageError, match="names nothing"):
        index.related(target)


def test_every_kind_is_asked_for(index: Index) -> None:
    found = index.related("send_with_retry")
    assert [one.kind for one in found.relatives] == sorted((one.kind for one in found.relatives), key=KINDS.index)
    for kind in KINDS:
        assert {one.kind for one in index.related("send_with_retry", (kind,)).relatives} <= {kind}
