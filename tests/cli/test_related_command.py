"""``quaestor related``, for people and for programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_parts import Run, write


def test_for_people(quaestor: Run, repository: Path) -> None:
    done = quaestor("related", "send_with_retry", repository)
    assert done.code == 0
    assert done.out.startswith("Definitions\n  src/retry.py:9  send_with_retry  definition\n")
    assert "def send_with_retry(request, send):" in done.out


def test_for_programs(quaestor: Run, repository: Path) -> None:
    write(repository, {"src/order.py": "from retry import send_with_retry\n\nsend_with_retry(1, print)\n"})
    found = quaestor("related", "send_with_retry", repository, "--json").json
    assert set(found) == {"target", "name", "path", "related", "total", "complete", "index", "seconds"}
    assert {(one["kind"], one["role"], one["path"]) for one in found["related"]} >= {
        ("definitions", "definition", "src/retry.py"),
        ("callers", "call", "src/order.py"),
    }
    assert set(found["related"][0]) == {
        "kind",
        "role",
        "path",
        "start_line",
        "end_line",
        "text",
        "symbol",
        "language",
        "sha256",
        "fresh",
    }
    only = quaestor("related", "src/retry.py:12", repository, "--json", "--kind", "callers", "-k", 1).json
    assert (only["name"], [one["kind"] for one in only["related"]]) == ("send_with_retry", ["callers"])


def test_of_a_very_common_name_it_is_said_that_there_may_be_more(quaestor: Run, repository: Path) -> None:
    calls = "from retry import send_with_retry\n\nsend_with_retry(1, print)\n"
    write(repository, {f"src/many{number}.py": calls for number in range(320)})
    found = quaestor("related", "send_with_retry", repository, "-k", 2, "--kind", "callers")
    assert found.out.startswith("Callers and other uses, by name (2 of some ")
    assert " or more: the name is too common to look at every place)" in found.out


def test_nothing_of_the_kind(quaestor: Run, repository: Path) -> None:
    done = quaestor("related", "Total", repository, "--kind", "tests")
    assert (done.code, done.out) == (1, "")
    assert done.err == "Nothing belongs to 'Total'.\n"


@pytest.mark.parametrize("target", ["no_such_name", "src/retri.py", ""])
def test_what_is_not_there(quaestor: Run, repository: Path, target: str) -> None:
    done = quaestor("related", target, repository)
    assert done.code == 2
    assert repr(target) in done.sentence


def test_names_are_harmless_in_a_terminal(quaestor: Run, repository: Path) -> None:
    write(repository, {"a\x1b[31m\nb.py": "def odd_one():\n    return '\x1b[32m'\n"})
    done = quaestor("related", "odd_one", repository)
    assert done.code == 0
    assert "\x1b" not in done.out
