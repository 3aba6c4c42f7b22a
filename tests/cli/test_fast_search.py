"""Plain searches without click give the same result as with click."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from cli_parts import Run
from hypothesis import example, given
from hypothesis import strategies as st

from moments import first_call
from quaestor.cli.click_group import run_group
from quaestor.cli.fast_search import is_plain, run_plain
from quaestor.cli.output import style
from quaestor.cli.searches import search

SLOW = {"click", "rich", "pydantic", "openai", "tree_sitter"}
WORDS = st.lists(st.sampled_from(["", "--json", "3", "a b", "where is it", "x-k", "é\udcff", "search"]), min_size=1)


@given(WORDS.filter(lambda words: set(words) != {"--json"}))
@example(["where is it", "--json"])
def test_click_reads_the_same_of_a_plain_line(words: list[str]) -> None:
    line = ["search", *words]
    assert is_plain(line)
    [plain] = first_call(search, lambda: run_plain(line)).values()
    [by_click] = first_call(search, lambda: run_group(line)).values()
    assert plain == by_click


@pytest.mark.parametrize(
    "line",
    [
        [],
        ["search"],
        ["ask", "x"],
        ["search", "x", "-k", "3"],
        ["search", "--help"],
        ["search", "--", "x"],
        ["search", "-"],
    ],
)
def test_whatever_is_not_plain_is_left_to_click(line: list[str]) -> None:
    assert not is_plain(line)


def test_completion_is_left_to_click(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_plain(["search", "x"])
    monkeypatch.setenv("_QUAESTOR_COMPLETE", "bash_complete")
    assert not is_plain(["search", "x"])


def test_it_says_what_click_lets_it_say(quaestor: Run, repository: Path) -> None:
    plain = quaestor("search", "send_with_retry", repository)
    assert quaestor("search", "send_with_retry", repository, "-k", 10) == plain
    several = quaestor("search", "send_with_retry", repository / "src", repository / "docs")
    assert quaestor("search", "send_with_retry", repository / "src", repository / "docs", "-k", 10) == several
    assert quaestor("search", "x", "/nowhere/at/all", "-k", 10) == quaestor("search", "x", "/nowhere/at/all")


def imported_by(*arguments: str) -> set[str]:
    """Return what a process has imported that runs a command."""
    code = "import sys; from quaestor.cli import run; run(sys.argv[1:]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True, timeout=600
    )
    return set(done.stdout.splitlines()[-1].split())


def test_no_part_of_a_plain_search_needs_what_is_slow_to_import(quaestor: Run, repository: Path) -> None:
    quaestor("index", repository)
    assert not SLOW & imported_by("search", "dough", str(repository))


@pytest.mark.parametrize("line", ["config show", "prompts show", "install --help"])
def test_what_is_about_no_index_does_without_numpy(quaestor: Run, line: str) -> None:
    assert "numpy" not in imported_by(*line.split())


@pytest.mark.parametrize("looks", [{"fg": "red"}, {"bold": True}, {"dim": True}, {"fg": "cyan", "bold": True}, {}])
def test_styles_are_those_of_click(looks: dict[str, object]) -> None:
    assert style("text", **looks) == click.style("text", **looks)  # type: ignore[arg-type]
