"""Parsers that once took quadratic time, or failed: each gets an input for which quadratic time would not end.

Where work can be counted it is; what patterns do cannot be. No time is judged: read once, this is done in a second or
two, and read again and again in an hour.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from quaestor import Index
from quaestor.accounts.prices import read_prices
from quaestor.answers.ask_back import is_without_context
from quaestor.answers.citations.citation_marks import _BEFORE_END, without_no_answer
from quaestor.answers.citations.citation_marks import parse as parse_marks
from quaestor.answers.citations.claim_support import _STOP
from quaestor.answers.citations.quote_match import find
from quaestor.answers.citations.sentences import sentences
from quaestor.answers.errors.message_templates import is_pasted
from quaestor.answers.errors.traces import read_trace
from quaestor.answers.history.history_draft import _MARK
from quaestor.answers.names.callers import _names_called
from quaestor.answers.names.resolved_names import name_of_message
from quaestor.answers.overview.entry_points import _CONSOLE
from quaestor.answers.overview.named_paths import _BETWEEN, _RUNNING, _TOKEN
from quaestor.answers.overview.overview_question import asks_for_overview
from quaestor.answers.overview.path_descriptions import _COMMENT_ENDS
from quaestor.answers.overview.prose_lines import headings, paragraphs
from quaestor.answers.project.listings import _matches, kinds
from quaestor.answers.quotes.blocks import _ADDRESS, _by_indentation
from quaestor.chat.edit_turn import _MENTIONED
from quaestor.chat.reply_reader import ThoughtFilter, WrittenCallFilter
from quaestor.chunking import cut
from quaestor.chunking.prose import read_front_matter
from quaestor.convert.html import from_html
from quaestor.convert.html_to_markdown import _grid
from quaestor.convert.html_tree import parse as parse_html
from quaestor.convert.running_text import Inline
from quaestor.core.config import Settings, read_toml
from quaestor.core.errors import UsageError
from quaestor.crawl.sitemaps import read_list
from quaestor.edits.file_text import read_text
from quaestor.edits.parse import parse as parse_edits
from quaestor.edits.place_replacement import ReplacedText, fit
from quaestor.edits.plans import Refusal, Replace
from quaestor.history.git_boundary import config_values
from quaestor.history.log import clean_message
from quaestor.install import settings_edit
from quaestor.llm.endpoints.failures import read_overflow
from quaestor.related.imports import imports_of, outside_names
from quaestor.search.callers_question import read_callers_question
from quaestor.search.corpus_words import _repeating_terms
from quaestor.server.web.answer_html import render
from quaestor.server.web.formulas import formula

DIGITS = "9" * 5_000


@pytest.mark.parametrize("piece", ["`[1` ", "```a\n", "~~~~b\n[1]\n", "```\n[1]\n```\n"])
def test_marks_of_an_answer(piece: str) -> None:
    found = parse_marks(piece * 120_000)
    assert len(found) == (1_000 if piece.startswith("~") else 0)


@pytest.mark.parametrize("answer", ["[" + " " * 400_000 + "x", "*" * 400_000, "[^" + " " * 400_000])
def test_blanks_and_marks_before_a_number(answer: str) -> None:
    assert parse_marks(answer) == ()
    assert without_no_answer(answer) == answer.strip()


@pytest.mark.parametrize("letter", "`~")
def test_a_fence_without_a_line_behind_it(letter: str) -> None:
    [found] = sentences(letter * 1_000_000)
    assert found.end == 1_000_000


def test_imports_of_a_file() -> None:
    found = imports_of("import a\n" * 400_000, "python")
    assert [found[0].line, found[-1].line, len(found)] == [1, 400_000, 400_000]


def test_imports_that_are_never_closed() -> None:
    assert len(imports_of("from . import (a,\n" * 50_000, "python")) == 50_000


def test_blank_lines_of_a_hunk() -> None:
    blank = "\n" * 400_000
    proposal = parse_edits(f"--- a/a\n+++ b/a\n@@ -1 +1 @@\n a\n{blank} b\n-c\n{blank}")
    assert not proposal.problems
    assert proposal.changes[0].search.count("\n") == 400_003  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("a = 1\n" * 50_000, False),
        ("\n" * 20_000 + "a = 1\n" * 10_000 + "\n" * 20_000, True),
        (" " * 200_000 + "\n", False),
        ("".join(f"a{number}\n...\n" for number in range(20_000)), True),
    ],
)
def test_lines_that_are_replaced(text: str, fits: bool) -> None:
    """The first half of a file; then one that differs from it in its last line, and is to change in the middle."""
    file, half = read_text(text.encode()), text[: len(text) // 2] + "\n"
    assert isinstance(fit(file, Replace("a.py", half, "x\n")), ReplacedText if fits else Refusal)
    lines = half.split("\n")[:-1]
    middle = len(lines) // 4 * 2
    changed = [*lines[:middle], "x", *lines[middle + 1 :], "otherwise", ""]
    assert isinstance(fit(file, Replace("a.py", half + "otherwise\n", "\n".join(changed))), Refusal)


@pytest.mark.parametrize("run", ["# ", " #", "#", " ", "\t#"])
def test_marks_behind_a_heading(run: str) -> None:
    [(number, title)] = headings([f"# Tills {run * 400_000}x"])
    assert number == 1
    assert title.startswith("Tills")


def test_cells_that_reach_down_are_no_more_than_are_shown() -> None:
    table = parse_html("<table><tr>" + "<td rowspan=1000>a" * 300 + "<tr><td>b" * 300).find("table")
    assert table is not None
    grid = _grid(table, Inline())
    assert len(grid) == 301
    assert max(map(len, grid)) == 60


@pytest.mark.parametrize("message", [" " * 400_000 + "x", "<" + "@" * 400_000, "a@" * 300_000])
def test_messages_of_commits(message: str) -> None:
    assert clean_message(message)


@pytest.mark.parametrize(
    ("message", "cleaned"),
    [
        ("by Ana <ana@x.example> and", "by Ana and"),
        ("a  <b at c.example>", "a"),
        ("<a@b@c>", ""),
        ("<a@b.example>  <c@d.example>", ""),
        ("a < b and c > d", "a < b and c > d"),
    ],
)
def test_addresses_are_still_left_out(message: str, cleaned: str) -> None:
    assert clean_message(message) == cleaned


def test_blanks_before_a_thought() -> None:
    thinking = ThoughtFilter()
    assert not any(map(thinking.feed, " " * 2_000_000))
    assert thinking.feed("<think>a</think>b") == "b"
    blank = ThoughtFilter()
    assert "".join(map(blank.feed, " \n" * 1_000_000)) + blank.finish() == " \n" * 1_000_000


def test_calls_in_text() -> None:
    calls = WrittenCallFilter(["search"])
    calls.feed("{}" * 500_000)
    text, found = calls.finish()
    assert (len(text), found) == (1_000_000, ())


def test_calls_in_text_with_all_that_may_stand_between_them() -> None:
    calls = WrittenCallFilter(["search"])
    calls.feed('\n {"name": "search"}, \n; [{"name": "search"}];\t')
    assert [call.name for call in calls.finish()[1]] == ["search", "search"]


def test_references_to_characters_that_no_number_is_read_for() -> None:
    assert from_html(f"<p>a &#{DIGITS}; b".encode()).text == "a \ufffd b\n"
    assert from_html(f"<p title='&#{DIGITS}'>&#65;&#x42;".encode()).text == "AB\n"
    listed = read_list(f"<urlset><url><loc>https://a.example/&#{DIGITS};</loc></url></urlset>".encode())
    assert [page.url for page in listed.pages] == ["https://a.example/\ufffd"]


def test_numbers_that_no_model_has() -> None:
    assert read_overflow(f"maximum context length is {DIGITS} tokens", {}) == (None, None)
    assert read_overflow("maximum context length is 4,096 tokens", {}) == (4096, None)


@pytest.mark.parametrize(
    "price", [f"prompt = {DIGITS}", "prompt = 1e99999999999999999999", "prompt = " + "[" * 100_000]
)
def test_prices_that_cannot_be_read(tmp_path: Path, price: str) -> None:
    (tmp_path / "prices.toml").write_text(f"[models.a]\n{price}\ncompletion = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="is not TOML"):
        read_prices(tmp_path / "prices.toml")


@pytest.mark.parametrize("nested", ["[" * 100_000, '{"a":' * 5_000, '{"a": ' + "[" * 900 + "]" * 900 + "}"])
def test_settings_that_are_nested_too_deeply(nested: str) -> None:
    for read in (settings_edit.loads, lambda text: settings_edit.with_member(text, ("a", "b"), 1)):
        with pytest.raises(ValueError, match="deep"):
            read(nested)
    with pytest.raises(ValueError, match="deep"):
        read_toml("a = " + "[" * 100_000)
    assert settings_edit.loads('{"a": "' + "[" * 1_000 + '", // {{{\n}')["a"] == "[" * 1_000


@pytest.mark.parametrize("key", ["a{dots} = 1", "[a{dots}]\nb = 1", "x = {{ a{dots} = 1 }}", "[[a{dots}]]"])
def test_dots_of_a_key(key: str) -> None:
    text = key.format(dots=" . a" * 400_000)
    for read in (read_toml, lambda text: settings_edit.with_table(text, ("a", "b"), {})):
        with pytest.raises(ValueError, match="dots"):
            read(text)


def test_tables_within_the_one_that_is_removed() -> None:
    text = "".join(f"[a.b.c{number}]\nd = 1\n" for number in range(40_000))
    assert settings_edit.without_table(f"[a.x]\n{text}[y]\n", ("a", "b")) == "[a.x]\n[y]\n"


def test_quotation_marks_of_a_trace_that_are_never_closed() -> None:
    line = '{module,fun,1,[{file,"a.erl"},{line,3}]} "' + " " * 550 + "a\n"
    assert len(read_trace(line * 600).frames) == 600


@pytest.mark.parametrize("line", ["`" * 400_000, "http://x" * 50_000])
def test_lines_of_prose_that_never_end(line: str) -> None:
    words = "This is a line that says something about the project. "
    [found] = paragraphs([words + line])
    assert found.text.startswith(words.strip()) and len(found.text) <= 4_000


@pytest.mark.parametrize("piece", ["“", "“ ", '"  '])
def test_quotation_marks_of_a_question_that_are_never_closed(piece: str) -> None:
    assert not read_callers_question(f"{piece * 200_001}?")
    assert not is_pasted(f"where is {piece[0] * 400_001}?")


def test_blanks_in_a_heading_and_an_overview_of_it(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    blanks = " \t" * 200_000
    (tmp_path / "corpus" / "README.md").write_text(f"# Name{blanks}x\n\nA tool that bakes bread.\n", "utf-8")
    with Index.build(tmp_path / "corpus", settings=Settings(home=str(tmp_path / "home"))) as index:
        assert "bakes bread" in index.overview().text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.man", f".Sh NAME\n.Nm {' ' * 200_000}\nx\n"),
        ("a.rd", f"\\title{{{' ' * 200_000}x\n\\usage{{\n"),
        ("a.coffee", f"f = -> 1\na = {' ' * 200_000}x\n"),
    ],
)
def test_blanks_of_a_manual_and_of_code(path: str, text: str) -> None:
    assert "".join(chunk.text for chunk in cut(text.encode(), path).chunks).split() == text.split()


def test_stars_and_blanks_behind_a_comment() -> None:
    assert not _COMMENT_ENDS.search("*" * 200_000 + " " * 200_000 + "x")
    assert _COMMENT_ENDS.sub("", "a ***/ ") == "a "


def test_blanks_and_stops_of_a_claim() -> None:
    assert not _BEFORE_END.search(" " * 200_000 + "x")
    assert _STOP.split(";" * 200_000 + "x. y") == [";" * 200_000 + "x", "y"]


def test_a_long_word_of_a_comment() -> None:
    assert not _ADDRESS.search("x" * 200_000)


def test_blanks_in_a_mark() -> None:
    assert not _MARK.search("[" + " " * 200_000)
    assert _MARK.search("[ ^ passage 1")


def test_lines_of_which_an_overview_names_paths_and_commands() -> None:
    assert not _BETWEEN.match("`" * 200_000 + "x")
    assert not _BETWEEN.match("()" + " " * 200_000 + "x")
    assert _BETWEEN.match("`, (a) and `")
    assert not _RUNNING.match(" \t" * 200_000)
    assert not list(_TOKEN.finditer("+" * 400_000))
    assert not _CONSOLE.search("1a" * 200_000)


def test_a_long_name_in_code() -> None:
    assert _names_called("def f(a):\n" + "b" * 400_000 + " g()") == ["g"]


def test_backticks_of_a_quote() -> None:
    assert not find("`" * 30_000, "a text")


def test_marks_before_a_question() -> None:
    assert is_without_context("(" * 400_000 + "why")
    assert not is_without_context("(" * 400_000 + "a bee")


def test_comments_that_are_never_closed() -> None:
    with pytest.raises(ValueError, match="never closed"):
        settings_edit.loads("{" + "/* " * 300_000)


@pytest.mark.parametrize(
    "text", ["import a\n" * 200_000, "import " + " " * 400_000, "let {" * 200_000, "from " * 200_000]
)
def test_names_that_javascript_imports_from_nowhere(text: str) -> None:
    found = outside_names(f"{text}\nimport {{ b as c }} from 'd'\n", "typescript", frozenset)
    assert found == {"c"}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", " from" + " " * 1_000_000 + "\nimport b\n"),
        ("rust", "pub(\n" * 400_000 + "\nmod b;\n"),
        ("php", "require_once " * 200_000 + "\nuse b;\n"),
    ],
)
def test_imports_that_are_never_said(language: str, text: str) -> None:
    assert [one.parts for one in imports_of(text, language)] == [("b",)]


@pytest.mark.parametrize(
    ("before", "changes"),
    [
        ("*** Add File: a", 0),
        ("*** Move File: a", 0),
        ("*** Update File: a\n*** Move to: a", 2),
        ("--- a\n+++ b\n@@ -0,0", 2),
        ("--- a", 0),
        ("--- a\n+++ b", 2),
    ],
)
def test_blanks_within_a_name_of_a_patch(before: str, changes: int) -> None:
    assert len(parse_edits(f"{before}{' ' * 400_000}\0\n@@\n-x\n+y\n").changes) == changes


def test_blanks_before_an_author() -> None:
    blanks = " " * 30_000
    text = f"---\nauthors:\n - Ada\n -{blanks}\n -{blanks}name: Grace\n---\n\n# A\n"
    assert read_front_matter(text.encode(), 0).author == "Ada, Grace"


def test_a_very_polite_question() -> None:
    assert not asks_for_overview("what is" + " please" * 100_000 + " x")


def test_a_long_name_above_a_message() -> None:
    assert name_of_message(["const " + "aErrorAa" * 60_000, 'TooDeepError = "too deep"'], 2) == "TooDeepError"
    assert name_of_message(["const " + "aErrorAa" * 60_000, '"too deep"'], 2) == ""


def test_a_long_word_of_an_instruction_to_edit() -> None:
    assert _MENTIONED.findall("a" * 400_000 + " in src/a.py, ..b.py and c.d") == ["src/a.py", "b.py", "c.d"]


def test_a_long_word_before_again() -> None:
    assert list(_repeating_terms("a" * 400_000 + " b. How do I connect again?")) == ["reconnect"]


def test_empty_lines_of_a_git_configuration() -> None:
    assert [*config_values("\n" * 400_000 + '[core]\n\tWorktree = "a b" # c\n')] == [("core", "worktree", "a b")]


def test_primes_of_a_formula() -> None:
    assert formula("x" + "'" * 1_000_000).count("′") == 1_000_000


def test_lines_without_a_grammar() -> None:
    assert len(_by_indentation(["<"] * 200_000, 0, 200_000, 0)) == 200_000


def test_brackets_of_an_answer() -> None:
    assert render("[![" * 130_000).count("[![") == 130_000


def test_blanks_in_a_heading_of_a_wiki() -> None:
    assert [*headings(["= a" + " " * 500_000 + "b", "== Title =="])][1] == (2, "Title")


@pytest.mark.parametrize("piece", [" ", "a_", "<activity ", "#[x] \n", "@Test ", "class A(", "public ", "/// a \n"])
def test_forms_of_declarations(piece: str) -> None:
    text = "#[derive(Subcommand)]\n" + piece * 40_000
    assert sum(len(list(_matches(form, text))) for kind in kinds() for form in kind.forms) == 0
