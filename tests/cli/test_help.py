"""What --help shows, and what a mistyped line is answered with."""

from __future__ import annotations

import re
import shlex

import click
import pytest
from cli_parts import Run

from quaestor.cli.click_group import COMMANDS, EXAMPLES, FIRST_STEPS, cli
from quaestor.install import CLIENTS


def test_every_command_has_examples() -> None:
    assert EXAMPLES.keys() == COMMANDS.keys()


@pytest.mark.parametrize("line", [line for lines in (*EXAMPLES.values(), FIRST_STEPS) for line in lines])
def test_an_example_is_a_line_that_the_command_takes(line: str) -> None:
    program, name, *rest = shlex.split(line.partition(" >> ")[0].partition(" | ")[0])
    assert program == "quaestor"
    context = click.Context(cli, info_name="quaestor")
    command = cli.get_command(context, name)
    assert command is not None
    while isinstance(command, click.Group):
        command = command.get_command(context, rest.pop(0))
    assert command is not None
    command.make_context(name, rest, parent=context)  # raises for what it does not take


def test_help_shows_the_examples_as_they_are_typed(quaestor: Run) -> None:
    shown = quaestor("ask", "--help").out.splitlines()
    assert [line.removeprefix("    ") for line in shown if line.startswith("    quaestor ")] == list(EXAMPLES["ask"])


def test_who_knows_no_command_is_shown_where_to_begin(quaestor: Run) -> None:
    shown = quaestor("--help").out.partition("Begin with:\n")[2].splitlines()
    assert [line.strip() for line in shown] == list(FIRST_STEPS)


def test_who_types_a_question_is_shown_how_to_ask_it(quaestor: Run) -> None:
    outcome = quaestor("where are orders sent?")
    assert outcome.code == 2
    assert "To ask that, write `quaestor ask 'where are orders sent?'`." in outcome.err


@pytest.mark.parametrize(("typed", "near"), [("serch", "search"), ("indx", "index"), ("sesions", "sessions")])
def test_a_mistyped_command_is_answered_with_the_one_that_is_near(quaestor: Run, typed: str, near: str) -> None:
    outcome = quaestor(typed)
    assert outcome.code == 2
    assert f"There is no command {typed!r}. Did you mean {near!r}" in outcome.err


def test_a_command_like_no_other_is_answered_with_where_they_are_listed(quaestor: Run) -> None:
    assert "There is no command 'xyzzy'. `quaestor --help` lists them." in quaestor("xyzzy").err


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_the_help_names_every_client(quaestor: Run, command: str) -> None:
    shown = quaestor(command, "--help").out
    assert f"Usage: quaestor {command} [OPTIONS] CLIENT" in shown
    named = re.search(r"CLIENT is ([\w\s,-]+?)\.\n", shown)
    assert named is not None
    assert set(re.split(r",\s+|\s+or\s+", named[1])) == CLIENTS.keys()


def test_asking_and_searching_take_the_same_number_of_passages_by_the_same_names(quaestor: Run) -> None:
    for command in ("ask", "search", "chat", "edit"):
        assert "-k, --results, --passages" in quaestor(command, "--help").out
