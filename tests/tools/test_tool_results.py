"""The result of each tool for its usual arguments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tool_parts import words, write

from quaestor import Index
from quaestor.edits import Replace, Whole
from quaestor.tools import Outcome, registry_of


def call(index: Index, name: str, budget: int = 1500, **arguments: object) -> Outcome:
    return registry_of(index).call(name, arguments, budget=budget, count=words)


def test_read_shows_numbered_lines(index: Index) -> None:
    outcome = call(index, "read", path="shop/clock.py", start_line=4, end_line=5)
    assert outcome.text == (
        '<passage n="1" from="shop/clock.py:4-5">\n4|def seconds_of(attempt):\n5|    return 2**attempt\n</passage>\n'
        "[shop/clock.py has 5 lines]"
    )
    [passage] = outcome.passages
    assert passage.text == "def seconds_of(attempt):\n    return 2**attempt"


def test_read_says_what_it_left_out(index: Index) -> None:
    outcome = call(index, "read", budget=60, path="shop/retry.py")
    last = outcome.passages[0].end_line
    assert f"[lines {last + 1}-26 left out]" in outcome.text
    rest = call(index, "read", path="shop/retry.py", start_line=last + 1)
    assert rest.passages[0].end_line == 26


def test_read_shows_what_is_on_disk_now(index: Index, repository: Path) -> None:
    write(repository, {"shop/clock.py": "def seconds_of(attempt):\n    return 7\n"})
    assert "2|    return 7" in call(index, "read", path="shop/clock.py").text
    (repository / "shop/clock.py").unlink()
    outcome = call(index, "read", path="shop/clock.py")
    assert outcome.failed
    assert outcome.text.startswith("'shop/clock.py' is not in this index.")


def test_what_becomes_ignored_or_secret_is_not_read(index: Index, repository: Path) -> None:
    write(repository, {".gitignore": "clock.py\n", "shop/orders.py": "-----BEGIN PRIVATE KEY-----\nabc\n"})
    for path in ("shop/clock.py", "shop/orders.py"):
        outcome = call(index, "read", path=path)
        assert outcome.failed
        assert "abc" not in outcome.text


def test_a_link_put_in_a_files_place_is_not_followed(index: Index, repository: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("the outside\n", encoding="utf-8")
    (repository / "shop/clock.py").unlink()
    (repository / "shop/clock.py").symlink_to(tmp_path / "outside.txt")
    assert "outside" not in call(index, "read", path="shop/clock.py").text
    (repository / "docs/guide.md").unlink()
    (repository / "docs").rmdir()
    write(tmp_path / "elsewhere", {"guide.md": "the outside\n"})
    (repository / "docs").symlink_to(tmp_path / "elsewhere")
    assert "the outside" not in call(index, "read", path="docs/guide.md").text


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("retry.py", "shop/retry.py"),
        ("src/shop/retry.py", "shop/retry.py"),
        ("shop/retry.py:12", "shop/retry.py"),
        ("shop/retri.py", "shop/retry.py"),
        ("shop\\retry.py", "shop/retry.py"),
        ("/shop/retry.py", "shop/retry.py"),
    ],
)
def test_a_wrong_path_leads_to_the_right_one(index: Index, path: str, meant: str) -> None:
    assert f"Did you mean {meant!r}?" in call(index, "read", path=path).text


def test_search_shares_its_room(index: Index) -> None:
    outcome = call(index, "search", query="send_with_retry", k=4)
    assert outcome.passages[0].path == "shop/retry.py"
    assert [passage.n for passage in outcome.passages] == [1, 2, 3, 4]
    narrow = call(index, "search", budget=130, query="send_with_retry", k=4)
    assert len(narrow.passages) == 1
    assert "3 passages left out" in narrow.text


def test_search_keeps_to_a_path(index: Index) -> None:
    outcome = call(index, "search", query="total", path="go/**")
    assert {passage.path for passage in outcome.passages} == {"go/cart.go"}


def test_list_opens_what_fits(index: Index) -> None:
    assert call(index, "list").text.split("\n")[0] == "./ (7 documents)"
    assert "  shop/ (4 documents)" in call(index, "list").text
    assert call(index, "list", path="shop").text.split("\n") == [
        "shop/ (4 documents)",
        "  __init__.py",
        "  clock.py",
        "  orders.py",
        "  retry.py",
    ]
    few = call(index, "list", budget=16, path="shop").text
    assert few == "shop/ (4 documents)\n  … 4 documents; list shop for all"


def test_edit_proposes_and_writes_nothing(index: Index, repository: Path) -> None:
    before = (repository / "shop/clock.py").read_bytes()
    outcome = call(index, "edit", path="shop/clock.py", search="return 2**attempt", replace="return 3**attempt")
    assert outcome.proposal is not None
    assert outcome.proposal.changes == (Replace("shop/clock.py", "return 2**attempt\n", "return 3**attempt\n"),)
    assert "-    return 2**attempt\n+    return 3**attempt" in outcome.text
    whole = call(index, "edit", path="shop/new.py", replace="NEW = 1")
    assert whole.proposal is not None
    assert whole.proposal.changes == (Whole("shop/new.py", "NEW = 1\n"),)
    assert (repository / "shop/clock.py").read_bytes() == before
    assert not (repository / "shop/new.py").exists()


def test_related_shows_each_kind(index: Index) -> None:
    text = call(index, "related", target="send_with_retry").text
    assert '<passage n="1" from="shop/retry.py:8-15"' in text
    assert "] shop/retry.py:23 Client.fetch (call): return send_with_retry(request, self.send)" in text
    assert "] tests/test_retry.py:5 test_it_is_sent_again (call): assert send_with_retry(" in text
    only = call(index, "related", target="send_with_retry", kind="tests").text
    assert only.startswith("Tests of send_with_retry\n[1] tests/test_retry.py:5")
    nothing = call(index, "related", target="price", kind="tests")
    assert not nothing.failed
    assert nothing.text.startswith("Nothing of that kind belongs to price.")


def test_related_says_of_a_very_common_name_that_there_may_be_more(index: Index, repository: Path) -> None:
    calls = "from shop.retry import send_with_retry\n\nsend_with_retry(1)\n"
    write(repository, {f"many/many{number}.py": calls for number in range(950)})
    index.refresh()
    text = call(index, "related", target="send_with_retry", kind="callers").text
    assert re.match(r"Callers .* \(\d+ of some [\d,]+ places or more: the name is too common", text)
