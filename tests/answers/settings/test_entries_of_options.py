"""Where the entry of an option begins and ends, in documents, in manuals and in code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor.answers.settings.explain_option import (
    _declaration_at,
    _description_in_code,
    _end_of_entry,
    _end_of_entry_about,
    _Form,
    explain_option,
    read_option_question,
)
from quaestor.answers.settings.option_lists import _options_of, _variable_list
from quaestor.answers.settings.setting_declarations import begin_of_call, end_of_call, end_of_entry
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way

WAIT = re.compile(r"(?<![\w.-])-{0,2}wait(?![\w-])")


@pytest.mark.parametrize(
    ("lines", "at", "begins"),
    [
        (["add(", "    'wait',"], 2, 1),
        (["add(", "    1,", '    "a"', "    'wait',"], 4, 1),
        (["x = [", "    'wait',"], 2, 1),
        (["add(1)", "    'wait',"], 2, 2),
        (["if (a) {", "    'wait',"], 2, 2),
        (["function f() {", "    'wait',"], 2, 2),
        (["add(", *["    1,"] * 11, "'wait'"], 13, 1),
        (["add(", *["    1,"] * 12, "'wait'"], 14, 14),
        (["'wait'"], 1, 1),
    ],
)
def test_a_call_begins_where_its_bracket_opens(lines: list[str], at: int, begins: int) -> None:
    assert begin_of_call(lines, at) == begins


@pytest.mark.parametrize(
    ("lines", "start", "at", "closes"),
    [
        (["add(", "    'wait',", ")", "x()"], 1, 2, 3),
        (["add('wait')", "x()"], 1, 1, 1),
        (["add(", "    ')',", "    {1: [2]},", ")"], 1, 2, 4),
        (["a()", "b('wait')"], 1, 2, 2),
        (["add(", *["    1,"] * 23, ")"], 1, 2, 25),
        (["add(", *["    1,"] * 24, ")"], 1, 2, 2),
        (["add(", "    'wait'"], 1, 2, 2),
    ],
)
def test_a_call_ends_where_its_bracket_closes(lines: list[str], start: int, at: int, closes: int) -> None:
    assert end_of_call(lines, start, at) == closes


@pytest.mark.parametrize(
    ("lines", "alone", "end"),
    [
        (["wait", "  So long.", "  And more.", "other"], False, 3),
        (["wait", "", "  So long.", "", "  And more.", "other"], False, 5),
        (["wait", "So long."], False, 1),
        (["wait", "So long.", "And more.", "", "Other."], True, 3),
        (["wait", "", "So long.", "", "Other."], True, 3),
        (["wait", "", "", "So long."], True, 1),
        (["wait", *["  So."] * 12], False, 13),
        (["wait", *["  So."] * 13], False, 13),
        (["wait"], True, 1),
    ],
)
def test_an_entry_ends_before_what_is_indented_no_more(lines: list[str], alone: bool, end: int) -> None:
    assert _end_of_entry(lines, 1, alone=alone) == end


@pytest.mark.parametrize(
    ("lines", "prose", "end"),
    [
        (["- `--wait`: how long it waits"], True, 1),
        (["| `wait` | how long it waits |"], True, 1),
        (["  -w, --wait", "      How long it waits"], False, 2),
        (["wait", "", "How long it waits."], True, 3),
        ([".. envvar:: wait", "", "   How long it waits."], True, 3),
        (["- `--wait`: how long"], True, 0),
        (["- `--wait` = how long it waits"], True, 0),
        (["- `--wait`(how long it waits)"], True, 0),
        (["* wait: how long it waits"], True, 1),
        (["* **wait** how long it waits"], True, 1),
        (["- --wait how long it waits"], True, 1),
        (["* wait for as long as it likes"], True, 0),
        (["It may", "wait for as long as it likes"], True, 0),
        (["It may", "wait for as long as it likes"], False, 2),
        (["```", "wait for as long as it likes"], True, 2),
        (["It may", "wait for as long", "   as it likes"], True, 3),
        (["- `--waits`: how long it waits"], True, 0),
        (["long --wait: how long it waits"], True, 0),
    ],
)
def test_an_entry_begins_with_its_option_and_says_something(lines: list[str], prose: bool, end: int) -> None:
    at = next(number for number, line in enumerate(lines, 1) if "wait" in line)
    assert _end_of_entry_about(lines, at, WAIT, prose=prose) == end


@pytest.mark.parametrize(
    ("lines", "at", "found"),
    [
        (["puts('  -w, --wait   how long it waits')"], 1, (_Form.DECLARED, 1, 1)),
        (["add('--wait', help='how long it waits')"], 1, (_Form.DECLARED, 1, 1)),
        (["add(", "    '--wait',", "    help='how long it waits',", ")"], 2, (_Form.DECLARED, 1, 4)),
        (["# How long it waits.", "add('--wait')"], 2, (_Form.DECLARED, 1, 2)),
        (["# It waits.", "add('--wait')"], 2, (_Form.READ, 2, 2)),
        (["get('wait')"], 1, (_Form.READ, 1, 1)),
        (["run('a b c', 'd e f', '--wait')"], 1, (_Form.DECLARED, 1, 1)),
        (["run(", "    'first of all',", "    'second of all',", "    '--wait',", ")"], 4, (_Form.READ, 4, 4)),
        (["get('waits')"], 1, None),
        (["get('no wait')"], 1, None),
    ],
)
def test_what_declares_an_option_as_a_string(lines: list[str], at: int, found: tuple[_Form, int, int] | None) -> None:
    assert _declaration_at(lines, at, WAIT) == found


@pytest.mark.parametrize(
    ("lines", "at", "found"),
    [
        (["# How long it waits.", "wait = 5"], 2, (_Form.DECLARED, 1, 2)),
        (["# How long it waits.", "", "# wait = 4", "wait = 5"], 4, (_Form.DECLARED, 1, 4)),
        (["# How long it waits.", "wait 5"], 2, (_Form.DECLARED, 1, 2)),
        (["wait = 5"], 1, None),
        (["x = process.env.wait"], 1, (_Form.READ, 1, 1)),
        (["x = or(", "  env.wait,", ")"], 2, (_Form.READ, 2, 2)),
        (["setenv('wait', 'how long it waits')"], 1, None),
        (["# add('--wait', 'how long it waits')"], 1, None),
        (["  --wait   How long it waits"], 1, (_Form.SHOWN, 1, 1)),
        (["  --wait   So"], 1, None),
    ],
)
def test_what_a_line_of_code_tells_of_an_option(
    lines: list[str], at: int, found: tuple[_Form, int, int] | None
) -> None:
    assert _description_in_code(lines, at, "wait", WAIT) == found


def test_options_that_lines_declare_with_their_first_lines() -> None:
    lines = [
        "  -a, --all   Everything",
        "    --base=DIR",
        'add("--code")',
        'add("-d, --dry")',
        '#[arg(long = "eager")]',
        "arg!(--fast)",
        'Option "g" ["green"]',
        'Flag{Name: "hot"}',
        'IntVar(&x, "ice", 1)',
        "  --all again",
        "see --not-here",
        f"{' ' * 1000}'--late'",
    ]
    names = ["all", "base", "code", "dry", "eager", "fast", "green", "hot", "ice"]
    assert _options_of(lines) == {name: number for number, name in enumerate(names, 1)}


def test_of_many_variables_sixty_are_listed() -> None:
    read = {f"V{n:03}": ("a.py", n) for n in range(62)}
    assert _variable_list({"B": ("b.py", 2), "A": ("a.py", 1)}) == "`A` (`a.py:1`), `B` (`b.py:2`)"
    assert _variable_list(read).endswith("`V059` (`a.py:59`) and 2 more")
    assert "more" not in _variable_list(dict(list(read.items())[:60]))


@pytest.mark.parametrize(
    ("question", "option"),
    [
        ("What does --wait do?", "--wait"),
        ("what does the option `wait` mean", "wait"),
        ("what is the wait setting for?", "wait"),
        ("What's SHOP_HOME?", "SHOP_HOME"),
        ("explain the environment variable HOME", "HOME"),
        ("-w", "-w"),
        ("wait", ""),
        ("what is wait?", ""),
        ("what is the best option?", ""),
        ("what is the default setting?", ""),
        (f"what does --{'x' * 144} do?", f"--{'x' * 144}"),
        (f"what does --{'x' * 145} do?", ""),
    ],
)
def test_who_asks_for_an_option(question: str, option: str) -> None:
    assert read_option_question(question) == option


def test_a_plain_word_is_an_option_only_where_code_declares_it(tmp_path: Path) -> None:
    files = {
        "main.go": 'var hot = flag.Bool("hotreload", false, "watch the oven and load it again")\n',
        "docs/flags.md": "# Flags\n\n```\n  -hotreload\n    \twatch the oven and load it again\n```\n",
        "pipe.py": 'setting = "oven"  # how hot it is\n',
    }
    with index_of(tmp_path / "shop", files) as index:
        found = answer_by_way(Question("what does hotreload do"), index)
        assert found is not None and {hit.path for hit in found.hits} == {"docs/flags.md", "main.go"}
        assert [explain_option(Question(f"What does {one} do?"), index) for one in ("oven", "setting", "it")] == [
            None
        ] * 3


@pytest.mark.parametrize(
    ("texts", "at", "end"),
    [
        (["- --port  where", "  it listens", "- --host"], 1, 2),
        ([".. option:: port", "Where it listens.", "", "Else 80.", ".. option:: host"], 1, 4),
        (["=item port", "Where it listens.", "", "=item host"], 1, 2),
        (["`port`", "Where.", "`host`"], 1, 2),
        (["## port", "Where.", "", "More.", "## host"], 1, 4),
        (["port: where", "  it", "", "  listens", "host: x"], 1, 4),
    ],
)
def test_an_entry_ends_before_the_next(texts: Sequence[str], at: int, end: int) -> None:
    assert end_of_entry(texts, at) == end
